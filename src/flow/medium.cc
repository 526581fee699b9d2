#include "flow/medium.h"

#include <algorithm>

namespace weft::flow {

namespace {

Bytes part_of(const Hop& hop, Bytes bytes) {
  return hop.part < 1 ? Bytes(static_cast<std::int64_t>(static_cast<double>(bytes.count()) * hop.part)) : bytes;
}

/// Until what is behind the hop has enough of a packet to pass it on.
Duration time_to_pass(const Hop& hop, Bytes packet) {
  const bool early = hop.cut_through != Bytes::zero() && hop.cut_through < packet;
  return hop.delay + hop.rate.transmit_time(early ? hop.cut_through : packet);
}

}  // namespace

void TrainTime::cross(const Hop& hop) {
  Duration begin = last_;
  if (packets_.last < packets_.data) {
    const Duration full = hop.rate.transmit_time(packets_.full);
    const Duration before_last = hop.rate.transmit_time(part_of(hop, packets_.data - packets_.last));
    const Duration begin_full = std::max(full_, first_ + before_last - full);
    // Where packets are spread, the last takes another link than the one before it.
    begin = std::max(begin, hop.part < 1 ? first_ + before_last : begin_full + full);
    full_ = begin_full + time_to_pass(hop, packets_.full);
    first_ += time_to_pass(hop, packets_.first);
  }
  arrival_ = begin + hop.rate.transmit_time(packets_.last) + hop.delay;
  last_ = begin + time_to_pass(hop, packets_.last);
}

Duration packet_time(const std::vector<Hop>& hops, Bytes packet) {
  Duration sum;
  for (const Hop& hop : hops) {
    sum += time_to_pass(hop, packet);
  }
  return sum;
}

Duration train_time(const std::vector<Hop>& hops, const MessagePackets& packets) {
  TrainTime train(packets);
  for (const Hop& hop : hops) {
    train.cross(hop);
  }
  return train.arrival();
}

Duration tail_time(const std::vector<Hop>& hops, const MessagePackets& packets) {
  Duration slowest;
  for (const Hop& hop : hops) {
    slowest = std::max(slowest, hop.rate.transmit_time(part_of(hop, packets.data)));
  }
  return train_time(hops, packets) - slowest;
}

}  // namespace weft::flow
