// Messages of BGP-4 over IPv4 unicast, with AS numbers of four octets throughout.
//
// A message has a header of 19 bytes; bytes of a stream are cut into messages by message_length. Attributes that are
// not named here are read over if they are optional. A fault says what a NOTIFICATION is to say.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <variant>
#include <vector>

namespace weft::wire {

inline constexpr std::uint16_t kBgpPort = 179;
//= rfc4271 4.1
inline constexpr std::size_t kBgpHeaderSize = 19;
inline constexpr std::size_t kBgpMaxMessage = 4096;

/// Codes of a NOTIFICATION.
//= rfc4271 4.5
enum class BgpErrorCode : std::uint8_t {
  kHeader = 1,
  kOpen = 2,
  kUpdate = 3,
  kHoldTimerExpired = 4,
  kStateMachine = 5,
  kCease = 6,
};

/// What is wrong with a message.
struct BgpFault {
  BgpErrorCode code = BgpErrorCode::kHeader;
  std::uint8_t subcode = 0;
  std::string message;  // in words

  friend bool operator==(const BgpFault&, const BgpFault&) = default;
};
template <class T>
using BgpResult = tl::expected<T, BgpFault>;

struct BgpPrefix {
  std::uint32_t address = 0;  // bits behind the length are 0
  std::uint8_t length = 0;    // 0 to 32

  friend auto operator<=>(const BgpPrefix&, const BgpPrefix&) = default;
};

/// Of four octets, in place of an AS number that does not fit in two.
//= rfc6793 9
inline constexpr std::uint16_t kAsTrans = 23456;

//= rfc4271 4.2
struct BgpOpen {
  std::uint32_t as_number = 0;   // capability 65 carries it
  std::uint16_t hold_time = 9;   // seconds; 0, or at least 3
  std::uint32_t identifier = 1;  // of the speaker, not 0

  friend bool operator==(const BgpOpen&, const BgpOpen&) = default;
};

enum class BgpOrigin : std::uint8_t { kIgp = 0, kEgp = 1, kIncomplete = 2 };

/// Taking a router out of service.
//= rfc8326 5
inline constexpr std::uint32_t kGracefulShutdown = 0xFFFF0000;

/// The attributes of an UPDATE's reachable prefixes.
//= rfc4271 5
struct BgpAttributes {
  BgpOrigin origin = BgpOrigin::kIgp;
  std::vector<std::uint32_t> as_path{};  // one sequence, the nearest first
  std::uint32_t next_hop = 0;
  std::vector<std::uint32_t> communities{};

  friend bool operator==(const BgpAttributes&, const BgpAttributes&) = default;
};

//= rfc4271 4.3
struct BgpUpdate {
  std::vector<BgpPrefix> withdrawn{};
  BgpAttributes attributes{};  // meaningful if anything is reachable
  std::vector<BgpPrefix> reachable{};

  friend bool operator==(const BgpUpdate&, const BgpUpdate&) = default;
};

struct BgpKeepalive {
  friend bool operator==(const BgpKeepalive&, const BgpKeepalive&) = default;
};

struct BgpNotification {
  BgpErrorCode code = BgpErrorCode::kCease;
  std::uint8_t subcode = 0;

  friend bool operator==(const BgpNotification&, const BgpNotification&) = default;
};

using BgpMessage = std::variant<BgpOpen, BgpUpdate, BgpNotification, BgpKeepalive>;

/// The length of the message that these bytes begin with, of which at least kBgpHeaderSize are there.
[[nodiscard]] BgpResult<std::size_t> bgp_message_length(std::span<const std::byte> bytes);
/// Exactly one message.
[[nodiscard]] BgpResult<BgpMessage> parse_bgp(std::span<const std::byte> bytes);
/// Appends. The message fits kBgpMaxMessage.
void emit_bgp(const BgpMessage& message, std::vector<std::byte>& out);

/// What a prefix takes in a message.
[[nodiscard]] constexpr std::size_t bgp_prefix_size(const BgpPrefix& prefix) { return 1U + (prefix.length + 7U) / 8U; }
/// What the attributes take in an UPDATE.
[[nodiscard]] std::size_t bgp_attributes_size(const BgpAttributes& attributes);
/// An UPDATE's fixed part: header and two lengths.
inline constexpr std::size_t kBgpUpdateFixed = kBgpHeaderSize + 4;

}  // namespace weft::wire
