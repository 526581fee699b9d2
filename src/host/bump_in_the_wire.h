// What stands between a NIC port and its wire and takes every packet: an engine that encrypts, and a firewall.
//
// Both are pipelined servers: a packet occupies one for as long as its rate and its packet rate ask for, whichever is
// longer, and the next packet begins when that has passed. Their latency is constant and part of the wire's delay
// (study/assembly/build_fabric.cc). Outwards a NIC sends when both are free, so nothing waits here; a packet is worked
// on while the one before it is on the wire. What comes in while they are busy waits in a buffer. Full, it loses
// packets; or it pauses its peer by PFC from half full, until a quarter is left; then what the NIC behind it has no
// room for waits here too. RFC 4949 has the name; sizes are those of wire/protection.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/data_size.h"
#include "base/ids.h"
#include "base/rate.h"
#include "base/ring.h"
#include "base/time.h"
#include "fabric/endpoint.h"
#include "fabric/packet_pool.h"
#include "sim/actor_order.h"
#include "sim/kernel.h"
#include "wire/protection.h"

namespace weft::fabric {
class EthernetFabric;
}  // namespace weft::fabric

namespace weft::host {

/// What a server of one direction gets done.
struct InlineServer {
  Rate rate = Rate::max();  // in bits of the wire, preamble and gap included
  Duration per_packet;      // at least so long for each

  [[nodiscard]] bool limits() const { return rate != Rate::max() || per_packet > Duration::zero(); }
  [[nodiscard]] Duration time_of(Bytes wire) const;
};

struct BumpOptions {
  wire::PacketProtection added;  // to each packet that leaves
  std::uint16_t counted = 0;     // bytes of protection that a packet has already: those of TSS
  InlineServer cipher;
  InlineServer firewall;
  Bytes buffer;                        // of what comes in and waits
  std::uint8_t paused_priorities = 0;  // bit p: of a full buffer the peer is told by PFC; 0: packets are lost

  [[nodiscard]] bool limits() const { return cipher.limits() || firewall.limits(); }
};

class BumpInTheWire final : public fabric::EndpointPort, public fabric::Endpoint {
 public:
  /// All must outlive this.
  struct Environment {
    sim::Kernel& kernel;
    fabric::PacketPool& packets;
    fabric::EndpointPort& wire;
    fabric::EthernetFabric* pauses = nullptr;  // with paused_priorities
    EndpointId endpoint;
  };
  BumpInTheWire(const BumpOptions& options, const Environment& environment);

  /// The NIC behind it, before the first event.
  void attach(fabric::Endpoint& nic) { nic_ = &nic; }
  void register_actor(sim::ActorOrder& ranks, std::uint64_t name_hash, sim::PartitionIndex partition);

  [[nodiscard]] fabric::SendPermit permit(EndpointId endpoint, Time now) override;
  Time send(EndpointId endpoint, fabric::PacketHandle packet, Time now) override;
  void request_wire(EndpointId endpoint, Time at) override;
  void on_packet(fabric::PacketHandle packet, Time now) override;
  void on_wire_ready(Time now) override;
  [[nodiscard]] bool may_back_up() const override { return options_.paused_priorities == 0 && nic_->may_back_up(); }
  [[nodiscard]] Time room_at(fabric::PacketHandle packet, Time now) override { return nic_->room_at(packet, now); }
  void on_wake(Time now);

  struct Counters {
    std::uint64_t sent = 0;      // packets that left
    std::uint64_t received = 0;  // that came in, those that were lost included
    std::uint64_t added = 0;     // bytes of protection in what was sent
    std::uint64_t dropped = 0;   // packets that came in and found the buffer full
    std::uint64_t pauses = 0;    // times that it paused its peer
    std::uint64_t peak = 0;      // most bytes that waited
    Duration cipher_busy;        // of both directions
    Duration firewall_busy;
  };
  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] std::uint32_t packets_kept() const { return waiting_.size(); }
  [[nodiscard]] std::size_t heap_bytes() const { return sizeof(*this) + waiting_.heap_bytes(); }

 private:
  /// Until when the servers of one direction are taken.
  struct Direction {
    Time cipher;
    Time firewall;

    [[nodiscard]] Time free_at() const { return later(cipher, firewall); }
  };
  void occupy(Direction& direction, std::uint16_t wire_bytes, Time now);
  /// When the NIC takes the packet, if it has to wait here for that.
  [[nodiscard]] Time taken_at(fabric::PacketHandle packet, Time now) {
    const bool waits_here = options_.paused_priorities != 0 && nic_->may_back_up();
    return waits_here ? nic_->room_at(packet, now) : now;
  }
  void keep(fabric::PacketHandle packet, std::uint16_t frame_bytes, Time now);
  void set_paused(std::uint8_t priorities, Time now);

  sim::Kernel& kernel_;
  fabric::PacketPool& packets_;
  fabric::EndpointPort& wire_;
  fabric::EthernetFabric* pauses_;
  EndpointId endpoint_;
  BumpOptions options_;
  fabric::Endpoint* nic_ = nullptr;
  Direction out_;
  Direction in_;
  Ring<fabric::PacketHandle> waiting_;
  std::int64_t waiting_bytes_ = 0;
  bool paused_ = false;
  sim::Wake wake_;
  Counters counters_;
};

}  // namespace weft::host
