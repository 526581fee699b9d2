#include "study/run/flow_corrections_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "base/stable_hash.h"
#include "study/scenario/raw_value.h"
#include "study/scenario/scenario_listing.h"
#include "study/scenario/table_walk.h"

namespace weft::study::run {
namespace {

using scenario::RawTable;
using scenario::RawValue;

constexpr std::int64_t kFormat = 1;
constexpr double kMostGrowth = 16;

using Keys = std::map<std::string, std::string>;

/// What topology, routes and work are, the small runs have of their own.
bool is_of_small_runs(std::string_view path) {
  constexpr std::array<std::string_view, 21> kOthers{
      "topology", "routing", "traffic", "job",      "event",     "failure",     "failures",
      "attack",   "keys",    "output",  "flow",     "cost",      "gpu",         "checkpoint",
      "library",  "cabling", "control", "scale_up", "reduction", "collectives", "subnet"};
  const std::string_view section = path.substr(0, path.find_first_of(".["));
  if (section == path || std::ranges::find(kOthers, section) != kOthers.end()) {
    return false;  // keys above all sections: name, seed, stop, ...
  }
  const std::size_t dot = path.rfind('.');
  const std::optional<scenario::TableAt> table = scenario::find_table(path.substr(0, dot));
  const scenario::Key* const key = table ? scenario::find_key(*table->section, path.substr(dot + 1)) : nullptr;
  return key == nullptr || key->use == scenario::KeyUse::kSimulation;
}

Keys keys_of_devices(const scenario::Scenario& scenario) {
  Keys keys;
  for (const scenario::ListedValue& row : list_values(scenario, scenario::Listing::kRelevant)) {
    if (is_of_small_runs(row.path)) {
      keys.emplace(row.path, row.value);
    }
  }
  return keys;
}

std::string hash_of(const Keys& keys) {
  std::string text;
  for (const auto& [path, value] : keys) {
    text += fmt::format("{}={}\n", path, value);
  }
  return fmt::format("{:016x}", stable_hash(0, text));
}

std::string toml_string(std::string_view text) {
  return scenario::toml_text({.place = {}, .content = std::string(text)});
}

const RawValue* find(const RawTable& table, std::string_view key) {
  const auto found = std::ranges::find(table, key, &scenario::RawEntry::key);
  return found == table.end() ? nullptr : &found->value;
}

template <class Content>
const Content* find_as(const RawTable& table, std::string_view key) {
  const RawValue* const value = find(table, key);
  return value == nullptr ? nullptr : std::get_if<Content>(&value->content);
}

/// The first key that differs, as a message ends; empty: none.
std::string difference(const Keys& made_for, const Keys& own) {
  for (const auto& [path, value] : own) {
    const auto known = made_for.find(path);
    if (known == made_for.end()) {
      return fmt::format("it does not say {}, which is {} here", path, value);
    }
    if (known->second != value) {
      return fmt::format("{} is {} there and {} here", path, known->second, value);
    }
  }
  for (const auto& [path, value] : made_for) {
    if (!own.contains(path)) {
      return fmt::format("{} is {} there and means nothing here", path, value);
    }
  }
  return "";
}

std::optional<flow::Corrections> values_of(const RawTable& table) {
  const auto* flow_backlog = find_as<std::int64_t>(table, "flow_backlog");
  const auto* link_backlog = find_as<std::int64_t>(table, "link_backlog");
  const auto* answer_wait = find_as<double>(table, "answer_wait");
  const auto* start_window = find_as<std::int64_t>(table, "start_window");
  const auto* growth = find_as<double>(table, "window_growth");
  if (flow_backlog == nullptr || link_backlog == nullptr || start_window == nullptr || growth == nullptr ||
      answer_wait == nullptr || !(*answer_wait >= 0 && *answer_wait <= 1) || *flow_backlog < 0 || *link_backlog < 0 ||
      *start_window < 0 || !(*growth > 1 && *growth <= kMostGrowth)) {
    return std::nullopt;
  }
  return flow::Corrections{.flow_backlog = Bytes(*flow_backlog),
                           .link_backlog = Bytes(*link_backlog),
                           .answer_wait = *answer_wait,
                           .start_window = Bytes(*start_window),
                           .window_growth = *growth};
}

Result<Keys> made_for_of(const RawTable& document, std::string_view name) {
  const auto* table = find_as<RawTable>(document, "made_for");
  const auto* hash = find_as<std::string>(document, "hash");
  if (table == nullptr || hash == nullptr) {
    return fail("{}: no hash or [made_for]; this is no file of weft calibrate flow", name);
  }
  Keys keys;
  for (const scenario::RawEntry& entry : *table) {
    const auto* value = std::get_if<std::string>(&entry.value.content);
    if (value == nullptr) {
      return fail("{}:{}: a text is expected", name, entry.place.line);
    }
    keys.emplace(entry.key, *value);
  }
  if (hash_of(keys) != *hash) {
    return fail("{}: [made_for] was changed since the file was written; run weft calibrate flow again", name);
  }
  return keys;
}

std::string in_kib(Bytes bytes) { return fmt::format("{:.0f} KiB", static_cast<double>(bytes.count()) / 1024); }

std::string fit_text(const FittedCorrection& fit) {
  std::string text = fmt::format(
      "\n[[fit]]\nwhat = \"{}\"\nkept = {}\nresidual_before = {:.4f}\nresidual_after = {:.4f}\nvalues = [\n", fit.what,
      fit.kept, fit.before, fit.after);
  for (const FittedValue& value : fit.values) {
    text += fmt::format("  {{ name = \"{}\", value = {:.6g}, low = {:.6g}, high = {:.6g} }},\n", value.name,
                        value.value, value.low, value.high);
  }
  text += "]\nruns = [\n";
  for (const CalibrationWorld& world : fit.worlds) {
    text +=
        fmt::format("  {{ name = \"{}\", messages = {}, packets_s = {:.6e}, before_s = {:.6e}, after_s = {:.6e} }},\n",
                    world.name, world.messages, world.packets, world.before, world.after);
  }
  return text + "]\n";
}

}  // namespace

std::string corrections_text(const scenario::Scenario& scenario, const FlowCalibration& calibration,
                             std::string_view version) {
  const Keys keys = keys_of_devices(scenario);
  const flow::Corrections& values = calibration.corrections;
  std::string text = fmt::format(
      "# Corrections of the flow level, by weft calibrate flow; weft run --corrections reads them.\n"
      "version = {}\nweft = {}\nhash = \"{}\"\n\n[corrections]\nflow_backlog = {}  # bytes\nlink_backlog = {}  # "
      "bytes\n"
      "answer_wait = {:.6f}\nstart_window = {}  # bytes\nwindow_growth = {:.6f}\n",
      kFormat, toml_string(version), hash_of(keys), values.flow_backlog.count(), values.link_backlog.count(),
      values.answer_wait, values.start_window.count(), values.window_growth);
  for (const FittedCorrection& fit : calibration.fitted) {
    text += fit_text(fit);
  }
  text += "\n[made_for]\n";
  for (const auto& [path, value] : keys) {
    text += fmt::format("{} = {}\n", toml_string(path), toml_string(value));
  }
  return text;
}

Result<flow::Corrections> read_corrections(const CorrectionsSource& source, const scenario::Scenario& scenario) {
  Result<RawTable> document = scenario::read_toml(source.text, source.name);
  if (!document) {
    return pass_on(document);
  }
  const auto* version = find_as<std::int64_t>(*document, "version");
  if (version == nullptr || *version != kFormat) {
    return fail("{}: version = {} is expected; run weft calibrate flow again", source.name, kFormat);
  }
  Result<Keys> made_for = made_for_of(*document, source.name);
  if (!made_for) {
    return pass_on(made_for);
  }
  if (!scenario.overrides.empty()) {
    return fail("{}: corrections are of devices that are alike, and the scenario has an [[override]]", source.name);
  }
  if (const std::string other = difference(*made_for, keys_of_devices(scenario)); !other.empty()) {
    return fail("{}: made for other devices or settings: {}; run weft calibrate flow for this scenario", source.name,
                other);
  }
  const auto* table = find_as<RawTable>(*document, "corrections");
  const std::optional<flow::Corrections> values = table == nullptr ? std::nullopt : values_of(*table);
  return values ? Result<flow::Corrections>(*values)
                : fail(
                      "{}: [corrections] needs flow_backlog, link_backlog and start_window in whole bytes, and "
                      "window_growth above 1 and at most {}",
                      source.name, kMostGrowth);
}

std::string exact_text(const flow::Corrections& corrections) {
  return fmt::format("{} {} {} {} {}", corrections.flow_backlog.count(), corrections.link_backlog.count(),
                     corrections.answer_wait, corrections.start_window.count(), corrections.window_growth);
}

std::string describe(const flow::Corrections& corrections) {
  std::string text;
  if (corrections.flow_backlog > Bytes::zero()) {
    text = fmt::format("queues of at most {} a flow and {} a link", in_kib(corrections.flow_backlog),
                       in_kib(corrections.link_backlog));
    if (corrections.answer_wait > 0) {
      text += fmt::format(", acknowledgements wait {:.0f} %", 100 * corrections.answer_wait);
    }
  }
  if (corrections.start_window > Bytes::zero()) {
    text += fmt::format("{}streams that start with {}, times {} in a round trip", text.empty() ? "" : "; ",
                        in_kib(corrections.start_window), corrections.window_growth);
  }
  return text.empty() ? "none" : text;
}

}  // namespace weft::study::run
