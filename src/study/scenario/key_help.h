// What `weft help KEY` says of a scenario's keys: looked up by a path, with an example that a file may hold.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "study/scenario/catalogue.h"
#include "study/scenario/key_table.h"

namespace weft::study::scenario {

struct KeyExample {
  std::string value;   // as TOML: "\"400 Gbps\"", "8"
  std::string source;  // "switch tomahawk-5": the entry of the catalogue that has this value; empty: none
};

/// A value that the key takes and that is no default where there is another: the key's own example, else that of the
/// first entry that sets it, else one made of its type.
[[nodiscard]] KeyExample example_of(const KeyAt& at, const Catalogue& catalogue);

/// "ps, ns, us, ms, s" for a key whose type has units; empty for others.
[[nodiscard]] std::string units_of(const Key& key);

/// The keys that `path` may stand for: "link.rate", "job.tp", "job[0].tp", "link.leaf.rate", "[link] rate", or a key's
/// name alone ("dp"), of which there may be several. Empty: none.
[[nodiscard]] std::vector<KeyAt> keys_called(std::string_view path);

/// The section of "job", "[[job]]", "[link]", "link.leaf"; null: none.
[[nodiscard]] const Section* section_called(std::string_view path);

/// The path without an index: "job.tp".
[[nodiscard]] std::string general_path(const KeyAt& at);

/// At most `limit` paths that may have been meant: the nearest of the section first, then of all.
[[nodiscard]] std::vector<std::string> nearest_keys(std::string_view path, std::size_t limit);

}  // namespace weft::study::scenario
