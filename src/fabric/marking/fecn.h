// InfiniBand's forward congestion marks: when the queue of an output port's virtual lane counts as congested.
//
// A packet is eligible when the queue is above the threshold as the packet leaves it (with the packet itself, without
// the one on the wire), the packet is large enough, and the port is the root of the congestion: the lane did not run
// out of credits while the packet waited. A port in the victim mask marks whether it is the root or not. Of the
// eligible packets a mean of `marking_rate` pass between two marks; the gap is drawn, lest marks keep step with the
// rotation of inputs.
//= ibta-1.7 A10
#pragma once

#include <cstdint>

#include "base/data_size.h"

namespace weft::fabric {

struct FecnOptions {
  Bytes threshold;                 // of the queue, in bytes of frames
  std::uint16_t marking_rate = 0;  // mean number of eligible packets passed over between marks
  Bytes packet_size{};             // smaller frames are not marked
  bool victim_mask = false;        // mark even when downstream holds the port up
};

/// Threshold classes: 0 none, 15 the most eager.
struct FecnClass {
  std::uint8_t value = 0;
};

/// The depth that a class stands for: evenly spaced, class 15 a sixteenth of the lane's buffer, class 1 fifteen of
/// them. The specification leaves the depths open. Class 1 to 15.
[[nodiscard]] Bytes fecn_threshold(FecnClass threshold_class, Bytes lane_buffer);

/// The marker of one queue.
class Fecn {
 public:
  enum class Cause : std::uint8_t { kRoot, kVictim };
  struct Departure {
    std::uint32_t depth = 0;        // of the queue, in bytes
    std::uint32_t frame_bytes = 0;  // of the packet
    Cause cause = Cause::kRoot;
  };

  Fecn() = default;
  /// `seed` is f(run, stable name of the queue).
  Fecn(const FecnOptions& options, std::uint64_t seed);

  /// Whether the packet that leaves is marked, if its transport can carry a mark.
  [[nodiscard]] bool marks(const Departure& departure) {
    if (departure.depth <= threshold_) [[likely]] {
      return false;
    }
    return draw(departure);
  }

 private:
  [[nodiscard]] bool draw(const Departure& departure);

  std::uint32_t threshold_ = 0xFFFFFFFF;
  std::uint32_t packet_size_ = 0;
  std::uint32_t skip_ = 0;  // eligible packets still to be passed over
  std::uint16_t marking_rate_ = 0;
  bool victim_mask_ = false;
  std::uint64_t state_ = 0;
};

}  // namespace weft::fabric
