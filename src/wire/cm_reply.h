// Connection management: the answers to a REQ (REP, REJ, MRA) and RTU, which completes the connection.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/psn.h"
#include "base/result.h"
#include "wire/cm_request.h"

namespace weft::wire {

/// Message receipt acknowledgement: the answer takes longer than the timeout that was asked for.
//= ibta-1.7 12.6.6
struct CmMra {
  static constexpr std::size_t kSize = kCmMessageSize;
  static constexpr std::uint16_t kAttribute = 0x0011;
  static constexpr std::size_t kPrivateDataSize = 222;

  std::uint32_t local_communication_id = 0;
  std::uint32_t remote_communication_id = 0;
  std::uint8_t message = 0;           // 2 bits: 0 REQ, 1 REP, 2 LAP
  std::uint8_t reserved_message = 0;  // 6 bits
  std::uint8_t service_timeout = 0;   // 5 bits
  std::uint8_t reserved_timeout = 0;  // 3 bits
  std::array<std::byte, kPrivateDataSize> private_data{};

  [[nodiscard]] static Result<CmMra> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const CmMra&, const CmMra&) = default;
};

/// Reject.
//= ibta-1.7 12.6.7
struct CmRej {
  static constexpr std::size_t kSize = kCmMessageSize;
  static constexpr std::uint16_t kAttribute = 0x0012;
  static constexpr std::size_t kAdditionalSize = 72;
  static constexpr std::size_t kPrivateDataSize = 148;

  std::uint32_t local_communication_id = 0;
  std::uint32_t remote_communication_id = 0;
  std::uint8_t message = 0;            // 2 bits: 0 REQ, 1 REP, 2 none
  std::uint8_t reserved_message = 0;   // 6 bits
  std::uint8_t additional_length = 0;  // 7 bits: used bytes of `additional`
  bool reserved_length = false;
  std::uint16_t reason = 0;
  std::array<std::byte, kAdditionalSize> additional{};
  std::array<std::byte, kPrivateDataSize> private_data{};

  [[nodiscard]] static Result<CmRej> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const CmRej&, const CmRej&) = default;
};

/// Reply.
//= ibta-1.7 12.6.8
struct CmRep {
  static constexpr std::size_t kSize = kCmMessageSize;
  static constexpr std::uint16_t kAttribute = 0x0013;
  static constexpr std::size_t kPrivateDataSize = 196;

  std::uint32_t local_communication_id = 0;
  std::uint32_t remote_communication_id = 0;
  std::uint32_t local_queue_key = 0;
  std::uint32_t local_qp = 0;  // 24 bits
  std::uint8_t reserved_qp = 0;
  std::uint32_t local_ee_context = 0;  // 24 bits
  std::uint8_t reserved_ee_context = 0;
  Psn starting_psn{};
  std::uint8_t reserved_psn = 0;
  std::uint8_t responder_resources = 0;
  std::uint8_t initiator_depth = 0;
  std::uint8_t target_ack_delay = 0;  // 5 bits
  std::uint8_t failover = 0;          // 2 bits: 0 accepted, 1 not supported, 2 rejected
  bool flow_control = false;          // end-to-end credits
  std::uint8_t rnr_retry_count = 0;   // 3 bits
  bool shared_receive_queue = false;
  std::uint8_t reserved_retry = 0;  // 4 bits
  std::uint64_t local_ca_guid = 0;
  std::array<std::byte, kPrivateDataSize> private_data{};

  [[nodiscard]] static Result<CmRep> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const CmRep&, const CmRep&) = default;
};

/// Ready to use.
//= ibta-1.7 12.6.9
struct CmRtu {
  static constexpr std::size_t kSize = kCmMessageSize;
  static constexpr std::uint16_t kAttribute = 0x0014;
  static constexpr std::size_t kPrivateDataSize = 224;

  std::uint32_t local_communication_id = 0;
  std::uint32_t remote_communication_id = 0;
  std::array<std::byte, kPrivateDataSize> private_data{};

  [[nodiscard]] static Result<CmRtu> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const CmRtu&, const CmRtu&) = default;
};

}  // namespace weft::wire
