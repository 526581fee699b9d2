// Runs whose ports have the P_Keys of a partitions.conf.
#include <gmock/gmock.h>

#include <map>

#include "base/file.h"
#include "base/test_paths.h"
#include "study/run/run_test_support.h"

namespace weft::study::run {
namespace {

using ::testing::HasSubstr;

/// That of the documentation: two jobs, and storage that both reach.
Result<scenario::Scenario> example(const std::vector<std::string>& settings = {}) {
  return scenario::load_scenario({.file = std::string(test_data_dir()) + "/../../examples/subnet/partitions.toml",
                                  .case_name = {},
                                  .settings = settings},
                                 scenario::test_catalogue());
}

std::string attack(std::string_view knows) {
  return fmt::format("[[attack]]\nkind = \"forged-p-key\"\nfrom = \"host3\"\nvictim = \"host1\"\nrate = 1000000\n{}",
                     knows);
}

/// The attacker is in no job's partition, and a full member of none.
results::AttackRow attacked(std::string_view knows, const std::vector<std::string>& settings = {}) {
  const std::string file = std::string(test_data_dir()) + "/../../examples/subnet/partitions.toml";
  const auto text = read_file(file, {.bytes = 1U << 20U});
  EXPECT_TRUE(text.has_value());
  const auto scenario = scenario::parse_scenario(
      *text + attack(knows), {.file = file, .case_name = {}, .settings = settings}, scenario::test_catalogue());
  const results::RunResults results = results_of(scenario);
  return results.attacks.at(0);
}

TEST(PartitionRun, QueuePairsHaveThePKeyOfTheirPath) {
  const auto scenario = example();
  ASSERT_TRUE(scenario) << scenario::message_of(scenario);
  Collector collector;
  auto simulation = Simulation::create(*scenario, collector);
  ASSERT_TRUE(simulation) << simulation.error().message;
  collector.watch(**simulation);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint16_t> keys;  // by both hosts
  const auto look = [&] {
    for (std::uint32_t host = 0; host < 8; ++host) {
      const transport::Device& device = (*simulation)->world().nic(EndpointId(host)).device();
      for (const Qpn qpn : device.queue_pair_numbers()) {
        const verbs::QpAttributes& own = device.core_of(device.slot_of(qpn)).attributes();
        keys[{host, own.address.destination.value()}] = own.partition_key;
      }
    }
  };
  const Simulation::End end = (*simulation)->run([&](const Progress&) { return true; });
  look();
  EXPECT_EQ(end, Simulation::End::kFinished);
  EXPECT_EQ((keys[{0, 1}]), 0x8010);  // a ring of the training job
  EXPECT_EQ((keys[{5, 0}]), 0x8010);
  EXPECT_EQ((keys[{2, 6}]), 0x8020);
  EXPECT_EQ((keys[{0, 7}]), 0x0080);
  EXPECT_EQ((keys[{7, 0}]), 0x8080);
  EXPECT_EQ((keys[{2, 7}]), 0x0080);
}

TEST(PartitionRun, AllOfTheExampleArrives) {
  const results::RunResults results = results_of(example());
  EXPECT_EQ(results.run.end, results::RunEnd::kFinished) << results.run.error;
  ASSERT_TRUE(results.subnet);
  EXPECT_TRUE(results.subnet->as_routed);
}

// Each host has four P_Keys, of the default partition and of storage at least, and so has its leaf's port.
TEST(PartitionRun, AManagerThatBringsUpTheSubnetWritesTheTablesOfTheFile) {
  const results::RunResults with = results_of(example());
  const results::RunResults without = results_of(example({"keys.partitions=default"}));
  ASSERT_TRUE(with.subnet && without.subnet);
  EXPECT_GT(with.subnet->requests, without.subnet->requests);
  EXPECT_GT(with.subnet->bring_up, without.subnet->bring_up);
}

TEST(PartitionRun, AForgedPKeyIsRefusedByTheNicAndAKnownOneByTheSwitch) {
  const results::AttackRow guess = attacked("");
  EXPECT_GT(guess.partition, 0U);
  EXPECT_EQ(guess.partition + guess.lost, guess.sent);
  constexpr std::string_view kKnown = "knows = [\"qpn\", \"psn\", \"r-key\", \"p-key\"]\n";
  const results::AttackRow known = attacked(kKnown);
  EXPECT_EQ(known.partition, 0U) << "the NIC takes its P_Key for that of a member";
  EXPECT_LT(known.lost, known.sent);
  const results::AttackRow enforced = attacked(kKnown, {"keys.switch_enforcement=true"});
  EXPECT_EQ(enforced.switch_partition + enforced.lost, enforced.sent);
  EXPECT_GT(enforced.switch_partition, 0U);
}

TEST(PartitionRun, WhatCannotTalkIsRefusedBeforeTheRun) {
  const auto scenario = example({"traffic[1].sources=[\"host2\", \"host3\"]"});
  ASSERT_TRUE(scenario) << scenario::message_of(scenario);
  Collector collector;
  const auto simulation = Simulation::create(*scenario, collector);
  ASSERT_FALSE(simulation);
  EXPECT_THAT(simulation.error().message, HasSubstr("'inference' sends between host3/nic0 and host2/nic0"));
}

}  // namespace
}  // namespace weft::study::run
