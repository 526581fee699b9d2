// Connection management: REQ, the request for a connection.
//
// Times are five-bit exponents: 4.096 us * 2^n. A reserved field is kept and sent back as it was found.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/psn.h"
#include "base/result.h"
#include "wire/address.h"

namespace weft::wire {

/// Bytes of a connection management message behind the MAD header.
inline constexpr std::size_t kCmMessageSize = 232;

/// Where one end of the connection is reached; a REQ has a primary path and an alternate one (all zero: none).
//= ibta-1.7 12.6.5
struct CmPath {
  static constexpr std::size_t kSize = 44;

  std::uint16_t local_lid = 0;
  std::uint16_t remote_lid = 0;
  Gid local_gid{};
  Gid remote_gid{};
  std::uint32_t flow_label = 0;    // 20 bits
  std::uint8_t reserved_rate = 0;  // 6 bits
  std::uint8_t packet_rate = 0;    // 6 bits, a PathRecord rate code
  std::uint8_t traffic_class = 0;
  std::uint8_t hop_limit = 0;
  std::uint8_t service_level = 0;  // 4 bits
  bool subnet_local = false;
  std::uint8_t reserved_level = 0;  // 3 bits
  std::uint8_t local_ack_timeout = 0;
  std::uint8_t reserved_timeout = 0;  // 3 bits

  [[nodiscard]] static Result<CmPath> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const CmPath&, const CmPath&) = default;
};

//= ibta-1.7 12.6.5
struct CmReq {
  static constexpr std::size_t kSize = kCmMessageSize;
  static constexpr std::uint16_t kAttribute = 0x0010;
  static constexpr std::size_t kPrivateDataSize = 92;

  std::uint32_t local_communication_id = 0;
  std::uint32_t reserved_id = 0;
  std::uint64_t service_id = 0;
  std::uint64_t local_ca_guid = 0;
  std::uint32_t reserved_guid = 0;
  std::uint32_t local_queue_key = 0;
  std::uint32_t local_qp = 0;  // 24 bits
  std::uint8_t responder_resources = 0;
  std::uint32_t local_ee_context = 0;  // 24 bits
  std::uint8_t initiator_depth = 0;
  std::uint32_t remote_ee_context = 0;  // 24 bits
  std::uint8_t remote_response_timeout = 0;
  std::uint8_t transport_service = 0;  // 2 bits: 0 RC, 1 UC, 2 RD
  bool flow_control = false;           // end-to-end credits
  Psn starting_psn{};
  std::uint8_t local_response_timeout = 0;
  std::uint8_t retry_count = 0;  // 3 bits
  std::uint16_t partition_key = 0xFFFF;
  std::uint8_t path_mtu = 0;  // 4 bits: 1 to 5 for 256 to 4096 bytes
  bool rdc_exists = false;
  std::uint8_t rnr_retry_count = 0;  // 3 bits
  std::uint8_t max_cm_retries = 0;   // 4 bits
  bool shared_receive_queue = false;
  std::uint8_t extended_transport = 0;  // 3 bits
  CmPath primary{};
  CmPath alternate{};
  std::array<std::byte, kPrivateDataSize> private_data{};

  [[nodiscard]] static Result<CmReq> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const CmReq&, const CmReq&) = default;
};

}  // namespace weft::wire
