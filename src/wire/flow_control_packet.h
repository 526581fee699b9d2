// InfiniBand's flow control packet: tells a sender how many blocks of 64 bytes a virtual lane may still send.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"

namespace weft::wire {

//= ibta-1.7 7.9.4
struct FlowControlPacket {
  static constexpr std::size_t kSize = 6;
  static constexpr std::uint16_t kBlockMask = 0x0FFF;
  static constexpr std::uint8_t kMaxLane = 14;  // lane 15 is not flow controlled

  enum class Operation : std::uint8_t { kNormal = 0, kInitialise = 1 };

  Operation operation = Operation::kNormal;
  std::uint16_t total_blocks_sent = 0;  // FCTBS, 12 bits
  std::uint8_t virtual_lane = 0;
  std::uint16_t credit_limit = 0;  // FCCL, 12 bits
  std::uint16_t lpcrc = 0;         // on the wire least significant byte first

  /// The link packet CRC that belongs to the other fields.
  [[nodiscard]] std::uint16_t compute_lpcrc() const;
  [[nodiscard]] bool lpcrc_ok() const { return lpcrc == compute_lpcrc(); }

  /// Errors: reserved operation, lane 15. The LPCRC is not verified here.
  [[nodiscard]] static Result<FlowControlPacket> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const FlowControlPacket&, const FlowControlPacket&) = default;
};

}  // namespace weft::wire
