#include "cli/lint_command.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/file.h"
#include "base/printable.h"
#include "cli/complain.h"
#include "cli/exit_status.h"
#include "cli/run_interrupt.h"
#include "cli/run_output.h"
#include "cli/terminal.h"
#include "study/assembly/build_topology.h"
#include "study/devices/config_file.h"
#include "study/devices/lint.h"
#include "study/devices/lint_cost.h"
#include "study/devices/lint_text.h"

namespace weft::cli {
namespace {

using study::devices::DeviceConfig;
using study::devices::Finding;

/// Files as they are named; of a folder all of its files, by name.
Result<std::vector<std::string>> files_of(const std::vector<std::string>& named) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  for (const std::string& name : named) {
    std::error_code error;
    if (!fs::is_directory(name, error)) {
      files.push_back(name);
      continue;
    }
    std::vector<std::string> inside;
    for (fs::directory_iterator each(name, error), end; !error && each != end; each.increment(error)) {
      if (each->is_regular_file(error)) {
        inside.push_back(each->path().string());
      }
    }
    if (inside.empty()) {
      return fail("{}: there are no files in this folder", name);
    }
    std::ranges::sort(inside);
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

Result<std::vector<DeviceConfig>> read_devices(const std::vector<std::string>& named) {
  const auto files = files_of(named);
  if (!files) {
    return tl::unexpected<Error>(files.error());
  }
  std::vector<DeviceConfig> devices;
  for (const std::string& file : *files) {
    Result<std::string> text = read_file(file, {.bytes = study::devices::kLargestConfig});
    if (!text) {
      return pass_on(text);
    }
    Result<DeviceConfig> device = study::devices::read_config({.text = *text, .name = file});
    if (!device) {
      return pass_on(device);
    }
    devices.push_back(std::move(*device));
  }
  return devices;
}

struct Plan {
  study::scenario::Scenario scenario;
  fabric::Graph graph;
};

Result<std::optional<Plan>> plan_of(const ScenarioText& text) {
  if (text.file.empty()) {
    return std::optional<Plan>();
  }
  auto scenario = read_scenario(text);
  if (!scenario) {
    return pass_on(scenario);
  }
  auto graph = study::assembly::build_topology(*scenario);
  if (!graph) {
    return pass_on(graph);
  }
  return Plan{.scenario = std::move(*scenario), .graph = std::move(*graph)};
}

Result<void> costs(std::vector<Finding>& findings, const Plan& plan, const LintText& text) {
  return study::devices::add_costs(
      findings, plan.scenario,
      {.seeds = text.seeds, .keep_going = [](std::size_t, std::size_t) { return !interrupted(); }});
}

int end_lint(const LintText& text, const std::vector<Finding>& findings, const std::vector<DeviceConfig>& devices) {
  if (!text.quiet) {
    std::FILE* const stream = text.json == "-" ? stderr : stdout;
    fmt::print(
        stream, "{}",
        terminal_text(study::devices::lint_text(findings, devices, terminal_columns(stream)), LineBreaks::kKept));
  }
  if (!text.json.empty()) {
    const Result<void> written = write_json(text.json, study::devices::lint_json(findings, devices));
    if (!written) {
      return complain("lint", written.error(), kFault);
    }
  }
  if (text.cost && interrupted()) {
    fmt::print(stderr, "weft lint: interrupted; findings without a cost were not simulated\n");
    return kInterrupted;
  }
  return findings.empty() ? kSuccess : kFault;
}

int run_lint(const LintText& text) {
  if (text.cost && text.plan.file.empty()) {
    return complain("lint", {"--cost: needs --plan, whose scenario is run with each mistake"}, kUsageError);
  }
  const auto devices = read_devices(text.files);
  if (!devices) {
    return complain("lint", devices.error(), kUsageError);
  }
  const auto plan = plan_of(text.plan);
  if (!plan) {
    return complain("lint", plan.error(), kUsageError);
  }
  const std::optional<study::devices::LintPlan> borrowed =
      *plan ? std::optional(study::devices::LintPlan{.scenario = (*plan)->scenario, .graph = (*plan)->graph})
            : std::nullopt;
  auto findings = study::devices::lint(*devices, borrowed ? &*borrowed : nullptr);
  if (!findings) {
    return complain("lint", findings.error(), kUsageError);
  }
  if (text.cost) {
    catch_interrupts();
    if (const Result<void> run = costs(*findings, **plan, text); !run) {
      return complain("lint", run.error(), kUsageError);
    }
  }
  return end_lint(text, *findings, *devices);
}

}  // namespace

void add_lint_command(CLI::App& app, LintText& text, int& exit_status) {
  CLI::App* command = app.add_subcommand("lint", "What configurations of devices contradict, and what it costs");
  command->add_option("CONFIG", text.files, "Configurations, or folders of them")->required();
  command->add_option("--plan", text.plan.file, "Scenario file that says how the network is cabled and set");
  command->add_option("--case", text.plan.case_name, "Name of the [[case]] of the plan to use");
  command->add_option("--set", text.plan.settings, "key=value of the plan; may be given several times")
      ->allow_extra_args(false);
  command
      ->add_option("--catalogue", text.plan.catalogue,
                   "Folder with entries that are added to the catalogue or replace its own")
      ->envname("WEFT_CATALOGUE");
  command->add_flag("--cost", text.cost, "Run the plan with each mistake beside the plan as it is");
  command->add_option("--seeds", text.seeds, "Seeds of each run with --cost")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  command->add_option("--json", text.json, "Write the findings as JSON to this file; - = standard output");
  command->add_flag("-q,--quiet", text.quiet, "No text");
  command->footer(
      "Exit status: 0 nothing found, 1 findings, or a file cannot be written, 2 wrong input, 130 interrupted.");
  command->callback([&text, &exit_status] { exit_status = run_lint(text); });
}

}  // namespace weft::cli
