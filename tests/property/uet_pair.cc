#include "tests/property/uet_pair.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/assert.h"
#include "wire/uet_packet_codec.h"

namespace weft::testing {
namespace {

template <class T>
T expect_value(Result<T> result) {
  if (!result.has_value()) {
    fmt::print(stderr, "unexpected error: {}\n", result.error().message);
    WEFT_ASSERT(result.has_value());
  }
  if constexpr (!std::is_void_v<T>) {
    return *result;
  }
}

transport::DeviceOptions device_options(int index, const UetPairOptions& options) {
  return {.endpoint = EndpointId(static_cast<std::uint32_t>(index)),
          .encapsulation = options.encapsulation,
          .seed = options.seed * 64 + static_cast<std::uint64_t>(index) * 7,  // the two ends start at different PSNs
          .uet = index == 1 ? options.other_uet.value_or(options.uet) : options.uet};
}

}  // namespace

UetSide::UetSide(int index, const UetPairOptions& options)
    : device(device_options(index, options)), storage_(options.memory_bytes + 2 * kGuard, kGuardByte) {
  device.set_uet_policies(options.policies);
  pd = expect_value(device.alloc_pd());
  key = expect_value(device.reg_mr({.pd = pd,
                                    .address = TrafficEnds::kBase,
                                    .length = options.memory_bytes,
                                    .bytes = storage_.data() + kGuard,
                                    .access = verbs::kAccessAll}));
  send_cq = expect_value(device.create_cq(1 << 16));
  recv_cq = expect_value(device.create_cq(1 << 16));
  if (options.shared_receive_queue)
    srq = expect_value(device.create_srq(pd, {.max_wr = options.max_wr, .max_sge = 4}));
  qpn = make_queue_pair(options);
}

Qpn UetSide::make_queue_pair(const UetPairOptions& options) {
  return expect_value(device.create_uet_qp({.type = verbs::QpType::kRc,
                                            .pd = pd,
                                            .send_cq = send_cq,
                                            .recv_cq = recv_cq,
                                            .srq = srq,
                                            .max_send_wr = options.max_wr,
                                            .max_recv_wr = options.max_wr}));
}

void UetSide::connect(Qpn mine, const UetSide& peer, Qpn theirs, const UetPairOptions& options) {
  using namespace verbs;
  QpAttributes attributes{.state = QpState::kInit, .access_flags = options.remote_access};
  expect_value(device.modify_qp(mine, attributes, kQpState | kQpPkeyIndex | kQpPort | kQpAccessFlags));
  attributes.state = QpState::kRtr;
  attributes.path_mtu = options.mtu;
  attributes.destination_qpn = theirs;
  attributes.address.destination = peer.device.options().endpoint;
  attributes.rq_psn = attributes.sq_psn = options.first_psn;
  attributes.max_dest_rd_atomic = attributes.max_rd_atomic = options.max_rd_atomic;
  attributes.min_rnr_timer = 1;  // 10 us
  attributes.rnr_retry = options.rnr_retry;
  expect_value(device.modify_qp(
      mine, attributes, kQpState | kQpAv | kQpPathMtu | kQpDestQpn | kQpRqPsn | kQpMaxDestRdAtomic | kQpMinRnrTimer));
  attributes.state = QpState::kRts;
  expect_value(device.modify_qp(mine, attributes,
                                kQpState | kQpSqPsn | kQpTimeout | kQpRetryCnt | kQpRnrRetry | kQpMaxQpRdAtomic));
}

bool UetSide::guards_intact() const {
  const auto untouched = [](std::byte byte) { return byte == kGuardByte; };
  return std::all_of(storage_.begin(), storage_.begin() + kGuard, untouched) &&
         std::all_of(storage_.end() - kGuard, storage_.end(), untouched);
}

std::vector<verbs::WorkCompletion> UetSide::drain(verbs::CqHandle cq) {
  std::vector<verbs::WorkCompletion> all;
  std::array<verbs::WorkCompletion, 64> some;
  while (const std::size_t count = device.poll_cq(cq, some).value_or(0))
    all.insert(all.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(count));
  return all;
}

UetPair::UetPair(const UetPairOptions& options)
    : options_(options), random_(options.seed, "network"), trace_(std::getenv("WEFT_TRACE") != nullptr) {
  for (int i = 0; i < 2; ++i)
    sides_[static_cast<std::size_t>(i)] = std::make_unique<UetSide>(i, options);
  sides_[0]->connect(sides_[0]->qpn, *sides_[1], sides_[1]->qpn, options);
  sides_[1]->connect(sides_[1]->qpn, *sides_[0], sides_[0]->qpn, options);
}

std::uint32_t UetPair::live_contexts() const {
  return sides_[0]->device.uet()->live_contexts() + sides_[1]->device.uet()->live_contexts();
}

const transport::UetCounters& UetPair::counters(int side) const {
  return sides_[static_cast<std::size_t>(side)]->device.uet()->counters();
}

Result<void> UetPair::post_send(int side, const verbs::SendWr& request) {
  this->side(side).device.advance_to(now_);
  return this->side(side).device.post_send(this->side(side).qpn, request);
}

Result<void> UetPair::post_recv(int side, const verbs::RecvWr& request) {
  UetSide& mine = this->side(side);
  return mine.srq.is_valid() ? mine.device.post_srq_recv(mine.srq, request) : mine.device.post_recv(mine.qpn, request);
}

std::vector<verbs::WorkCompletion> UetPair::poll_send(int side) {
  return this->side(side).drain(this->side(side).send_cq);
}
std::vector<verbs::WorkCompletion> UetPair::poll_recv(int side) {
  return this->side(side).drain(this->side(side).recv_cq);
}

std::string UetPair::fault(int side) {
  const verbs::QpState state = this->side(side).device.query_qp(this->side(side).qpn).value().attributes.state;
  if (state != verbs::QpState::kRts)
    return fmt::format("the queue pair is in {}", verbs::to_string(state));
  return this->side(side).guards_intact() ? "" : "memory outside the region was touched";
}

void UetPair::inject(int to, const CarriedPacket& packet) {
  side(to).device.on_packet({packet.packet, packet.cold, packet.payload}, now_);
}

// What the frame does not carry stays: endpoints, and what a switch may do with the packet.
void UetPair::pass_through_bytes(CarriedPacket& carried) {
  const wire::uet::UetFrame frame = wire::to_uet_frame(carried.packet, carried.cold, carried.payload, {});
  std::vector<std::byte> bytes(wire::uet::emitted_size(frame));
  wire::uet::emit_frame(frame, bytes);
  const wire::uet::UetFrameResult parsed = wire::uet::parse_uet_frame(bytes);
  WEFT_ASSERT(parsed.has_value() && wire::uet::crc_ok(*parsed));
  const wire::PacketCommon sent = carried.packet.common;
  carried.packet.uet = wire::UetHeader{};
  carried.cold = wire::ColdPacket{};
  expect_value(wire::from_uet_frame(*parsed, carried.packet, carried.cold));
  const wire::PacketCommon& read = carried.packet.common;
  WEFT_ASSERT(read.frame_bytes == sent.frame_bytes && read.wire_bytes == sent.wire_bytes);
  WEFT_ASSERT(read.payload_bytes == sent.payload_bytes && read.encapsulation == sent.encapsulation);
  carried.payload.assign(parsed->payload.begin(), parsed->payload.begin() + read.payload_bytes);
}

bool UetPair::transmit(int from) {
  CarriedPacket carried;
  std::array<std::byte, 8192> room;
  const std::span<std::byte> offered = options_.lengths_only ? std::span<std::byte>() : std::span<std::byte>(room);
  if (!side(from).device.poll_transmit_any({carried.packet, carried.cold, offered}, now_))
    return false;
  const wire::PacketCommon& common = carried.packet.common;
  WEFT_ASSERT(common.payload_bytes < common.frame_bytes && common.frame_bytes < common.wire_bytes);
  if (!options_.lengths_only)
    carried.payload.assign(room.begin(), room.begin() + common.payload_bytes);
  if (options_.as_bytes)
    pass_through_bytes(carried);
  wire_free_[static_cast<std::size_t>(from)] = now_ + options_.rate.transmit_time(Bytes(common.wire_bytes));
  ++packets_sent_;
  last_[static_cast<std::size_t>(from)] = carried;
  if (trace_) {
    const wire::UetHeader& header = carried.packet.uet;
    fmt::print("{} {}: {} psn {:x} flags {:02x} pdc {}>{} off {} {}\n", now_.picoseconds() / 1000, from,
               wire::uet::to_string(header.type), header.psn, header.flags, header.source_pdc, header.destination_pdc,
               header.psn_offset, header.type == wire::UetType::kNack ? header.notice.code : header.request.message_id);
  }
  put_on_wire(from, std::move(carried));
  return true;
}

void UetPair::put_on_wire(int from, CarriedPacket carried) {
  if (filter_ && filter_(from, carried.packet))
    return;
  if (carried.packet.common.destination != EndpointId(static_cast<std::uint32_t>(1 - from)))
    return;
  const Faults& faults = options_.faults;
  if (random_.bernoulli(faults.loss))
    return;
  if (carried.packet.has(wire::kTrimmable) && random_.bernoulli(options_.trimming)) {
    wire::PacketCommon& common = carried.packet.common;
    common.flags |= wire::kTrimmed;
    if (random_.uniform(2) == 0)
      common.flags |= wire::kTrimmedLastHop;
    common.payload_bytes = 0;
    common.frame_bytes = 64;
    common.wire_bytes = 84;
    carried.payload.clear();
  }
  if (random_.bernoulli(faults.corruption))
    carried.packet.common.flags |= wire::kCorrupted;
  if (carried.packet.common.ecn == wire::Ecn::kEct0 && random_.bernoulli(faults.marking))
    carried.packet.common.ecn = wire::Ecn::kCe;
  const int copies = random_.bernoulli(faults.duplication) ? 2 : 1;
  for (int i = 0; i < copies; ++i) {
    Time at = wire_free_[static_cast<std::size_t>(from)] + options_.delay;
    if (random_.bernoulli(faults.reordering) || i > 0) {
      at += Duration::picoseconds(static_cast<std::int64_t>(
          random_.uniform(static_cast<std::uint64_t>(faults.reorder_delay.picoseconds()) + 1)));
    }
    in_flight_.emplace(at.picoseconds(), Flight{.to = 1 - from, .packet = carried});
  }
}

// One instant: what arrives, what is due, what may leave.
bool UetPair::step(Time until) {
  Time next = Time::never();
  if (!in_flight_.empty())
    next = Time::from_picoseconds(in_flight_.begin()->first);
  for (int i = 0; i < 2; ++i) {
    const Time wanted = side(i).device.next_event();
    if (!wanted.is_never())
      next = earlier(next, later(wanted, wire_free_[static_cast<std::size_t>(i)]));
  }
  if (next.is_never() || next > until)
    return false;
  now_ = later(now_, next);
  while (!in_flight_.empty() && in_flight_.begin()->first <= now_.picoseconds()) {
    const Flight flight = std::move(in_flight_.begin()->second);
    in_flight_.erase(in_flight_.begin());
    inject(flight.to, flight.packet);
  }
  for (int i = 0; i < 2; ++i) {
    side(i).device.on_timeouts(now_);
    if (wire_free_[static_cast<std::size_t>(i)] <= now_)
      (void)transmit(i);
  }
  return true;
}

void UetPair::run_until(Time until) {
  while (step(until)) {
  }
  now_ = later(now_, until);
}

bool UetPair::run() {
  for (int steps = 0; steps < 2'000'000; ++steps) {
    if (!step(Time::never()))
      return true;
  }
  return false;
}

}  // namespace weft::testing
