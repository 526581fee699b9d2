// Results as comma-separated tables, one file per kind of record; runs one below the other.
//
// Every row begins with the run's key and case. Times are whole picoseconds, sizes bytes, rates bits per second. Fields
// with a comma, a quote or a line break stand in quotes (RFC 4180). Columns follow from the tables of records
// (study/results/record_table.h); docs/results.md describes them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "study/results/record_table.h"
#include "study/results/results.h"

namespace weft::study::results {

struct CsvFile {
  std::string name;  // "messages.csv"
  std::string text;  // with a heading
};

/// What a file has a row for, and the record that such a row belongs to, whose fields stand beside it.
struct CsvLayout {
  std::string_view file;
  const RecordTable* outer = nullptr;  // null: none
  const RecordTable* inner = nullptr;
};
[[nodiscard]] std::span<const CsvLayout> csv_layouts();
[[nodiscard]] std::vector<std::string_view> csv_columns(const CsvLayout& layout);

/// One file per layout: messages, jobs, ports (a row per lane), paths, reordering, samples, decisions and steps.
[[nodiscard]] std::vector<CsvFile> to_csv(std::span<const RunResults> runs);

}  // namespace weft::study::results
