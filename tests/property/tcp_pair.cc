#include "tests/property/tcp_pair.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "base/format_quantity.h"
#include "wire/tcp_codec.h"

namespace weft::testing {
namespace {

constexpr std::uint16_t kPorts[2] = {40'000, 41'000};

wire::Addresses addresses(int from) {
  const auto end = [](int index) {
    wire::EndAddresses of;
    of.mac.octets = {0x02, 0, 0, 0, 0, static_cast<std::uint8_t>(index + 1)};
    of.ipv4.value = 0x0A000001U + static_cast<std::uint32_t>(index);
    of.ipv6.octets[15] = static_cast<std::uint8_t>(index + 1);
    return of;
  };
  return {.source = end(from), .destination = end(1 - from)};
}

std::byte pattern(std::uint64_t seed, std::uint64_t offset) {
  SplitMix64 mixed(seed * 0x10001 + offset / 8);
  return static_cast<std::byte>(mixed.next() >> (8 * (offset % 8)));
}

transport::TcpIdentity identity_of(int end) {
  const auto of = [](int index) {
    return transport::TcpEnd{.endpoint = EndpointId(static_cast<std::uint32_t>(index)),
                             .connection = Qpn(static_cast<std::uint32_t>(100 + index)),
                             .port = kPorts[index]};
  };
  return {.local = of(end), .peer = of(1 - end)};
}

}  // namespace

std::uint32_t StreamProgram::segment_length(transport::StreamOffset offset, std::uint32_t room) const {
  if (plan_.frame == 0) {
    return room;
  }
  const std::uint64_t left = plan_.frame - offset % plan_.frame;
  if (left >= room) {
    return room;
  }
  // As many whole frames as fit.
  return static_cast<std::uint32_t>(left + (room - left) / plan_.frame * plan_.frame);
}

void StreamProgram::gather(transport::StreamOffset offset, std::span<std::byte> out) const {
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = pattern(plan_.first_byte_at, offset + i);
  }
}

void StreamProgram::on_arrival(const transport::StreamRun& run) {
  constexpr std::uint64_t kBits = 64;
  const std::uint64_t end = std::min<std::uint64_t>(run.offset + run.length, plan_.expected);
  const std::uint64_t begin = std::min<std::uint64_t>(run.offset, end);
  received_ += end - begin;
  wrong_ += run.length - (end - begin);
  for (std::uint64_t at = begin; at < end;) {
    const std::uint64_t bits = std::min(kBits - at % kBits, end - at);
    const std::uint64_t mask = ~std::uint64_t{0} >> (kBits - bits) << at % kBits;
    std::uint64_t& seen = seen_[at / kBits];
    twice_ += static_cast<std::uint64_t>(std::popcount(seen & mask));
    seen |= mask;
    at += bits;
  }
  for (std::uint64_t at = begin; at < end && !run.bytes.empty(); ++at) {
    wrong_ += run.bytes[at - run.offset] != pattern(plan_.peer_pattern, at) ? 1 : 0;
  }
}

TcpPair::TcpPair(const Options& options)
    : options_(options),
      random_(options.seed, "tcp network"),
      now_(Time::zero() + options.start),
      trace_(std::getenv("WEFT_TRACE") != nullptr) {
  for (int end = 0; end < 2; ++end) {
    StreamProgram::Plan plan = options_.plans[static_cast<std::size_t>(end)];
    plan.first_byte_at = static_cast<std::uint64_t>(end) + 1;
    plan.peer_pattern = static_cast<std::uint64_t>(1 - end) + 1;
    plan.expected = options_.plans[static_cast<std::size_t>(1 - end)].to_write;
    const auto at = static_cast<std::size_t>(end);
    programs_[at] = std::make_unique<StreamProgram>(plan);
    connections_[at] = std::make_unique<transport::TcpConnection>(identity_of(end), options_.tcp[at], *programs_[at]);
  }
  open();
}

void TcpPair::open() {
  switch (options_.opening) {
    case Opening::kEstablish:
      connections_[0]->establish(now_);
      connections_[1]->establish(now_);
      break;
    case Opening::kHandshake:
      connections_[1]->listen();
      connections_[0]->connect(now_);
      break;
    case Opening::kBothActive:
      connections_[0]->connect(now_);
      connections_[1]->connect(now_);
      break;
  }
  pump(0);
  pump(1);
}

/// What the program does whenever it gets to run.
void TcpPair::pump(int end) {
  const auto at = static_cast<std::size_t>(end);
  transport::TcpConnection& connection = *connections_[at];
  const auto& plan = programs_[at]->plan();
  const auto state = connection.state();
  const bool writes = state != transport::TcpState::kClosed && state != transport::TcpState::kListen;
  const std::uint64_t step = plan.write_size == 0 ? plan.to_write : plan.write_size;
  while (writes && connection.written() < plan.to_write &&
         connection.written() - connection.acknowledged() < std::max<std::uint64_t>(4 * step, 1)) {
    connection.write(std::min(step, plan.to_write - connection.written()), now_);
  }
  if (options_.reading == Reading::kAtOnce) {
    read(end);
  } else if (options_.reading == Reading::kLate && read_at_[at].is_never() &&
             connection.arrived() > connection.consumed()) {
    read_at_[at] = now_ + Duration::microseconds(static_cast<std::int64_t>(1 + random_.uniform(3'000)));
  }
  if (options_.closes && writes && connection.written() == plan.to_write) {
    connection.close(now_);
  }
}

void TcpPair::read(int end) {
  transport::TcpConnection& connection = *connections_[static_cast<std::size_t>(end)];
  if (connection.arrived() > connection.consumed()) {
    connection.consume(connection.arrived() - connection.consumed(), now_);
  }
}

bool TcpPair::run(std::uint64_t steps) {
  for (std::uint64_t i = 0; i < steps; ++i) {
    if (!step(Time::never())) {
      return true;
    }
  }
  return false;
}

void TcpPair::run_until(Time until) {
  while (step(until)) {
  }
  now_ = later(now_, until);
}

Time TcpPair::next_event() const {
  Time next = in_flight_.empty() ? Time::never() : Time::from_picoseconds(in_flight_.begin()->first);
  for (std::size_t end = 0; end < 2; ++end) {
    const Time transmit = connections_[end]->next_transmit();
    if (!transmit.is_never()) {
      next = earlier(next, later(transmit, wire_free_[end]));
    }
    next = earlier(next, earlier(connections_[end]->next_timeout(), read_at_[end]));
  }
  return next;
}

bool TcpPair::step(Time until) {
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
    const auto at = static_cast<std::size_t>(end);
    if (read_at_[at] <= now_) {
      read_at_[at] = Time::never();
      read(end);
    }
    if (connections_[at]->next_timeout() <= now_) {
      connections_[at]->on_timeout(now_);
    }
    pump(end);
    transmit(end);
  }
  return true;
}

void TcpPair::record(int from, const wire::Packet& packet) {
  const wire::TcpHeader& h = packet.tcp;
  const std::string line = fmt::format("{} {}: flags {:02x} seq {} ack {} win {} len {} ts {} {} sack {}", now_, from,
                                       h.flags, h.sequence, h.acknowledgement, h.window, packet.common.payload_bytes,
                                       h.timestamp, h.timestamp_echo, h.sack_blocks);
  if (trace_) {
    fmt::print(stderr, "{}\n", line);
  }
  if (logs_) {
    log_.push_back(line);
  }
}

void TcpPair::transmit(int from) {
  const auto at = static_cast<std::size_t>(from);
  if (wire_free_[at] > now_ || connections_[at]->next_transmit() > now_) {
    return;
  }
  wire::Packet packet;
  wire::ColdPacket cold;
  std::array<std::byte, 9216> room;
  const std::span<std::byte> payload = options_.carries_bytes ? std::span(room) : std::span<std::byte>{};
  if (!connections_[at]->poll_transmit({packet, cold, payload}, now_)) {
    return;
  }
  ++sent_;
  wire_free_[at] = now_ + options_.rate.transmit_time(Bytes(packet.common.wire_bytes));
  if (trace_ || logs_) {
    record(from, packet);
  }
  if (filter_ && filter_(from, packet)) {
    return;
  }
  put_on_wire(from, packet, cold, payload.first(payload.empty() ? 0 : packet.common.payload_bytes));
}

void TcpPair::put_on_wire(int from, const wire::Packet& packet, const wire::ColdPacket& cold,
                          std::span<const std::byte> payload) {
  const auto at = static_cast<std::size_t>(from);
  const Faults& faults = options_.faults;
  wire::Packet marked = packet;
  Time out = wire_free_[at];
  if (const Bottleneck& neck = options_.bottleneck; neck.rate > Rate::zero()) {
    const Bytes backlog = neck.rate.bytes_in(later(bottleneck_free_[at], out) - out);
    if (backlog > neck.limit) {
      ++dropped_;
      return;
    }
    if (backlog > neck.mark_above && packet.common.ecn != wire::Ecn::kNotEct) {
      marked.common.ecn = wire::Ecn::kCe;
    }
    bottleneck_free_[at] = later(bottleneck_free_[at], out) + neck.rate.transmit_time(Bytes(packet.common.wire_bytes));
    out = bottleneck_free_[at];
  }
  if (packet.common.ecn != wire::Ecn::kNotEct && random_.bernoulli(faults.marking)) {
    marked.common.ecn = wire::Ecn::kCe;
  }
  marked_ += marked.common.ecn == wire::Ecn::kCe ? 1 : 0;
  std::vector<std::byte> bytes;
  if (options_.as_frames) {
    const wire::TcpFrame frame = wire::to_tcp_frame(marked, cold, payload, addresses(from));
    bytes.resize(wire::emitted_size(frame));
    wire::emit_tcp_frame(frame, bytes);
  }
  if (keeps_ && from == 1) {
    frames_.push_back({now_, bytes});
  }
  if (random_.bernoulli(faults.loss)) {
    ++dropped_;
    return;
  }
  const int copies = random_.bernoulli(faults.duplication) ? 2 : 1;
  for (int copy = 0; copy < copies; ++copy) {
    std::vector<std::byte> arriving = bytes;
    if (random_.bernoulli(faults.corruption) && options_.as_frames) {
      // Not in the addresses of Ethernet: only its check sequence covers those.
      const std::size_t first = wire::EthernetHeader::kSize - 2;
      arriving[first + random_.uniform(arriving.size() - first)] ^= std::byte{1} << random_.uniform(8);
    }
    Time arrival = out + options_.delay;
    if (random_.bernoulli(faults.reordering)) {
      const auto range = static_cast<std::uint64_t>(faults.reorder_delay.picoseconds());
      arrival += Duration::picoseconds(static_cast<std::int64_t>(random_.uniform(range)));
    }
    in_flight_.emplace(arrival.picoseconds(), Flight{1 - from, std::move(arriving), marked, cold});
  }
}

void TcpPair::deliver(const Flight& flight) {
  if (!options_.as_frames) {
    receive(flight.to, {flight.packet, flight.cold, {}});
    return;
  }
  if (keeps_ && flight.to == 1) {
    frames_.push_back({now_, flight.frame});
  }
  const auto parsed = wire::parse_tcp_frame(flight.frame);
  wire::Packet packet;
  wire::ColdPacket cold;
  if (!parsed.has_value() || !wire::checksums_ok(*parsed) || !wire::from_tcp_frame(*parsed, packet, cold).has_value()) {
    ++damaged_caught_;
    return;
  }
  const std::span<const std::byte> payload = options_.carries_bytes ? parsed->payload : std::span<const std::byte>{};
  receive(flight.to, {packet, cold, payload});
}

}  // namespace weft::testing
