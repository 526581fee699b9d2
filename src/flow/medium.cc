#include "flow/medium.h"

#include <algorithm>

namespace weft::flow {

Duration packet_time(const std::vector<Hop>& hops, Bytes packet) {
  Duration sum;
  for (const Hop& hop : hops) {
    const bool early = hop.cut_through != Bytes::zero() && hop.cut_through < packet;
    sum += hop.delay + hop.rate.transmit_time(early ? hop.cut_through : packet);
  }
  return sum;
}

Duration tail_time(const std::vector<Hop>& hops, Bytes last_packet) {
  Duration slowest;
  for (const Hop& hop : hops) {
    slowest = std::max(slowest, hop.rate.transmit_time(last_packet));
  }
  return packet_time(hops, last_packet) - slowest;
}

}  // namespace weft::flow
