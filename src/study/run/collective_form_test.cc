// Simulated collectives against their closed forms.
#include "study/run/collective_form.h"

#include <gtest/gtest.h>

#include <string>

#include "base/format_quantity.h"

namespace weft::study::run {
namespace {

using workload::CollectiveAlgorithm;
using workload::CollectiveKind;

const scenario::Catalogue& catalogue() {
  static const scenario::Catalogue kBuiltIn = scenario::Catalogue::load(std::nullopt).value();
  return kBuiltIn;
}

struct Case {
  CollectiveKind kind;
  CollectiveAlgorithm algorithm;
  bool powers_of_two = false;
  FormTrees trees = FormTrees::kSingle;
};

FormComparison compare(CollectiveRun run, const Case& one, Bytes size) {
  run.kind = one.kind;
  run.algorithm = one.algorithm;
  const auto compared = compare_with_form(run, usable_size(run, size), catalogue(), one.trees);
  EXPECT_TRUE(compared.has_value()) << compared.error().message;
  return compared.value_or(FormComparison{.simulated = Duration::seconds(1), .form = Duration::picoseconds(1)});
}

void expect_form(const CollectiveRun& run, const Case& one, Bytes size) {
  const FormComparison found = compare(run, one, size);
  EXPECT_LT(std::abs(found.error()), 0.01) << to_string(one.kind) << ' ' << to_string(one.algorithm) << ", "
                                           << run.ranks << " ranks, " << size.count() << " B: " << found.error();
}

class ClosedForm : public ::testing::TestWithParam<Case> {};

TEST_P(ClosedForm, IsTheTimeOfASimulatedCollective) {
  const Case& one = GetParam();
  for (const std::int64_t ranks : {2, 3, 4, 8, 13, 32, 64}) {
    if (one.powers_of_two && (ranks & (ranks - 1)) != 0)
      continue;
    for (const Bytes size : {1_kib, 96_kib, 1_mib, 16_mib})
      expect_form(form_run(ranks), one, size);
  }
}

constexpr Case kCases[] = {
    {CollectiveKind::kAllReduce, CollectiveAlgorithm::kRing},
    {CollectiveKind::kAllReduce, CollectiveAlgorithm::kHalvingDoubling, true},
    {CollectiveKind::kAllReduce, CollectiveAlgorithm::kDirect},
    {CollectiveKind::kAllReduce, CollectiveAlgorithm::kTree},
    {CollectiveKind::kReduceScatter, CollectiveAlgorithm::kRing},
    {CollectiveKind::kReduceScatter, CollectiveAlgorithm::kDirect},
    {CollectiveKind::kAllGather, CollectiveAlgorithm::kRing},
    {CollectiveKind::kAllGather, CollectiveAlgorithm::kDirect},
    {CollectiveKind::kAllGather, CollectiveAlgorithm::kRecursiveDoubling, true},
    {CollectiveKind::kBroadcast, CollectiveAlgorithm::kRing},
    {CollectiveKind::kBroadcast, CollectiveAlgorithm::kTree},
    {CollectiveKind::kReduce, CollectiveAlgorithm::kRing},
    {CollectiveKind::kAllToAll, CollectiveAlgorithm::kDirect},
    {CollectiveKind::kBarrier, CollectiveAlgorithm::kDirect},
    {CollectiveKind::kSend, CollectiveAlgorithm::kDirect},
};

std::string name_of(const ::testing::TestParamInfo<Case>& info) {
  std::string name = std::string(to_string(info.param.kind)) + "_" + std::string(to_string(info.param.algorithm)) +
                     (info.param.trees == FormTrees::kDouble ? "_double" : "");
  std::erase(name, '-');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Kinds, ClosedForm, ::testing::ValuesIn(kCases), name_of);

TEST(ClosedForms, HoldOnRoceAsWell) {
  CollectiveRun run = form_run(8);
  run.fabric = "rocev2";
  for (const Case& one : kCases)
    expect_form(run, one, 384_kib);
}

// Where the sum for the busiest node alone is furthest off: a few chunks, which fill the pipeline but do not keep it
// full.
TEST(ClosedForms, PipelinedTreesHoldForAnyNumberOfChunks) {
  for (const std::int64_t ranks : {4, 13, 16}) {
    for (const Bytes size : {Bytes(1536 << 10), 2_mib, 4_mib, 5_mib}) {
      const FormComparison found =
          compare(form_run(ranks), {CollectiveKind::kAllReduce, CollectiveAlgorithm::kTree}, size);
      EXPECT_LT(std::abs(found.error()), 0.015) << ranks << ' ' << size.count() << ": " << found.error();
    }
  }
}

TEST(ClosedForms, DoubleTreesFillTheirLinks) {
  const Case trees{CollectiveKind::kAllReduce, CollectiveAlgorithm::kTree, false, FormTrees::kDouble};
  for (const std::int64_t ranks : {2, 3, 4, 5, 6, 7, 8, 11, 13, 16, 32, 64}) {
    for (const Bytes size : {1_kib, 96_kib, 1_mib, 16_mib})
      expect_form(form_run(ranks), trees, size);
  }
}

// Between those sizes a few chunks share links that are full in both directions, and queues do not serve them evenly.
TEST(ClosedForms, DoubleTreesOfAFewChunksAreNearTheirForm) {
  const Case trees{CollectiveKind::kAllReduce, CollectiveAlgorithm::kTree, false, FormTrees::kDouble};
  for (const std::int64_t ranks : {3, 4, 8, 13, 32}) {
    for (const Bytes size : {2_mib, 4_mib, 8_mib}) {
      const FormComparison found = compare(form_run(ranks), trees, size);
      EXPECT_LT(std::abs(found.error()), 0.05) << ranks << ' ' << size.count() << ": " << found.error();
    }
  }
}

TEST(ClosedForms, HierarchicalOperationsAreTheRailsRingBetweenTwoStepsInTheDomains) {
  for (const auto& [ranks, locals] : {std::pair{8, 4}, {16, 8}, {64, 8}}) {
    for (const auto kind : {CollectiveKind::kAllReduce, CollectiveKind::kReduceScatter, CollectiveKind::kAllGather}) {
      for (const Bytes size : {64_kib, 1_mib, 16_mib})
        expect_form(form_run(ranks, locals), {kind, CollectiveAlgorithm::kHierarchical}, size);
    }
  }
}

TEST(ClosedForms, NvlsTreesAreTheRailsTreesBetweenTwoTripsToTheDomainsSwitch) {
  const Case trees{CollectiveKind::kAllReduce, CollectiveAlgorithm::kNvlsTree, false, FormTrees::kDouble};
  for (const auto& [ranks, locals] : {std::pair{8, 4}, {16, 8}, {64, 8}}) {
    for (const Bytes size : {64_kib, 1_mib, 16_mib})
      expect_form(form_run(ranks, locals), trees, size);
  }
}

// 2 hosts of 4 GPUs. Parts of the time that the NICs have no share in stay.
TEST(CollectiveTimes, GpusWithTwoNicsUseBoth) {
  for (const auto algorithm :
       {CollectiveAlgorithm::kRing, CollectiveAlgorithm::kTree, CollectiveAlgorithm::kHierarchical,
        CollectiveAlgorithm::kNvlsTree, CollectiveAlgorithm::kHalvingDoubling, CollectiveAlgorithm::kDirect}) {
    CollectiveRun run = form_run(8, 4);
    run.algorithm = algorithm;
    const auto one = time_collective(run, 16_mib, catalogue());
    run.rails = 8;
    const auto two = time_collective(run, 16_mib, catalogue());
    ASSERT_TRUE(one.has_value() && two.has_value()) << to_string(algorithm);
    EXPECT_LT(two->time, one->time * 3 / 4) << to_string(algorithm);
  }
}

TEST(CollectiveTimes, AnExtrapolatedTimeIsThatOfTheWholeRun) {
  CollectiveRun run = form_run(4);
  run.algorithm = CollectiveAlgorithm::kRing;
  const auto whole = time_collective(run, 64_mib, catalogue());
  run.longest = 64_mib;
  const auto part = time_collective(run, 64_mib, catalogue());
  ASSERT_TRUE(whole && part);
  EXPECT_FALSE(whole->extrapolation_error);
  ASSERT_TRUE(part->extrapolation_error);
  EXPECT_LT(std::abs(*part->extrapolation_error), 0.02);
  EXPECT_NEAR(part->time.seconds(), whole->time.seconds(), 0.01 * whole->time.seconds());
  EXPECT_NEAR(part->nic_gbytes_per_s, whole->nic_gbytes_per_s, 0.01 * whole->nic_gbytes_per_s);
}

}  // namespace
}  // namespace weft::study::run
