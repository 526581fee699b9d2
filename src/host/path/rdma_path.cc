#include "host/path/rdma_path.h"

#include <algorithm>

#include "base/assert.h"

namespace weft::host {
namespace {

bool sends_data(verbs::WrOpcode opcode) {
  switch (opcode) {
    case verbs::WrOpcode::kSend:
    case verbs::WrOpcode::kSendWithImm:
    case verbs::WrOpcode::kSendWithInv:
    case verbs::WrOpcode::kRdmaWrite:
    case verbs::WrOpcode::kRdmaWriteWithImm:
      return true;
    case verbs::WrOpcode::kRdmaRead:
    case verbs::WrOpcode::kAtomicCmpAndSwp:
    case verbs::WrOpcode::kAtomicFetchAndAdd:
      break;
  }
  return false;
}

bool is_send(verbs::WrOpcode opcode) {
  return sends_data(opcode) && opcode != verbs::WrOpcode::kRdmaWrite && opcode != verbs::WrOpcode::kRdmaWriteWithImm;
}

}  // namespace

RdmaPath::RdmaPath(const RdmaPathOptions& options, const Place& place)
    : options_(options), host_(place.host), slot_(place.slot), seed_(place.seed) {}

bool RdmaPath::is_inline(Bytes size, std::uint8_t send_flags, verbs::MemoryPlace place) const {
  // A core cannot copy out of GPU memory at a small price.
  return !place.gpu.is_valid() && (size <= options_.inline_limit || (send_flags & verbs::kSendInline) != 0);
}

Duration RdmaPath::first_fetch(const HostResources::Piece& first) const {
  const Duration of_gpu = first.place.gpu.is_valid() ? options_.gpu_read.latency : Duration::zero();
  return slot_.options().read_round_trip + of_gpu + host_.extra_latency(first.place) + idle_lead(first);
}

HostResources::Piece RdmaPath::last_tlp(const HostResources::Piece& packet) const {
  WEFT_DCHECK(packet.size > Bytes::zero());
  return {packet.place, (packet.size - Bytes(1)) % slot_.options().max_payload + Bytes(1)};
}

// From a packet's first byte over PCIe until it may begin on the wire: each TLP must be there when its turn comes, and
// as both go on steadily, the first and the last one decide.
Duration RdmaPath::idle_lead(const HostResources::Piece& packet) const {
  const Duration whole = host_.idle_fetch(packet);
  const Bytes tlp = slot_.options().max_payload;
  if (!options_.cut_through || packet.size <= tlp) {
    return whole;
  }
  const Duration before_last = options_.cut_through->transmit_time(packet.size - last_tlp(packet).size);
  return std::max(host_.idle_fetch({packet.place, tlp}), whole - before_last);
}

// How long before the packet's end its first TLP has come.
Duration RdmaPath::early(Bytes payload) const {
  const Bytes tlp = slot_.options().max_payload;
  return options_.cut_through && payload > tlp ? options_.cut_through->transmit_time(payload - tlp) : Duration::zero();
}

Time RdmaPath::store(const HostResources::Piece& packet, Duration receive_fetch, Time now) {
  if (!options_.cut_through) {
    return host_.store(slot_, packet, {.now = now, .start = now}) + receive_fetch;
  }
  const Time start = now + receive_fetch - early(packet.size);
  return later(host_.store(slot_, packet, {.now = now, .start = start}), now + host_.idle_store(last_tlp(packet)));
}

Duration RdmaPath::idle_landing(const HostResources::Piece& packet, Duration receive_fetch) const {
  if (!options_.cut_through) {
    return receive_fetch + host_.idle_store(packet);
  }
  return std::max(receive_fetch - early(packet.size) + host_.idle_store(packet), host_.idle_store(last_tlp(packet)));
}

// Two buffers: while one chunk is sent, the next is copied.
void RdmaPath::stage_chunks(Flow& flow, Time now) {
  constexpr std::uint32_t kBuffers = 2;
  while (flow.staged.size() < kBuffers && !flow.unstaged.empty()) {
    Bytes& left = flow.unstaged.front();
    const Bytes size = std::min(left, host_.options().copy_chunk);
    WEFT_DCHECK(size > Bytes::zero());
    left -= size;
    if (left == Bytes::zero()) {
      (void)flow.unstaged.pop_front();
    }
    const Time launched = host_.cpu().run(flow.core, CpuWork::kCopyLaunch, now, host_.options().copy_launch.latency);
    flow.copied = host_.to_host({flow.source.value_or(verbs::MemoryPlace()), size},
                                {.now = now, .start = later(launched, flow.copied)});
    flow.staged.push_back({size, flow.copied});
  }
}

FlowRef RdmaPath::posting_flow(FlowRef flow) {
  constexpr FlowRef kUetPostings = static_cast<FlowRef>(transport::EngineKind::kUet) << 28;
  const transport::EngineKind engine = engine_of(flow);
  return engine == transport::EngineKind::kUet || engine == transport::EngineKind::kUetPdc ? kUetPostings : flow;
}

/// Of a context: what a READ has asked it for, else what was posted last.
verbs::MemoryPlace RdmaPath::source_of(FlowRef flow) {
  const std::optional<verbs::MemoryPlace> own = flows_[flow].source;
  const FlowRef posting = posting_flow(flow);
  return own || posting == flow ? own.value_or(verbs::MemoryPlace()) : flows_[posting].source.value_or(options_.memory);
}

Time RdmaPath::post(const Posting& posting, Time now) {
  Flow& flow = flows_[posting_flow(posting.flow)];
  const CoreId core = host_.rdma_core(core_hash(seed_, posting.qpn));
  const bool has_data = sends_data(posting.opcode) && posting.size > Bytes::zero();
  HostResources::Piece first{posting.place, std::min(posting.size, posting.packet)};
  (posting.opcode == verbs::WrOpcode::kRdmaRead ? flow.sink : flow.source) = posting.place;
  Time at = host_.cpu().run(core, CpuWork::kPost, now, options_.software.latency);
  if (has_data && bounces(posting.place)) {
    // The doorbell follows the first copy; it is not kept waiting by the launches of the others.
    flow.core = core;
    flow.unstaged.push_back(posting.size);
    const bool is_first = flow.staged.empty();
    stage_chunks(flow, now);
    at = (is_first ? flow.staged.front().ready : at) + options_.doorbell.latency;
    host_.cpu().note(CpuWork::kPost, options_.doorbell.latency);
    first.place = {};
  } else {
    at = host_.cpu().run(core, CpuWork::kPost, {.now = now, .start = at}, options_.doorbell.latency);
  }
  at = at + options_.pcie_write.latency;
  if (options_.request_fetch == WorkRequestFetch::kAfterDoorbell) {
    at = at + slot_.options().read_round_trip;
  }
  if (has_data && !is_inline(posting.size, posting.send_flags, first.place)) {
    at = at + first_fetch(first);
  }
  return at + options_.offload.latency + options_.transmit.latency;
}

void RdmaPath::on_departure(FlowRef flow, Bytes payload, Time now) {
  if (payload == Bytes::zero() && posting_flow(flow) != flow) {
    return;  // an acknowledgement of a context, which has nothing to fetch
  }
  verbs::MemoryPlace place = source_of(flow);
  if (bounces(place)) {
    Flow& state = flows_[posting_flow(flow)];
    place = {};
    for (Bytes left = payload; left > Bytes::zero() && !state.staged.empty();) {
      Staged& front = state.staged.front();
      const Bytes taken = std::min(left, front.left);
      front.left -= taken;
      left -= taken;
      if (front.left == Bytes::zero()) {
        (void)state.staged.pop_front();
      }
    }
    stage_chunks(state, now);
  }
  if (payload <= options_.inline_limit && !place.gpu.is_valid()) {
    return;
  }
  // While this packet is on the wire as many bytes come for the next: it leaves no earlier than they can.
  gate_ = host_.fetch(slot_, {place, payload}, now);
}

Time RdmaPath::data_from(FlowRef flow) {
  const Time responses = flows_[flow].responses_from;
  const Ring<Staged>& staged = flows_[posting_flow(flow)].staged;
  return staged.empty() ? responses : later(responses, staged.front().ready);
}

void RdmaPath::free_places(Time now) {
  while (!buffer_.empty() && buffer_.front().until <= now) {
    buffered_ -= buffer_.pop_front().size;
  }
  WEFT_DCHECK(buffer_.empty() == (buffered_ == Bytes::zero()));
}

// When everything will be written is known already: what comes later cannot make it earlier.
Time RdmaPath::falls_to(Bytes level, Bytes beside) const {
  Bytes left = buffered_ + beside;
  Time at;
  for (std::uint32_t i = 0; left > level && i < buffer_.size(); ++i) {
    left -= buffer_[i].size;
    at = later(at, buffer_[i].until);
  }
  return at;
}

Time RdmaPath::room_at(const Arrival& arrival, Time now) {
  if (arrival.payload == Bytes::zero() || !has_flow_control(arrival.lane)) {
    return now;
  }
  free_places(now);
  const bool holds_back = held_back_until_ > now;
  const Bytes level = holds_back ? options_.flow_control.xon : options_.flow_control.xoff;
  if (buffered_ + arrival.payload <= level) {
    return now;
  }
  const Time until = later(falls_to(options_.flow_control.xon, arrival.payload), now);
  counters_.held_back += holds_back || until == now ? 0 : 1;
  const Time from = later(held_back_until_, now);
  held_back_until_ = later(until, from);
  counters_.held_back_for += held_back_until_ - from;
  return until;
}

HostPath::Admission RdmaPath::admit(const Arrival& arrival, Time now) {
  free_places(now);
  const Bytes limit = has_flow_control(arrival.lane) ? options_.flow_control.buffer : options_.receive_buffer;
  if (limit == Bytes::max() || buffered_ + arrival.payload <= limit) {
    return Admission::kDeliver;
  }
  ++counters_.dropped;
  return Admission::kDrop;
}

Time RdmaPath::on_delivered(FlowRef flow, const Arrival& arrival, Time now) {
  Flow& state = flows_[flow];
  if (arrival.is_read_request) {
    state.source = arrival.sink.value_or(options_.memory);
    const verbs::MemoryPlace place = bounces(*state.source) ? verbs::MemoryPlace{} : *state.source;
    state.responses_from = later(state.responses_from, now + first_fetch({place, arrival.read_first}));
    return now;
  }
  if (arrival.payload == Bytes::zero()) {
    return now;
  }
  if (arrival.sink || arrival.begins_send) {
    state.sink = arrival.sink.value_or(options_.memory);
  }
  if (!state.sink && posting_flow(flow) != flow) {
    state.sink = flows_[posting_flow(flow)].sink.value_or(options_.memory);
  }
  const verbs::MemoryPlace sink = state.sink.value_or(verbs::MemoryPlace());
  const bool bounced = bounces(sink);
  const HostResources::Piece piece{bounced ? verbs::MemoryPlace{} : sink, arrival.payload};
  const Duration receive_fetch = arrival.begins_send ? options_.receive_fetch.latency : Duration::zero();
  Time end = store(piece, receive_fetch, now) + host_.extra_latency(piece.place);
  if (options_.receive_buffer != Bytes::max()) {
    buffer_.push_back({end, arrival.payload});
    buffered_ += arrival.payload;
  }
  if (piece.place.gpu.is_valid()) {
    end = end + options_.gpu_write.latency;
  }
  if (bounced) {
    end = land_in_gpu(state, arrival, {.now = now, .start = end});
  }
  // Bytes of one queue pair are written in order.
  state.landed = later(state.landed, end);
  return state.landed;
}

// A full chunk, or the end of a message, is copied on; the first copy of a message has its launch before it, those of
// the others overlap.
Time RdmaPath::land_in_gpu(Flow& flow, const Arrival& arrival, Server::Deferred in_memory) {
  flow.arrived += arrival.payload;
  if (flow.arrived < host_.options().copy_chunk && !arrival.ends_message) {
    return in_memory.start;
  }
  const Duration launch = host_.options().copy_launch.latency;
  host_.cpu().note(CpuWork::kCopyLaunch, launch);
  const bool is_first = flow.landing == Bytes::zero();
  flow.landing += flow.arrived;
  in_memory.start = is_first ? in_memory.start + launch : later(in_memory.start, flow.landed);
  const Time end = host_.to_gpu({flow.sink.value_or(verbs::MemoryPlace()), flow.arrived}, in_memory);
  flow.arrived = Bytes::zero();
  if (arrival.ends_message) {
    flow.landing = Bytes::zero();
  }
  return later(end, flow.landed);
}

Time RdmaPath::on_completions_seen(FlowRef, Time landed) {
  Cpu& cpu = host_.cpu();
  cpu.note(CpuWork::kCompletion, options_.poll_cost + options_.software.latency);
  Time seen = landed + options_.completion.latency;
  if (options_.completion_mode != CompletionMode::kPolling) {
    cpu.note(CpuWork::kInterrupt, options_.interrupt.latency);
    ++counters_.interrupts;
    seen = seen + options_.interrupt.latency;
  }
  if (options_.completion_mode == CompletionMode::kEvent) {
    cpu.note(CpuWork::kWakeUp, options_.wake_up.latency);
    seen = seen + options_.wake_up.latency;
  }
  return seen + options_.software.latency;
}

StageTimes RdmaPath::idle_stages(HostPathSide side, const MessageShape& shape) const {
  StageTimes list;
  switch (side) {
    case HostPathSide::kSend:
      list_sending(shape, list);
      break;
    case HostPathSide::kReceive:
      list_receiving(shape, list);
      break;
    case HostPathSide::kReadTarget:
      list.add(
          {"payload fetch at the target",
           first_fetch({bounces(shape.place) ? verbs::MemoryPlace{} : shape.place, std::min(shape.size, shape.packet)}),
           options_.read_round_trip.mark});
      break;
    case HostPathSide::kAckReturn:
      break;
    case HostPathSide::kCompletion:
      list_completion(list);
      list.add({"library, sender", options_.software.latency, options_.software.mark});
      break;
  }
  return list;
}

void RdmaPath::list_sending(const MessageShape& shape, StageTimes& list) const {
  list.add({"library, sender", options_.software.latency, options_.software.mark});
  const bool has_data = sends_data(shape.opcode) && shape.size > Bytes::zero();
  HostResources::Piece first{shape.place, std::min(shape.size, shape.packet)};
  if (has_data && bounces(shape.place)) {
    const Bytes chunk = std::min(shape.size, host_.options().copy_chunk);
    const Rate rate = std::min(write_rate(host_.options().gpu_slot), host_.memory().rate());
    const Stage& launch = host_.options().copy_launch;
    list.add({"copy from GPU, launch", launch.latency, launch.mark});
    list.add({"copy from GPU", Stage{.rate = rate}.time(chunk), Confidence::kEmerges});
    first.place = {};
  }
  list.add({"work request and doorbell", options_.doorbell.latency, options_.doorbell.mark});
  list.add({"PCIe write", options_.pcie_write.latency, options_.pcie_write.mark});
  if (options_.request_fetch == WorkRequestFetch::kAfterDoorbell) {
    list.add({"work request fetch", slot_.options().read_round_trip, options_.read_round_trip.mark});
  }
  if (has_data && !is_inline(shape.size, shape.send_flags, first.place)) {
    list.add({"payload fetch, first bytes", slot_.options().read_round_trip, options_.read_round_trip.mark});
    if (first.place.gpu.is_valid()) {
      list.add({"payload fetch from GPU", options_.gpu_read.latency, options_.gpu_read.mark});
    }
    list.add({"root complex", host_.extra_latency(first.place), host_.options().root_complex.mark});
    list.add({"payload fetch, PCIe", idle_lead(first), Confidence::kEmerges});
  }
  list.add({"TCP offload", options_.offload.latency, options_.offload.mark});
  list.add({"NIC transmit", options_.transmit.latency, options_.transmit.mark});
}

void RdmaPath::list_receiving(const MessageShape& shape, StageTimes& list) const {
  list.add({"NIC receive", options_.receive.latency, options_.receive.mark});
  const Bytes last = shape.size == Bytes::zero() ? Bytes::zero() : (shape.size - Bytes(1)) % shape.packet + Bytes(1);
  const bool bounced = bounces(shape.place);
  const HostResources::Piece piece{bounced ? verbs::MemoryPlace{} : shape.place, last};
  if (last > Bytes::zero()) {
    Duration fetch;
    Duration behind;  // what of it is left when the packet is whole
    if (is_send(shape.opcode) && shape.size <= shape.packet) {
      fetch = options_.receive_fetch.latency;
      behind = std::max(fetch - early(last), Duration::zero());
      list.add({"receive request fetch", behind, options_.receive_fetch.mark});
    }
    list.add({"payload write, PCIe", idle_landing(piece, fetch) - behind, Confidence::kEmerges});
    list.add({"root complex", host_.extra_latency(piece.place), host_.options().root_complex.mark});
    if (piece.place.gpu.is_valid()) {
      list.add({"payload write to GPU", options_.gpu_write.latency, options_.gpu_write.mark});
    }
  }
  if (bounced && last > Bytes::zero()) {
    const Rate rate = std::min(read_rate(host_.options().gpu_slot), host_.memory().rate());
    const Stage& launch = host_.options().copy_launch;
    const Bytes chunk = host_.options().copy_chunk;
    if (shape.size <= chunk) {
      list.add({"copy to GPU, launch", launch.latency, launch.mark});
    }
    // Of the last chunk: those before it are copied while the next arrive.
    list.add(
        {"copy to GPU", Stage{.rate = rate}.time((shape.size - Bytes(1)) % chunk + Bytes(1)), Confidence::kEmerges});
  }
  list_completion(list);
  list.add({"library, receiver", options_.software.latency, options_.software.mark});
}

void RdmaPath::list_completion(StageTimes& list) const {
  list.add({"completion write and poll", options_.completion.latency, options_.completion.mark});
  if (options_.completion_mode != CompletionMode::kPolling) {
    list.add({"interrupt", options_.interrupt.latency, options_.interrupt.mark});
  }
  if (options_.completion_mode == CompletionMode::kEvent) {
    list.add({"wake-up", options_.wake_up.latency, options_.wake_up.mark});
  }
}

std::size_t RdmaPath::heap_bytes() const { return flows_.heap_bytes() + buffer_.heap_bytes(); }

}  // namespace weft::host
