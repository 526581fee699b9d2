// The part of a NIC that works with a path between it and its programs: what leaves and what arrives when the host lets
// it, and not as soon as the wire does.
#include <algorithm>

#include "base/assert.h"
#include "host/nic.h"
#include "wire/opcode.h"

namespace weft::host {

namespace {

/// Every packet of a WRITE has its key, and those of other queue pairs may come between.
void describe_uet(const transport::Device& device, const fabric::PacketPool& packets, const wire::Packet& packet,
                  HostPath::Arrival& arrival) {
  const wire::UetHeader& header = packet.uet;
  if (!wire::uet::is_request(header.type) || header.next_header() == wire::UetNextHeader::kNone ||
      header.next_header() == wire::UetNextHeader::kResponseData ||
      header.next_header() == wire::UetNextHeader::kResponseDataSmall) {
    return;
  }
  arrival.ends_message = header.has_ses(wire::kUetEndOfMessage);
  switch (header.operation()) {
    case wire::UetOperation::kWrite:
      arrival.sink = device.place_of(header.request.memory_key);
      break;
    case wire::UetOperation::kRead:
      arrival.is_read_request = true;
      if (packet.has(wire::kHasCold)) {
        const std::int64_t mtu = verbs::to_bytes(device.options().active_mtu).count();
        arrival.read_first = Bytes(std::min<std::int64_t>(packets.cold_of(packet).uet.length, mtu));
      }
      arrival.sink = device.place_of(header.request.memory_key);
      break;
    default:
      arrival.begins_send = header.has_ses(wire::kUetStartOfMessage) && packet.common.payload_bytes > 0;
      break;
  }
}

}  // namespace

HostPath::Arrival Nic::describe(fabric::PacketHandle handle) const {
  const wire::Packet& packet = packets_[handle];
  // Receive-side scaling has a hash of its own, whatever switches hash.
  HostPath::Arrival arrival{.packet = handle.value(),
                            .flow_hash = options_.header_hash
                                             ? tuple_hash_of(packet, addresses_[packet.common.source.value()])
                                             : packet.common.flow_hash,
                            .payload = Bytes(packet.common.payload_bytes),
                            .lane = packet.common.priority};
  if (packet.common.kind == wire::PacketKind::kUet) {
    arrival.engine = transport::EngineKind::kUetPdc;
    describe_uet(device_, packets_, packet, arrival);
    return arrival;
  }
  if (packet.common.kind != wire::PacketKind::kInfiniBandTransport) {
    arrival.engine = device_.engine_for(packet);
    return arrival;
  }
  const wire::OpcodeInfo& info = wire::describe(packet.ib.opcode);
  if (wire::operation_of(packet.ib.opcode) == wire::Operation::kReadRequest) {
    const std::int64_t mtu = verbs::to_bytes(options_.device.active_mtu).count();
    arrival.is_read_request = true;
    arrival.read_first = Bytes(std::min<std::int64_t>(packet.ib.reth.dma_length, mtu));
    arrival.sink = device_.place_of(packet.ib.reth.remote_key);
    return arrival;
  }
  // The first packet of a WRITE says where it goes, that of a SEND does not.
  const bool begins = info.first && info.payload && !info.aeth;
  arrival.begins_send = begins && !info.reth && arrival.payload > Bytes::zero();
  arrival.ends_message = info.last;
  if (begins && info.reth) {
    arrival.sink = device_.place_of(packet.ib.reth.remote_key);
  }
  return arrival;
}

Time Nic::room_at(fabric::PacketHandle handle, Time now) {
  const wire::Packet& packet = packets_[handle];
  HostPath::Arrival arrival{.payload = Bytes(packet.common.payload_bytes), .lane = packet.common.priority};
  if (packet.common.kind != wire::PacketKind::kInfiniBandTransport && packet.common.kind != wire::PacketKind::kUet) {
    arrival.engine = device_.engine_for(packet);
  }
  return path_->room_at(arrival, now);
}

std::span<const std::byte> Nic::payload_of(fabric::PacketHandle handle) const {
  return payloads_ == nullptr ? std::span<const std::byte>{} : payloads_->of(handle, packets_[handle]);
}

void Nic::receive_slow(fabric::PacketHandle handle, Time now) {
  if (path_ != nullptr) {
    receive_via_host_path(handle, now);
  } else {
    deliver_with_bytes(handle, now);
  }
}

void Nic::deliver_with_bytes(fabric::PacketHandle handle, Time now) {
  static const wire::ColdPacket kNoCold{};
  const wire::Packet& packet = packets_[handle];
  const wire::ColdPacket& cold = packet.has(wire::kHasCold) ? packets_.cold_of(packet) : kNoCold;
  const transport::QpSlot slot = device_.deliver({packet, cold, payload_of(handle)}, now);
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

void Nic::receive_via_host_path(fabric::PacketHandle handle, Time now) {
  switch (path_->admit(describe(handle), now)) {
    case HostPath::Admission::kDeliver:
      deliver_via_host_path(handle, now);
      return;
    case HostPath::Admission::kKeep:
      ++packets_kept_;
      kernel_.wake(pipeline_, sim::ActorId(kNicPipeline, index_), later(path_->next_arrival(), now));
      return;
    case HostPath::Admission::kDrop:
      packets_.release(handle);
      return;
  }
}

void Nic::deliver_via_host_path(fabric::PacketHandle handle, Time now) {
  static const wire::ColdPacket kNoCold{};
  const wire::Packet& packet = packets_[handle];
  const HostPath::Arrival arrival = describe(handle);
  const wire::ColdPacket& cold = packet.has(wire::kHasCold) ? packets_.cold_of(packet) : kNoCold;
  const bool damaged = packet.has(wire::kCorrupted);
  const transport::QpSlot slot = device_.deliver({packet, cold, payload_of(handle)}, now);
  measure_context_order(packet, slot);
  packets_.release(handle);
  if (!slot.exists()) {
    return;
  }
  const QpRef ref = ref_of(slot);
  const Time landed = damaged ? now : path_->on_delivered(ref, arrival, now);
  WEFT_DCHECK(landed >= now);
  reschedule(ref, record_of_taker(slot));
  report_completions(ref, landed);
  pump(now);
}

void Nic::post_via_host_path(Qpn qpn, const verbs::SendWr& request, Time now) {
  const transport::QpSlot slot = device_.slot_of(qpn);
  const QpRef ref = slot.exists() ? ref_of(slot) : 0;
  HostPath::Posting posting{.flow = ref,
                            .qpn = qpn,
                            .opcode = request.opcode,
                            .send_flags = request.send_flags,
                            .packet = verbs::to_bytes(options_.device.active_mtu)};
  for (const verbs::Sge& element : request.sg_list) {
    posting.size += Bytes(element.length);
  }
  if (slot.kind == transport::EngineKind::kTcp) {
    posting.size += Bytes(transport::StreamMessage::kSize);  // the program writes the header of the message as well
  }
  if (!request.sg_list.empty()) {
    posting.place = device_.place_of(request.sg_list.front().lkey);
  }
  Time at = path_->post(posting, now);
  WEFT_DCHECK(at >= now);
  if (options_.pipeline.service_time) {
    at = at + sample(*options_.pipeline.service_time, random_);
  }
  // A request overtakes none that was posted to its queue pair before.
  Time& last = path_posts_->last[ref];
  last = at = later(at, last);
  DeferredPost post{.at = at, .qpn = qpn, .request = request, .elements = {}, .inline_data = {}};
  post.elements.assign(request.sg_list.begin(), request.sg_list.end());
  path_posts_->posts.emplace(at, std::move(post));
  kernel_.wake(pipeline_, sim::ActorId(kNicPipeline, index_), at);
}

void Nic::run_path(Time now) {
  std::multimap<Time, DeferredPost>& posts = path_posts_->posts;
  QpRef latest = 0;
  while (!posts.empty() && posts.begin()->first <= now) {
    DeferredPost post = std::move(posts.extract(posts.begin()).mapped());
    post.request.sg_list = post.elements;
    Result<void> posted = device_.post_send(post.qpn, post.request);
    if (!posted && !deferred_error_) {
      deferred_error_ = posted.error();
    }
    reschedule(post.qpn);
    if (const transport::QpSlot slot = device_.slot_of(post.qpn); slot.exists()) {
      latest = ref_of(slot);
    }
  }
  report_completions(latest, now);
  while (path_->next_arrival() <= now) {
    if (const std::optional<std::uint32_t> packet = path_->take_arrival(now); packet) {
      WEFT_DCHECK(packets_kept_ > 0);
      --packets_kept_;
      deliver_via_host_path(fabric::PacketHandle(*packet), now);
    }
  }
  Time next = path_->next_arrival();
  if (!posts.empty()) {
    next = earlier(next, posts.begin()->first);
  }
  WEFT_DCHECK(next > now);  // all that was due has been done
  if (!next.is_never()) {
    kernel_.wake(pipeline_, sim::ActorId(kNicPipeline, index_), next);
  }
}

transport::Device::Readiness Nic::held(QpRef ref, transport::Device::Readiness readiness, Time now) {
  if (readiness.response_pending) {
    if (const Time from = path_->responses_from(ref); from > now) {
      readiness.response_pending = false;
      // The queue pair is looked at again then; its data go behind the answer.
      readiness.data = from;
    }
  }
  if (readiness.data <= now) {
    readiness.data = later(readiness.data, path_->data_from(ref));
  }
  return readiness;
}

// Data that wait for the host's memory: nothing else may call the NIC again.
void Nic::schedule_gate(Time now) {
  const Time gate = path_->device_data_from();
  if (ready_mask_ != 0 && gate > now && gate < pacing_call_ && !awaits_wire_) {
    pacing_call_ = gate;
    port_.request_wire(endpoint_, gate);
  }
}

}  // namespace weft::host
