#include "study/scenario/scenario_resolve.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "study/scenario/apply.h"
#include "study/scenario/congestion/congestion_table.h"
#include "study/scenario/fail_at.h"
#include "study/scenario/first_entries.h"
#include "study/scenario/optional_traffic.h"
#include "study/scenario/scenario_derive.h"
#include "study/scenario/scenario_models.h"
#include "study/scenario/scenario_validate.h"
#include "study/scenario/value_codec.h"

namespace weft::study::scenario {
namespace {

class Resolver {
 public:
  Resolver(std::span<const ResolveLayer> layers, const std::string& file) : layers_(layers) { scenario_.file = file; }

  /// Values of packages are stronger than those of other entries, those of a later one than those of an earlier. Named
  /// by a case or on the command line, a package is also stronger than what the file itself says: a fabric that is
  /// asked for by its name has its settings.
  Result<Scenario> run(std::span<const CatalogueEntry* const> entries, std::span<const Package> packages) {
    set_defaults();
    for (const auto* entry : entries) {
      set_entry(*entry);
    }
    for (const Package& package : packages) {
      if (package.named_by <= Origin::kFile) {
        set_entry(*package.entry);
      }
    }
    if (auto done = set_lists(); !done) {
      return pass_on(done);
    }
    bool over_the_file = false;
    for (const auto& layer : layers_) {
      if (layer.origin > Origin::kFile && !std::exchange(over_the_file, true)) {
        for (const Package& package : packages) {
          if (package.named_by > Origin::kFile) {
            set_entry(*package.entry);
          }
        }
      }
      if (auto done = set_layer(layer); !done) {
        return pass_on(done);
      }
    }
    if (auto done = check_required(); !done) {
      return pass_on(done);
    }
    return std::move(scenario_);
  }

  /// Each value by itself, those of overrides too.
  Result<void> try_values() {
    set_defaults();
    if (auto done = set_lists(); !done) {
      return done;
    }
    for (const auto& layer : layers_) {
      if (auto done = set_layer(layer); !done) {
        return done;
      }
      for (std::size_t i = 0; layer.layer->overrides && i < layer.layer->overrides->size(); ++i) {
        for (const auto& value : (*layer.layer->overrides)[i].values) {
          DeviceSettings scratch = scenario_.devices;
          if (auto done = apply(value, {.scenario = &scenario_, .devices = &scratch}); !done) {
            return done;
          }
        }
      }
    }
    return {};
  }

 private:
  [[nodiscard]] Target target() { return target_of(scenario_); }

  void set_default(const KeyAt& at) {
    if (at.key->fallback == kRequired) {
      return;
    }
    const bool is_text = at.key->binding.type == &Codec<std::string>::type;
    const auto raw =
        is_text ? RawValue{.place = {}, .content = std::string(at.key->fallback)} : read_value(at.key->fallback);
    const auto done = apply({.at = at, .value = raw, .place = "default"}, target(),
                            {.origin = Origin::kDefault, .text = "default"}, scenario_.sources);
    WEFT_ASSERT(done.has_value());
  }

  void set_defaults() {
    for (const auto& section : sections()) {
      if (section.shape != SectionShape::kList) {
        for (const auto& key : section.keys) {
          set_default({.section = &section, .key = &key, .index = std::nullopt});
        }
      }
    }
  }

  // The values were tried when the catalogue was loaded.
  void set_entry(const CatalogueEntry& entry) {
    for (const auto& value : entry.values) {
      const auto text =
          fmt::format("catalogue {}/{} ({}: {})", entry.kind, entry.name, to_string(value.mark), value.source);
      const auto done = apply(value.given, target(), {.origin = Origin::kCatalogue, .text = text, .mark = value.mark},
                              scenario_.sources);
      WEFT_ASSERT(done.has_value());
    }
  }

  // A layer that has a list replaces that of the layers below.
  Result<void> set_lists() {
    for (const auto& section : sections()) {
      if (section.shape != SectionShape::kList) {
        continue;
      }
      std::size_t elements = 0;
      for (std::size_t i = 0; i < layers_.size(); ++i) {
        const auto& lists = layers_[i].layer->lists;
        if (const auto found = lists.find(section.path); found != lists.end()) {
          elements = found->second;
          list_from_[section.path] = i;
        }
      }
      section.resize(scenario_, elements);
      for (std::size_t i = 0; i < elements; ++i) {
        for (const auto& key : section.keys) {
          set_default({.section = &section, .key = &key, .index = i});
        }
      }
    }
    return {};
  }

  Result<void> set_layer(const ResolveLayer& layer) {
    const auto number = static_cast<std::size_t>(&layer - layers_.data());
    for (const auto& given : layer.layer->values) {
      const auto& section = *given.at.section;
      if (section.shape == SectionShape::kList) {
        const auto from = list_from_.find(section.path);
        if (from != list_from_.end() && number < from->second) {
          continue;
        }
        if (*given.at.index >= section.size(scenario_)) {
          return fail("{}: there are {} [[{}]], counted from 0", given.place, section.size(scenario_), section.path);
        }
      }
      if (auto done = apply(given, target(), {.origin = layer.origin, .text = given.place}, scenario_.sources); !done) {
        return done;
      }
    }
    return {};
  }

  Result<void> check_required() {
    for (const auto& section : sections()) {
      const auto elements = section.shape == SectionShape::kList ? section.size(scenario_) : 1;
      for (const auto& key : section.keys) {
        for (std::size_t i = 0; key.fallback == kRequired && i < elements; ++i) {
          KeyAt at{.section = &section, .key = &key, .index = std::nullopt};
          if (section.shape == SectionShape::kList) {
            at.index = i;
          }
          if (!scenario_.sources.contains(path_of(at))) {
            return missing(at);
          }
        }
      }
    }
    return {};
  }

  [[nodiscard]] tl::unexpected<Error> missing(const KeyAt& at) const {
    const auto& section = *at.section;
    const auto place = at.index ? list_place(section, *at.index) : fmt::format("{}:1:1", scenario_.file);
    const auto type = at.key->binding.type(*at.key);
    const auto such = at.key->example.empty() ? "" : fmt::format(", such as {}", at.key->example);
    return fail("{}: {} lacks the key '{}': {}{}", place, title_of(section), at.key->name, type, such);
  }

  // The place of any key that the element has, or of its head.
  [[nodiscard]] std::string list_place(const Section& section, std::size_t index) const {
    for (const auto& layer : layers_) {
      for (const auto& given : layer.layer->values) {
        if (given.at.section == &section && given.at.index == index) {
          return given.place;
        }
      }
    }
    for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {  // the strongest that has the list
      const auto heads = layer->layer->list_places.find(section.path);
      if (heads != layer->layer->list_places.end() && index < heads->second.size()) {
        return heads->second[index];
      }
    }
    return fmt::format("{}:1:1", scenario_.file);
  }

  std::span<const ResolveLayer> layers_;
  Scenario scenario_;
  std::map<std::string_view, std::size_t> list_from_;
};

// Chooses entries for a scenario that was resolved without them.
class EntryChooser {
 public:
  EntryChooser(const Scenario& draft, const Catalogue& catalogue) : draft_(draft), catalogue_(catalogue) {}

  Result<std::vector<const CatalogueEntry*>> choose() {
    const bool equal = draft_.hardware == Hardware::kEqual;
    const std::string neutral = "equal";
    const auto& fabric = draft_.fabric;
    if (auto done = add("link", "fabric.link", equal ? neutral : fabric.link_entry); !done) {
      return pass_on(done);
    }
    if (auto done = add("cabling", "fabric.cabling", equal ? neutral : fabric.cabling_entry); !done) {
      return pass_on(done);
    }
    if (auto done = add("switch", "fabric.switch", equal ? neutral : fabric.switch_entry); !done) {
      return pass_on(done);
    }
    if (auto done = add("nic", "fabric.nic", equal ? neutral : fabric.nic_entry); !done) {
      return pass_on(done);
    }
    if (auto done = add("qos", "fabric.qos", fabric.qos_entry); !done) {
      return pass_on(done);
    }
    if (auto done = add("pfc", "fabric.pfc", fabric.pfc_entry); !done) {
      return pass_on(done);
    }
    if (auto done = add("ecn", "fabric.ecn", fabric.ecn_entry); !done) {
      return pass_on(done);
    }
    if (engine_of(fabric.family) == FamilyEngine::kUet) {
      if (auto done = add("uet", "fabric.uet", fabric.uet_entry); !done) {
        return pass_on(done);
      }
    }
    if (auto done = add("pcie", "host.pcie", pcie_name()); !done) {
      return pass_on(done);
    }
    // After the generation of PCIe, of which it may change a value.
    if (auto done = add("host", "host.profile", draft_.devices.host.profile); !done) {
      return pass_on(done);
    }
    if (auto done = add("collectives", "collectives.profile", draft_.collectives.profile); !done) {
      return pass_on(done);
    }
    if (auto done = add("subnet_manager", "subnet.manager", draft_.subnet.manager); !done) {
      return pass_on(done);
    }
    if (auto done = add("failure_rates", "failures.rates", draft_.failure_rates.rates); !done) {
      return pass_on(done);
    }
    if (auto done = add("library", "library.profile", draft_.library.profile); !done) {
      return pass_on(done);
    }
    if (auto done = add_optional_parts(); !done) {
      return pass_on(done);
    }
    if (auto done = add("scale_up", "scale_up.entry", draft_.scale_up.entry); !done) {
      return pass_on(done);
    }
    if (!hashes_flows(draft_.routing.policy) && draft_.routing.policy != RoutingPolicy::kSpray &&
        draft_.routing.policy != RoutingPolicy::kLft && draft_.routing.policy != RoutingPolicy::kDimensionOrder &&
        draft_.routing.policy != RoutingPolicy::kPinned) {
      if (auto done = add("adaptive_routing", "routing.profile", routing_name()); !done) {
        return pass_on(done);
      }
    }
    const std::string_view kind = entry_of(draft_.congestion.algorithm).section;
    if (!kind.empty()) {
      if (auto done = add(kind, "congestion_control.profile", profile_of(draft_)); !done) {
        return pass_on(done);
      }
    }
    return std::move(entries_);
  }

 private:
  // What a network need not have.
  Result<void> add_optional_parts() {
    const SecuritySettings& security = draft_.security;
    if (draft_.reduction.enabled) {
      if (auto done = add("reduction", "reduction.entry", draft_.reduction.entry); !done) {
        return done;
      }
    }
    if (security.encrypts()) {
      if (auto done = add("encryption", "security.encryption", security.encryption); !done) {
        return done;
      }
    }
    return security.filters() ? add("firewall", "security.firewall", security.firewall) : Result<void>();
  }

  [[nodiscard]] std::string routing_name() const {
    if (!draft_.routing.profile.empty()) {
      return draft_.routing.profile;
    }
    if (draft_.routing.policy != RoutingPolicy::kAdaptive) {
      return std::string(word_of(draft_.routing.policy));
    }
    const bool of_switch =
        draft_.hardware != Hardware::kEqual && catalogue_.find("adaptive_routing", draft_.fabric.switch_entry);
    return of_switch ? draft_.fabric.switch_entry : "generic";
  }

  // The profile of the hosts names a generation, which the scenario may change.
  [[nodiscard]] std::string pcie_name() const {
    const auto profile = catalogue_.find("host", draft_.devices.host.profile);
    if (profile && draft_.sources.at("host.pcie").origin < Origin::kFile) {
      for (const auto& value : (*profile)->values) {
        if (const auto* name = std::get_if<std::string>(&value.given.value.content);
            name != nullptr && path_of(value.given.at) == "host.pcie") {
          return *name;
        }
      }
    }
    return draft_.devices.host.pcie;
  }

  Result<void> add(std::string_view kind, const std::string& path, const std::string& name) {
    auto entry = catalogue_.find(kind, name);
    if (!entry) {
      return fail("{}: {}", key_at(source_place(draft_, path), path), entry.error().message);
    }
    if (!(*entry)->serves(draft_.fabric.family)) {
      return fail("{}: '{}' does not serve {}; one of {}", key_at(source_place(draft_, path), path), name,
                  word_of(draft_.fabric.family), fmt::join(catalogue_.names(kind, draft_.fabric.family), ", "));
    }
    entries_.push_back(*entry);
    return {};
  }

  const Scenario& draft_;
  const Catalogue& catalogue_;
  std::vector<const CatalogueEntry*> entries_;
};

Result<void> add_override(const GivenOverride& given, Scenario& scenario) {
  DeviceOverride override{.select = given.select,
                          .place = given.place,
                          .assignments = {},
                          .select_rate = given.rate,
                          .select_tier = given.tier};
  DeviceSettings settings = scenario.devices;
  const Target devices{.scenario = nullptr, .devices = &settings};
  std::set<std::string> paths;
  for (const auto& value : given.values) {
    if (!value.at.key->entry.empty()) {
      return fail("{}: {}: is set for all devices; an override can change single values only", value.place,
                  path_of(value.at));
    }
    if (override.by_link() && (value.at.key->scope == Scope::kDevice || value.at.section->path == "link")) {
      return fail("{}: {}: select_rate and select_tier select ports by their link; this key belongs to {}", value.place,
                  path_of(value.at), value.at.key->scope == Scope::kDevice ? "a whole device" : "the links themselves");
    }
    if (auto done = apply(value, devices); !done) {
      return done;
    }
    for (const auto& at : expand(value.at)) {
      paths.insert(path_of(at));
      override.assignments.push_back({.path = path_of(at), .text = value_text(at, devices), .place = value.place});
    }
  }
  if (!override.by_link()) {
    derive(override, settings, paths, scenario);
  }
  if (auto checked = validate_devices(settings, given.place); !checked) {
    return checked;
  }
  scenario.overrides.push_back(std::move(override));
  return {};
}

// The strongest layer that has overrides replaces those of the others.
Result<void> add_overrides(std::span<const ResolveLayer> layers, Scenario& scenario) {
  const std::vector<GivenOverride>* overrides = nullptr;
  for (const auto& layer : layers) {
    if (layer.layer->overrides) {
      overrides = &*layer.layer->overrides;
    }
  }
  for (std::size_t i = 0; overrides != nullptr && i < overrides->size(); ++i) {
    if (auto done = add_override((*overrides)[i], scenario); !done) {
      return done;
    }
  }
  return {};
}

}  // namespace

Result<Scenario> resolve(std::span<const ResolveLayer> layers, const std::string& file, const Catalogue& catalogue) {
  auto first = first_entries(layers, file, catalogue);
  if (!first) {
    return pass_on(first);
  }
  std::vector<const CatalogueEntry*> entries = {first->family};
  auto draft = Resolver(layers, file).run(entries, first->packages);
  if (!draft) {
    return draft;
  }
  if (auto checked = validate_protocols(*draft); !checked) {
    return pass_on(checked);
  }
  auto chosen = EntryChooser(*draft, catalogue).choose();
  if (!chosen) {
    return pass_on(chosen);
  }
  entries.insert(entries.end(), chosen->begin(), chosen->end());
  auto scenario = Resolver(layers, file).run(entries, first->packages);
  if (!scenario) {
    return scenario;
  }
  derive(*scenario);
  if (auto checked = check_applies(layers, *scenario); !checked) {
    return pass_on(checked);
  }
  leave_out_traffic(*scenario);
  if (auto checked = validate(*scenario); !checked) {
    return pass_on(checked);
  }
  if (auto done = fill_in_models(*scenario, catalogue); !done) {
    return pass_on(done);
  }
  if (auto done = add_overrides(layers, *scenario); !done) {
    return pass_on(done);
  }
  return scenario;
}

Result<void> check_given(std::span<const ResolveLayer> layers, const std::string& file) {
  return Resolver(layers, file).try_values();
}

}  // namespace weft::study::scenario
