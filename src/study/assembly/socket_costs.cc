#include "study/assembly/socket_costs.h"

namespace weft::study::assembly {
namespace {

double per_byte(Duration time, Bytes bytes) {
  return static_cast<double>(time.picoseconds()) / static_cast<double>(bytes.count());
}

}  // namespace

CoreCosts core_costs(const host::SocketPathOptions& sockets, Bytes packet) {
  const host::ReceiveRingOptions& ring = sockets.ring;
  // An acknowledgement of each unit is one packet more for the sender.
  return {.send = per_byte(sockets.send_copy.time(sockets.unit) + sockets.transmit_stack.latency, sockets.unit) +
                  per_byte(ring.per_packet.time(Bytes::zero()) + ring.per_ack.latency, ring.unit),
          .receive = per_byte(sockets.receive_copy.time(sockets.unit), sockets.unit) +
                     per_byte(ring.per_packet.time(packet), packet) + per_byte(ring.per_unit.latency, ring.unit)};
}

}  // namespace weft::study::assembly
