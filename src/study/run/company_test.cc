// What runs beside a job or beside RDMA: sockets on the same NICs, traffic that ends with the job, and traffic that a
// network may leave out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "study/run/simulation.h"
#include "study/scenario/optional_traffic.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::run {
namespace {

using testing::HasSubstr;

/// Completion times of each traffic's messages.
struct Completions final : workload::MessageSink {
  void on_message(const workload::MessageRecord& record) override {
    of_job[record.flow.job.value()].push_back(record.finished - record.posted);
  }
  std::map<std::uint32_t, std::vector<Duration>> of_job;
};

Completions completions_of(const std::string& text) {
  Completions completions;
  const auto scenario = scenario::parse_scenario(text, {.file = "test.toml", .case_name = {}, .settings = {}},
                                                 scenario::test_catalogue());
  EXPECT_TRUE(scenario) << scenario.error().message;
  if (!scenario) {
    return completions;
  }
  auto simulation = Simulation::create(*scenario, completions);
  EXPECT_TRUE(simulation) << simulation.error().message;
  if (simulation) {
    EXPECT_EQ((*simulation)->run([](const Progress&) { return true; }), Simulation::End::kFinished)
        << (*simulation)->error();
  }
  return completions;
}

std::string flow_of(std::string_view name, std::string_view family, std::string_view more) {
  return fmt::format(
      "[[traffic]]\nname = \"{}\"\nkind = \"flows\"\nfamily = \"{}\"\nsources = [\"host0\"]\ndestinations = "
      "[\"host1\"]\n{}\n",
      name, family, more);
}

std::string two_hosts(std::string_view family, std::string_view memory, const std::string& traffic) {
  return fmt::format(
      "[fabric]\nfamily = \"{}\"\nnic = \"connectx-7\"\n[host]\nprofile = \"modern\"\nmemory = \"{}\"\n[topology]\n"
      "kind = \"single-switch\"\nhosts = 2\ngpus_per_host = 1\n{}",
      family, memory, traffic);
}

constexpr std::string_view kSmall = "size = \"4 KiB\"";
constexpr std::string_view kLater = "size = \"4 KiB\"\nstart = \"10 ms\"";

// Idle, a message over sockets takes what it takes on a network of TCP alone, and RDMA what it takes without sockets.
TEST(SocketsBesideRdma, TakeWhatTheyTakeAloneOnAnIdleHost) {
  const Completions sockets_alone = completions_of(two_hosts("tcp", "host", flow_of("a", "tcp", kLater)));
  const Completions rdma_alone = completions_of(two_hosts("rocev2", "gpu", flow_of("a", "rocev2", kSmall)));
  const Completions both =
      completions_of(two_hosts("rocev2", "gpu", flow_of("a", "rocev2", kSmall) + flow_of("b", "tcp", kLater)));
  EXPECT_EQ(both.of_job.at(0), rdma_alone.of_job.at(0));
  EXPECT_EQ(both.of_job.at(1), sockets_alone.of_job.at(0));
}

// 64 MiB of each leave one NIC, in classes of equal weight: RDMA loses to TCP, but no more than half of the line.
TEST(SocketsBesideRdma, TakeFromRdmaWhatTheySend) {
  const std::string many = "size = \"1 MiB\"\ncount = 64\ndepth = 4";
  const Completions rdma_alone = completions_of(two_hosts("rocev2", "host", flow_of("a", "rocev2", many)));
  const Completions both =
      completions_of(two_hosts("rocev2", "host", flow_of("a", "rocev2", many) + flow_of("b", "tcp", many)));
  const auto sum = [](const std::vector<Duration>& all) {
    Duration total{};
    for (const Duration one : all) {
      total += one;
    }
    return total;
  };
  ASSERT_EQ(both.of_job.at(0).size(), 64U);
  ASSERT_EQ(both.of_job.at(1).size(), 64U);
  EXPECT_GT(sum(both.of_job.at(0)), sum(rdma_alone.of_job.at(0)));
  EXPECT_LT(sum(both.of_job.at(0)), sum(rdma_alone.of_job.at(0)) * 2);
}

constexpr std::string_view kComposedJob =
    "[[job]]\nname = \"j\"\nmodel = \"megatron-1_7b\"\nlayers = 1\ndp = 4\nsequence = 128\nglobal_batch = 4\n"
    "slice = \"256 KiB\"\nslice_hops = 100000\nfidelity = \"composed\"\n";

class CompanyWithoutAnEnd : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Kinds, CompanyWithoutAnEnd,
                         testing::Values("kind = \"poisson\"\nfamily = \"tcp\"\ncdf = \"websearch\"\nload = \"10%\"\n",
                                         "kind = \"permutation\"\noperation = \"read\"\ncount = 0\n",
                                         "kind = \"flows\"\nsources = [\"host0\"]\ndestinations = [\"host1\"]\n"
                                         "depth = 4\ncount = 0\nfamily = \"tcp\"\n"));

TEST_P(CompanyWithoutAnEnd, EndsWithTheComposedJob) {
  const auto scenario =
      scenario::scenario_with(fmt::format("{}[[traffic]]\nname = \"web\"\n{}", kComposedJob, GetParam()));
  ASSERT_TRUE(scenario) << scenario.error().message;
  Completions completions;
  auto simulation = Simulation::create(*scenario, completions);
  ASSERT_TRUE(simulation) << simulation.error().message;
  EXPECT_EQ((*simulation)->run([](const Progress&) { return true; }), Simulation::End::kFinished)
      << (*simulation)->error();
  const auto steps = (*simulation)->training_steps([] { return true; });
  ASSERT_TRUE(steps) << steps.error().message;
  EXPECT_EQ(steps->size(), 1U);
}

std::string refusal_beside_composed(std::string_view traffic) {
  const auto scenario =
      scenario::scenario_with(fmt::format("{}[[traffic]]\nname = \"other\"\n{}", kComposedJob, traffic));
  EXPECT_TRUE(scenario) << scenario.error().message;
  Completions completions;
  const auto simulation = Simulation::create(*scenario, completions);
  return simulation ? std::string() : simulation.error().message;
}

TEST(CompanyOfAComposedJob, IsRefusedUnlessItIsAlikeAtAllTimes) {
  EXPECT_THAT(refusal_beside_composed("kind = \"permutation\"\n"),
              HasSubstr("'other' is not alike at all times; let it last as long as the job (count = 0"));
  EXPECT_THAT(refusal_beside_composed("kind = \"permutation\"\ncount = 0\nstart = \"2 ms\"\n"),
              HasSubstr("let all of it begin within 1 ms"));
  EXPECT_THAT(refusal_beside_composed("kind = \"collective\"\n"),
              HasSubstr("set fidelity = \"packet\" in the composed job"));
}

TEST(MessagesWithoutANumber, NeedAnEnd) {
  const auto without = scenario::scenario_with("[[traffic]]\nname = \"a\"\nkind = \"permutation\"\ncount = 0\n");
  EXPECT_THAT(message_of(without), HasSubstr("traffic[0].count: count = 0 has no end; set stop"));
  const Completions until = completions_of(
      two_hosts("rocev2", "host", flow_of("a", "rocev2", "size = \"1 MiB\"\ncount = 0\nstop = \"1 ms\"")));
  // 400 Gb/s take 21 us for a MiB and more for its headers and way.
  EXPECT_GT(until.of_job.at(0).size(), 20U);
  EXPECT_LT(until.of_job.at(0).size(), 48U);
}

constexpr std::string_view kTwoTraffics = R"([[traffic]]
name = "storage"
kind = "permutation"
family = "tcp"
required = false
size = "64 KiB"
[[traffic]]
name = "probe"
kind = "permutation"
size = "4 KiB"
)";

TEST(OptionalTraffic, IsLeftOutWhereTheFamilyCannotCarryItAndItsKeysGoWithIt) {
  const auto ethernet = scenario::scenario_with(kTwoTraffics);
  ASSERT_TRUE(ethernet) << ethernet.error().message;
  EXPECT_EQ(ethernet->traffic.size(), 2U);
  EXPECT_TRUE(ethernet->left_out.empty());

  const auto infiniband =
      scenario::scenario_with(kTwoTraffics, {.file = {}, .case_name = {}, .settings = {"fabric.family=infiniband"}});
  ASSERT_TRUE(infiniband) << infiniband.error().message;
  ASSERT_EQ(infiniband->traffic.size(), 1U);
  EXPECT_EQ(infiniband->traffic.front().name, "probe");
  EXPECT_THAT(infiniband->sources.at("traffic[0].size").text, HasSubstr("test.toml:15"));
  EXPECT_FALSE(infiniband->sources.contains("traffic[1].size"));
  EXPECT_EQ(scenario::left_out_text(*infiniband),
            "traffic 'storage' is left out: 'tcp' cannot run on a fabric of infiniband");
}

TEST(OptionalTraffic, IsRefusedWhereItIsRequiredWithTheKeyThatLeavesItOut) {
  const auto scenario = scenario::scenario_with(
      kTwoTraffics,
      {.file = {}, .case_name = {}, .settings = {"fabric.family=infiniband", "traffic[0].required=true"}});
  EXPECT_THAT(message_of(scenario), HasSubstr("traffic[0].family: 'tcp' cannot run on a fabric of infiniband; "
                                              "InfiniBand carries no other family; required = false leaves it out"));
}

}  // namespace
}  // namespace weft::study::run
