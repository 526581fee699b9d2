#include "study/scenario/first_entries.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <optional>
#include <string_view>

#include "base/assert.h"
#include "study/scenario/apply.h"
#include "study/scenario/fail_at.h"
#include "study/scenario/value_codec.h"

namespace weft::study::scenario {
namespace {

struct FromLayer {
  Given given;
  Origin origin;
};

// The value of a key from the strongest layer that gives one.
std::optional<FromLayer> strongest(std::span<const ResolveLayer> layers, const KeyAt& key) {
  std::optional<FromLayer> found;
  for (const auto& layer : layers) {
    for (const auto& value : layer.layer->values) {
      if (value.at.key == key.key) {
        found = FromLayer{.given = value, .origin = layer.origin};
      }
    }
  }
  return found;
}

KeyAt key_of(std::string_view path) {
  const auto found = find_path(path);
  WEFT_ASSERT(found.has_value());
  return *found;
}

struct Choice {
  std::string_view path;  // of the key that names the entry
  std::string_view kind;
  std::string& (*name)(Scenario&);
};
constexpr std::array<Choice, 2> kChoices = {
    Choice{.path = "fabric.tuning",
           .kind = "tuning",
           .name = [](Scenario& scenario) -> std::string& { return scenario.fabric.tuning_entry; }},
    Choice{.path = "routing.scheme", .kind = "scheme", .name = [](Scenario& scenario) -> std::string& {
             return scenario.routing.scheme;
           }}};

// An entry that is null: as family and tuning say.
Result<Package> package_of(std::span<const ResolveLayer> layers, const Choice& choice, Family family,
                           const Catalogue& catalogue) {
  const KeyAt key = key_of(choice.path);
  const std::optional<FromLayer> named = strongest(layers, key);
  if (!named) {
    return Package{};
  }
  Scenario scratch;
  if (auto done = apply(named->given, target_of(scratch)); !done) {
    return pass_on(done);
  }
  const std::string& name = choice.name(scratch);
  if (name == key.key->fallback) {
    return Package{};
  }
  const auto entry = catalogue.find(choice.kind, name);
  if (!entry) {
    return fail("{}: {}", named->given.place, entry.error().message);
  }
  if (!(*entry)->serves(family)) {
    return fail("{}: '{}' does not serve {}; one of {}, {}", key_at(named->given.place, choice.path), name,
                word_of(family), key.key->fallback, fmt::join(catalogue.names(choice.kind, family), ", "));
  }
  return Package{.entry = *entry, .named_by = named->origin};
}

}  // namespace

Result<FirstEntries> first_entries(std::span<const ResolveLayer> layers, const std::string& file,
                                   const Catalogue& catalogue) {
  const KeyAt key = key_of("fabric.family");
  const auto given = strongest(layers, key);
  if (!given) {
    return fail("{}:1:1: [fabric] lacks the key 'family': {}", file, key.key->binding.type(*key.key));
  }
  Scenario scratch;
  if (auto done = apply(given->given, target_of(scratch)); !done) {
    return pass_on(done);
  }
  const Family family = scratch.fabric.family;
  const auto entry = catalogue.find("family", word_of(family));
  if (!entry) {
    return fail("{}: {}", given->given.place, entry.error().message);
  }
  FirstEntries first{.family = *entry};
  for (const Choice& choice : kChoices) {
    Result<Package> package = package_of(layers, choice, family, catalogue);
    if (!package) {
      return pass_on(package);
    }
    if (package->entry != nullptr) {
      first.packages.push_back(*package);
    }
  }
  return first;
}

}  // namespace weft::study::scenario
