#include "study/plan/scenario_text.h"

#include <gtest/gtest.h>

#include <set>

#include "study/assembly/build_topology.h"
#include "study/plan/cabling_list.h"
#include "study/plan/design_space.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::plan {
namespace {

constexpr std::string_view kBase = R"(name = "base"
[topology]
gpus_per_host = 8
[scale_up]
entry = "nvlink4"
[[job]]
name = "train"
model = "llama3-8b"
gpu = "h100-sxm"
gpus = 128
tp = 8
global_batch = 128
)";

scenario::Scenario scenario_of_design(const Design& design) {
  auto made = scenario::parse_scenario(kBase, {.file = "base.toml", .case_name = {}, .settings = settings_of(design)},
                                       scenario::test_catalogue());
  EXPECT_TRUE(made.has_value()) << (made ? "" : made.error().message) << name_of(design);
  return made.value();
}

DesignSpace space() {
  const SpaceOptions options{.networks = {"rocev2", "infiniband"}, .oversubscriptions = {{.down = 1, .up = 1}}};
  return design_space(options, {.gpus = 128, .gpus_per_host = 8}, scenario::test_catalogue()).value();
}

TEST(ScenarioText, LoadsAsTheSameScenario) {
  for (const Design& design : space().designs) {
    const scenario::Scenario own = scenario_of_design(design);
    const auto good = check_text(scenario_text(own), own, scenario::test_catalogue());
    EXPECT_TRUE(good.has_value()) << name_of(design) << ": " << (good ? "" : good.error().message);
  }
}

TEST(ScenarioText, LeavesOutWhatAPlanDecides) {
  const scenario::Scenario own = scenario_of_design(space().designs.front());
  const std::string text =
      scenario_text(own, {.comment = {}, .keep = [](std::string_view path) { return !is_planned(path); }});
  EXPECT_EQ(text.find("kind"), std::string::npos) << text;
  EXPECT_NE(text.find("gpus_per_host = 8"), std::string::npos) << text;
  EXPECT_NE(text.find("[[job]]"), std::string::npos) << text;
}

TEST(CablingList, HasEachLinkOnceAndNoPortTwice) {
  for (const Design& design : space().designs) {
    const scenario::Scenario own = scenario_of_design(design);
    const auto graph = assembly::build_topology(own);
    ASSERT_TRUE(graph.has_value()) << name_of(design);
    const auto rows = cabling_of(own, *graph);
    EXPECT_EQ(rows.size(), graph->links.size());
    std::set<std::string> ports;
    for (const CableRow& row : rows) {
      EXPECT_TRUE(ports.insert(row.from + "/" + row.from_port).second) << row.from << row.from_port;
      EXPECT_TRUE(ports.insert(row.to + "/" + row.to_port).second) << row.to << row.to_port;
      EXPECT_GT(row.metres, 0);
    }
  }
}

// The closed form of the wiring is the graph that is built.
TEST(Wiring, SwitchesAndCablesAreThoseOfTheGraph) {
  for (const Design& design : space().designs) {
    if (design.shape != Shape::kLeafSpine && design.shape != Shape::kRailOptimised) {
      continue;
    }
    const auto graph = assembly::build_topology(scenario_of_design(design));
    ASSERT_TRUE(graph.has_value()) << name_of(design);
    const Wiring& wiring = design.wiring;
    EXPECT_EQ(graph->switches(), (wiring.leaves + wiring.spines) * design.planes) << name_of(design);
    EXPECT_EQ(static_cast<std::int64_t>(graph->links.size()),
              (design.hosts * design.rails + wiring.leaves * wiring.uplinks) * design.planes)
        << name_of(design);
  }
}

}  // namespace
}  // namespace weft::study::plan
