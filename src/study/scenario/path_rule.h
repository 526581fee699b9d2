// How a sender chooses the path of each packet, by the entropy value that it writes (transport/path/).
#pragma once

#include <cstdint>

namespace weft::study::scenario {

/// One value for ever; each in turn; those without penalties; recycled ones (REPS); recycled ones, else those without
/// penalties.
enum class PathRule : std::uint8_t { kSingle, kOblivious, kBitmap, kReps, kMixed };

/// Whether it has to hear what becomes of each packet.
[[nodiscard]] constexpr bool learns(PathRule rule) { return rule != PathRule::kSingle && rule != PathRule::kOblivious; }

}  // namespace weft::study::scenario
