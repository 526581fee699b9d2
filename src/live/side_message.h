// The messages of the side channel: one line of text each, at most 512 bytes, as in
// `welcome version=2 qpn=17 psn=3 ...`.
//
// Two processes tell each other the parameters of their queue pairs by it, and begin and end each row of a test. A line
// from a stranger is safe to parse: every field is known, given once, a decimal number in its range or a known word;
// a verb has exactly its fields. Source: the form follows perftest's exchange over TCP, the text is weft's own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "live/perf_types.h"

namespace weft::live {

inline constexpr std::uint32_t kSideVersion = 2;
/// Longest line, its newline included.
inline constexpr std::size_t kMaxSideLine = 512;

/// A queue pair and its memory, for the peer.
struct PeerParameters {
  std::uint32_t qpn = 0;  // 24 bits
  std::uint32_t psn = 0;  // of the first packet it sends, 24 bits
  std::uint32_t mtu = 0;  // largest path MTU it can use: 256 to 4096
  std::uint32_t rkey = 0;
  std::uint64_t address = 0;  // of the memory that the key opens
  std::uint64_t length = 0;
  std::uint32_t udp_port = 0;  // 1 to 65535
  std::uint32_t window = 0;    // bytes of payload that its socket can hold
  // Of what it encrypts by TSS; 0 without:
  std::uint32_t tss_source = 0;
  std::uint32_t tss_epoch = 0;  // 16 bits

  friend bool operator==(const PeerParameters&, const PeerParameters&) = default;
};

/// Client to server, first.
struct Hello {
  PerfPlan plan{};
  PeerParameters peer{};
  friend bool operator==(const Hello&, const Hello&) = default;
};
/// The server's answer to a hello: its queue pair is ready.
struct Welcome {
  PeerParameters peer{};
  friend bool operator==(const Welcome&, const Welcome&) = default;
};
/// The server's answer if it cannot serve; then it hangs up.
struct Refuse {
  std::string reason;  // printable, without control characters
  friend bool operator==(const Refuse&, const Refuse&) = default;
};
/// Client: a row begins. The server answers Ready.
struct Start {
  std::uint32_t size = 0;        // 1 to the plan's
  std::uint32_t iterations = 0;  // 1 to PerfLimits
  friend bool operator==(const Start&, const Start&) = default;
};
struct Ready {
  friend bool operator==(const Ready&, const Ready&) = default;
};
/// Client: the row has ended. The server answers Verdict.
struct Done {
  friend bool operator==(const Done&, const Done&) = default;
};
struct Verdict {
  std::uint64_t wrong = 0;  // messages whose data were not what they must be
  friend bool operator==(const Verdict&, const Verdict&) = default;
};
/// Client: no further row.
struct Bye {
  friend bool operator==(const Bye&, const Bye&) = default;
};

using SideMessage = std::variant<Hello, Welcome, Refuse, Start, Ready, Done, Verdict, Bye>;

/// Without newline.
[[nodiscard]] std::string format_side_message(const SideMessage& message);
/// `line` has no newline. Errors say what was found and what is allowed, in printable text.
[[nodiscard]] Result<SideMessage> parse_side_message(std::string_view line);

}  // namespace weft::live
