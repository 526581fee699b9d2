// The tables of a results file. docs/results.md says what each column means.
//
// The run's key is the first column of every table, so that files merge row by row. A change here raises the number.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace weft::study::results {

inline constexpr int kResultsFormat = 7;           // PRAGMA user_version
inline constexpr int kResultsFileId = 0x77656674;  // PRAGMA application_id: "weft"

struct ResultsTable {
  std::string_view name;
  std::string_view columns;  // with types, the key first
  std::string_view key;      // primary key
  int column_count = 0;
};

[[nodiscard]] std::span<const ResultsTable> results_tables();
/// "CREATE TABLE ...".
[[nodiscard]] std::string create_statement(const ResultsTable& table);
/// "INSERT INTO name VALUES (?, ...)".
[[nodiscard]] std::string insert_statement(std::string_view table);

}  // namespace weft::study::results
