// `weft subnet sweep`: what a subnet manager takes to bring a subnet up, to look after it, and to mend it.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/text_lines.h"
#include "cli/subnet_input.h"
#include "subnet/manager/sweep_study.h"

namespace weft::cli {

/// What it has beside the options of the other parts; written into `text` while `app` parses.
void add_sweep_options(CLI::App& app, SubnetText& text);

/// Errors name the option.
[[nodiscard]] Result<subnet::SweepPlan> sweep_plan(const SubnetText& text, const ManagedSubnet& managed);

/// A study with the plan that it is of.
struct StudiedSweep {
  const subnet::SweepPlan& plan;
  const subnet::SweepStudy& study;
  std::string manager;  // its node
  std::string later;    // that of the one that starts later; empty: none
};
[[nodiscard]] std::string sweep_text(const StudiedSweep& swept, LineWidth width);
[[nodiscard]] nlohmann::ordered_json sweep_json(const StudiedSweep& swept);

}  // namespace weft::cli
