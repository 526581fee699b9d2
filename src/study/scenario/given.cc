#include "study/scenario/given.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/nearest_word.h"
#include "study/scenario/key_ranges.h"
#include "study/scenario/table_walk.h"
#include "study/scenario/value_codec.h"

namespace weft::study::scenario {
namespace {

bool is_anywhere(const Section&) { return true; }
bool is_of_devices(const Section& section) { return section.of_devices; }
Result<bool> not_mine(std::string_view, const RawEntry&) { return false; }

// Values for all tables of a group first: a value for one of them is the more particular one.
void sort_values(std::vector<Given>& values) {
  std::stable_partition(values.begin(), values.end(), [](const Given& given) {
    return given.at.section->shape == SectionShape::kGroup && !given.at.index;
  });
}

class DocumentReader {
 public:
  explicit DocumentReader(std::string_view file) : file_(file) {}

  Result<GivenDocument> read(const RawTable& table) {
    GivenDocument document;
    auto layer = read_layer(table, document.layer, [&](std::string_view path, const RawEntry& entry) -> Result<bool> {
      if (!path.empty() || entry.key != "case") {
        return false;
      }
      return read_cases(entry, document.cases).map([] { return true; });
    });
    if (!layer) {
      return pass_on(layer);
    }
    return document;
  }

 private:
  template <class... Args>
  tl::unexpected<Error> fail_at(Place place, fmt::format_string<Args...> format, Args&&... args) {
    Error error{fmt::format(format, std::forward<Args>(args)...)};
    return tl::unexpected<Error>(std::move(error).at(place_text(file_, place)));
  }

  OnKey add_to(std::vector<Given>& values, std::optional<std::size_t> element = std::nullopt) {
    return [this, &values, element](KeyAt at, const RawEntry& entry) -> Result<void> {
      if (element) {
        at.index = element;
      }
      values.push_back({.at = at, .value = entry.value, .place = place_text(file_, entry.value.place)});
      return {};
    };
  }

  // `entry` as a list of tables, each given to `read_one` with its number.
  template <class ReadOne>
  Result<std::size_t> read_list(const RawEntry& entry, ReadOne read_one) {
    const auto* array = std::get_if<RawArray>(&entry.value.content);
    if (array == nullptr) {
      return fail_at(entry.place, "found {}; expected a list of tables [[{}]]", describe(entry.value), entry.key);
    }
    constexpr std::size_t kMost = 100'000;
    if (array->size() > kMost) {
      return fail_at(entry.place, "{} tables [[{}]]; at most {}", array->size(), entry.key, kMost);
    }
    for (std::size_t i = 0; i < array->size(); ++i) {
      const auto& element = (*array)[i];
      const auto* table = std::get_if<RawTable>(&element.content);
      if (table == nullptr) {
        return fail_at(element.place, "found {}; expected a table [[{}]]", describe(element), entry.key);
      }
      if (auto done = read_one(*table, element.place, i); !done) {
        return pass_on(done);
      }
    }
    return array->size();
  }

  Result<void> read_elements(const Section& section, const RawEntry& entry, GivenLayer& layer) {
    const WalkRules rules{.file = file_, .allows = is_anywhere, .where = ""};
    std::vector<std::string>& places = layer.list_places[section.path];
    auto size = read_list(entry, [&](const RawTable& table, Place place, std::size_t i) -> Result<void> {
      places.push_back(place_text(file_, place));
      return walk(table, std::string(section.path), rules, add_to(layer.values, i), not_mine);
    });
    if (!size) {
      return pass_on(size);
    }
    layer.lists[section.path] = *size;
    return {};
  }

  Result<void> read_layer(const RawTable& table, GivenLayer& layer, const OnOther& more) {
    const WalkRules rules{.file = file_, .allows = is_no_list, .where = "is a table; must be a list of tables"};
    const auto other = [&](std::string_view path, const RawEntry& entry) -> Result<bool> {
      const auto* section = path.empty() ? find_section(entry.key) : nullptr;
      if (section != nullptr && section->shape == SectionShape::kList) {
        return read_elements(*section, entry, layer).map([] { return true; });
      }
      if (path.empty() && entry.key == "override") {
        return read_overrides(entry, layer).map([] { return true; });
      }
      return more(path, entry);
    };
    auto walked = walk(table, "", rules, add_to(layer.values), other);
    sort_values(layer.values);
    return walked;
  }

  // The text of `name` in `table`, which is that of an override or a case.
  Result<std::string> required_text(const RawTable& table, Place place, std::string_view name) {
    const auto found = std::ranges::find(table, name, &RawEntry::key);
    if (found == table.end()) {
      return fail_at(place, "missing key '{}'", name);
    }
    const auto* text = std::get_if<std::string>(&found->value.content);
    if (text == nullptr || text->empty()) {
      return fail_at(found->value.place, "{}: found {}; expected a text", name, describe(found->value));
    }
    return printable(*text);
  }

  Result<void> read_overrides(const RawEntry& entry, GivenLayer& layer) {
    layer.overrides.emplace();
    const WalkRules rules{.file = file_, .allows = is_of_devices, .where = "an [[override]]; it is not of one device"};
    const auto other = [](std::string_view path, const RawEntry& inner) -> Result<bool> {
      return path.empty() && std::ranges::count(kSelecting, inner.key) > 0;
    };
    return read_list(entry,
                     [&](const RawTable& table, Place place, std::size_t) -> Result<void> {
                       GivenOverride given{.select = "*", .place = place_text(file_, place), .values = {}};
                       if (auto selected = read_selection(table, place, given); !selected) {
                         return selected;
                       }
                       auto walked = walk(table, "", rules, add_to(given.values), other);
                       sort_values(given.values);
                       layer.overrides->push_back(std::move(given));
                       return walked;
                     })
        .map([](std::size_t) {});
  }

  static Key ranged(KeyRange range) {
    Key key{};
    key.range = range;
    return key;
  }

  static constexpr std::array<std::string_view, 3> kSelecting = {"select", "select_rate", "select_tier"};

  // By name, by the rate and by the tier of a port's link; all that are given must agree, and one must be.
  Result<void> read_selection(const RawTable& table, Place place, GivenOverride& given) {
    const auto entry_of = [&](std::string_view key) {
      const auto found = std::ranges::find(table, key, &RawEntry::key);
      return found == table.end() ? nullptr : &*found;
    };
    if (const RawEntry* rate = entry_of("select_rate"); rate != nullptr) {
      auto read = Codec<Rate>::read(rate->value, ranged(kPortRate));
      if (!read) {
        return fail_at(rate->value.place, "select_rate: {}", read.error().message);
      }
      given.rate = *read;
    }
    if (const RawEntry* tier = entry_of("select_tier"); tier != nullptr) {
      auto read = Codec<LinkTier>::read(tier->value, Key{});
      if (!read) {
        return fail_at(tier->value.place, "select_tier: {}", read.error().message);
      }
      given.tier = *read;
    }
    if (entry_of("select") == nullptr && (given.rate || given.tier)) {
      return {};
    }
    auto select = required_text(table, place, "select");
    if (!select) {
      return pass_on(select);
    }
    given.select = *select;
    return {};
  }

  Result<void> read_cases(const RawEntry& entry, std::vector<GivenCase>& cases) {
    return read_list(entry,
                     [&](RawTable table, Place place, std::size_t) -> Result<void> {
                       auto name = required_text(table, place, "name");
                       if (!name) {
                         return pass_on(name);
                       }
                       if (std::ranges::count(cases, *name, &GivenCase::name) != 0) {
                         return fail_at(place, "a second case '{}'", *name);
                       }
                       // The case's own name is none of the scenario.
                       std::erase_if(table, [](const RawEntry& inner) { return inner.key == "name"; });
                       cases.push_back({.name = *name, .place = place_text(file_, place), .layer = {}});
                       return read_layer(
                           table, cases.back().layer, [this](std::string_view path, const RawEntry& inner) {
                             return path.empty() && inner.key == "case" ? no_case_here(inner) : Result<bool>(false);
                           });
                     })
        .map([](std::size_t) {});
  }

  Result<bool> no_case_here(const RawEntry& entry) { return fail_at(entry.place, "a case cannot hold a [[case]]"); }

  std::string_view file_;
};

}  // namespace

std::string place_text(std::string_view file, Place place) {
  return fmt::format("{}:{}:{}", file, place.line, place.column);
}

Result<GivenDocument> read_document(std::string_view text, std::string_view file) {
  auto table = read_toml(text, file);
  if (!table) {
    return pass_on(table);
  }
  if (table->empty()) {
    return fail("{}:1:1: the file is empty; a scenario needs at least [fabric] and [topology]", file);
  }
  return DocumentReader(file).read(*table);
}

Result<KeyAt> find_path(std::string_view path) {
  const auto dot = path.rfind('.');
  const auto table_path = dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
  const auto name = dot == std::string_view::npos ? path : path.substr(dot + 1);
  const auto table = find_table(table_path);
  if (!table) {
    std::vector<std::string_view> names;
    for (const auto& section : sections()) {
      if (!section.path.empty()) {
        names.push_back(section.path);
      }
    }
    const std::string shown = printable(table_path);
    return tl::unexpected<Error>(unknown_word({.kind = "table", .word = shown, .valid = names}));
  }
  if (table->section->shape == SectionShape::kList && !table->index) {
    return fail("'{}' is a list; give an index, for example {}[0].{}", table_path, table_path, printable(name));
  }
  const auto* key = find_key(*table->section, name);
  if (key == nullptr) {
    return tl::unexpected<Error>(unknown_key(table_path, name));
  }
  return KeyAt{.section = table->section, .key = key, .index = table->index};
}

Result<void> add_setting(GivenLayer& layer, std::string_view setting) {
  const auto equals = setting.find('=');
  if (equals == std::string_view::npos) {
    return fail("--set {}: expected key=value, such as switch.buffer=8MiB", printable(setting));
  }
  const auto trim = [](std::string_view text) {
    const auto first = text.find_first_not_of(' ');
    return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(' ') + 1 - first);
  };
  const auto path = trim(setting.substr(0, equals));
  const auto place = fmt::format("--set {}", printable(path));
  auto at = find_path(path);
  if (!at) {
    return tl::unexpected<Error>(std::move(at.error()).at(place));
  }
  layer.values.push_back({.at = *at, .value = read_value(trim(setting.substr(equals + 1))), .place = place});
  return {};
}

}  // namespace weft::study::scenario
