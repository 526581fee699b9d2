// The SES headers of requests: small (no matching, no completion data), medium (one packet), standard (any message).
//
// Each begins with the operation and the target; what stands between them is a message id in the standard header, and
// the request's length in the two others. Versions other than 0 are refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "wire/uet/ses_codes.h"

namespace weft::wire::uet {

/// The first 16 bits of a request.
//= uet-1.0 3.4
struct SesOperation {
  static constexpr std::size_t kSize = 2;

  SesOpcode opcode = SesOpcode::kSend;  // 6 bits
  std::uint8_t reserved = 0;            // 2 bits, ignored by receivers
  bool delivery_complete = false;       // respond when the data can be seen by the target
  bool initiator_error = false;
  bool relative = false;     // the target is (job, PID, index), not (PID, index)
  bool header_data = false;  // the header's data are valid
  bool end_of_message = false;
  bool start_of_message = false;

  /// `bytes` holds at least kSize bytes; an error for a version other than 0.
  [[nodiscard]] static Result<SesOperation> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const SesOperation&, const SesOperation&) = default;
};

/// Which resource of which process of which job.
//= uet-1.0 3.4
struct SesTarget {
  static constexpr std::size_t kSize = 8;

  std::uint8_t index_generation = 0;
  std::uint32_t job_id = 0;          // 24 bits
  std::uint8_t reserved_pid = 0;     // 4 bits, ignored by receivers
  std::uint16_t pid_on_fep = 0;      // 12 bits
  std::uint8_t reserved_index = 0;   // 4 bits, ignored by receivers
  std::uint16_t resource_index = 0;  // 12 bits

  /// `bytes` holds at least kSize bytes.
  [[nodiscard]] static SesTarget load(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const SesTarget&, const SesTarget&) = default;
};

/// A length in 14 bits, and the two reserved bits above it.
struct SesLength {
  std::uint8_t reserved = 0;  // 2 bits, ignored by receivers
  std::uint16_t bytes = 0;    // 14 bits

  [[nodiscard]] static constexpr SesLength unpack(std::uint16_t word) {
    return {.reserved = static_cast<std::uint8_t>(word >> 14), .bytes = static_cast<std::uint16_t>(word & 0x3FFFU)};
  }
  [[nodiscard]] constexpr std::uint16_t pack() const {
    return static_cast<std::uint16_t>((reserved & 3U) << 14 | (bytes & 0x3FFFU));
  }

  friend bool operator==(const SesLength&, const SesLength&) = default;
};

//= uet-1.0 3.4
struct SesSmallRequest {
  static constexpr std::size_t kSize = 20;

  SesOperation operation{};
  SesLength request_length{};
  SesTarget target{};
  std::uint64_t buffer_offset = 0;

  [[nodiscard]] static Result<SesSmallRequest> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const SesSmallRequest&, const SesSmallRequest&) = default;
};

//= uet-1.0 3.4
struct SesMediumRequest {
  static constexpr std::size_t kSize = 32;

  SesOperation operation{};
  SesLength request_length{};
  SesTarget target{};
  std::uint64_t header_data = 0;  // with the flag for header data; otherwise the buffer's offset
  std::uint32_t initiator = 0;
  std::uint64_t memory_key = 0;  // or match bits

  [[nodiscard]] static Result<SesMediumRequest> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const SesMediumRequest&, const SesMediumRequest&) = default;
};

/// The two halves of a token by which a deferred message is found again.
//= uet-1.0 3.4
struct RestartToken {
  std::uint32_t initiator = 0;
  std::uint32_t target = 0;

  [[nodiscard]] static constexpr RestartToken unpack(std::uint64_t word) {
    return {.initiator = static_cast<std::uint32_t>(word >> 32), .target = static_cast<std::uint32_t>(word)};
  }
  [[nodiscard]] constexpr std::uint64_t pack() const { return std::uint64_t{initiator} << 32 | target; }

  friend bool operator==(const RestartToken&, const RestartToken&) = default;
};

//= uet-1.0 3.4
struct SesStandardRequest {
  static constexpr std::size_t kSize = 44;

  SesOperation operation{};
  std::uint16_t message_id = 0;
  SesTarget target{};
  std::uint64_t buffer_offset = 0;  // of a deferrable send a RestartToken
  std::uint32_t initiator = 0;
  std::uint64_t memory_key = 0;  // or match bits; of a ready to restart a RestartToken

  // With start_of_message:
  std::uint64_t completion_data = 0;  // valid with the flag for header data
  // Without:
  std::uint16_t reserved = 0;        // 16 bits, ignored by receivers
  SesLength payload_length{};        // bytes in this packet
  std::uint32_t message_offset = 0;  // of this packet's first byte

  std::uint32_t request_length = 0;  // of the whole message

  [[nodiscard]] static Result<SesStandardRequest> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const SesStandardRequest&, const SesStandardRequest&) = default;
};

}  // namespace weft::wire::uet
