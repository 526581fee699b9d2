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

Duration packet_time(const std::vector<Hop>& hops, Bytes packet) {
  Duration sum;
  for (const Hop& hop : hops) {
    sum += time_to_pass(hop, packet);
  }
  return sum;
}

// Hop by hop the longest of all chains of packets that wait for their link. The first packet runs ahead to the link at
// which the others follow one another, from there a full one goes on, and somewhere the last has to wait for that: a
// short last packet waits behind a full one at every switch that stores and forwards.
Duration train_time(const std::vector<Hop>& hops, const MessagePackets& packets) {
  // When they can begin to leave by the next link.
  Duration first;
  Duration before_last;
  Duration last;
  Duration arrival;
  for (const Hop& hop : hops) {
    Duration begin = last;
    if (packets.last < packets.data) {
      const Duration full = hop.rate.transmit_time(packets.full);
      const Duration others = hop.rate.transmit_time(part_of(hop, packets.data - packets.last));
      const Duration begin_full = std::max(before_last, first + others - full);
      // Where packets are spread, the last takes another link than the one before it.
      begin = std::max(begin, hop.part < 1 ? first + others : begin_full + full);
      before_last = begin_full + time_to_pass(hop, packets.full);
      first += time_to_pass(hop, packets.first);
    }
    arrival = begin + hop.rate.transmit_time(packets.last) + hop.delay;
    last = begin + time_to_pass(hop, packets.last);
  }
  return arrival;
}

Duration tail_time(const std::vector<Hop>& hops, const MessagePackets& packets) {
  Duration slowest;
  for (const Hop& hop : hops) {
    slowest = std::max(slowest, hop.rate.transmit_time(part_of(hop, packets.data)));
  }
  return train_time(hops, packets) - slowest;
}

}  // namespace weft::flow
