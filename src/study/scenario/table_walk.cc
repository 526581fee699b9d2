#include "study/scenario/table_walk.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <vector>

#include "base/nearest_word.h"
#include "study/scenario/given.h"

namespace weft::study::scenario {
namespace {

std::optional<TableAt> find_element(std::string_view path) {
  const auto open = path.find('[');
  if (open == std::string_view::npos || !path.ends_with(']')) {
    return std::nullopt;
  }
  const auto* section = find_section(path.substr(0, open));
  std::size_t index = 0;
  const char* const last = path.data() + path.size() - 1;
  const auto [end, error] = std::from_chars(path.data() + open + 1, last, index);
  if (section == nullptr || section->shape != SectionShape::kList || error != std::errc() || end != last) {
    return std::nullopt;
  }
  return TableAt{.section = section, .index = index};
}

std::optional<TableAt> find_group_table(std::string_view path) {
  const auto dot = path.rfind('.');
  const auto* section = dot == std::string_view::npos ? nullptr : find_section(path.substr(0, dot));
  if (section == nullptr || section->shape != SectionShape::kGroup) {
    return std::nullopt;
  }
  const auto found = std::ranges::find(section->group, path.substr(dot + 1));
  if (found == section->group.end()) {
    return std::nullopt;
  }
  return TableAt{.section = section, .index = static_cast<std::size_t>(found - section->group.begin())};
}

// "ethernet.priority" lies below "ethernet", and "ethernet" below "".
bool lies_below(std::string_view path, std::string_view table) {
  return table.empty() ? !path.empty()
                       : path.size() > table.size() && path.starts_with(table) && path[table.size()] == '.';
}

// The names of tables directly below `table`.
std::set<std::string_view> tables_below(std::string_view table) {
  std::set<std::string_view> names;
  for (const auto& section : sections()) {
    if (lies_below(section.path, table)) {
      const auto rest = section.path.substr(table.empty() ? 0 : table.size() + 1);
      names.insert(rest.substr(0, rest.find('.')));
    }
    if (section.path == table) {
      names.insert(section.group.begin(), section.group.end());
    }
  }
  if (table.empty()) {
    names.insert({"override", "case"});
  }
  return names;
}

std::string joined(std::string_view path, std::string_view name) {
  return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
}

bool is_table_path(const std::string& path) {
  const auto at = find_table(path);
  return (at && at->section->shape != SectionShape::kList) || !tables_below(path).empty();
}

class Walk {
 public:
  Walk(const WalkRules& rules, const OnKey& on_key, const OnOther& on_other)
      : rules_(rules), on_key_(on_key), on_other_(on_other) {}

  Result<void> table(const RawTable& table, const std::string& path) {
    for (const auto& entry : table) {
      if (auto done = this->entry(entry, path); !done) {
        return done;
      }
    }
    return {};
  }

 private:
  [[nodiscard]] tl::unexpected<Error> error_at(const RawEntry& entry, Error error) const {
    return tl::unexpected<Error>(std::move(error).at(place_text(rules_.file, entry.place)));
  }

  Result<void> entry(const RawEntry& entry, const std::string& path) {
    const auto here = find_table(path);
    const auto* key = here ? find_key(*here->section, entry.key) : nullptr;
    if (key != nullptr && rules_.allows(*here->section)) {
      return on_key_(KeyAt{.section = here->section, .key = key, .index = here->index}, entry);
    }
    const auto known = on_other_(path, entry);
    if (!known) {
      return fail("{}", known.error().message);
    }
    if (*known) {
      return {};
    }
    if (key != nullptr) {
      return error_at(entry, Error{fmt::format("'{}' of {} is not allowed in {}", entry.key, title_of(*here->section),
                                               rules_.where)});
    }
    return below(entry, path);
  }

  Result<void> below(const RawEntry& entry, const std::string& path) {
    const auto inner = joined(path, entry.key);
    if (!is_table_path(inner) || entry.key.find('.') != std::string::npos) {
      return error_at(entry, unknown_key(path, entry.key));
    }
    const auto* inner_table = std::get_if<RawTable>(&entry.value.content);
    if (inner_table == nullptr) {
      return error_at(entry, Error{fmt::format("found {}; expected a table [{}]", describe(entry.value), inner)});
    }
    return table(*inner_table, inner);
  }

  const WalkRules& rules_;
  const OnKey& on_key_;
  const OnOther& on_other_;
};

}  // namespace

std::optional<TableAt> find_table(std::string_view path) {
  if (const auto* section = find_section(path)) {
    return TableAt{.section = section, .index = std::nullopt};
  }
  if (const auto element = find_element(path)) {
    return element;
  }
  return find_group_table(path);
}

Error unknown_key(std::string_view table, std::string_view name) {
  const auto here = find_table(table);
  std::vector<std::string_view> valid;
  if (here) {
    std::ranges::transform(here->section->keys, std::back_inserter(valid), &Key::name);
  }
  const auto below = tables_below(table);
  valid.insert(valid.end(), below.begin(), below.end());
  const std::string shown = printable(name);
  const bool is_list = here && here->section->shape == SectionShape::kList;
  const std::string kind =
      table.empty() ? "key" : (is_list ? "key of " + title_of(*here->section) : fmt::format("key of [{}]", table));
  constexpr std::size_t kFew = 12;  // that a message can hold beside the other table
  if (!nearest_word(shown, valid)) {
    for (const auto& section : sections()) {
      if (find_key(section, name) != nullptr) {
        const bool few = !table.empty() && !valid.empty() && valid.size() <= kFew;
        return {fmt::format("unknown {} '{}'; {} has a key of this name{}", kind, shown, title_of(section),
                            few ? fmt::format(", here it is one of {}", fmt::join(valid, ", ")) : "")};
      }
    }
  }
  return unknown_word({.kind = kind, .word = shown, .valid = valid});
}

Result<void> walk(const RawTable& table, const std::string& path, const WalkRules& rules, const OnKey& on_key,
                  const OnOther& on_other) {
  return Walk(rules, on_key, on_other).table(table, path);
}

}  // namespace weft::study::scenario
