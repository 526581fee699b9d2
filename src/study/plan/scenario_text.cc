#include "study/plan/scenario_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/format_quantity.h"
#include "study/assembly/assembly_check.h"
#include "study/scenario/raw_value.h"
#include "study/scenario/scenario_listing.h"
#include "study/scenario/scenario_load.h"
#include "study/scenario/scenario_words.h"

namespace weft::study::plan {
namespace {

bool is_given(const scenario::ListedValue& row) {
  switch (row.source.origin) {
    case scenario::Origin::kFile:
    case scenario::Origin::kCase:
    case scenario::Origin::kSet:
      return true;
    case scenario::Origin::kDefault:
    case scenario::Origin::kCatalogue:
    case scenario::Origin::kDerived:
      break;
  }
  return false;
}

std::string literal(const std::string& value) { return scenario::toml_text(scenario::read_value(value)); }

/// "[[job]]" of "job[0]", "[switch]" of "switch".
std::string heading(const std::string& table) {
  const auto bracket = table.find('[');
  return bracket == std::string::npos ? fmt::format("[{}]", table) : fmt::format("[[{}]]", table.substr(0, bracket));
}

std::string overrides_text(const scenario::Scenario& scenario) {
  std::string text;
  for (const scenario::DeviceOverride& one : scenario.overrides) {
    text += fmt::format("\n[[override]]\nselect = {}\n", literal(one.select));
    text += one.select_rate ? fmt::format("select_rate = \"{}\"\n", to_string(*one.select_rate)) : "";
    text += one.select_tier ? fmt::format("select_tier = \"{}\"\n", scenario::word_of(*one.select_tier)) : "";
    for (const scenario::Assignment& own : one.assignments) {
      text += fmt::format("{} = {}\n", own.path, literal(own.text));
    }
  }
  return text;
}

}  // namespace

bool is_planned(std::string_view path) {
  constexpr std::string_view kTopology = "topology.";
  if (path.starts_with(kTopology)) {
    return path != "topology.gpus_per_host" && path != "topology.domains";
  }
  return path.starts_with("switch.") || path.starts_with("nic.") || path == "fabric.family" ||
         path == "fabric.tuning" || path == "fabric.switch" || path == "fabric.nic" || path == "routing.scheme" ||
         path == "scale_up.domain" || (path.starts_with("link.") && path.ends_with(".rate"));
}

std::string scenario_text(const scenario::Scenario& scenario, const TextOptions& options) {
  std::string text;
  for (const std::string& line : options.comment) {
    text += line.empty() ? "#\n" : "# " + line + "\n";
  }
  text += fmt::format("name = {}\n", literal(scenario.name));
  std::vector<std::string> order;
  std::map<std::string, std::string> tables;
  for (const scenario::ListedValue& row : scenario::list_values(scenario, scenario::Listing::kAll)) {
    const auto dot = row.path.rfind('.');
    const std::string table = dot == std::string::npos ? std::string() : row.path.substr(0, dot);
    if (table.find('[') != std::string::npos && !tables.contains(table)) {
      order.push_back(table);  // an element of a list is there even if it says nothing
      tables[table];
    }
    if (!is_given(row) || !options.keep(row.path) || row.path == "name") {
      continue;
    }
    if (!tables.contains(table)) {
      order.push_back(table);
    }
    tables[table] += fmt::format("{} = {}\n", row.path.substr(dot + 1), literal(row.value));
  }
  text += tables[""];
  for (const std::string& table : order) {
    text += table.empty() ? "" : fmt::format("\n{}\n{}", heading(table), tables[table]);
  }
  return text + overrides_text(scenario);
}

Result<void> check_text(std::string_view text, const scenario::Scenario& scenario,
                        const scenario::Catalogue& catalogue) {
  Result<scenario::Scenario> again =
      scenario::parse_scenario(text, {.file = scenario.file, .case_name = {}, .settings = {}}, catalogue);
  if (!again) {
    return pass_on(again);
  }
  const auto before = scenario::list_values(scenario, scenario::Listing::kAll);
  const auto after = scenario::list_values(*again, scenario::Listing::kAll);
  if (before.size() != after.size()) {
    return fail("the written scenario has {} values, not {}", after.size(), before.size());
  }
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i].path != after[i].path || before[i].value != after[i].value) {
      return fail("the written scenario has {} = {}, not {}", after[i].path, after[i].value, before[i].value);
    }
  }
  return assembly::check_assembly(*again);
}

}  // namespace weft::study::plan
