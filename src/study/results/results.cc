#include "study/results/results.h"

#include <array>

namespace weft::study::results {
namespace {

// In the order of RunEnd.
constexpr std::array<std::string_view, 6> kEnds = {"finished", "time-limit", "interrupted",
                                                   "stuck",    "error",      "job-lost"};

}  // namespace

std::string_view to_string(RunEnd end) { return kEnds.at(static_cast<std::size_t>(end)); }

std::string_view to_string(Decision decision) {
  static constexpr std::array<std::string_view, 7> kWords = {"flowlet-kept", "flowlet-moved", "reroute", "port-choice",
                                                             "detour",       "path-change",   "entries"};
  return kWords.at(static_cast<std::size_t>(decision));
}

std::optional<RunEnd> parse_run_end(std::string_view word) {
  for (std::size_t i = 0; i < kEnds.size(); ++i) {
    if (kEnds[i] == word) {
      return static_cast<RunEnd>(i);
    }
  }
  return std::nullopt;
}

}  // namespace weft::study::results
