// Connection management: DREQ, the request to disconnect, and DREP, its answer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "wire/cm_request.h"

namespace weft::wire {

//= ibta-1.7 12.6.10
struct CmDreq {
  static constexpr std::size_t kSize = kCmMessageSize;
  static constexpr std::uint16_t kAttribute = 0x0015;
  static constexpr std::size_t kPrivateDataSize = 220;

  std::uint32_t local_communication_id = 0;
  std::uint32_t remote_communication_id = 0;
  std::uint32_t remote_qp = 0;  // 24 bits
  std::uint8_t reserved = 0;
  std::array<std::byte, kPrivateDataSize> private_data{};

  [[nodiscard]] static Result<CmDreq> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const CmDreq&, const CmDreq&) = default;
};

//= ibta-1.7 12.6.11
struct CmDrep {
  static constexpr std::size_t kSize = kCmMessageSize;
  static constexpr std::uint16_t kAttribute = 0x0016;
  static constexpr std::size_t kPrivateDataSize = 224;

  std::uint32_t local_communication_id = 0;
  std::uint32_t remote_communication_id = 0;
  std::array<std::byte, kPrivateDataSize> private_data{};

  [[nodiscard]] static Result<CmDrep> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const CmDrep&, const CmDrep&) = default;
};

}  // namespace weft::wire
