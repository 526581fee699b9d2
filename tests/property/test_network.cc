#include "tests/property/test_network.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/format_quantity.h"
#include "wire/frame.h"
#include "wire/opcode.h"
#include "wire/packet_codec.h"

namespace weft::testing {
namespace {

wire::Addresses addresses(int from) {
  const auto end = [](int index) {
    wire::EndAddresses of;
    of.lid = static_cast<std::uint16_t>(index + 1);
    of.mac.octets = {0x02, 0, 0, 0, 0, static_cast<std::uint8_t>(index + 1)};
    of.ipv4.value = 0x0A000001U + static_cast<std::uint32_t>(index);
    of.ipv6.octets[15] = static_cast<std::uint8_t>(index + 1);
    return of;
  };
  return {.source = end(from), .destination = end(1 - from)};
}

wire::LinkType link_of(wire::Encapsulation encapsulation) {
  return encapsulation == wire::Encapsulation::kIbLocal || encapsulation == wire::Encapsulation::kIbGlobal
             ? wire::LinkType::kInfiniBand
             : wire::LinkType::kEthernet;
}

}  // namespace

TestNetwork::TestNetwork(End& a, End& b, const Options& options)
    : ends_{&a, &b},
      options_(options),
      random_(options.seed, "network"),
      trace_(std::getenv("WEFT_TRACE") != nullptr) {}

bool TestNetwork::run(std::uint64_t steps) {
  for (std::uint64_t i = 0; i < steps; ++i) {
    if (!step(Time::never())) {
      return true;
    }
  }
  return false;
}

void TestNetwork::run_until(Time until) {
  while (step(until)) {
  }
  now_ = later(now_, until);
}

Time TestNetwork::next_event() const {
  Time next = in_flight_.empty() ? Time::never() : Time::from_picoseconds(in_flight_.begin()->first);
  for (int end = 0; end < 2; ++end) {
    const Time transmit = ends_[end]->next_transmit();
    if (!transmit.is_never()) {
      next = earlier(next, later(transmit, wire_free_[end]));
    }
    next = earlier(next, ends_[end]->next_timeout());
  }
  return next;
}

bool TestNetwork::step(Time until) {
  const Time next = next_event();
  if (next.is_never() || next > until) {
    return false;
  }
  now_ = later(now_, next);
  if (!in_flight_.empty() && in_flight_.begin()->first <= now_.picoseconds()) {
    const auto node = in_flight_.extract(in_flight_.begin());
    deliver(node.mapped());
  }
  for (int end = 0; end < 2; ++end) {
    if (ends_[end]->next_timeout() <= now_) {
      ends_[end]->on_timeout(now_);
    }
    transmit(end);
  }
  return true;
}

void TestNetwork::transmit(int from) {
  if (wire_free_[from] > now_ || ends_[from]->next_transmit() > now_) {
    return;
  }
  wire::Packet packet;
  wire::ColdPacket cold;
  std::array<std::byte, 8192> room;
  const std::span<std::byte> payload = options_.carries_bytes ? std::span(room) : std::span<std::byte>{};
  if (!ends_[from]->poll_transmit({packet, cold, payload}, now_)) {
    return;
  }
  ++packets_sent_;
  wire_free_[from] = now_ + options_.rate.transmit_time(Bytes(packet.common.wire_bytes));
  if (trace_) {
    fmt::print(stderr, "{} {}: {} psn {} payload {} syndrome {:#x}\n", now_, from, wire::opcode_name(packet.ib.opcode),
               packet.ib.psn.value(), packet.common.payload_bytes,
               wire::describe(packet.ib.opcode).aeth ? packet.ib.aeth.syndrome : 0);
  }
  if (filter_ && filter_(from, packet)) {
    return;
  }
  const std::size_t carried = payload.empty() ? 0 : packet.common.payload_bytes;
  put_on_wire(from, packet, cold, payload.first(carried));
}

void TestNetwork::put_on_wire(int from, const wire::Packet& packet, const wire::ColdPacket& cold,
                              std::span<const std::byte> payload) {
  const Faults& faults = options_.faults;
  if (random_.bernoulli(faults.loss)) {
    return;
  }
  wire::Packet marked = packet;
  if (packet.common.ecn != wire::Ecn::kNotEct && random_.bernoulli(faults.marking)) {
    marked.common.ecn = wire::Ecn::kCe;
  }
  if (options_.sets_migration_bit) {
    marked.ib.flags |= wire::kBthMigrated;
  }
  const wire::RdmaFrame frame = wire::to_frame(marked, cold, payload, addresses(from));
  std::vector<std::byte> bytes(wire::emitted_size(frame));
  wire::emit_frame(frame, bytes);
  const int copies = random_.bernoulli(faults.duplication) ? 2 : 1;
  for (int copy = 0; copy < copies; ++copy) {
    std::vector<std::byte> arriving = bytes;
    if (random_.bernoulli(faults.corruption)) {
      arriving[random_.uniform(arriving.size())] ^= std::byte{1} << random_.uniform(8);
    }
    Time arrival = wire_free_[from] + options_.delay;
    if (random_.bernoulli(faults.reordering)) {
      const auto range = static_cast<std::uint64_t>(faults.reorder_delay.picoseconds());
      arrival += Duration::picoseconds(static_cast<std::int64_t>(random_.uniform(range)));
    }
    in_flight_.emplace(arrival.picoseconds(),
                       Flight{1 - from, link_of(packet.common.encapsulation), std::move(arriving)});
  }
}

void TestNetwork::deliver(const Flight& flight) {
  const auto parsed = wire::parse_frame(flight.link, flight.frame);
  if (!parsed.has_value() || !wire::icrc_ok(*parsed)) {
    ++damaged_caught_;
    return;
  }
  wire::Packet packet;
  wire::ColdPacket cold;
  if (!wire::from_frame(*parsed, packet, cold).has_value()) {
    ++damaged_caught_;
    return;
  }
  const std::span<const std::byte> payload = options_.carries_bytes ? parsed->payload : std::span<const std::byte>{};
  ends_[flight.to]->on_packet({packet, cold, payload}, now_);
}

}  // namespace weft::testing
