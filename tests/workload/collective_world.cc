#include "tests/workload/collective_world.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "workload/collective/check_data.h"

namespace weft::testing {

std::string describe(const CollectiveCase& one) {
  return fmt::format(
      "{} {}, {} ranks, domains of {}, {} elements, root {}, {} channels, {} queue pairs{}, loss 1/{}, seed {}",
      to_string(one.kind), to_string(one.algorithm), one.ranks, one.domain, one.elements, one.root,
      one.options.channels, one.options.queue_pairs,
      one.options.queue_pair_use == workload::QueuePairUse::kSplit              ? " split"
      : one.options.queue_pair_use == workload::QueuePairUse::kLeastOutstanding ? " by least outstanding"
                                                                                : "",
      one.loss, one.seed);
}

workload::JobLayout layout_of(std::uint32_t ranks, std::uint32_t domain) {
  workload::JobLayout layout;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    workload::RankSite site{.host = domain > 0 ? rank / domain : rank, .rails = {0}};
    if (domain > 0) {
      site.domain = rank / domain;
      site.scale_up = std::uint16_t{1};
    }
    layout.push_back(std::move(site));
  }
  return layout;
}

void expect_right(const CollectiveCase& one) {
  SCOPED_TRACE(describe(one));
  const workload::JobLayout layout = layout_of(one.ranks, one.domain);
  const Bytes size(static_cast<std::int64_t>(4 * one.elements));
  const Bytes memory = workload::memory_needed(layout, one.options, size);
  SmallWorld world(
      {.ranks = one.ranks, .memory_bytes = static_cast<std::size_t>(memory.count()), .domain = one.domain});
  RandomStream random(std::uint64_t{one.seed} << 32 | (one.ranks * 1'000 + one.elements), "loss");
  if (one.loss > 0)
    world.loses = [&](const wire::Packet&) {
      return random.bernoulli(Probability::from_ratio({.numerator = 1, .denominator = one.loss}));
    };
  const workload::CheckData data({.kind = one.kind,
                                  .type = one.options.data_type,
                                  .ranks = one.ranks,
                                  .root = one.root,
                                  .iterations = one.iterations,
                                  .elements = one.elements},
                                 workload::MemoryAreas::of(memory));
  for (std::uint32_t rank = 0; rank < one.ranks; ++rank)
    data.fill(rank, world.memory(rank));
  world.run([&](workload::Messenger& messenger, workload::DeliveryMatcher& matcher, workload::RankId rank) {
    auto made = workload::CollectiveProgram::make(
        messenger, matcher,
        {.kind = one.kind,
         .algorithm = one.algorithm,
         .size = size,
         .iterations = one.iterations,
         .root = workload::RankId(one.root),
         .engine = {.job = world.job().id, .rank = rank, .layout = &layout, .collectives = one.options}});
    EXPECT_TRUE(made.has_value()) << made.error().message;
    return std::move(*made);
  });
  ASSERT_TRUE(world.all_done()) << describe(one);
  for (std::uint32_t rank = 0; rank < one.ranks && !::testing::Test::HasFailure(); ++rank) {
    const auto right = data.check(rank, world.memory(rank));
    EXPECT_TRUE(right.has_value()) << describe(one) << ": " << right.error().message;
  }
}

}  // namespace weft::testing
