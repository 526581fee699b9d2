#include "host/path/socket_path.h"

#include <algorithm>

#include "base/assert.h"

namespace weft::host {

SocketPath::SocketPath(const SocketPathOptions& options, const Place& place)
    : options_(options), host_(place.host), seed_(place.seed) {
  for (std::uint32_t core = 0; core < host_.cpu().cores(); ++core) {
    rings_.emplace_back(options_.ring, CoreId(core));
  }
}

// The copy and the run of the stack that the next unit of the flow needs.
Time SocketPath::make_unit(Flow& flow, Time now) {
  const Bytes size = std::min(flow.waiting, options_.unit);
  WEFT_DCHECK(flow.core.is_valid() && size >= Bytes::zero());
  Cpu& cpu = host_.cpu();
  (void)cpu.run(flow.core, CpuWork::kCopy, now, options_.send_copy.time(size));
  const Time ready = cpu.run(flow.core, CpuWork::kTransmitStack, now, options_.transmit_stack.latency);
  flow.waiting -= size;
  flow.ahead += size;
  flow.units.push_back({size, ready});
  return ready;
}

Time SocketPath::post(const Posting& posting, Time now) {
  Flow& flow = flows_[posting.flow];
  if (!flow.core.is_valid()) {
    flow.core = host_.socket_core(core_hash(seed_, posting.qpn));
  }
  Cpu& cpu = host_.cpu();
  const Time entered =
      cpu.run(flow.core, CpuWork::kSystemCall, now, options_.software.latency + options_.system_call.latency);
  // A call behind others only leaves its bytes: the core makes units of them in turn.
  flow.waiting += posting.size;
  const bool is_first = flow.units.empty();
  const Time ready = is_first ? make_unit(flow, now) : entered;
  return ready + options_.transmit_dma.latency + options_.transmit.latency;
}

void SocketPath::on_departure(FlowRef flow, Bytes payload, Time now) {
  Flow& state = flows_[flow];
  if (payload == Bytes::zero() || !state.core.is_valid()) {
    return;
  }
  for (Bytes left = payload; left > Bytes::zero() && !state.units.empty();) {
    Unit& front = state.units.front();
    const Bytes taken = std::min(left, front.left);
    front.left -= taken;
    left -= taken;
    state.ahead -= taken;
    if (front.left == Bytes::zero()) {
      (void)state.units.pop_front();
    }
  }
  WEFT_DCHECK(state.ahead >= Bytes::zero() && (!state.units.empty() || state.ahead == Bytes::zero()));
  if (state.ahead < options_.unit && state.waiting > Bytes::zero()) {
    (void)make_unit(state, now);
  }
}

Time SocketPath::data_from(FlowRef flow) {
  const Flow& state = flows_[flow];
  return state.units.empty() ? Time::zero() : state.units.front().ready;
}

Time SocketPath::responses_from(FlowRef flow) {
  const Flow& state = flows_[flow];
  return state.receive_core.is_valid() ? rings_[state.receive_core.value()].unit_goes_on(state.arrival_hash)
                                       : Time::zero();
}

HostPath::Admission SocketPath::admit(const Arrival& arrival, Time now) {
  Cpu& cpu = host_.cpu();
  ReceiveRing& ring = rings_[host_.socket_core(arrival.flow_hash).value()];
  const bool fits =
      ring.push({.name = arrival.packet, .flow_hash = arrival.flow_hash, .payload = arrival.payload}, cpu, now);
  counters_.dropped += fits ? 0 : 1;
  return fits ? Admission::kKeep : Admission::kDrop;
}

Time SocketPath::next_arrival() const {
  Time next = Time::never();
  for (const ReceiveRing& ring : rings_) {
    next = earlier(next, ring.next());
  }
  return next;
}

std::optional<std::uint32_t> SocketPath::take_arrival(Time now) {
  for (ReceiveRing& ring : rings_) {
    while (ring.next() <= now) {
      const std::uint64_t before = ring.interrupts();
      const std::optional<ReceiveRing::Packet> packet = ring.act(host_.cpu(), now);
      counters_.interrupts += ring.interrupts() - before;
      if (packet) {
        return packet->name;
      }
    }
  }
  return std::nullopt;
}

Time SocketPath::on_delivered(FlowRef flow, const Arrival& arrival, Time now) {
  Flow& state = flows_[flow];
  Cpu& cpu = host_.cpu();
  state.receive_core = host_.socket_core(arrival.flow_hash);
  state.arrival_hash = arrival.flow_hash;
  const bool sleeps = state.reading_until < now && options_.ring.wait == SocketWait::kBlock;
  const Time awake = sleeps ? now + options_.wake_up.latency : now;
  if (arrival.payload == Bytes::zero()) {
    return awake;
  }
  Duration time = options_.receive_copy.time(arrival.payload) - options_.receive_copy.latency;
  if (state.reading_until < now || state.read + arrival.payload > options_.unit) {
    time += options_.receive_copy.latency;
    state.read = Bytes::zero();
  }
  if (sleeps) {
    cpu.note(CpuWork::kWakeUp, options_.wake_up.latency);
  }
  state.read += arrival.payload;
  state.reading_until = cpu.run(state.receive_core, CpuWork::kCopy, {.now = now, .start = awake}, time);
  return state.reading_until;
}

StageTimes SocketPath::idle_stages(HostPathSide side, const MessageShape& shape) const {
  StageTimes list;
  const Bytes last = shape.size == Bytes::zero() ? Bytes::zero() : (shape.size - Bytes(1)) % shape.packet + Bytes(1);
  const auto add = [&list](std::string_view name, const Stage& stage, Bytes size = Bytes::zero()) {
    list.add({name, stage.time(size), stage.mark});
  };
  switch (side) {
    case HostPathSide::kSend:
      add("library, sender", options_.software);
      add("system call", options_.system_call);
      add("copy to kernel", options_.send_copy, std::min(shape.size, options_.unit));
      add("TCP/IP transmit", options_.transmit_stack);
      add("NIC reads", options_.transmit_dma);
      add("NIC transmit", options_.transmit);
      break;
    case HostPathSide::kReceive:
      add("NIC receive", options_.receive);
      list_ring(last, list);
      list_wake_up(list);
      add("copy to user", options_.receive_copy, last);
      add("library, receiver", options_.software);
      break;
    case HostPathSide::kReadTarget:
      break;
    case HostPathSide::kAckReturn:
      list_ring(last, list);
      break;
    case HostPathSide::kCompletion:
      list_ring(Bytes::zero(), list);
      list_wake_up(list);
      add("library, sender", options_.software);
      break;
  }
  return list;
}

void SocketPath::list_ring(Bytes payload, StageTimes& list) const {
  const ReceiveRingOptions& ring = options_.ring;
  list.add({"NIC writes", ring.dma.time(payload), ring.dma.mark});
  if (ring.wait == SocketWait::kBusyPoll) {
    list.add({"busy poll", ring.busy_poll.latency, ring.busy_poll.mark});
  } else {
    if (ring.moderation_frames != 1) {
      list.add({"interrupt moderation", ring.moderation.latency, ring.moderation.mark});
    }
    list.add({"interrupt to softirq", ring.interrupt.latency, ring.interrupt.mark});
  }
  const Stage& stack = payload == Bytes::zero() ? ring.per_ack : ring.per_unit;
  list.add({"TCP/IP receive", ring.per_packet.time(payload) + stack.latency, weaker(ring.per_packet.mark, stack.mark)});
}

void SocketPath::list_wake_up(StageTimes& list) const {
  if (options_.ring.wait == SocketWait::kBlock) {
    list.add({"wake-up", options_.wake_up.latency, options_.wake_up.mark});
  }
}

std::size_t SocketPath::heap_bytes() const {
  std::size_t bytes = flows_.heap_bytes() + rings_.capacity() * sizeof(ReceiveRing);
  for (const ReceiveRing& ring : rings_) {
    bytes += ring.heap_bytes();
  }
  return bytes;
}

}  // namespace weft::host
