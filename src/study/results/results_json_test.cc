#include "study/results/results_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "study/results/results_test_run.h"
#include "study/results/summary.h"

namespace weft::study::results {
namespace {

TEST(ResultsJson, SumsOfTimesAreInSecondsAndOthersAreCounts) {
  RunResults results = testing::small_run();
  results.nics.clear();
  results.nics.push_back({.name = "a", .held_back = 2, .held_back_ps = 1'500'000});
  results.nics.push_back({.name = "b", .held_back = 1, .held_back_ps = 1'000'000});
  const nlohmann::ordered_json network = to_json(results, summarise(results), JsonDetail::kSummary).at("network");
  EXPECT_EQ(network.at("nic_hold_backs"), 3);
  EXPECT_DOUBLE_EQ(network.at("nic_held_back_s").get<double>(), 2.5e-6);
  for (const auto& [name, value] : network.items()) {
    EXPECT_FALSE(name.ends_with("_ps")) << name;
  }
}

}  // namespace
}  // namespace weft::study::results
