// Records as JSON objects, from their tables (study/results/record_table.h).
//
// Times and durations are seconds, sizes bytes, rates bits per second. What does not exist is left out.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "study/results/record_table.h"

namespace weft::study::results {

/// Adds the members that a row of the table has in JSON; `row` is of the table's type. `names`: where the names are
/// that stand in place of numbers; null for a record without such.
void add_fields(nlohmann::ordered_json& json, const RecordTable& table, const void* row,
                const RunResults* names = nullptr);

/// An object with these members.
[[nodiscard]] nlohmann::ordered_json record_json(const RecordTable& table, const void* row,
                                                 const RunResults* names = nullptr);

}  // namespace weft::study::results
