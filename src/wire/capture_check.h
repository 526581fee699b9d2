// Checks the RDMA packets of a capture: the ICRC (and InfiniBand's VCRC, where it was captured) or UET's CRC, and that
// emitting the parsed packet gives the captured bytes again; and the FPDUs of its iWARP connections
// (wire/capture_check_iwarp.h).
//
// A fault is a packet that is damaged, cut short by the capture's snap length, against the specification, or has an
// opcode that nobody assigned; a packet may have several. Anything that is not RDMA is counted as unknown and is no
// fault. A UET packet with TSS, whose check value needs the key, and a control ordered set of Ultra Ethernet (an
// Ethernet record of 8 bytes), which has no check, are re-emitted but not verified. A TCP segment of an iWARP
// connection is not unknown; what it carries has counts of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/capture_check_iwarp.h"
#include "wire/pcap_reader.h"
#include "wire/udp.h"

namespace weft::wire {

struct CaptureCounts {
  std::uint64_t packets = 0;
  std::uint64_t verified = 0;   // every CRC of the packet is right
  std::uint64_t reemitted = 0;  // parse and emit gave the same bytes
  std::uint64_t unknown = 0;    // not RDMA
  std::uint64_t faults = 0;
  IwarpCounts iwarp{};  // its packets are among `packets`, and neither verified nor re-emitted there

  friend bool operator==(const CaptureCounts&, const CaptureCounts&) = default;
};

/// What was found in one packet.
struct PacketCheck {
  bool rdma = false;  // InfiniBand, RoCE, UET
  bool verified = false;
  bool reemitted = false;
  std::vector<std::string> faults;
};

/// `ports`: UDP ports of RoCEv2 besides 4791, here and below.
[[nodiscard]] PacketCheck check_packet(CaptureLink link, const CapturedPacket& packet, FurtherRocePorts ports = {});

/// Called once for each fault with the packet's number and what is wrong.
using FaultSink = std::function<void(std::uint64_t number, std::string_view what)>;

/// Checks the rest of a capture and adds to `counts`; an error when the file cannot be read to its end, with the
/// packets before that place counted.
Result<void> check_capture(PcapReader& reader, CaptureCounts& counts, const FaultSink& on_fault,
                           FurtherRocePorts ports = {});

/// "253 packets: 105 verified, 105 re-emitted identically, 148 unknown, 0 faults"; of a capture with iWARP then ";
/// iWARP: 200 packets, 3 connections, 6 start frames, 150 FPDUs, 156 frames re-emitted identically, 150 FPDUs with a
/// right CRC".
[[nodiscard]] std::string summary(const CaptureCounts& counts);

}  // namespace weft::wire
