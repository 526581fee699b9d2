#include "study/scenario/catalogue.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/nearest_word.h"
#include "study/scenario/apply.h"
#include "study/scenario/catalogue_text.h"
#include "study/scenario/congestion/congestion_table.h"
#include "study/scenario/table_walk.h"
#include "study/scenario/value_codec.h"

namespace weft::study::scenario {
namespace {

constexpr std::array<std::string_view, 4> kMarks = {"specified", "measured", "calibrated", "guess"};
constexpr std::array<std::string_view, 25> kPlainKinds = {
    "family",       "tuning",       "switch",        "nic",      "link",
    "qos",          "pfc",          "ecn",           "host",     "pcie",
    "reduction",    "scale_up",     "collectives",   "cabling",  "adaptive_routing",
    "uet",          "scheme",       "failure_rates", "library",  "tunable_low",
    "tunable_high", "tunable_word", "encryption",    "firewall", "subnet_manager"};

/// With those of congestion controls.
const std::vector<std::string_view>& entry_kinds() {
  static const std::vector<std::string_view> kKinds = [] {
    std::vector<std::string_view> all(kPlainKinds.begin(), kPlainKinds.end());
    for (const CongestionEntry& entry : congestion_table()) {
      if (!entry.section.empty()) {
        all.push_back(entry.section);
      }
    }
    return all;
  }();
  return kKinds;
}

// Not made of keys of a scenario: study/model_catalogue.h reads them.
constexpr std::array<std::string_view, 2> kKindsElsewhere = {"model", "gpu"};

// Entries choose others in one direction only, so that no two can choose each other: no entry chooses a family, a
// tuning or a scheme.
bool may_choose(std::string_view kind, std::string_view chosen) {
  const bool of_network = kind == "family" || kind == "tuning" || kind == "scheme";
  return chosen.empty() || (of_network && chosen != "tuning" && chosen != "scheme") ||
         (kind == "host" && chosen == "pcie") || kind == "tunable_word";  // which no key chooses
}

class EntryReader {
 public:
  EntryReader(std::string_view file, CatalogueEntry& entry) : file_(file), entry_(entry) {}

  Result<void> read(const RawTable& table) {
    const WalkRules rules{.file = file_, .allows = is_no_list, .where = "the catalogue"};
    return walk(
        table, "", rules, [this](const KeyAt& at, const RawEntry& raw) { return value(at, raw); },
        [this](std::string_view path, const RawEntry& raw) -> Result<bool> {
          if (!path.empty()) {
            return false;
          }
          return about(raw);
        });
  }

 private:
  tl::unexpected<Error> fail_at(Place place, std::string_view message) const {
    return tl::unexpected<Error>(Error{std::string(message)}.at(place_text(file_, place)));
  }

  Result<bool> about(const RawEntry& raw) {
    if (std::string* const described = description(raw.key); described != nullptr) {
      const auto* text = std::get_if<std::string>(&raw.value.content);
      if (text == nullptr) {
        return fail_at(raw.value.place, fmt::format("{}: expected a text", raw.key));
      }
      *described = *text;
      return true;
    }
    if (raw.key != "families") {
      return false;
    }
    const auto list = Codec<std::vector<Family>>::read(raw.value, Key{});
    if (!list) {
      return fail_at(raw.value.place, fmt::format("families: {}", list.error().message));
    }
    for (const Family family : *list) {
      entry_.families.emplace_back(word_of(family));
    }
    return true;
  }

  /// Where a text about the entry goes; null: the key is none.
  std::string* description(std::string_view key) {
    const bool network = entry_.kind == "family" || entry_.kind == "tuning" || entry_.kind == "scheme";
    if (key == "about") {
      return &entry_.about;
    }
    if (network && key == "stands_for") {
      return &entry_.stands_for;
    }
    if (network && key == "needs_of_nic") {
      return &entry_.needs_of_nic;
    }
    return network && key == "needs_of_switch" ? &entry_.needs_of_switch : nullptr;
  }

  Result<void> value(const KeyAt& at, const RawEntry& raw) {
    const auto* table = std::get_if<RawTable>(&raw.value.content);
    if (table == nullptr) {
      return fail_at(raw.value.place,
                     fmt::format("{}: found {}; expected {{ value, mark, source }}", path_of(at), describe(raw.value)));
    }
    CatalogueValue read{.given = {.at = at, .value = {}, .place = place_text(file_, raw.value.place)}, .source = ""};
    bool has_value = false;
    bool has_mark = false;
    for (const auto& part : *table) {
      if (part.key == "value") {
        read.given.value = part.value;
        has_value = true;
      } else if (part.key == "mark") {
        if (auto marked = mark(part.value, read.mark); !marked) {
          return marked;
        }
        has_mark = true;
      } else if (part.key == "source") {
        const auto* text = std::get_if<std::string>(&part.value.content);
        read.source = text == nullptr ? "" : *text;
      } else {
        constexpr std::array<std::string_view, 3> kParts = {"value", "mark", "source"};
        return fail_at(part.place, unknown_word({.kind = "part", .word = part.key, .valid = kParts}).message);
      }
    }
    if (!has_value || !has_mark || read.source.empty()) {
      return fail_at(raw.value.place, fmt::format("{}: needs a value, a mark and a source", path_of(at)));
    }
    if (!may_choose(entry_.kind, at.key->entry)) {
      return fail_at(raw.value.place, fmt::format("{}: an entry of kind '{}' cannot choose one of kind '{}'",
                                                  path_of(at), entry_.kind, at.key->entry));
    }
    entry_.values.push_back(std::move(read));
    return {};
  }

  Result<void> mark(const RawValue& raw, Mark& mark) {
    const auto* text = std::get_if<std::string>(&raw.content);
    const auto found = text == nullptr ? kMarks.end() : std::ranges::find(kMarks, *text);
    if (found == kMarks.end()) {
      const std::string shown = text == nullptr ? describe(raw) : printable(*text);
      return fail_at(raw.place, unknown_word({.kind = "mark", .word = shown, .valid = kMarks}).message);
    }
    mark = static_cast<Mark>(found - kMarks.begin());
    return {};
  }

  std::string_view file_;
  CatalogueEntry& entry_;
};

// Tries every value, so that a wrong one is found when the catalogue is loaded and not when it is used.
Result<void> try_values(CatalogueEntry& entry) {
  std::stable_partition(entry.values.begin(), entry.values.end(),
                        [](const CatalogueValue& value) { return !value.given.at.index; });
  Scenario scratch;
  for (const auto& value : entry.values) {
    if (auto applied = apply(value.given, target_of(scratch)); !applied) {
      return applied;
    }
  }
  return {};
}

}  // namespace

std::string_view to_string(Mark mark) { return kMarks.at(static_cast<std::size_t>(mark)); }

bool CatalogueEntry::serves(Family family) const {
  return families.empty() || std::ranges::find(families, word_of(family)) != families.end();
}

Result<Catalogue> Catalogue::read(std::span<const File> files) {
  Catalogue catalogue;
  for (const auto& file : files) {
    if (auto added = catalogue.add(file); !added) {
      return pass_on(added);
    }
  }
  return catalogue;
}

Result<Catalogue> Catalogue::load(const std::optional<std::string>& directory) {
  std::vector<File> files = {{.name = "switches.toml", .text = std::string(switches_catalogue())},
                             {.name = "nics.toml", .text = std::string(nics_catalogue())},
                             {.name = "links.toml", .text = std::string(links_catalogue())},
                             {.name = "cabling.toml", .text = std::string(cabling_catalogue())},
                             {.name = "protocols.toml", .text = std::string(protocols_catalogue())},
                             {.name = "schemes.toml", .text = std::string(schemes_catalogue())},
                             {.name = "hosts.toml", .text = std::string(hosts_catalogue())},
                             {.name = "reduction.toml", .text = std::string(reduction_catalogue())},
                             {.name = "scale_up.toml", .text = std::string(scale_up_catalogue())},
                             {.name = "collectives.toml", .text = std::string(collectives_catalogue())},
                             {.name = "failures.toml", .text = std::string(failures_catalogue())},
                             {.name = "security.toml", .text = std::string(security_catalogue())},
                             {.name = "subnet_managers.toml", .text = std::string(subnet_managers_catalogue())},
                             {.name = "tunables.toml", .text = std::string(tunables_catalogue())}};
  if (!directory) {
    return read(files);
  }
  auto more = read_catalogue_folder(*directory);
  if (!more) {
    return pass_on(more);
  }
  std::ranges::move(*more, std::back_inserter(files));
  Result<Catalogue> all = read(files);
  if (all) {
    all->directory_ = directory;
  }
  return all;
}

Result<void> Catalogue::add(const File& file) {
  auto kinds = read_toml(file.text, file.name);
  if (!kinds) {
    return pass_on(kinds);
  }
  for (const auto& kind : *kinds) {
    if (std::ranges::find(kKindsElsewhere, kind.key) != kKindsElsewhere.end()) {
      continue;
    }
    const auto* names = std::get_if<RawTable>(&kind.value.content);
    if (names == nullptr || std::ranges::find(entry_kinds(), kind.key) == entry_kinds().end()) {
      const auto shown = printable(kind.key);
      return tl::unexpected<Error>(unknown_word({.kind = "kind of entry", .word = shown, .valid = entry_kinds()})
                                       .at(place_text(file.name, kind.place)));
    }
    for (const auto& named : *names) {
      const auto* table = std::get_if<RawTable>(&named.value.content);
      if (table == nullptr) {
        return fail("{}: found {}; expected a table", place_text(file.name, named.place), describe(named.value));
      }
      CatalogueEntry entry;
      entry.kind = kind.key;
      entry.name = named.key;
      entry.place = place_text(file.name, named.place);
      if (auto done = EntryReader(file.name, entry).read(*table); !done) {
        return done;
      }
      if (auto done = try_values(entry); !done) {
        return done;
      }
      put(std::move(entry));
    }
  }
  return {};
}

void Catalogue::put(CatalogueEntry entry) {
  const auto same = std::ranges::find_if(
      entries_, [&](const CatalogueEntry& old) { return old.kind == entry.kind && old.name == entry.name; });
  if (same == entries_.end()) {
    entries_.push_back(std::move(entry));
  } else {
    *same = std::move(entry);
  }
}

std::vector<std::string_view> Catalogue::names(std::string_view kind, std::optional<Family> family) const {
  std::vector<std::string_view> names;
  for (const auto& entry : entries_) {
    if (entry.kind == kind && (!family || entry.serves(*family))) {
      names.push_back(entry.name);
    }
  }
  return names;
}

Result<const CatalogueEntry*> Catalogue::find(std::string_view kind, std::string_view name) const {
  for (const auto& entry : entries_) {
    if (entry.kind == kind && entry.name == name) {
      return &entry;
    }
  }
  const auto valid = names(kind);
  const auto described = fmt::format("{} of the catalogue", kind);
  const auto shown = printable(name);
  return tl::unexpected<Error>(unknown_word({.kind = described, .word = shown, .valid = valid}));
}

Result<std::vector<Catalogue::File>> read_catalogue_folder(const std::string& directory) {
  std::error_code error;
  std::vector<std::string> paths;
  for (auto item = std::filesystem::directory_iterator(directory, error);
       !error && item != std::filesystem::directory_iterator(); item.increment(error)) {
    if (item->path().extension() == ".toml") {
      paths.push_back(item->path().string());
    }
  }
  if (error) {
    return fail("catalogue folder {}: {}", directory, error.message());
  }
  std::ranges::sort(paths);
  std::vector<Catalogue::File> files;
  for (const auto& path : paths) {
    auto text = read_file(path);
    if (!text) {
      return pass_on(text);
    }
    files.push_back({.name = path, .text = *std::move(text)});
  }
  return files;
}

}  // namespace weft::study::scenario
