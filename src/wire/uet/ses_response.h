// The SES headers of responses: without data, with data, and with the data of a request that a small or medium header
// made. Versions other than 0 are refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "wire/uet/ses_codes.h"
#include "wire/uet/ses_request.h"

namespace weft::wire::uet {

/// The first 16 bits of a response.
//= uet-1.0 3.4
struct SesOutcome {
  static constexpr std::size_t kSize = 2;

  SesList list = SesList::kExpected;                       // 2 bits
  SesResponseOpcode opcode = SesResponseOpcode::kDefault;  // 6 bits
  SesReturnCode return_code = SesReturnCode::kOk;          // 6 bits

  /// `bytes` holds at least kSize bytes; an error for a version other than 0.
  [[nodiscard]] static Result<SesOutcome> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const SesOutcome&, const SesOutcome&) = default;
};

//= uet-1.0 3.4
struct SesResponse {
  static constexpr std::size_t kSize = 12;

  SesOutcome outcome{};
  std::uint16_t message_id = 0;
  std::uint8_t index_generation = 0;
  std::uint32_t job_id = 0;           // 24 bits
  std::uint32_t modified_length = 0;  // bytes that the target took

  [[nodiscard]] static Result<SesResponse> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const SesResponse&, const SesResponse&) = default;
};

/// One packet of a message of response data.
//= uet-1.0 3.4
struct SesDataResponse {
  static constexpr std::size_t kSize = 20;

  SesOutcome outcome{.opcode = SesResponseOpcode::kWithData};
  std::uint16_t message_id = 0;       // of the response
  std::uint8_t reserved = 0;          // ignored by receivers
  std::uint32_t job_id = 0;           // 24 bits
  std::uint16_t read_message_id = 0;  // of the request
  SesLength payload_length{};
  std::uint32_t modified_length = 0;
  std::uint32_t message_offset = 0;

  [[nodiscard]] static Result<SesDataResponse> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const SesDataResponse&, const SesDataResponse&) = default;
};

//= uet-1.0 3.4
struct SesSmallDataResponse {
  static constexpr std::size_t kSize = 12;

  SesOutcome outcome{.opcode = SesResponseOpcode::kWithData};
  SesLength payload_length{};
  std::uint8_t reserved = 0;       // ignored by receivers
  std::uint32_t job_id = 0;        // 24 bits
  std::uint32_t original_psn = 0;  // of the request

  [[nodiscard]] static Result<SesSmallDataResponse> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const SesSmallDataResponse&, const SesSmallDataResponse&) = default;
};

}  // namespace weft::wire::uet
