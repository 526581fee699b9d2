#include "fabric/control/control_frame.h"

#include <algorithm>

#include "wire/encapsulation.h"
#include "wire/ethernet.h"
#include "wire/ipv4.h"
#include "wire/tcp.h"
#include "wire/udp.h"

namespace weft::fabric {
namespace {

constexpr std::size_t kFcs = 4;
constexpr std::size_t kTimestamps = 12;
constexpr std::size_t kTcpFixed = 20;

}  // namespace

std::uint32_t control_frame_bytes(const ControlFrame& frame) {
  std::size_t bytes = wire::EthernetHeader::kSize + kFcs;
  switch (frame.kind) {
    case ControlFrameKind::kSegment:
      bytes += wire::Ipv4Header::kSize + kTcpFixed + kTimestamps + frame.segment.bytes.size();
      break;
    case ControlFrameKind::kBfd:
      bytes += wire::Ipv4Header::kSize + wire::UdpHeader::kSize + frame.bytes.size();
      break;
    case ControlFrameKind::kLldp:
      bytes += frame.bytes.size();
      break;
  }
  return static_cast<std::uint32_t>(std::max<std::size_t>(bytes, wire::kEthernetMinFrame));
}

}  // namespace weft::fabric
