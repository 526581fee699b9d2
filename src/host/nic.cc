#include "host/nic.h"

#include <algorithm>
#include <bit>

#include "base/assert.h"
#include "base/stable_hash.h"
#include "host/header_check.h"
#include "host/header_fields.h"
#include "host/uet_paths.h"
#include "wire/multicast.h"
#include "wire/uet/entropy.h"

namespace weft::host {
namespace {

const wire::ColdPacket kNoCold{};

// It asks what has become of data, so it waits in the queues in which they wait: before them its answer would come
// while they are still on their way.
bool is_probe(const wire::Packet& packet) {
  return packet.common.kind == wire::PacketKind::kUet && packet.uet.type == wire::UetType::kControl &&
         packet.uet.notice.code == static_cast<std::uint8_t>(wire::UetControl::kProbe);
}

}  // namespace

Nic::Nic(const NicOptions& options, const Environment& environment)
    : kernel_(environment.kernel),
      packets_(environment.packets),
      port_(environment.port),
      index_(environment.index),
      endpoint_(options.device.endpoint),
      ack_(options.ack),
      cnp_(options.cnp),
      path_(options.path ? options.path(options.seed) : nullptr),
      lane_scheduler_(options.lane_weights ? std::make_unique<LaneScheduler>(*options.lane_weights) : nullptr),
      payloads_(environment.payloads),
      device_(options.device),
      options_(options),
      addresses_(environment.addresses),
      header_addresses_(environment.header_addresses),
      random_(options.seed, "service time"),
      path_posts_(path_ == nullptr ? nullptr : std::make_unique<PathPosts>()),
      reordering_(options.measures_order ? std::make_unique<ReorderMeter>() : nullptr) {
  WEFT_ASSERT(std::ranges::all_of(options.lane_of_mark, [&](std::uint8_t lane) { return lane < ready_.size(); }));
  WEFT_ASSERT((!ack_ || ack_->priority < ready_.size()) && (!cnp_ || cnp_->priority < ready_.size()));
  receive_needs_slow_path_ = path_ != nullptr || payloads_ != nullptr;
  send_needs_slow_path_ = receive_needs_slow_path_ || options.check_headers || lane_scheduler_ != nullptr;
  device_.set_uet_policies(options.uet);
  measures_order_ = options.measures_order;
  places_any_order_ = options.rc.out_of_order_placement;
  if (payloads_ != nullptr) {
    room_ = payloads_->scratch();
  }
}

void Nic::register_actors(sim::ActorOrder& ranks, std::uint64_t name_hash, sim::PartitionIndex partition) {
  ranks.add({name_hash, kNicTimer}, timer_, partition);
  ranks.add({name_hash, kNicPipeline}, pipeline_, partition);
}

void Nic::on_packet(fabric::PacketHandle handle, Time now) {
  const wire::Packet& packet = packets_[handle];
  // Or a route is wrong.
  WEFT_DCHECK(packet.common.destination == endpoint_ || wire::is_multicast(packet.common.destination));
  ++counters_.received;
  if (packet.has(wire::kCorrupted)) [[unlikely]] {
    ++counters_.damaged;
  }
  if (measures_order_) [[unlikely]] {
    measure_order(packet);
  }
  if (receive_needs_slow_path_) [[unlikely]] {
    receive_slow(handle, now);
    return;
  }
  const wire::ColdPacket& cold = packet.has(wire::kHasCold) ? packets_.cold_of(packet) : kNoCold;
  const transport::QpSlot slot = device_.deliver({packet, cold, {}}, now);
  measure_context_order(packet, slot);
  packets_.release(handle);
  if (!slot.exists()) {
    return;
  }
  const QpRef ref = ref_of(slot);
  reschedule(ref, record_of_taker(slot));
  report_completions(ref, now);
  pump(now);
}

void Nic::take_forged(fabric::PacketHandle handle, Time now) {
  const wire::Packet& packet = packets_[handle];
  ++counters_.received;
  counters_.damaged += packet.has(wire::kCorrupted) ? 1U : 0U;
  const wire::ColdPacket& cold = packet.has(wire::kHasCold) ? packets_.cold_of(packet) : kNoCold;
  const std::span<const std::byte> bytes = payloads_ == nullptr ? std::span<const std::byte>() : payload_of(handle);
  const transport::QpSlot slot = device_.deliver({packet, cold, bytes}, now);
  packets_.release(handle);
  if (slot.exists()) {
    reschedule(ref_of(slot), record_of_taker(slot));
    report_completions(ref_of(slot), now);
    pump(now);
  }
}

Nic::QpRecord& Nic::record_of_taker(transport::QpSlot slot) {
  std::vector<QpRecord>& records = records_[static_cast<std::size_t>(slot.kind)];
  if (slot.kind == transport::EngineKind::kUetPdc && slot.index >= records.size()) [[unlikely]] {
    records.resize(slot.index + std::size_t{1});
  }
  attend_touched();
  return records[slot.index];
}

// A context may be another one than the place held before: its class decides its lane anew.
void Nic::attend_touched_slow() {
  while (device_.has_touched()) {
    const transport::QpSlot slot = device_.take_touched();
    std::vector<QpRecord>& records = records_[static_cast<std::size_t>(slot.kind)];
    records.resize(std::max<std::size_t>(records.size(), slot.index + std::size_t{1}));
    QpRecord& record = records[slot.index];
    record.alive = true;
    const wire::PacketCommon& common = device_.uet()->common_of(static_cast<std::uint16_t>(slot.index));
    record.priority = options_.lane_of_peer && common.destination.is_valid()
                          ? options_.lane_of_peer(common.destination)
                          : options_.lane_of_mark[common.traffic_class];
    reschedule(ref_of(slot), record);
  }
}

bool Nic::is_unordered(const wire::Packet& packet) const {
  if (!places_any_order_ || packet.common.kind != wire::PacketKind::kInfiniBandTransport) {
    return false;
  }
  const wire::Operation operation = wire::operation_of(packet.ib.opcode);
  return wire::service_of(packet.ib.opcode) == wire::Service::kManufacturer ||
         (operation >= wire::Operation::kReadResponseFirst && operation <= wire::Operation::kReadResponseOnly);
}

void Nic::measure_order(const wire::Packet& packet) {
  if (packet.common.kind != wire::PacketKind::kInfiniBandTransport || packet.common.payload_bytes == 0 ||
      packet.has(wire::kCorrupted)) {
    return;
  }
  if (const transport::QpSlot slot = device_.slot_of(Qpn(packet.ib.destination_qp)); slot.exists()) {
    const wire::Operation operation = wire::operation_of(packet.ib.opcode);
    const bool answers =
        operation >= wire::Operation::kReadResponseFirst && operation <= wire::Operation::kReadResponseOnly;
    reordering_->note({.flow = ref_of(slot), .answers = answers}, packet.ib.psn);
  }
}

// A context that has just closed has no flow any more, but no data have closed it either.
void Nic::measure_context_order_slow(const wire::Packet& packet, transport::QpSlot taker) {
  const bool data = is_request(packet.uet.type) && packet.common.payload_bytes != 0 && !packet.has(wire::kCorrupted);
  if (data && taker.index != 0) {
    const transport::Pdc& context = device_.uet()->context_at(static_cast<std::uint16_t>(taker.index));
    reordering_->note({.flow = ref_of(taker), .epoch = context.receiver().start()},
                      transport::short_psn(packet.uet.psn));
  }
}

void Nic::notify_listeners(QpRef ref, Time landed) {
  seen_completions_ = device_.completions();
  const Time seen = path_ == nullptr ? landed + options_.pipeline.completion : path_->on_completions_seen(ref, landed);
  for (CompletionListener* const listener : listeners_) {
    listener->on_completions(seen);
  }
}

// Looks what a queue pair wants now, and puts it where it will be found.
void Nic::reschedule(QpRef ref, QpRecord& record) {
  if (!record.alive) [[unlikely]] {
    return;
  }
  transport::Device::Readiness readiness = device_.readiness(slot_of(ref));
  if (path_ != nullptr) [[unlikely]] {
    readiness = held(ref, readiness, kernel_.now());
  }
  if (readiness.response_pending) {
    if ((record.lists & kInResponses) == 0) {
      enqueue_response(ref, record);
    }
    if (readiness.cnp_first != ((record.lists & kCnpFirst) != 0)) [[unlikely]] {
      record.lists ^= kCnpFirst;
    }
  }
  if (readiness.data <= kernel_.now()) {
    if ((record.lists & kInReady) == 0) {
      enqueue_ready(ref, record);
    }
  } else if (readiness.data < record.paced_at) {
    pace(ref, record, readiness.data);
  }
  if (readiness.timeout < record.timer_at) [[unlikely]] {
    schedule_timeout(ref, record, readiness.timeout);
  }
}

void Nic::enqueue_response(QpRef ref, QpRecord& record) {
  record.lists |= kInResponses;
  responses_.push_back(ref);
}

void Nic::enqueue_ready(QpRef ref, QpRecord& record) {
  WEFT_DCHECK(((ready_mask_ >> record.priority) & 1) == (ready_[record.priority].empty() ? 0 : 1));
  record.lists |= kInReady;
  ready_[record.priority].push_back(ref);
  ready_mask_ = static_cast<std::uint16_t>(ready_mask_ | 1U << record.priority);
}

void Nic::pace(QpRef ref, QpRecord& record, Time until) {
  WEFT_DCHECK(until > kernel_.now() && !until.is_never());
  record.paced_at = until;
  paced_.push({until, ref});
}

void Nic::schedule_timeout(QpRef ref, QpRecord& record, Time at) {
  record.timer_at = at;
  timeouts_.push({at, ref});
  kernel_.wake(timer_, sim::ActorId(kNicTimer, index_), later(at, kernel_.now()));
}

void Nic::reschedule(Qpn qpn) {
  if (const transport::QpSlot slot = device_.slot_of(qpn); slot.exists()) {
    const QpRef ref = ref_of(slot);
    QpRecord& record = record_of(ref);
    const std::uint8_t lists = record.lists;
    const Time paced_at = record.paced_at;
    reschedule(ref, record);
    // With nothing new to send, all others have been seen to. A peer that opens a connection asks at its own time,
    // which in a divided world need not be this host's.
    if (record.lists != lists || record.paced_at != paced_at || path_ != nullptr || device_.has_touched()) {
      pump(kernel_.now());
    }
  }
}

void Nic::on_wire_ready(Time now) {
  awaits_wire_ = false;
  pacing_call_ = Time::never();
  pump(now);
}

void Nic::release_due(Time now) {
  while (paced_.first() <= now) {
    const DeadlineHeap::Entry entry = paced_.pop();
    QpRecord& record = record_of(entry.who);
    if (record.paced_at == entry.at) {
      record.paced_at = Time::never();
      reschedule(entry.who, record);
    }
  }
}

// Sends as long as the wire takes packets; asks to be called again while there is more.
void Nic::pump_idle_wire(Time now) {
  WEFT_DCHECK(!awaits_wire_);
  attend_touched();
  release_paced(now);
  Time free_at = now;  // as far as is known
  while (has_ready()) {
    // What was sent last has said when the wire takes more: the port is not asked again before.
    const fabric::SendPermit permit =
        free_at > now ? fabric::SendPermit{.lanes = 0, .free_at = free_at} : port_.permit(endpoint_, now);
    WEFT_DCHECK(permit.lanes == 0 || permit.free_at <= now);
    if (permit.free_at > now) {
      awaits_wire_ = true;
      port_.request_wire(endpoint_, permit.free_at);
      return;
    }
    // With no lane open, queue pairs are not looked at.
    free_at = permit.lanes != 0 ? send_one(permit.lanes, now) : Time::never();
    attend_touched();
    if (free_at.is_never()) {
      break;
    }
  }
  if (paced_.first() < pacing_call_) {
    pacing_call_ = paced_.first();
    port_.request_wire(endpoint_, pacing_call_);
  }
  if (path_ != nullptr) [[unlikely]] {
    schedule_gate(now);
  }
}

Time Nic::send_one(std::uint16_t lanes, Time now) {
  Time free_at = Time::never();
  if (!responses_.empty()) {
    free_at = send_response(lanes, now);
  }
  if (free_at.is_never() && (ready_mask_ & lanes) != 0 && gate_open(now)) {
    free_at = send_data(lanes, now);
  }
  return free_at;
}

std::uint32_t Nic::response_lane(const QpRecord& record) const {
  const std::optional<TrafficClass>& wanted = (record.lists & kCnpFirst) != 0 ? cnp_ : ack_;
  return 1U << (wanted ? wanted->priority : record.priority);
}

// The oldest answer whose lane is open; each is looked at once.
Time Nic::send_response(std::uint16_t lanes, Time now) {
  for (std::uint32_t left = responses_.size(); left > 0; --left) {
    const QpRef ref = responses_.pop_front();
    QpRecord& record = record_of(ref);
    const std::uint32_t needed = response_lane(record);
    if ((lanes & needed) == 0) {
      responses_.push_back(ref);
      continue;
    }
    record.lists = static_cast<std::uint8_t>(record.lists & ~kInResponses);
    if (path_ != nullptr && path_->responses_from(ref) > now) [[unlikely]] {
      reschedule(ref, record);
      continue;
    }
    // The answer may have become void meanwhile; data would take its turn, and their lane is blocked.
    if (((lanes >> record.priority) & 1U) == 0 && (!record.alive || !device_.readiness(slot_of(ref)).response_pending))
        [[unlikely]] {
      reschedule(ref, record);
      continue;
    }
    const Time free_at = poll(ref, record, now);
    reschedule(ref, record);
    if (!free_at.is_never()) {
      return free_at;
    }
  }
  return Time::never();
}

// Lanes take turns or have weights, and in each lane its queue pairs take turns.
Time Nic::send_data(std::uint16_t lanes, Time now) {
  while ((ready_mask_ & lanes) != 0) {
    const std::uint32_t lane = next_lane(ready_mask_ & lanes);
    turn_ = static_cast<std::uint8_t>(lane);
    Ring<QpRef>& ring = ready_[lane];
    const QpRef ref = ring.pop_front();
    if (ring.empty()) {
      ready_mask_ = static_cast<std::uint16_t>(ready_mask_ & ~(1U << lane));
    }
    QpRecord& record = record_of(ref);
    record.lists = static_cast<std::uint8_t>(record.lists & ~kInReady);
    if (path_ != nullptr && path_->data_from(ref) > now) [[unlikely]] {
      reschedule(ref, record);
      continue;
    }
    // An engine gives its answers first: while their lane is blocked, its data wait behind them, and come back to the
    // ring with the answer that leaves.
    if ((record.lists & kInResponses) != 0 && (response_lane(record) & ~std::uint32_t{lanes}) != 0) [[unlikely]] {
      continue;
    }
    const Time free_at = poll(ref, record, now);
    reschedule(ref, record);
    if (!free_at.is_never()) {
      return free_at;
    }
  }
  return Time::never();
}

Time Nic::poll(QpRef ref, QpRecord& record, Time now) {
  if (!record.alive) [[unlikely]] {
    return Time::never();
  }
  const fabric::PacketHandle handle = packets_.allocate();
  wire::Packet& packet = packets_[handle];
  wire::ColdPacket cold;
  if (!device_.poll_transmit(slot_of(ref), {packet, cold, room_}, now)) {
    packet.common.flags = 0;
    packets_.release(handle);
    report_completions(ref, now);
    return Time::never();
  }
  if (packet.has(wire::kHasCold)) [[unlikely]] {
    packets_.attach_cold(packet, cold);
  }
  WEFT_DCHECK(packet.common.source == endpoint_ && packet.common.payload_bytes <= packet.common.frame_bytes &&
              packet.common.frame_bytes <= packet.common.wire_bytes);
  finish(packet, record);
  if (send_needs_slow_path_) [[unlikely]] {
    finish_send_slow(handle, cold, ref, now);
  }
  return port_.send(endpoint_, handle, now);
}

void Nic::finish_send_slow(fabric::PacketHandle handle, const wire::ColdPacket& cold, QpRef ref, Time now) {
  const wire::Packet& packet = packets_[handle];
  if (payloads_ != nullptr) {
    WEFT_DCHECK(packet.common.payload_bytes <= room_.size());
    std::copy_n(room_.begin(), packet.common.payload_bytes, payloads_->room(handle).begin());
  }
  if (lane_scheduler_ != nullptr && !packet.has(wire::kControl)) {
    lane_scheduler_->charge(packet.common.frame_bytes);
  }
  if (path_ != nullptr) {
    path_->on_departure(ref, Bytes(packet.common.payload_bytes), now);
  }
  // A datagram completes its request when it leaves, and maybe requests of other queue pairs of the port.
  if (slot_of(ref).kind == transport::EngineKind::kUd) {
    report_completions(ref, now);
  }
  if (options_.check_headers) {
    const transport::UetSizes& sizes = options_.device.uet.sizes;
    check_headers(packet, cold,
                  {.real = !sizes.data_headers && !sizes.control && !sizes.gap, .security = sizes.security});
  }
}

void Nic::finish(wire::Packet& packet, QpRecord& record) {
  wire::PacketCommon& common = packet.common;
  common.priority = record.priority;
  if (packet.has(wire::kControl)) {
    ++counters_.answers_sent;
    const bool is_notice = common.kind == wire::PacketKind::kInfiniBandTransport && packet.ib.has(wire::kBthBecn) &&
                           packet.ib.opcode != wire::make_opcode(wire::Service::kRc, wire::Operation::kAcknowledge);
    if (const std::optional<TrafficClass>& wanted = is_notice ? cnp_ : ack_; wanted && !is_probe(packet)) {
      common.priority = wanted->priority;
      common.traffic_class = wanted->mark;
    }
  } else {
    ++counters_.data_sent;
    if (is_unordered(packet)) {
      common.flags |= wire::kUnordered;
    }
  }
  if (common.entropy != record.entropy || common.destination != record.hashed_to) [[unlikely]] {
    record.entropy = common.entropy;
    record.hashed_to = common.destination;
    record.flow_hash = flow_hash_of(packet);
    // A datagram queue pair has a peer for each packet.
    if (options_.header_hash && common.kind == wire::PacketKind::kInfiniBandTransport &&
        wire::service_of(packet.ib.opcode) == wire::Service::kUd) {
      record.hashed_to = EndpointId{0xFFFF'FFFF};
    }
  }
  common.flow_hash = record.flow_hash;
}

std::uint32_t Nic::flow_hash_of(const wire::Packet& packet) const {
  if (wire::is_multicast(packet.common.destination)) {
    return packet.common.destination.value();  // no switch chooses a path by it
  }
  return options_.header_hash ? options_.header_hash->of(header_fields(packet, header_addresses_))
                              : tuple_hash_of(packet, options_.address);
}

wire::Packet Nic::packet_of(Qpn qpn) const {
  const transport::QpSlot slot = device_.slot_of(qpn);
  WEFT_ASSERT(slot.exists());
  wire::Packet packet;
  device_.core_of(slot).start_packet(packet);
  if (slot.kind == transport::EngineKind::kUet) {
    // As its context sends them, without a path selector.
    packet.common.kind = wire::PacketKind::kUet;
  }
  if (const transport::PathSelector* const paths = path_selector_of(slot); paths != nullptr) {
    packet.common.entropy = paths->lasting_entropy().value_or(packet.common.entropy);
  }
  return packet;
}

const transport::PathSelector* Nic::path_selector_of(transport::QpSlot slot) const {
  return records_[static_cast<std::size_t>(slot.kind)][slot.index].paths.get();
}

bool Nic::takes_any_path(Qpn qpn) const {
  const transport::QpSlot slot = device_.slot_of(qpn);
  if (slot.kind == transport::EngineKind::kUet) {
    return contexts_take_any_path(options_);
  }
  const transport::PathSelector* const paths = path_selector_of(slot);
  return paths != nullptr && !paths->lasting_entropy();
}

std::uint32_t Nic::tuple_hash_of(const wire::Packet& packet, std::uint64_t source) const {
  WEFT_DCHECK(packet.common.destination.value() < addresses_.size());
  return tuple_hash(packet, {.source = source, .destination = addresses_[packet.common.destination.value()]});
}

void Nic::on_timer(Time now) {
  if (!timer_.fires(now)) {
    return;
  }
  QpRef latest = 0;
  while (timeouts_.first() <= now) {
    const DeadlineHeap::Entry entry = timeouts_.pop();
    QpRecord& record = record_of(entry.who);
    if (record.timer_at != entry.at) {
      continue;
    }
    record.timer_at = Time::never();
    if (!record.alive) {
      continue;
    }
    // The engine's deadline may have moved: it does nothing then, and says when to come back.
    device_.on_timeout(slot_of(entry.who), now);
    reschedule(entry.who, record);
    latest = entry.who;
  }
  report_completions(latest, now);
  if (!timeouts_.empty()) {
    kernel_.wake(timer_, sim::ActorId(kNicTimer, index_), timeouts_.first());
  }
  pump(now);
}

Result<Qpn> Nic::create_qp(const verbs::QpInitAttributes& init, Service service) {
  QpRecord record;
  Result<Qpn> made = init.type != verbs::QpType::kRc ? device_.create_qp(init)
                     : service == Service::kRdma     ? create_rc(init, record)
                     : service == Service::kMemory   ? device_.create_qp(init, options_.memory)
                     : service == Service::kUet      ? device_.create_uet_qp(init)
                     : service == Service::kTcp      ? create_stream(init, options_.tcp, record)
                                                     : create_stream(init, options_.iwarp, record);
  if (made) {
    const transport::QpSlot slot = device_.slot_of(*made);
    send_needs_slow_path_ |= slot.kind == transport::EngineKind::kUd;
    std::vector<QpRecord>& records = records_[static_cast<std::size_t>(slot.kind)];
    records.resize(std::max<std::size_t>(records.size(), slot.index + 1));
    const QpRecord& before = records[slot.index];
    WEFT_ASSERT(!before.alive);  // a place is given out again only after destroy_qp
    record.alive = true;
    record.paced_at = before.paced_at;
    record.timer_at = before.timer_at;
    record.lists = before.lists;
    records[slot.index] = std::move(record);
  }
  return made;
}

Result<Qpn> Nic::create_rc(const verbs::QpInitAttributes& init, QpRecord& record) {
  transport::RcOptions rc = options_.rc;
  rc.selective_repeat = options_.selective_repeat ? &*options_.selective_repeat : nullptr;
  if (options_.congestion_control) {
    record.control = options_.congestion_control();
    rc.congestion_control = record.control.get();
  }
  if (options_.congestion_receiver) {
    record.receiver = options_.congestion_receiver();
    rc.congestion_receiver = record.receiver.get();
  }
  if (options_.path_selector) {
    record.paths = options_.path_selector(stable_hash(options_.seed + ++selectors_made_, "paths"));
    rc.path_selector = record.paths.get();
  }
  return device_.create_qp(init, rc);
}

template <class Options>
Result<Qpn> Nic::create_stream(const verbs::QpInitAttributes& init, Options options, QpRecord& record) {
  if (options_.tcp_congestion_control) {
    std::unique_ptr<transport::TcpCongestionControl> control = options_.tcp_congestion_control();
    options.tcp.congestion_control = control.get();
    record.control = std::move(control);
  }
  if (options_.tcp_plb) {
    std::unique_ptr<transport::TcpPlb> plb = options_.tcp_plb(stable_hash(options_.seed + ++selectors_made_, "paths"));
    options.tcp.plb = plb.get();
    record.paths = std::move(plb);
  }
  return device_.create_qp(init, options);
}

// Rings and heaps may still name the place: whoever comes upon it finds nothing to send. The place remembers that they
// do, so that a queue pair that gets it is not entered twice, however many come and go before a deadline.
Result<void> Nic::destroy_qp(Qpn qpn) {
  const transport::QpSlot slot = device_.slot_of(qpn);
  if (const transport::RcQueuePair* const rc = device_.find_rc(slot); rc != nullptr) {
    destroyed_ += rc->counters();
  }
  Result<void> destroyed = device_.destroy_qp(qpn);
  if (destroyed) {
    QpRecord& record = record_of(ref_of(slot));
    destroyed_cuts_ += record.control != nullptr ? record.control->cuts() : 0;
    destroyed_path_changes_ += record.paths != nullptr ? record.paths->changes() : 0;
    QpRecord left;
    left.paced_at = record.paced_at;
    left.timer_at = record.timer_at;
    left.lists = static_cast<std::uint8_t>(record.lists & (kInResponses | kInReady));
    record = std::move(left);
    if (reordering_ != nullptr) {
      reordering_->forget(ref_of(slot));
    }
    if (path_ != nullptr) {
      path_->forget(ref_of(slot));
    }
  }
  return destroyed;
}

void Nic::modified(Qpn qpn) {
  const transport::QpSlot slot = device_.slot_of(qpn);
  if (!slot.exists()) {
    return;
  }
  const transport::QpCore& core = device_.core_of(slot);
  const verbs::AddressVector& address = core.attributes().address;
  const bool is_ib = transport::is_infiniband(core.identity().encapsulation);
  const unsigned mark = is_ib ? address.service_level : address.traffic_class >> 2;
  const bool has_peer = options_.lane_of_peer && address.destination.is_valid();
  record_of(ref_of(slot)).priority =
      has_peer ? options_.lane_of_peer(address.destination) : options_.lane_of_mark[mark];
  reschedule(qpn);
  // A message that waited for its receive request, or requests that were flushed.
  report_completions(ref_of(slot), kernel_.now());
}

void Nic::shared_receive_posted(verbs::SrqHandle srq) {
  using transport::EngineKind;
  QpRef latest = 0;
  for (const EngineKind kind : {EngineKind::kTcp, EngineKind::kIwarp, EngineKind::kMemory}) {
    const std::vector<QpRecord>& records = records_[static_cast<std::size_t>(kind)];
    for (std::uint32_t i = 0; i < records.size(); ++i) {
      const transport::QpSlot slot{.index = i, .kind = kind};
      if (records[i].alive && device_.core_of(slot).init().srq == srq) {
        latest = ref_of(slot);
        reschedule(latest, record_of(latest));
      }
    }
  }
  report_completions(latest, kernel_.now());
}

Result<void> Nic::post_send(Qpn qpn, const verbs::SendWr& request) {
  const Time now = kernel_.now();
  if (path_ != nullptr) {
    post_via_host_path(qpn, request, now);
    return {};
  }
  Duration delay = options_.pipeline.before_wire();
  if (options_.pipeline.service_time) {
    delay += sample(*options_.pipeline.service_time, random_);
  }
  if (delay == Duration::zero() && posts_.empty()) {
    device_.advance_to(now);
    choose_datagram_lane(qpn, request);
    Result<void> posted = device_.post_send(qpn, request);
    reschedule(qpn);
    report_completions(0, now);  // without stages of the host, all wait alike
    return posted;
  }
  // A request overtakes none that was posted before it.
  last_post_ = later(last_post_, now + delay);
  DeferredPost post{.at = last_post_, .qpn = qpn, .request = request, .elements = {}, .inline_data = {}};
  post.elements.assign(request.sg_list.begin(), request.sg_list.end());
  posts_.push_back(std::move(post));
  kernel_.wake(pipeline_, sim::ActorId(kNicPipeline, index_), last_post_);
  return {};
}

void Nic::choose_datagram_lane(Qpn qpn, const verbs::SendWr& request) {
  const transport::QpSlot slot = device_.slot_of(qpn);
  if (!slot.exists() || slot.kind != transport::EngineKind::kUd) [[likely]] {
    return;
  }
  const verbs::AddressVector* const address = device_.context().find_ah(request.ud.ah);
  QpRecord& record = record_of(ref_of(slot));
  if (address != nullptr && (record.lists & kInReady) == 0 && transport::is_infiniband(options_.device.encapsulation)) {
    record.priority = options_.lane_of_mark[address->service_level];
  }
}

void Nic::on_pipeline(Time now) {
  if (!pipeline_.fires(now)) {
    return;
  }
  device_.advance_to(now);
  if (path_ != nullptr) {
    run_path(now);
    return;
  }
  while (!posts_.empty() && posts_.front().at <= now) {
    DeferredPost post = posts_.pop_front();
    post.request.sg_list = post.elements;
    choose_datagram_lane(post.qpn, post.request);
    Result<void> posted = device_.post_send(post.qpn, post.request);
    if (!posted && !deferred_error_) {
      deferred_error_ = posted.error();
    }
    reschedule(post.qpn);
  }
  if (!posts_.empty()) {
    kernel_.wake(pipeline_, sim::ActorId(kNicPipeline, index_), posts_.front().at);
  }
  report_completions(0, now);
}

Nic::Connections Nic::connections() const {
  Connections sum;
  sum.rc = destroyed_;
  for (std::uint32_t kind = 0; kind < records_.size(); ++kind) {
    for (std::uint32_t i = 0; i < records_[kind].size(); ++i) {
      if (!records_[kind][i].alive) {
        continue;
      }
      const transport::QpSlot slot{.index = i, .kind = static_cast<transport::EngineKind>(kind)};
      if (slot.kind == transport::EngineKind::kUetPdc) {
        if (device_.uet()->context_at(static_cast<std::uint16_t>(i)).live()) {
          ++sum.contexts;
          sum.state_bytes += device_.state_bytes(slot);
        }
        continue;
      }
      ++sum.count;
      sum.state_bytes += device_.state_bytes(slot);
      if (const transport::RcQueuePair* rc = device_.find_rc(slot); rc != nullptr) {
        sum.rc += rc->counters();
      } else if (const transport::StreamQueuePair* stream = device_.find_stream(slot); stream != nullptr) {
        const transport::StreamQueuePair::Buffers buffers = stream->buffers();
        sum.buffer_bytes += static_cast<std::uint64_t>((buffers.send_limit + buffers.receive_limit).count());
        if (const transport::TcpConnection* tcp = stream->connection(); tcp != nullptr) {
          sum.retransmissions += tcp->counters().retransmissions;
          sum.timeouts += tcp->counters().timeouts;
          sum.out_of_order += tcp->counters().out_of_order;
        }
      }
    }
  }
  if (device_.uet() != nullptr) {
    sum.uet = device_.uet()->counters();
  }
  sum.retransmissions += sum.uet.retransmissions;
  sum.timeouts += sum.uet.timeouts;
  sum.out_of_order += sum.uet.out_of_order;
  sum.duplicates += sum.uet.duplicates;
  sum.retransmissions += sum.rc.retransmitted_packets;
  sum.timeouts += sum.rc.local_ack_timeout_err;
  sum.out_of_order += sum.rc.out_of_sequence;
  sum.duplicates += sum.rc.duplicate_request;
  return sum;
}

std::uint64_t Nic::rate_cuts() const {
  std::uint64_t cuts = destroyed_cuts_;
  for (const std::vector<QpRecord>& records : records_) {
    for (const QpRecord& record : records) {
      cuts += record.control != nullptr ? record.control->cuts() : 0;
    }
  }
  return cuts;
}

std::uint64_t Nic::path_changes() const {
  std::uint64_t changes = destroyed_path_changes_;
  if (options_.path_selector || options_.tcp_plb) {
    for (const std::vector<QpRecord>& records : records_) {
      for (const QpRecord& record : records) {
        changes += record.paths != nullptr ? record.paths->changes() : 0;
      }
    }
  }
  return changes + (device_.uet() != nullptr ? device_.uet()->path_changes() : 0);
}

std::size_t Nic::heap_bytes() const {
  std::size_t bytes = device_.heap_bytes() + responses_.heap_bytes() + paced_.heap_bytes() + timeouts_.heap_bytes() +
                      posts_.heap_bytes();
  for (const std::vector<QpRecord>& records : records_) {
    bytes += records.capacity() * sizeof(QpRecord);
  }
  for (const Ring<QpRef>& ring : ready_) {
    bytes += ring.heap_bytes();
  }
  return bytes;
}

}  // namespace weft::host
