// Training steps in results: their tables in a results file, their JSON, and the text of the summary.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "study/results/results.h"
#include "study/results/results_database.h"

namespace weft::study::results {

void write_steps(Database& database, const RunResults& results);
void read_steps(Database& database, RunResults& results);

[[nodiscard]] nlohmann::ordered_json to_json(const StepRow& step);

/// Lines of at most 100 columns; empty without steps.
[[nodiscard]] std::string steps_text(const RunResults& results);

}  // namespace weft::study::results
