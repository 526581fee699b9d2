// DDP: the header of a segment that says where its bytes belong. Tagged: a steering tag and an offset; untagged: a
// queue, a message number and an offset in the message.
//
// The header begins with one control byte of DDP and one of the layer above, which parses it (wire/rdmap.h). Source:
// RFC 5041.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"

namespace weft::wire {

/// Queues of untagged messages, as RDMAP uses them.
//= rfc5040 4.2
inline constexpr std::uint32_t kDdpSendQueue = 0;
inline constexpr std::uint32_t kDdpReadRequestQueue = 1;
inline constexpr std::uint32_t kDdpTerminateQueue = 2;
/// Atomic responses, RFC 7306.
inline constexpr std::uint32_t kDdpAtomicResponseQueue = 3;

inline constexpr std::uint8_t kDdpVersion = 1;

//= rfc5041 4
struct DdpHeader {
  static constexpr std::size_t kTaggedSize = 14;
  static constexpr std::size_t kUntaggedSize = 18;

  bool tagged = false;
  bool last = true;
  std::uint8_t reserved = 0;  // 4 bits
  std::uint8_t version = kDdpVersion;
  std::uint8_t upper_control = 0;  // control byte of the layer above
  // Tagged.
  std::uint32_t stag = 0;
  std::uint64_t tagged_offset = 0;
  // Untagged.
  std::uint32_t upper_word = 0;  // for the layer above: the tag to invalidate
  std::uint32_t queue = 0;
  std::uint32_t message_number = 0;  // MSN, from 1
  std::uint32_t message_offset = 0;

  [[nodiscard]] std::size_t size() const { return tagged ? kTaggedSize : kUntaggedSize; }
  /// Error: too short for the kind that the first bit says. Any version is accepted.
  [[nodiscard]] static Result<DdpHeader> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const DdpHeader&, const DdpHeader&) = default;
};

}  // namespace weft::wire
