// What a file gives: values for keys, not yet applied, each with the place it stands at.
//
// Reading finds the key of every value and refuses unknown ones; the value itself is checked when it is applied.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "study/scenario/key_table.h"
#include "study/scenario/raw_value.h"

namespace weft::study::scenario {

struct Given {
  KeyAt at;
  RawValue value;
  std::string place;  // "incast.toml:7:10", "--set switch.buffer"
};

/// One [[override]].
struct GivenOverride {
  std::string select;
  std::string place;
  std::optional<Rate> rate{};  // select_rate
  std::optional<LinkTier> tier{};
  std::vector<Given> values;
};

/// The values of one layer: a file, a [[case]], or the command line.
struct GivenLayer {
  std::vector<Given> values;  // those for all tables of a group before those for one of them
  /// How many elements each list of tables has, by section; lists that are not there keep those of the layer below.
  std::map<std::string_view, std::size_t> lists;
  std::map<std::string_view, std::vector<std::string>> list_places;  // of their elements
  std::optional<std::vector<GivenOverride>> overrides;
};

struct GivenCase {
  std::string name;
  std::string place;
  GivenLayer layer;
};

struct GivenDocument {
  GivenLayer layer;
  std::vector<GivenCase> cases;
};

/// Errors are "file:line:column: ..." with the nearest valid key.
[[nodiscard]] Result<GivenDocument> read_document(std::string_view text, std::string_view file);

/// The key at "switch.buffer", "ethernet.priority.3.alpha" or "traffic[0].size". Errors suggest the nearest.
[[nodiscard]] Result<KeyAt> find_path(std::string_view path);

/// "switch.buffer=8 MiB" from a command line, added to a layer.
[[nodiscard]] Result<void> add_setting(GivenLayer& layer, std::string_view setting);

/// "file:line:column".
[[nodiscard]] std::string place_text(std::string_view file, Place place);

}  // namespace weft::study::scenario
