#include "host/path/stage.h"

#include <array>

namespace weft::host {

std::string_view to_string(Confidence mark) {
  constexpr std::array<std::string_view, 6> kWords = {"emerges",  "given",      "specified",
                                                      "measured", "calibrated", "guess"};
  return kWords.at(static_cast<std::size_t>(mark));
}

Duration StageTimes::sum() const {
  Duration sum;
  for (const StageTime& stage : stages_) {
    sum += stage.time;
  }
  return sum;
}

Duration StageTimes::time_of(std::string_view name) const {
  Duration sum;
  for (const StageTime& stage : stages_) {
    sum += stage.name == name ? stage.time : Duration::zero();
  }
  return sum;
}

}  // namespace weft::host
