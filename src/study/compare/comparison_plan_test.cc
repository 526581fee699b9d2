#include "study/compare/comparison_plan.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "study/compare/fabric_choice.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::compare {
namespace {

/// Unit of scale-up links in the first run of a comparison.
Bytes unit_of(const std::string& more, bool quick) {
  const std::string file = ::testing::TempDir() + "comparison-plan.toml";
  std::ofstream(file) << "[fabric]\nfamily = \"infiniband\"\n[topology]\nkind = \"single-switch\"\nhosts = 2\n"
                         "nics_per_host = 4\ngpus_per_host = 4\n[[job]]\nname = \"llm\"\nmodel = \"llama3-8b\"\n"
                         "gpu = \"h100-sxm\"\ngpus = 8\ntp = 2\nglobal_batch = 8\n[scale_up]\n"
                      << more;
  const auto chosen = choose_fabrics(std::vector<std::string>{"infiniband"}, {}, scenario::test_catalogue());
  EXPECT_TRUE(chosen);
  const auto plan = plan_comparison(*chosen, {.file = file, .case_name = {}, .settings = {}},
                                    scenario::test_catalogue(), {.quick = quick, .build = {}});
  EXPECT_TRUE(plan) << plan.error().message;
  return plan ? plan->tasks.front().scenario.scale_up.unit : Bytes::zero();
}

TEST(ComparisonPlan, QuickAnswersHaveLargerUnitsOfScaleUpLinks) {
  EXPECT_EQ(unit_of("entry = \"nvlink4\"\n", false), 4_kib);
  EXPECT_EQ(unit_of("entry = \"nvlink4\"\n", true), 32_kib);
}

TEST(ComparisonPlan, LargerUnitsStillFitSeveralTimesIntoABuffer) {
  EXPECT_EQ(unit_of("entry = \"nvlink4\"\nswitch_buffer = \"128 KiB\"\n", true), 8_kib);
  EXPECT_EQ(unit_of("entry = \"nvlink4\"\ngpu_buffer = \"16 KiB\"\n", true), 4_kib);
}

}  // namespace
}  // namespace weft::study::compare
