// From a ladder of ablations to causes that add up to the step.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::study::compare {

/// Causes in the order in which ablations take them away, and what is left.
inline constexpr std::array<std::string_view, 11> kCauses = {"losses and their recovery",
                                                             "congestion control",
                                                             "flows sharing a path",
                                                             "links between switches",
                                                             "collective library",
                                                             "hosts and NICs",
                                                             "headers",
                                                             "serialisation at line rate",
                                                             "turns and acknowledgements",
                                                             "moving the data",
                                                             "waiting for other ranks"};

struct LostTime {
  std::string cause;
  double seconds = 0;
};

/// A step's times in seconds: the slice with everything, and after each cause was taken away.
struct AblationLadder {
  double slice = 0;
  std::vector<LostTime> after;  // cause that is gone, and the step's time then
};

struct StepShares {
  double step = 0;
  double compute = 0;
  double waiting = 0;        // for other ranks: bubbles and stragglers
  double header_share = 0;   // of the bytes of a full packet on the wire
  double network_share = 1;  // of the exposed communication: the rest is inside hosts
  /// What the payload of all communication needs at the line rate, in the network and inside hosts, exposed or not.
  /// Negative: not known.
  double network_payload = -1;
  double inside_payload = 0;
  double hidden = 0;  // of the communication, behind computing: payload first, which is the same in every network
};

/// Causes of everything beyond computing, each >= 0; with `compute` they add up to the step exactly. A cause whose
/// removal gains nothing costs nothing. What no removal gains is headers, serialisation at the line rate as far as
/// bytes explain it, and the rest: turns of operations, acknowledgements and what slices do not explain. Where bytes
/// are not known, the last two are one: moving the data.
[[nodiscard]] std::vector<LostTime> lost_time(const StepShares& shares, const AblationLadder& ladder);

}  // namespace weft::study::compare
