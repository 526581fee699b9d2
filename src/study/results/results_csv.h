// Results as comma-separated tables, one file per kind of record; runs one below the other.
//
// Every row begins with the run's key and case. Times are whole picoseconds, sizes bytes, rates bits per second. Fields
// with a comma, a quote or a line break stand in quotes (RFC 4180). docs/results.md describes the columns.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "study/results/results.h"

namespace weft::study::results {

struct CsvFile {
  std::string name;  // "messages.csv"
  std::string text;  // with its heading
};

/// messages.csv, jobs.csv, ports.csv, samples.csv, steps.csv.
[[nodiscard]] std::vector<CsvFile> to_csv(std::span<const RunResults> runs);

}  // namespace weft::study::results
