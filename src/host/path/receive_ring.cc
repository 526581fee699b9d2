#include "host/path/receive_ring.h"

#include "base/assert.h"

namespace weft::host {

bool ReceiveRing::push(const Packet& packet, Cpu& cpu, Time now) {
  if (waiting_.size() >= options_.packets) {
    return false;
  }
  const Time in_memory = now + options_.dma.time(packet.payload);
  waiting_.push_back({packet, in_memory});
  switch (state_) {
    case State::kIdle:
      WEFT_DCHECK(waiting_.size() == 1);  // an idle ring was empty
      unit_ = Bytes::zero();
      if (options_.wait == SocketWait::kBusyPoll) {
        state_ = State::kPolling;
        begin_front(cpu, {.now = now, .start = in_memory + options_.busy_poll.latency});
      } else {
        state_ = State::kAwaitsInterrupt;
        next_ = options_.moderation_frames == 1 ? in_memory : in_memory + options_.moderation.latency;
      }
      break;
    case State::kAwaitsInterrupt:
      if (options_.moderation_frames != 0 && waiting_.size() >= options_.moderation_frames) {
        next_ = earlier(next_, in_memory);
      }
      break;
    case State::kPolling:
      break;
  }
  return true;
}

std::optional<ReceiveRing::Packet> ReceiveRing::act(Cpu& cpu, Time now) {
  WEFT_DCHECK(state_ != State::kIdle && !waiting_.empty() && next_ <= now);
  if (state_ == State::kAwaitsInterrupt) {
    ++interrupts_;
    state_ = State::kPolling;
    const Time begun = cpu.run(core_, CpuWork::kInterrupt, now, options_.interrupt.latency);
    begin_front(cpu, {.now = now, .start = begun});
    return std::nullopt;
  }
  const Packet packet = waiting_.pop_front().packet;
  if (waiting_.empty()) {
    state_ = State::kIdle;
    front_joins_ = false;
    next_ = Time::never();
  } else {
    begin_front(cpu, {.now = now, .start = now});
  }
  return packet;
}

void ReceiveRing::begin_front(Cpu& cpu, Server::Deferred when) {
  const Waiting& front = waiting_.front();
  const Bytes payload = front.packet.payload;
  Duration cost = options_.per_packet.time(payload);
  const bool joins = unit_ > Bytes::zero() && unit_flow_ == front.packet.flow_hash && unit_ + payload <= options_.unit;
  front_joins_ = joins && payload > Bytes::zero();
  if (!front_joins_) {
    // An acknowledgement alone is a unit too, and ends the one before it.
    cost += payload == Bytes::zero() ? options_.per_ack.latency : options_.per_unit.latency;
    unit_ = Bytes::zero();
  }
  unit_ += payload;
  unit_flow_ = front.packet.flow_hash;
  when.start = later(when.start, front.in_memory);
  next_ = cpu.run(core_, CpuWork::kReceiveStack, when, cost);
}

}  // namespace weft::host
