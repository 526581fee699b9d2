// Ultra Ethernet on the network of its authors' simulator: what follows from sizes and speeds alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/test_paths.h"
#include "study/run/simulation.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::run {
namespace {

struct Finished final : workload::MessageSink {
  void on_message(const workload::MessageRecord& record) override { times.push_back(record.finished - record.posted); }
  std::vector<Duration> times;
};

Finished run_text(const std::string& text, const scenario::ScenarioRequest& options) {
  Finished finished;
  const auto scenario = scenario::parse_scenario(text, options, scenario::test_catalogue());
  EXPECT_TRUE(scenario) << scenario.error().message;
  if (!scenario) {
    return finished;
  }
  auto simulation = Simulation::create(*scenario, finished);
  EXPECT_TRUE(simulation) << simulation.error().message;
  if (simulation) {
    EXPECT_EQ((*simulation)->run([](const Progress&) { return true; }), Simulation::End::kFinished)
        << (*simulation)->error();
  }
  return finished;
}

Finished run_case(const std::string& name) {
  const std::string file = std::string(test_data_dir()) + "/../../examples/uet-reference.toml";
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return run_text(text.str(), {.file = file, .case_name = name, .settings = {}});
}

/// 2 MB in packets with 64 bytes of header, over six links of 1 us; five switches store each packet, of which the last
/// is short and stays behind a full one; its acknowledgement comes back the same way.
Duration closed_form() {
  constexpr std::int64_t kMessage = 2'000'000;
  constexpr std::int64_t kPayload = 4'084;
  constexpr std::int64_t kPackets = (kMessage + kPayload - 1) / kPayload;
  const Rate line = 100_gbps;
  return line.transmit_time(Bytes(kMessage + kPackets * 64)) + Duration::microseconds(12) +
         line.transmit_time(Bytes(kPayload + 64)) * 5 + line.transmit_time(Bytes(64)) * 6;
}

TEST(UetReference, OneFlowTakesTheClosedForm) {
  const Finished one = run_case("one flow");
  ASSERT_EQ(one.times.size(), 1U);
  const Duration form = closed_form();
  EXPECT_LE((one.times.front() > form ? one.times.front() - form : form - one.times.front()) * 1'000, form);
}

TEST(UetReference, FlowsOfBothDirectionsDisturbEachOtherByTheirAcknowledgementsAlone) {
  const Finished both = run_case("both ways");
  ASSERT_EQ(both.times.size(), 2U);
  for (const Duration time : both.times) {
    EXPECT_GE(time, closed_form());
    EXPECT_LE(time * 100, closed_form() * 101);
  }
}

TEST(UetReference, AnIncastWithTrimmingLosesLessThanATwentiethOfTheReceiversLine) {
  const Finished incast = run_case("incast");
  ASSERT_EQ(incast.times.size(), 15U);
  const Duration line = (100_gbps).transmit_time(Bytes(15 * (2'000'000 + 490 * 64)));
  EXPECT_GE(*std::ranges::max_element(incast.times), line);
  EXPECT_LE(*std::ranges::max_element(incast.times) * 100, line * 105);
}

// Published for RCCC and for both: 177.368 us of one flow, 178.147 and 178.18 us of both ways, 2368.38 to 2464.44 and
// 2387.91 to 2462.92 us of the incast.
struct Published {
  std::string name;
  Duration first;
  Duration last;
  std::int64_t percent;  // that ours may differ by
};

Duration difference(Duration a, Duration b) { return a > b ? a - b : b - a; }

void expect_near(const Published& published) {
  const Finished finished = run_case(published.name);
  ASSERT_FALSE(finished.times.empty());
  const auto [first, last] = std::ranges::minmax(finished.times);
  EXPECT_LE(difference(first, published.first) * 100, published.first * published.percent) << published.name;
  EXPECT_LE(difference(last, published.last) * 100, published.last * published.percent) << published.name;
}

TEST(UetReference, CreditCostsOneFlowWhatItsFirstWindowLacks) {
  for (const char* const with : {"RCCC", "NSCC and RCCC"}) {
    const auto name = [with](const char* of) { return std::string(of) + ", " + with; };
    expect_near({.name = name("one flow"), .first = 177'368_ns, .last = 177'368_ns, .percent = 1});
    expect_near({.name = name("both ways"), .first = 178'147_ns, .last = 178'180_ns, .percent = 1});
  }
}

TEST(UetReference, AnIncastOnCreditEndsForAllAtAboutTheSameTime) {
  expect_near({.name = "incast, RCCC", .first = 2'368'380_ns, .last = 2'464'440_ns, .percent = 3});
  expect_near({.name = "incast, NSCC and RCCC", .first = 2'387'910_ns, .last = 2'462'920_ns, .percent = 3});
}

// Published for 1,024 hosts: 749.7 us at 4:1 and 1,459 us at 8:1, of 655 and 1,311 us that the links of the core need.
// With a hundredth of the line granted at least, in place of what the core leaves each host, it took four times as
// long.
TEST(UetReference, CreditLeavesNoOversubscribedCoreIdle) {
  const Finished all = run_text(R"(seed = 1
[fabric]
family = "uet"
[congestion_control]
algorithm = "rccc"
[link]
rate = "100 Gbps"
[topology]
kind = "leaf-spine"
leaves = 4
hosts_per_leaf = 8
spines = 2
[[traffic]]
kind = "permutation"
shift = 8
size = "4 MiB"
)",
                                {.file = "core.toml", .case_name = {}, .settings = {}});
  ASSERT_EQ(all.times.size(), 32U);
  const Duration core = Rate(200_gbps).transmit_time(Bytes(8 * (4 << 20)));
  EXPECT_LT(*std::max_element(all.times.begin(), all.times.end()), core * 5 / 4);
}

}  // namespace
}  // namespace weft::study::run
