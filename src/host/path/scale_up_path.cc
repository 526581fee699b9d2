#include "host/path/scale_up_path.h"

namespace weft::host {

Time ScaleUpPath::post(const Posting&, Time now) { return now + options_.issue.latency; }

void ScaleUpPath::on_departure(FlowRef, Bytes payload, Time now) {
  if (payload > Bytes::zero()) {
    gate_ = memory_.pass(now, payload);
  }
}

Time ScaleUpPath::write(Bytes payload, Time now) { return written_ = memory_.pass(now, payload); }

// The fabric has called `write` for this very packet.
Time ScaleUpPath::on_delivered(FlowRef flow, const Arrival& arrival, Time now) {
  if (arrival.payload == Bytes::zero()) {
    return now;
  }
  return landed_[flow] = later(landed_[flow], later(written_, now));
}

Duration ScaleUpPath::last_write(const MessageShape& shape) const {
  if (memory_.rate() == Rate::max() || shape.size == Bytes::zero()) {
    return Duration::zero();
  }
  return memory_.rate().transmit_time((shape.size - Bytes(1)) % shape.packet + Bytes(1));
}

StageTimes ScaleUpPath::idle_stages(HostPathSide side, const MessageShape& shape) const {
  StageTimes list;
  switch (side) {
    case HostPathSide::kSend:
      list.add({"store or load issued", options_.issue.latency, options_.issue.mark});
      break;
    case HostPathSide::kReceive:
      list.add({"write to GPU memory", last_write(shape), Confidence::kEmerges});
      list.add({"seen by the program", options_.completion.latency, options_.completion.mark});
      break;
    case HostPathSide::kAckReturn:
      list.add({"write to GPU memory", last_write(shape), Confidence::kEmerges});
      break;
    case HostPathSide::kCompletion:
      list.add({"seen by the program", options_.completion.latency, options_.completion.mark});
      break;
    case HostPathSide::kReadTarget:
      break;
  }
  return list;
}

}  // namespace weft::host
