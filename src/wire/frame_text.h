// One readable line for a packet, without its time: addresses, opcode, QP, PSN, what the extension headers say, length.
//
//   RoCEv2 10.0.0.1:49185 > 10.0.0.2 RC RDMA WRITE First qp 0x11 psn 1234 va 0x7f00 rkey 0x2a dma 4096 len 1024
//   RoCEv2 10.0.0.2:49185 > 10.0.0.1 RC Acknowledge qp 0x12 psn 1235 NAK PSN sequence error msn 7 len 0
//
// QP numbers, keys, addresses and data are hexadecimal; PSN, MSN and lengths decimal. What is at its usual value
// (destination port 4791, P_Key 0xFFFF, no ECN mark, flags not set) is left out.
#pragma once

#include <string>

#include "wire/frame.h"
#include "wire/pcap_reader.h"

namespace weft::wire {

[[nodiscard]] std::string frame_text(const RdmaFrame& frame);

/// Any packet of a capture: the frame's line, that of a UET packet or a control ordered set (wire/uet/uet_text.h), a
/// PFC frame's, or why it is none of them. `ports`: UDP ports of RoCEv2 besides 4791.
[[nodiscard]] std::string packet_text(CaptureLink link, const CapturedPacket& packet, FurtherRocePorts ports = {});

}  // namespace weft::wire
