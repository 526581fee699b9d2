// What is said of a key and of its section, for the reference in docs/scenario.md and for `weft help KEY`.
#pragma once

#include <string>

#include "study/scenario/catalogue.h"
#include "study/scenario/key_table.h"

namespace weft::study::scenario {

/// "[switch]", "[link], [link.X]", "[[job]]", "Before the first table": the heading of docs/scenario.md.
[[nodiscard]] std::string heading_of(const Section& section);

/// "`equal`", "empty", "required", "catalogue: switch; else `auto`".
[[nodiscard]] std::string default_text(const Key& key, const Catalogue& catalogue);

/// "kind leaf-spine, dragonfly-plus": what the key is for alone; empty: everything. Without the selecting key's name
/// where it is the section's.
[[nodiscard]] std::string only_for_text(const Key& key);

}  // namespace weft::study::scenario
