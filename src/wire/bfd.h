// Control packet of Bidirectional Forwarding Detection, asynchronous mode, without authentication.
//
// Intervals are in microseconds. Over one hop it travels in UDP to port 3784 with a TTL of 255 (RFC 5881).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"

namespace weft::wire {

/// The states of a session, as numbered on the wire.
//= rfc5880 4.1
enum class BfdState : std::uint8_t { kAdminDown = 0, kDown = 1, kInit = 2, kUp = 3 };

/// Why a session left the state up.
//= rfc5880 4.1
enum class BfdDiagnostic : std::uint8_t {
  kNone = 0,
  kDetectionExpired = 1,
  kEchoFailed = 2,
  kNeighbourDown = 3,
  kForwardingReset = 4,
  kPathDown = 5,
  kConcatenatedDown = 6,
  kAdminDown = 7,
  kReverseConcatenatedDown = 8,
};

/// Bits of BfdControl::flags.
enum BfdFlag : std::uint8_t {
  kBfdPoll = 1 << 5,
  kBfdFinal = 1 << 4,
  kBfdControlIndependent = 1 << 3,
  kBfdDemand = 1 << 1,
};

//= rfc5880 4.1
struct BfdControl {
  static constexpr std::size_t kSize = 24;
  static constexpr std::uint16_t kUdpPort = 3784;
  static constexpr std::uint8_t kVersion = 1;

  BfdState state = BfdState::kDown;
  std::uint8_t diagnostic = 0;  // BfdDiagnostic; 9 to 31 are reserved and kept
  std::uint8_t flags = 0;       // BfdFlag bits
  std::uint8_t detect_multiplier = 3;
  std::uint32_t my_discriminator = 1;
  std::uint32_t your_discriminator = 0;
  std::uint32_t desired_min_tx = 1'000'000;
  std::uint32_t required_min_rx = 1'000'000;
  std::uint32_t required_min_echo_rx = 0;

  /// What follows the length that the packet gives is ignored. Errors: what RFC 5880 6.8.6 discards without looking at
  /// a session, and authentication.
  [[nodiscard]] static Result<BfdControl> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const BfdControl&, const BfdControl&) = default;
};

}  // namespace weft::wire
