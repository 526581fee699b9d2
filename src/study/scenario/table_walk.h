// Walks nested tables of a document and finds the key that each value belongs to.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "study/scenario/key_table.h"
#include "study/scenario/raw_value.h"

namespace weft::study::scenario {

/// A table that keys stand in: a section, one table of a group, or one element of a list.
struct TableAt {
  const Section* section = nullptr;
  std::optional<std::size_t> index;
};

/// "switch", "ethernet.priority", "ethernet.priority.3", "traffic[0]", ""; none if there is no such table.
[[nodiscard]] std::optional<TableAt> find_table(std::string_view path);

/// The error for `name` in a table that has no such key: the nearest key or table, or the table that has the key.
[[nodiscard]] Error unknown_key(std::string_view table, std::string_view name);

struct WalkRules {
  std::string_view file;
  /// Whether keys of a section may stand here, and what to say if not.
  bool (*allows)(const Section& section) = nullptr;
  std::string_view where;  // "an [[override]]"
};

/// Called for each value that has a key; `path` is that of its table.
using OnKey = std::function<Result<void>(const KeyAt& at, const RawEntry& entry)>;
/// Called for each other entry that is not a table of the scenario; returns whether it knew it.
using OnOther = std::function<Result<bool>(std::string_view path, const RawEntry& entry)>;

/// Visits everything below `table`, which stands at `path`, in the order of the file. Errors have their place.
[[nodiscard]] Result<void> walk(const RawTable& table, const std::string& path, const WalkRules& rules,
                                const OnKey& on_key, const OnOther& on_other);

}  // namespace weft::study::scenario
