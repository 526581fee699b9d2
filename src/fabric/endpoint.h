// The interface between a fabric and a NIC port.
//
// `Endpoint` is what a NIC implements and the fabric calls. `EndpointPort` is what the fabric offers it. A NIC holds no
// packet back in the fabric: it asks whether the wire takes one now, and hands over exactly that one.
#pragma once

#include <cstdint>

#include "base/data_size.h"
#include "base/ids.h"
#include "base/time.h"
#include "fabric/packet_pool.h"

namespace weft::fabric {

class Endpoint {
 public:
  virtual ~Endpoint() = default;
  /// A packet has arrived completely; the endpoint owns it now. It may be damaged (kCorrupted).
  virtual void on_packet(PacketHandle packet, Time now) = 0;
  /// The wire may take a packet again: it has become idle, a pause has ended, or credits have come. May be spurious.
  virtual void on_wire_ready(Time now) = 0;
  /// Whether room_at is to be asked, for what comes in without loss: the receive side may be slower than the wire.
  [[nodiscard]] virtual bool may_back_up() const { return false; }
  /// Of a packet that on_packet is about to get: when the receive side has room again for the peer to go on; not after
  /// now: it has. With PFC the peer is paused until then, with credits this packet's come back no earlier.
  [[nodiscard]] virtual Time room_at(PacketHandle /*packet*/, Time now) { return now; }
};

/// What flow control lets an endpoint send now.
struct SendPermit {
  /// Bit p: a packet of priority (virtual lane) p and of the largest size may start now. 0 while the wire is busy.
  std::uint16_t lanes = 0;
  /// When the wire takes a packet; not after now: it does, and what is not permitted waits for flow control.
  Time free_at;
};

class EndpointPort {
 public:
  virtual ~EndpointPort() = default;
  [[nodiscard]] virtual SendPermit permit(EndpointId endpoint, Time now) = 0;
  /// Starts a packet on the wire; its lane must be permitted now. Its sizes, priority and flow hash are set. Gives the
  /// time from which the wire may take another one; if that has come, `permit` tells which.
  virtual Time send(EndpointId endpoint, PacketHandle packet, Time now) = 0;
  /// Asks for on_wire_ready at `at`, or when the wire falls idle if that is later.
  virtual void request_wire(EndpointId endpoint, Time at) = 0;
};

}  // namespace weft::fabric
