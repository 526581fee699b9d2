#include "cli/emit_command.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/file.h"
#include "base/nearest_word.h"
#include "base/printable.h"
#include "cli/complain.h"
#include "cli/exit_status.h"
#include "cli/run_output.h"
#include "cli/terminal.h"
#include "study/assembly/build_topology.h"
#include "study/devices/config_file.h"
#include "study/devices/describe.h"
#include "study/devices/key_lines.h"

namespace weft::cli {
namespace {

using study::devices::Described;
using study::devices::DeviceConfig;
using study::devices::Syntax;

Result<Syntax> syntax_of(const std::string& word) {
  static constexpr std::array<std::string_view, 5> kWords{"sonic", "nvue", "eos", "nic", "opensm"};
  const auto found = std::ranges::find(kWords, word);
  if (found == kWords.end()) {
    const std::string shown = excerpt(word);
    return tl::unexpected<Error>(unknown_word({.kind = "target", .word = shown, .valid = kWords}).at("--for"));
  }
  return static_cast<Syntax>(found - kWords.begin());
}

Result<Described> described(const study::scenario::Scenario& scenario, const fabric::Graph& graph, Syntax syntax) {
  if (study::devices::is_switch(syntax)) {
    return study::devices::describe_switches(scenario, graph, syntax);
  }
  return syntax == Syntax::kNic ? study::devices::describe_nics(scenario, graph)
                                : study::devices::describe_manager(scenario, graph);
}

/// Those that are asked for: one by its name, a host with all of its NICs, or all.
Result<std::vector<DeviceConfig>> chosen_devices(std::vector<DeviceConfig> devices, const std::string& name) {
  if (name.empty()) {
    return devices;
  }
  std::vector<DeviceConfig> kept;
  std::ranges::copy_if(devices, std::back_inserter(kept), [&](const DeviceConfig& device) {
    return device.name == name || device.name.starts_with(name + "/");
  });
  if (kept.empty()) {
    std::vector<std::string_view> names;
    std::ranges::transform(devices, std::back_inserter(names),
                           [](const DeviceConfig& device) { return std::string_view(device.name); });
    const std::string shown = excerpt(name);
    const std::size_t listed = std::min<std::size_t>(names.size(), 8);
    return tl::unexpected<Error>(
        unknown_word({.kind = "device", .word = shown, .valid = names, .listed = std::span(names).first(listed)})
            .at("--device"));
  }
  return kept;
}

Result<void> write_devices(const std::vector<DeviceConfig>& devices, const std::string& folder) {
  if (Result<void> made = make_folder(folder); !made) {
    return made;
  }
  for (const DeviceConfig& device : devices) {
    const std::filesystem::path path = std::filesystem::path(folder) / study::devices::file_name_of(device);
    if (Result<void> written = write_file(path.string(), study::devices::config_text(device)); !written) {
      return written;
    }
  }
  return {};
}

int run_emit(const EmitText& text) {
  const Result<Syntax> syntax = syntax_of(text.syntax);
  if (!syntax) {
    return complain("emit", syntax.error(), kUsageError);
  }
  if (text.all && !text.device.empty()) {
    return complain("emit", {"--all: --device names one; leave out one of them"}, kUsageError);
  }
  const auto scenario = read_scenario(text.scenario);
  if (!scenario) {
    return complain("emit", scenario.error(), kUsageError);
  }
  const auto graph = study::assembly::build_topology(*scenario);
  if (!graph) {
    return complain("emit", graph.error(), kUsageError);
  }
  auto made = described(*scenario, *graph, *syntax);
  if (!made) {
    return complain("emit", made.error(), kUsageError);
  }
  const auto devices = chosen_devices(std::move(made->devices), text.device);
  if (!devices) {
    return complain("emit", devices.error(), kUsageError);
  }
  if (text.out.empty() && devices->size() > 1) {
    return complain("emit",
                    {fmt::format("{} configurations: name a folder with --out, or one of them with --device, as {}",
                                 devices->size(), devices->front().name)},
                    kUsageError);
  }
  const auto rows = study::devices::key_lines(*scenario, *graph, *syntax);
  const bool printed = text.out.empty();
  if (printed) {
    fmt::print("{}", study::devices::config_text(devices->front()));
  } else if (const Result<void> written = write_devices(*devices, text.out); !written) {
    return complain("emit", written.error(), kFault);
  }
  if (!text.quiet) {
    std::FILE* const stream = printed || text.json == "-" ? stderr : stdout;
    fmt::print(stream, "{}", study::devices::key_lines_text(rows, made->rounded, terminal_columns(stream)));
    if (!printed) {
      fmt::print(stream, "\n{} configurations written to {}\n", devices->size(), terminal_text(text.out));
    }
  }
  if (!text.json.empty()) {
    const Result<void> written = write_json(text.json, study::devices::key_lines_json(rows, made->rounded));
    if (!written) {
      return complain("emit", written.error(), kFault);
    }
  }
  return kSuccess;
}

}  // namespace

void add_emit_command(CLI::App& app, EmitText& text, int& exit_status) {
  CLI::App* command =
      app.add_subcommand("emit", "Configurations of switches, NICs or the subnet manager of a scenario");
  add_scenario_options(*command, text.scenario);
  command->add_option("--for", text.syntax, "Whose configuration: sonic, nvue, eos, nic or opensm")->required();
  command->add_option("--device", text.device, "One device by its name in the topology, or a host");
  command->add_flag("--all", text.all, "All devices, as without --device");
  command->add_option("--out", text.out, "Folder for a file per device; without it one is printed");
  command->add_option("--json", text.json,
                      "Write the table of keys and lines as JSON to this file; - = standard output");
  command->add_flag("-q,--quiet", text.quiet, "No table");
  command->footer("Exit status: 0 done, 1 a file cannot be written, 2 wrong input.");
  command->callback([&text, &exit_status] { exit_status = run_emit(text); });
}

}  // namespace weft::cli
