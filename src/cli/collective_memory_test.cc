#include "cli/collective_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "study/assembly/build_topology.h"

namespace weft::cli {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kGb = 1'000'000'000;

const study::scenario::Catalogue& catalogue() {
  static const study::scenario::Catalogue kBuiltIn = study::scenario::Catalogue::load(std::nullopt).value();
  return kBuiltIn;
}

study::run::CollectiveRun all_to_all(std::int64_t ranks) {
  return {.kind = workload::CollectiveKind::kAllToAll, .ranks = ranks};
}

/// On a machine with so many bytes free.
Result<void> check(const study::run::CollectiveRun& run, std::uint64_t available) {
  return check_collective_memory(run, Bytes(64 << 10), catalogue(), [available](const auto& scenario) {
    const Result<fabric::Graph> graph = study::assembly::build_topology(scenario);
    return std::optional(
        MemoryNeed{.estimated = study::run::estimate_memory(scenario, *graph), .available = available});
  });
}

TEST(MemoryOfACollective, EightThousandRanksFitInto8Gb) { EXPECT_TRUE(check(all_to_all(8'192), 8 * kGb)); }

TEST(MemoryOfACollective, ARefusalNamesTheConnectionsThatFit) {
  study::run::CollectiveRun run = all_to_all(4'096);
  run.connections = 0;
  const Result<void> fits = check(run, 8 * kGb);
  ASSERT_FALSE(fits);
  EXPECT_THAT(fits.error().message, HasSubstr("all-to-all of 4096 ranks needs about"));
  EXPECT_THAT(fits.error().message, HasSubstr("GiB are available; --connections 32 fits; use --force"));
  run.connections = study::run::kManyRanksConnections;
  EXPECT_TRUE(check(run, 8 * kGb));
}

TEST(MemoryOfACollective, ARefusalNamesTheRanksThatFit) {
  study::run::CollectiveRun run = all_to_all(1'024);
  run.fabric = "tcp";  // whose connections are not closed
  const Result<void> fits = check(run, kGb);
  ASSERT_FALSE(fits);
  const std::size_t at = fits.error().message.find("--ranks ");
  ASSERT_NE(at, std::string::npos) << fits.error().message;
  run.ranks = std::stoll(fits.error().message.substr(at + 8));
  EXPECT_TRUE(check(run, kGb));
  run.ranks *= 2;
  EXPECT_FALSE(check(run, kGb));
}

TEST(MemoryOfACollective, FlowsFitAlways) {
  study::run::CollectiveRun run = all_to_all(65'536);
  run.fidelity = "flow";
  EXPECT_TRUE(check(run, 0));
}

}  // namespace
}  // namespace weft::cli
