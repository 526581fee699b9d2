#include "study/scenario/scenario_listing.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "base/format_quantity.h"
#include "base/text_table.h"
#include "study/scenario/apply.h"
#include "study/scenario/congestion/congestion_table.h"
#include "study/scenario/key_table.h"
#include "study/scenario/optional_traffic.h"
#include "study/scenario/scenario_validate.h"
#include "study/scenario/scenario_words.h"

namespace weft::study::scenario {
namespace {

/// Of Ethernet the manager is that of InfiniBand on the same network, beside switches that decide for themselves.
bool asks_manager(const Scenario& scenario) {
  return starts_cold(scenario) || simulates_resweeps(scenario.routing) || has_control(scenario);
}

bool is_of_other_family(const Section& section, Family family) {
  const CongestionEntry* const control = entry_of_section(section.path);
  const bool ultra =
      section.path == "uet" || (control != nullptr && control->feedback == CongestionFeedback::kUetState);
  if (ultra) {
    return engine_of(family) != FamilyEngine::kUet;
  }
  const bool marks = control != nullptr && control->feedback == CongestionFeedback::kFecn;
  const bool infiniband = section.path.starts_with("infiniband") || marks;
  const bool ethernet = section.path.starts_with("ethernet") || (control != nullptr && !marks) ||
                        section.path == "tcp" || section.path == "iwarp";
  return is_infiniband(family) ? ethernet : infiniband;
}

bool is_of_other_algorithm(const Section& section, const Scenario& scenario) {
  const CongestionEntry* const control = entry_of_section(section.path);
  if (control != nullptr && control->algorithm == CongestionAlgorithm::kNscc) {
    return !uses_nscc(scenario);
  }
  return control != nullptr && control->algorithm != scenario.congestion.algorithm;
}

bool has_sockets(const Scenario& scenario) {
  const auto is_tcp = [](Family family) { return engine_of(family) == FamilyEngine::kTcp; };
  return is_tcp(scenario.fabric.family) || std::ranges::any_of(scenario.traffic, [&](const TrafficSettings& traffic) {
           return traffic.family && is_tcp(*traffic.family);
         });
}

// What is off is not shown; where anything of it is on, the keys of the others are left out.
bool is_of_other_protection(const Section& section, const Key& key, const Scenario& scenario) {
  const SecuritySettings& own = scenario.security;
  if (section.path != "security") {
    return false;
  }
  const bool is_in_band = own.management == ManagementPlane::kInBand;
  if (!own.encrypts() && !own.filters() && !is_in_band) {
    return true;
  }
  return (key.name.starts_with("encryption_") && !own.encrypts()) ||
         (key.name.starts_with("firewall_") && !own.filters()) ||
         (key.name.starts_with("management_") && !is_in_band) ||
         ((key.name == "buffer" || key.name == "overflow") && !own.encrypts() && !own.filters());
}

// Of hosts without stages only the profile means anything, of others sockets only with TCP; profiles of Ultra Ethernet
// are of its family alone.
bool means_nothing(const Section& section, const Key& key, const Scenario& scenario) {
  const bool staged = scenario.devices.host.model == HostModel::kStages;
  return is_of_other_protection(section, key, scenario) ||
         (section.path == "host" && !staged && key.name != "profile") ||
         (section.path == "sockets" && (!staged || !has_sockets(scenario))) ||
         (section.path == "fabric" && key.name == "uet" && engine_of(scenario.fabric.family) != FamilyEngine::kUet) ||
         (section.path == "keys" && scenario.attacks.empty() && scenario.keys == KeySettings{}) ||
         (section.path == "subnet" && key.name != "start" && !asks_manager(scenario)) ||
         (section.path == "subnet" && key.name == "start" && !is_infiniband(scenario.fabric.family)) ||
         (section.path == "scale_up" && scenario.scale_up.kind == ScaleUpKind::kNone && key.name != "entry");
}

// Parts for rates that no link of the scenario has.
bool is_of_other_rate(const KeyAt& at, const Scenario& scenario) {
  if (at.section->path != "cabling" || scenario.topology.kind == TopologyKind::kFile || !scenario.overrides.empty()) {
    return false;
  }
  return std::ranges::none_of(scenario.devices.links,
                              [&](const LinkSettings& link) { return cabling_class(link.rate) == at.index; });
}

class Lister {
 public:
  Lister(const Scenario& scenario, Listing listing)
      : scenario_(scenario), values_(scenario), relevant_(listing == Listing::kRelevant) {}

  std::vector<ListedValue> list() {
    for (const auto& section : sections()) {
      if (!relevant_ ||
          (!is_of_other_family(section, scenario_.fabric.family) && !is_of_other_algorithm(section, scenario_))) {
        add(section);
      }
    }
    return std::move(rows_);
  }

 private:
  void add(const Section& section) {
    switch (section.shape) {
      case SectionShape::kTable:
        add_table(section, std::nullopt);
        return;
      case SectionShape::kGroup:
        add_group(section);
        return;
      case SectionShape::kList:
        for (std::size_t i = 0; i < section.size(values_); ++i) {
          add_table(section, i);
        }
        return;
    }
  }

  void add_table(const Section& section, std::optional<std::size_t> index) {
    for (const auto& key : section.keys) {
      const KeyAt at{.section = &section, .key = &key, .index = index};
      if (!relevant_ || (applies(at) && !means_nothing(section, key, scenario_))) {
        rows_.push_back(row(at));
      }
    }
  }

  // The most common value stands for the group, and the tables that differ follow it.
  void add_group(const Section& section) {
    for (const auto& key : section.keys) {
      std::vector<ListedValue> all;
      for (const auto& at : expand({.section = &section, .key = &key, .index = std::nullopt})) {
        if (!relevant_ || !is_of_other_rate(at, scenario_)) {
          all.push_back(row(at));
        }
      }
      if (relevant_) {
        fold(section, key, all);
      }
      rows_.insert(rows_.end(), all.begin(), all.end());
    }
  }

  static void fold(const Section& section, const Key& key, std::vector<ListedValue>& all) {
    const auto agrees_with = [](const ListedValue& a) {
      return [&a](const ListedValue& b) { return a.value == b.value && a.source.text == b.source.text; };
    };
    const ListedValue* common = &all.front();
    for (const auto& row : all) {
      if (std::ranges::count_if(all, agrees_with(row)) > std::ranges::count_if(all, agrees_with(*common))) {
        common = &row;
      }
    }
    if (std::ranges::count_if(all, agrees_with(*common)) < 2) {
      return;
    }
    auto folded = *common;
    std::erase_if(all, agrees_with(ListedValue(folded)));
    folded.path = fmt::format("{}.*.{}", section.path, key.name);
    all.insert(all.begin(), std::move(folded));
  }

  [[nodiscard]] bool applies(const KeyAt& at) {
    if (at.key->only_for.empty()) {
      return true;
    }
    const KeyAt selecting{.section = at.section, .key = selecting_key_of(*at.section, *at.key), .index = at.index};
    return has_word(at.key->only_for, value_text(selecting, target_of(values_)));
  }

  [[nodiscard]] ListedValue row(const KeyAt& at) {
    auto path = path_of(at);
    // Lists that weft itself has made longer, for a probe, have no source.
    const auto known = scenario_.sources.find(path);
    auto source = known != scenario_.sources.end()
                      ? known->second
                      : ValueSource{.origin = Origin::kDerived, .text = "derived: added by weft"};
    return {.path = std::move(path), .value = value_text(at, target_of(values_)), .source = std::move(source)};
  }

  const Scenario& scenario_;
  Scenario values_;  // bindings take what they may write to
  bool relevant_;
  std::vector<ListedValue> rows_;
};

std::string shown(const std::string& value) { return value.empty() ? "-" : value; }

}  // namespace

std::vector<ListedValue> list_values(const Scenario& scenario, Listing listing) {
  return Lister(scenario, listing).list();
}

std::string override_title(const DeviceOverride& override) {
  std::string title = fmt::format("'{}'", override.select);
  if (override.select_rate) {
    title += fmt::format(", links of {}", *override.select_rate);
  }
  if (override.select_tier) {
    title += fmt::format(", tier {}", word_of(*override.select_tier));
  }
  return title;
}

std::string listing_text(const Scenario& scenario, LineWidth width) {
  return listing_text(list_values(scenario, Listing::kRelevant), scenario, width);
}

std::string listing_text(std::span<const ListedValue> rows, const Scenario& scenario, LineWidth width) {
  constexpr std::size_t kWidest = 32;
  std::size_t widest_path = 0;
  std::size_t widest_value = 0;
  for (const auto& row : rows) {
    widest_path = std::max(widest_path, row.path.size());
    widest_value = std::max(widest_value, shown(row.value).size());
  }
  TextTable table({{.spills = widest_path, .wraps = true},
                   {.spills = std::min(kWidest, widest_value), .wraps = true},
                   {.wraps = true}},
                  width);
  std::string_view section = "\n";
  for (const auto& row : rows) {
    const auto first = std::string_view(row.path).substr(0, row.path.find_first_of(".["));
    const auto here = row.path.find('.') == std::string::npos ? std::string_view() : first;
    if (here != section && section != "\n") {
      table.add_span("");
    }
    section = here;
    table.add({row.path, shown(row.value), row.source.text});
  }
  if (!scenario.left_out.empty()) {
    table.add_span("");
    table.add_span(left_out_text(scenario));
  }
  for (const auto& override : scenario.overrides) {
    table.add_span("");
    table.add_span(fmt::format("override of {}", override_title(override)));
    for (const auto& assignment : override.assignments) {
      table.add({assignment.path, shown(assignment.text), assignment.place});
    }
  }
  return table.text();
}

}  // namespace weft::study::scenario
