// `--fidelity` and `--budget`: the level at which scenarios are run, by the user's word or by what fits into a time.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "study/run/level_choice.h"
#include "study/scenario/scenario.h"

namespace weft::cli {

struct LevelText {
  std::string fidelity;  // a level, or "auto"; empty: as the scenario says
  std::string budget;    // of one run, with "auto" alone; empty: 600 s
};
void add_level_options(CLI::App& command, LevelText& text);

/// Decides for one scenario after another; the machine is measured once, by the first that needs it.
class LevelChooser {
 public:
  /// Errors: no such level; no duration; a budget for what is not "auto".
  [[nodiscard]] static Result<LevelChooser> make(const LevelText& text);

  /// Nothing was asked for: scenarios stay as they are.
  [[nodiscard]] bool is_off() const { return !fixed_ && !is_auto(); }
  [[nodiscard]] bool is_auto() const { return budget_ > Duration::zero(); }
  /// Of real time for one run; zero where levels are not chosen by it.
  [[nodiscard]] Duration budget() const { return budget_; }
  /// With the reason where it chose. Errors: those of choose_level.
  [[nodiscard]] Result<study::run::LevelChoice> choose(const study::scenario::Scenario& scenario);

 private:
  std::optional<study::run::Level> fixed_;
  Duration budget_{};  // zero: not automatic
  double hops_per_second_ = 0;
};

/// What a level is off by where that was measured (docs/validation.md).
[[nodiscard]] std::string_view expected_error(study::run::Level level);

}  // namespace weft::cli
