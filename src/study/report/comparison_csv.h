// A comparison as comma-separated tables: one for the fabrics, and one for every list in it.
//
// "fabrics.csv" has a row per fabric with its single figures, "comparison.csv" one with what holds for all. The list X
// of a fabric becomes X.csv, a list Y of the objects in it X.Y.csv. Each row of these begins with its fabric, and in a
// list of a list with the number, from 0, of the row of X. Lists of plain numbers have a column "value", those of pairs
// "x" and "y", after their place from 0. Absent figures are empty. Fields with a comma, a quote or a line break stand
// in quotes (RFC 4180).
#pragma once

#include <vector>

#include "study/report/comparison.h"
#include "study/results/results_csv.h"

namespace weft::study::report {

/// The files are in the order in which the lists first come.
[[nodiscard]] std::vector<results::CsvFile> comparison_csv(const Comparison& comparison);

}  // namespace weft::study::report
