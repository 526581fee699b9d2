// How a sender chooses the path of each packet, by the entropy value that it writes (transport/path/).
#pragma once

#include <cstdint>

namespace weft::study::scenario {

/// One value for ever; each in turn; those without penalties; recycled ones (REPS); recycled ones, else those without
/// penalties. Of RoCEv2 alone: each burst in a fixed order, or at random; one for each message; one until its path has
/// been congested for some rounds (PLB).
enum class PathRule : std::uint8_t {
  kSingle,
  kOblivious,
  kBitmap,
  kReps,
  kMixed,
  kInTurn,
  kRandom,
  kPerMessage,
  kPlb,
};

/// Whether it has to hear what becomes of each packet.
[[nodiscard]] constexpr bool learns(PathRule rule) {
  return rule == PathRule::kBitmap || rule == PathRule::kReps || rule == PathRule::kMixed || rule == PathRule::kPlb;
}
/// Whether Ultra Ethernet has it.
[[nodiscard]] constexpr bool is_of_uet(PathRule rule) { return rule <= PathRule::kMixed; }

}  // namespace weft::study::scenario
