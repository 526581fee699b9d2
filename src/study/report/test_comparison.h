// The comparisons of tests/data/report/, for tests of what becomes of them. Made by hand, not by a run.
#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/test_paths.h"

namespace weft::study::report::testing {

/// "full.json" has everything that a comparison can have, "empty.json" nothing that it need not have.
inline nlohmann::ordered_json test_comparison(const char* name) {
  std::ifstream file(std::filesystem::path(test_data_dir()) / "report" / name);
  return nlohmann::ordered_json::parse(file);
}

}  // namespace weft::study::report::testing
