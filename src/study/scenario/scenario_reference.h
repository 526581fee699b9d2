// The reference of all keys as Markdown, made from the table of keys and the catalogue; part of docs/scenario.md.
#pragma once

#include <string>

#include "study/scenario/catalogue.h"

namespace weft::study::scenario {

/// A heading and a table for each section, then the entries of the catalogue by kind.
[[nodiscard]] std::string scenario_reference(const Catalogue& catalogue);

}  // namespace weft::study::scenario
