// Sizes of the packets of a scenario's family, for everything that is computed from them without running it.
#pragma once

#include "study/scenario/scenario.h"
#include "wire/encapsulation.h"
#include "wire/protection.h"

namespace weft::study::scenario {

/// A packet from the middle of a WRITE, or what carries that in a stream. 0 <= payload.
[[nodiscard]] wire::FrameSizes data_packet(const Scenario& scenario, Bytes payload);
/// A packet from the middle of the answer to a READ; of RDMA as that of a WRITE.
[[nodiscard]] wire::FrameSizes read_packet(const Scenario& scenario, Bytes payload);
/// A segment of TCP, whatever the family; and the most that one has room for beside its options.
[[nodiscard]] wire::FrameSizes stream_segment(const Scenario& scenario, Bytes payload);
[[nodiscard]] Bytes stream_room(const Scenario& scenario);
/// The largest packet that the family sends with this payload: a WRITE with immediate data in one packet.
[[nodiscard]] wire::FrameSizes largest_packet(const Scenario& scenario, Bytes payload);
[[nodiscard]] wire::FrameSizes acknowledgement(const Scenario& scenario);
/// What TSS adds to each packet of Ultra Ethernet.
[[nodiscard]] Bytes security_bytes(const Scenario& scenario);
/// What MACsec, IPsec or PSP add; the sizes above have it.
[[nodiscard]] wire::PacketProtection protection_of(const Scenario& scenario);

/// What encryption and firewalls add to a packet's way.
struct SecurityLatency {
  Duration encryption;  // from NIC to NIC: at both ends
  Duration hop;         // on each cable: at both ends of it
  Duration firewalls;   // of the sender and of the receiver

  /// Of all that a packet meets which has crossed so many switches.
  [[nodiscard]] Duration sum(std::int64_t switches) const { return encryption + firewalls + hop * (switches + 1); }
  /// Of what is counted where a packet arrives at its NIC: all but the cables before the last.
  [[nodiscard]] Duration at_end() const { return sum(0); }
};
[[nodiscard]] SecurityLatency security_latency(const Scenario& scenario);

}  // namespace weft::study::scenario
