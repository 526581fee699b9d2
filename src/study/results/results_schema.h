// The SQLite schema of a results file, from the tables of records (study/results/record_table.h).
//
// The run's key is the first column of every table, so that files merge row by row. A column that is removed, or that
// changes its meaning, raises the number of the format; one that is added does not.
#pragma once

#include <string>

#include "study/results/record_table.h"

namespace weft::study::results {

inline constexpr int kResultsFormat = 7;           // PRAGMA user_version
inline constexpr int kResultsFileId = 0x77656674;  // PRAGMA application_id: "weft"

/// "run, port, lane".
[[nodiscard]] std::string primary_key(const RecordTable& table);
/// The run's key included.
[[nodiscard]] std::size_t column_count(const RecordTable& table);
/// "CREATE TABLE ...".
[[nodiscard]] std::string create_statement(const RecordTable& table);
/// "INSERT INTO name VALUES (?, ...)".
[[nodiscard]] std::string insert_statement(const RecordTable& table);

}  // namespace weft::study::results
