// What a command line of `weft plan` asks for, read and checked before anything runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/plan_command.h"
#include "study/plan/bounds.h"
#include "study/plan/design_space.h"
#include "study/scenario/catalogue.h"
#include "study/scenario/scenario.h"

namespace weft::cli {

struct PlanQuestion {
  std::string file;                      // the user's
  std::string base;                      // its text without what the plan decides
  std::string base_file;                 // names it in messages; in the same folder
  std::vector<std::string> not_taken{};  // keys that the plan decides
  std::vector<std::string> assumed{};    // what is added to the file, so that seeds differ
  study::scenario::Scenario scenario{};  // as the file has it, with that
  study::plan::Limits limits{};
  std::int64_t gpus = 0;
  std::optional<std::int64_t> later{};
  study::plan::DesignSpace space{};
};

/// Errors: those of the scenario; not one job that trains a model; an option that cannot be read, with what would be
/// right; no design at all.
[[nodiscard]] Result<PlanQuestion> read_question(const PlanText& text, const study::scenario::Catalogue& catalogue);

/// The scenario of a design. Errors: why it cannot be, without the place in the file.
[[nodiscard]] Result<study::scenario::Scenario> scenario_of(const PlanQuestion& question,
                                                            const study::plan::Design& design,
                                                            const study::scenario::Catalogue& catalogue);
/// With the settings of a design, and perhaps others.
[[nodiscard]] Result<study::scenario::Scenario> scenario_with(const PlanQuestion& question,
                                                              std::vector<std::string> settings,
                                                              const study::scenario::Catalogue& catalogue);
/// A design's settings are no --set of the user's: the option that they come from, or the key alone.
[[nodiscard]] Error in_words_of_plan(Error error);

}  // namespace weft::cli
