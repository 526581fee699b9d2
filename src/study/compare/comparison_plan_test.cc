#include "study/compare/comparison_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "study/compare/fabric_choice.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::compare {
namespace {

struct Asked {
  bool quick = true;
  int hosts = 64;  // of four GPUs
};

/// Unit of scale-up links in the first run of a comparison.
Bytes unit_of(const std::string& more, const Asked& asked) {
  const std::string file = ::testing::TempDir() + "comparison-plan.toml";
  std::ofstream(file)
      << "[fabric]\nfamily = \"infiniband\"\n[topology]\nkind = \"leaf-spine\"\nhosts = " << asked.hosts
      << "\nhosts_per_leaf = " << std::min(asked.hosts, 8)
      << "\nspines = 4\nnics_per_host = 4\ngpus_per_host = 4\n[[job]]\nname = \"llm\"\nmodel = \"llama3-8b\"\n"
         "gpu = \"h100-sxm\"\ngpus = "
      << asked.hosts * 4 << "\ntp = 2\nglobal_batch = 256\n[scale_up]\n"
      << more;
  const auto chosen = choose_fabrics(std::vector<std::string>{"infiniband"}, {}, scenario::test_catalogue());
  EXPECT_TRUE(chosen);
  const auto plan = plan_comparison(*chosen, {.file = file, .case_name = {}, .settings = {}},
                                    scenario::test_catalogue(), {.quick = asked.quick, .build = {}});
  EXPECT_TRUE(plan) << plan.error().message;
  return plan ? plan->tasks.front().scenario.scale_up.unit : Bytes::zero();
}

TEST(ComparisonPlan, QuickAnswersOfMuchWorkHaveLargerUnitsOfScaleUpLinks) {
  const std::string links = "entry = \"nvlink4\"\n";
  EXPECT_EQ(unit_of(links, {.quick = false}), 4_kib);
  EXPECT_EQ(unit_of(links, {}), 32_kib);
  // Which a whole comparison finds in the cache: its slices are the same.
  EXPECT_EQ(unit_of(links, {.hosts = 2}), 4_kib);
}

TEST(ComparisonPlan, LargerUnitsStillFitSeveralTimesIntoABuffer) {
  EXPECT_EQ(unit_of("entry = \"nvlink4\"\nswitch_buffer = \"128 KiB\"\n", {}), 8_kib);
  EXPECT_EQ(unit_of("entry = \"nvlink4\"\ngpu_buffer = \"16 KiB\"\n", {}), 4_kib);
}

}  // namespace
}  // namespace weft::study::compare
