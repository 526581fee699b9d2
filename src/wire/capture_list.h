// The line of each packet of a capture, in the order of the file: RDMA frames and PFC as in wire/frame_text.h, and what
// the segments of iWARP connections carry.
//
//   iWARP 10.0.0.1:40000 > 10.0.0.2:7174 RDMA Write stag 0x1f00 offset 0x7f00 last len 1024
//   iWARP 10.0.0.1:40000 > 10.0.0.2:7174 1448 bytes, no frame ends here
//
// A TCP connection is iWARP if its stream begins with an MPA request (wire/capture_check_iwarp.h, whose bounds on
// memory hold). Frames that end in one packet are separated by " | "; what is wrong with them is told behind them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "wire/capture_check_iwarp.h"
#include "wire/udp.h"

namespace weft::wire {

class CaptureList {
 public:
  /// `ports`: UDP ports of RoCEv2 besides 4791.
  explicit CaptureList(std::vector<std::uint16_t> ports = {});
  CaptureList(const CaptureList&) = delete;
  CaptureList& operator=(const CaptureList&) = delete;

  [[nodiscard]] std::string line(CaptureLink link, const CapturedPacket& packet);

 private:
  std::vector<std::uint16_t> ports_;
  std::string frames_;  // of the packet being read
  IwarpCheck iwarp_;
};

}  // namespace weft::wire
