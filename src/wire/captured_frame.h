// The RDMA or UET frame in a captured packet, whatever link type the capture has.
#pragma once

#include <cstddef>
#include <span>

#include "wire/frame.h"
#include "wire/pcap_reader.h"
#include "wire/uet/uet_frame.h"

namespace weft::wire {

/// `covered` are the bytes that the frame (or the fault) speaks of: those of the packet without a capture's own header.
struct CapturedFrame {
  FrameResult frame;
  std::span<const std::byte> covered;
};

/// Parses a packet of a capture. A link type that weft does not read, and a cooked capture's packet that is not IP, are
/// `kNotRdma`.
[[nodiscard]] CapturedFrame parse_captured(CaptureLink link, std::span<const std::byte> bytes,
                                           FurtherRocePorts ports = {});

/// The same of UET; `kNotRdma` says that it is not UET.
struct CapturedUetFrame {
  uet::UetFrameResult frame;
  std::span<const std::byte> covered;
};
[[nodiscard]] CapturedUetFrame parse_captured_uet(CaptureLink link, std::span<const std::byte> bytes);

}  // namespace weft::wire
