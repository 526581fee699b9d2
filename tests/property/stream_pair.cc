#include "tests/property/stream_pair.h"

#include <algorithm>
#include <cstdlib>

#include "base/assert.h"
#include "base/format_quantity.h"
#include "wire/tcp_codec.h"

namespace weft::testing {
namespace {

template <class T>
T must(Result<T> result) {
  if (!result.has_value()) {
    fmt::print(stderr, "unexpected error: {}\n", result.error().message);
    WEFT_ASSERT(result.has_value());
  }
  if constexpr (!std::is_void_v<T>) {
    return *result;
  }
}

wire::Addresses addresses(int from) {
  const auto end = [](int index) {
    wire::EndAddresses of;
    of.mac.octets = {0x02, 0, 0, 0, 0, static_cast<std::uint8_t>(index + 1)};
    of.ipv4.value = 0x0A000001U + static_cast<std::uint32_t>(index);
    return of;
  };
  return {.source = end(from), .destination = end(1 - from)};
}

std::unique_ptr<transport::StreamQueuePair> make_qp(StreamKind kind, const transport::QpIdentity& identity,
                                                    const verbs::QpInitAttributes& init,
                                                    const transport::IwarpOptions& options) {
  if (kind == StreamKind::kIwarp) {
    return std::make_unique<transport::IwarpQueuePair>(identity, init, options);
  }
  return std::make_unique<transport::TcpQueuePair>(identity, init, transport::TcpQpOptions{options});
}

}  // namespace

StreamSide::StreamSide(int index, const StreamPairOptions& options, transport::FramingHeaderLogs* ledgers)
    : context(options.seed * 2 + static_cast<std::uint64_t>(index)),
      storage_(options.memory_bytes + 2 * kGuard, kGuardByte) {
  pd = must(context.alloc_pd());
  key = must(context.reg_mr({.pd = pd,
                             .address = kBase,
                             .length = options.memory_bytes,
                             .bytes = options.carries_bytes ? storage_.data() + kGuard : nullptr,
                             .access = static_cast<verbs::AccessMask>(
                                 verbs::kAccessLocalWrite | verbs::kAccessRemoteRead | verbs::kAccessRemoteWrite)}));
  send_cq = must(context.create_cq(options.cq_capacity));
  recv_cq = must(context.create_cq(options.cq_capacity));
  if (options.shared_receive_queue) {
    srq = must(context.create_srq(pd, {.max_wr = options.max_wr, .max_sge = 4}));
  }
  const verbs::QpInitAttributes init{.type = verbs::QpType::kRc,
                                     .pd = pd,
                                     .send_cq = send_cq,
                                     .recv_cq = recv_cq,
                                     .srq = srq,
                                     .max_send_wr = options.max_wr,
                                     .max_recv_wr = options.max_wr};
  must(context.attach_qp(init));
  transport::IwarpOptions end = options.ends[static_cast<std::size_t>(index)];
  end.ledgers = ledgers;
  qp = make_qp(options.kind,
               {.qpn = Qpn(0x100U + static_cast<std::uint32_t>(index)),
                .endpoint = EndpointId(static_cast<std::uint32_t>(index)),
                .encapsulation = wire::Encapsulation::kTcpIpv4},
               init, end);
}

void StreamSide::connect(const StreamSide& peer, const StreamPairOptions& options, Time now) {
  verbs::QpAttributes attributes;
  attributes.state = verbs::QpState::kInit;
  attributes.access_flags = options.remote_access;
  must(qp->modify(attributes, verbs::kQpState | verbs::kQpPkeyIndex | verbs::kQpPort | verbs::kQpAccessFlags, context,
                  now));
  attributes.state = verbs::QpState::kRtr;
  attributes.destination_qpn = peer.qp->core().identity().qpn;
  attributes.address.destination = peer.qp->core().identity().endpoint;
  attributes.max_dest_rd_atomic = options.max_dest_rd_atomic;
  must(qp->modify(attributes,
                  verbs::kQpState | verbs::kQpAv | verbs::kQpPathMtu | verbs::kQpDestQpn | verbs::kQpRqPsn |
                      verbs::kQpMaxDestRdAtomic | verbs::kQpMinRnrTimer,
                  context, now));
  attributes.state = verbs::QpState::kRts;
  attributes.max_rd_atomic = options.max_rd_atomic;
  must(qp->modify(attributes,
                  verbs::kQpState | verbs::kQpSqPsn | verbs::kQpTimeout | verbs::kQpRetryCnt | verbs::kQpRnrRetry |
                      verbs::kQpMaxQpRdAtomic,
                  context, now));
}

bool StreamSide::guards_intact() const {
  const auto untouched = [](std::byte byte) { return byte == kGuardByte; };
  return std::all_of(storage_.begin(), storage_.begin() + kGuard, untouched) &&
         std::all_of(storage_.end() - kGuard, storage_.end(), untouched);
}

std::vector<verbs::WorkCompletion> StreamSide::drain(verbs::CqHandle cq) {
  std::vector<verbs::WorkCompletion> all;
  std::array<verbs::WorkCompletion, 64> some;
  while (const std::size_t count = context.find_cq(cq)->poll(some)) {
    all.insert(all.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return all;
}

std::vector<verbs::AsyncEventType> StreamSide::poll_events() {
  std::vector<verbs::AsyncEventType> types;
  verbs::AsyncEvent event;
  while (context.poll_async_event(event)) {
    types.push_back(event.type);
  }
  return types;
}

StreamPair::StreamPair(const StreamPairOptions& options) : options_(options), random_(options.seed, "stream network") {
  transport::FramingHeaderLogs* const ledgers = options.carries_bytes ? nullptr : &ledgers_;
  sides_[0] = std::make_unique<StreamSide>(0, options, ledgers);
  sides_[1] = std::make_unique<StreamSide>(1, options, ledgers);
  sides_[0]->connect(*sides_[1], options, now_);
  sides_[1]->connect(*sides_[0], options, now_);
}

Result<void> StreamPair::post_recv(int side, std::uint64_t wr_id, std::uint64_t offset, std::uint32_t length) {
  StreamSide& end = this->side(side);
  const verbs::Sge element = end.sge(offset, length);
  const verbs::RecvWr request{.wr_id = wr_id, .sg_list = std::span(&element, 1)};
  if (!end.srq.is_valid()) {
    return end.qp->post_recv(request, end.context, now_);
  }
  Result<void> posted = end.context.find_srq(end.srq)->post(request);
  end.qp->on_shared_receive(end.context, now_);
  return posted;
}

bool StreamPair::run(std::uint64_t steps) {
  for (std::uint64_t i = 0; i < steps; ++i) {
    if (!step(Time::never())) {
      return true;
    }
  }
  return false;
}

void StreamPair::run_until(Time until) {
  while (step(until)) {
  }
  now_ = later(now_, until);
}

Time StreamPair::next_event() const {
  Time next = in_flight_.empty() ? Time::never() : Time::from_picoseconds(in_flight_.begin()->first);
  for (std::size_t end = 0; end < 2; ++end) {
    const Time transmit = sides_[end]->qp->next_transmit();
    if (!transmit.is_never()) {
      next = earlier(next, later(transmit, wire_free_[end]));
    }
    next = earlier(next, sides_[end]->qp->next_timeout());
  }
  return next;
}

bool StreamPair::step(Time until) {
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
    if (side(end).qp->next_timeout() <= now_) {
      side(end).qp->on_timeout(side(end).context, now_);
    }
    transmit(end);
  }
  return true;
}

void StreamPair::transmit(int from) {
  StreamSide& end = side(from);
  Time& free = wire_free_[static_cast<std::size_t>(from)];
  if (free > now_ || end.qp->next_transmit() > now_) {
    return;
  }
  wire::Packet packet;
  wire::ColdPacket cold;
  std::array<std::byte, 9216> room;
  const std::span<std::byte> payload = options_.carries_bytes ? std::span(room) : std::span<std::byte>{};
  if (!end.qp->poll_transmit({packet, cold, payload}, end.context, now_)) {
    return;
  }
  free = now_ + options_.rate.transmit_time(Bytes(packet.common.wire_bytes));
  log_.push_back(fmt::format("{} {} seq {} ack {} flags {:#x} window {} payload {} sack {}", now_, from,
                             packet.tcp.sequence, packet.tcp.acknowledgement, packet.tcp.flags, packet.tcp.window,
                             packet.common.payload_bytes, packet.tcp.sack_blocks));
  if (std::getenv("WEFT_TRACE") != nullptr) {
    fmt::print(stderr, "{}\n", log_.back());
  }
  if (filter_ && filter_(from, packet)) {
    return;
  }
  const std::size_t carried = payload.empty() ? 0 : packet.common.payload_bytes;
  if (tamper_ && carried != 0) {
    tamper_(from, payload.first(carried));
  }
  put_on_wire(from, packet, cold, payload.first(carried));
}

void StreamPair::put_on_wire(int from, const wire::Packet& packet, const wire::ColdPacket& cold,
                             std::span<const std::byte> payload) {
  const Faults& faults = options_.faults;
  const wire::TcpFrame frame = wire::to_tcp_frame(packet, cold, payload, addresses(from));
  std::vector<std::byte> bytes(wire::emitted_size(frame));
  wire::emit_tcp_frame(frame, bytes);
  frames_.push_back(bytes);
  if (random_.bernoulli(faults.loss)) {
    return;
  }
  const int copies = random_.bernoulli(faults.duplication) ? 2 : 1;
  for (int copy = 0; copy < copies; ++copy) {
    std::vector<std::byte> arriving = bytes;
    if (random_.bernoulli(faults.corruption)) {
      arriving[random_.uniform(arriving.size())] ^= std::byte{1} << random_.uniform(8);
    }
    Time arrival = wire_free_[static_cast<std::size_t>(from)] + options_.delay;
    if (random_.bernoulli(faults.reordering)) {
      const auto range = static_cast<std::uint64_t>(faults.reorder_delay.picoseconds());
      arrival += Duration::picoseconds(static_cast<std::int64_t>(random_.uniform(range)));
    }
    in_flight_.emplace(arrival.picoseconds(), Flight{1 - from, std::move(arriving)});
  }
}

void StreamPair::deliver(const Flight& flight) {
  const auto frame = wire::parse_tcp_frame(flight.frame);
  wire::Packet packet;
  wire::ColdPacket cold;
  if (!frame.has_value() || !wire::checksums_ok(*frame) || !wire::from_tcp_frame(*frame, packet, cold)) {
    ++damaged_caught_;
    return;
  }
  StreamSide& to = side(flight.to);
  packet.common.source = EndpointId(static_cast<std::uint32_t>(1 - flight.to));
  packet.common.destination = EndpointId(static_cast<std::uint32_t>(flight.to));
  packet.tcp.connection = to.qp->core().identity().qpn.value();
  const std::span<const std::byte> payload = options_.carries_bytes ? frame->payload : std::span<const std::byte>{};
  to.qp->on_packet({packet, cold, payload}, to.context, now_);
}

}  // namespace weft::testing
