// What `weft help KEY` prints of a key of the scenario file, and of a table of it.
#pragma once

#include <cstddef>
#include <string>

#include "study/scenario/catalogue.h"
#include "study/scenario/key_table.h"

namespace weft::cli {

/// Meaning, values, unit, range, default, example and where it is documented, in lines of at most `columns`.
[[nodiscard]] std::string key_page(const study::scenario::KeyAt& at, const study::scenario::Catalogue& catalogue,
                                   std::size_t columns);

/// What the table is for, and its keys in a line or two each.
[[nodiscard]] std::string section_page(const study::scenario::Section& section, std::size_t columns);

}  // namespace weft::cli
