// What a perf run does: operation, kind of test, and the limits of its numbers. Names and defaults are perftest's.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "verbs/queue_pair.h"
#include "verbs/work_request.h"

namespace weft::live {

enum class PerfOp : std::uint8_t { kWrite, kSend, kRead, kCas, kFadd };
enum class PerfTest : std::uint8_t { kBandwidth, kLatency };

enum class PerfTransport : std::uint8_t { kRoce, kUet };
enum class PerfSecurity : std::uint8_t { kNone, kTss };

/// In the order of the enumerations.
inline constexpr std::array<std::string_view, 2> kPerfTransports{"roce", "uet"};
inline constexpr std::array<std::string_view, 2> kPerfSecurities{"none", "tss"};
inline constexpr std::array<std::string_view, 5> kPerfOps{"write", "send", "read", "cas", "fadd"};
inline constexpr std::array<std::string_view, 2> kPerfTests{"bw", "lat"};

[[nodiscard]] constexpr std::string_view to_string(PerfOp op) { return kPerfOps[static_cast<std::size_t>(op)]; }
[[nodiscard]] constexpr std::string_view to_string(PerfTest test) { return kPerfTests[static_cast<std::size_t>(test)]; }
[[nodiscard]] constexpr std::string_view to_string(PerfTransport transport) {
  return kPerfTransports[static_cast<std::size_t>(transport)];
}
[[nodiscard]] constexpr std::string_view to_string(PerfSecurity security) {
  return kPerfSecurities[static_cast<std::size_t>(security)];
}
/// IANA's, for each.
[[nodiscard]] constexpr std::uint16_t standard_port(PerfTransport transport) {
  return transport == PerfTransport::kRoce ? std::uint16_t{4'791} : std::uint16_t{4'793};
}

[[nodiscard]] constexpr bool is_atomic(PerfOp op) { return op == PerfOp::kCas || op == PerfOp::kFadd; }
/// The server's program answers each message of the client: latency is half a round trip.
[[nodiscard]] constexpr bool is_ping_pong(PerfOp op, PerfTest test) {
  return test == PerfTest::kLatency && (op == PerfOp::kWrite || op == PerfOp::kSend);
}

struct PerfLimits {
  static constexpr std::uint32_t kMaxSize = 8U << 20;  // bytes of a message
  static constexpr std::uint32_t kMaxIterations = 100'000'000;
  static constexpr std::uint32_t kMaxDepth = 8'192;
};

/// Both sides agree on it; every size of a run is at most `size`.
struct PerfPlan {
  PerfOp op = PerfOp::kWrite;
  PerfTest test = PerfTest::kBandwidth;
  std::uint32_t size = 65'536;
  std::uint32_t depth = 128;
  PerfTransport transport = PerfTransport::kRoce;
  PerfSecurity security = PerfSecurity::kNone;

  friend bool operator==(const PerfPlan&, const PerfPlan&) = default;
};

/// One line of the result.
struct PerfRow {
  std::uint32_t size = 0;
  std::uint32_t iterations = 0;
};

/// Messages under way at once: the depth, but together at most 512 KiB (they stay in the processor's caches, as
/// perftest's single buffer does) and at least two.
[[nodiscard]] constexpr std::uint32_t in_flight_for(const PerfPlan& plan, std::uint32_t size) {
  if (plan.test == PerfTest::kLatency)
    return 1;
  return std::min(plan.depth, std::max(2U, (512U << 10) / std::max(size, 1U)));
}

/// Each has a slot of its own at both ends, so that every message can be checked. A SEND takes a receive request with
/// it, and the next one is posted only when the receiving program has looked at the message: with twice as many as are
/// under way, a program that has to wait for its processor does not become RNR NAKs. (In a test of latency the answer
/// says that the next one is posted.)
[[nodiscard]] constexpr std::uint32_t slots_for(const PerfPlan& plan, std::uint32_t size) {
  const bool takes_receives = plan.op == PerfOp::kSend && plan.test == PerfTest::kBandwidth;
  return takes_receives ? 2 * in_flight_for(plan, size) : in_flight_for(plan, size);
}

}  // namespace weft::live
