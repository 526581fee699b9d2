// What a scenario says of TCP, and of iWARP over it.
#pragma once

#include <cstdint>
#include <optional>

#include "base/data_size.h"
#include "base/time.h"

namespace weft::study::scenario {

enum class TcpAlgorithm : std::uint8_t { kCubic, kNewReno, kDctcp };
enum class TcpEcnUse : std::uint8_t { kOff, kClassic, kPerPacket };
enum class TcpDetection : std::uint8_t { kRack, kDuplicateAcks };
enum class TcpSpacing : std::uint8_t { kOff, kWindow };
/// Which flow label segments over IPv6 have: one for ever, or another once their path has been congested (PLB).
enum class TcpPathRule : std::uint8_t { kSingle, kPlb };
/// Whether connections are there when the run begins, or set up by packets at their first use.
enum class StreamSetup : std::uint8_t { kEstablished, kOnTheWire };

/// [tcp]
struct TcpSettings {
  TcpAlgorithm congestion_control = TcpAlgorithm::kCubic;
  std::optional<TcpEcnUse> ecn;     // none: per packet with DCTCP, else off
  std::optional<std::int64_t> mss;  // payload of a segment without options; none: fabric.mtu
  Bytes receive_buffer;
  Bytes send_buffer;
  std::int64_t initial_window = 10;  // segments
  Duration minimum_rto;
  Duration initial_rto;
  TcpDetection loss_detection = TcpDetection::kRack;
  bool selective_acks = true;
  bool timestamps = true;
  std::int64_t ack_every = 2;  // segments
  Duration delayed_ack;
  TcpSpacing pacing = TcpSpacing::kOff;
  bool nagle = false;
  StreamSetup setup = StreamSetup::kEstablished;
  TcpPathRule path_selector = TcpPathRule::kSingle;  // with the plb_* values of [transport]
};

/// The use of marks; what a scenario leaves open is what the congestion control needs.
[[nodiscard]] inline TcpEcnUse tcp_ecn(const TcpSettings& tcp) {
  return tcp.ecn.value_or(tcp.congestion_control == TcpAlgorithm::kDctcp ? TcpEcnUse::kPerPacket : TcpEcnUse::kOff);
}

/// [iwarp]
struct IwarpSettings {
  std::int64_t mpa_revision = 2;
  bool crc = true;
  bool markers = false;
  bool early_placement = true;
  Duration minimum_rto;  // of the TCP engine in the NIC
};

}  // namespace weft::study::scenario
