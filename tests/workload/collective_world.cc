#include "tests/workload/collective_world.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/random.h"

namespace weft::testing {
namespace {

using workload::CollectiveKind;

std::uint64_t begin_of(std::uint64_t elements, std::uint64_t part, std::uint64_t parts) {
  return elements / parts * part + std::min(part, elements % parts);
}

/// What rank `rank` has at place `i` at first; sums of up to 33 of them are exact in both types.
std::int64_t input(std::uint64_t rank, std::uint64_t i) {
  return static_cast<std::int64_t>((rank + 1) * (i % 997 + 1));
}

class Checker {
 public:
  Checker(const CollectiveCase& one, SmallWorld& world, const workload::MemoryAreas& areas)
      : case_(one), world_(world), areas_(areas) {}

  void fill() {
    for (std::uint32_t rank = 0; rank < case_.ranks; ++rank) {
      for (std::uint64_t i = 0; i < case_.elements; ++i)
        store(rank, areas_.data + 4 * i, starts_with(rank, i) ? input(rank, i) : -1);
    }
  }

  void check() {
    const bool elsewhere = case_.kind == CollectiveKind::kAllToAll;
    for (std::uint32_t rank = 0; rank < case_.ranks && !::testing::Test::HasFailure(); ++rank) {
      for (std::uint64_t i = 0; i < case_.elements; ++i) {
        if (!has_result(rank, i))
          continue;
        ASSERT_EQ(load(rank, (elsewhere ? areas_.result : areas_.data) + 4 * i), expected(rank, i))
            << describe(case_) << ": rank " << rank << ", element " << i;
      }
    }
  }

 private:
  [[nodiscard]] bool is_float() const { return case_.options.data_type == verbs::DataType::kFloat32; }
  void store(std::uint32_t rank, std::uint64_t at, std::int64_t value) {
    const auto as_float = static_cast<float>(value);
    const auto as_int = static_cast<std::int32_t>(value);
    std::memcpy(world_.memory(rank).data() + at, is_float() ? static_cast<const void*>(&as_float) : &as_int, 4);
  }
  [[nodiscard]] std::int64_t load(std::uint32_t rank, std::uint64_t at) {
    float as_float = 0;
    std::int32_t as_int = 0;
    std::memcpy(is_float() ? static_cast<void*>(&as_float) : &as_int, world_.memory(rank).data() + at, 4);
    return is_float() ? static_cast<std::int64_t>(as_float) : as_int;
  }
  [[nodiscard]] std::uint64_t owner_of(std::uint64_t i) const {
    std::uint64_t owner = 0;
    while (begin_of(case_.elements, owner + 1, case_.ranks) <= i)
      ++owner;
    return owner;
  }
  [[nodiscard]] bool starts_with(std::uint32_t rank, std::uint64_t i) const {
    if (case_.kind == CollectiveKind::kAllGather)
      return owner_of(i) == rank;
    if (case_.kind == CollectiveKind::kBroadcast)
      return rank == case_.root;
    return true;
  }
  [[nodiscard]] bool has_result(std::uint32_t rank, std::uint64_t i) const {
    if (case_.kind == CollectiveKind::kReduceScatter)
      return owner_of(i) == rank;
    if (case_.kind == CollectiveKind::kReduce)
      return rank == case_.root;
    return true;
  }
  [[nodiscard]] std::int64_t expected(std::uint32_t rank, std::uint64_t i) const {
    const auto ranks = static_cast<std::int64_t>(case_.ranks);
    switch (case_.kind) {
      case CollectiveKind::kAllReduce: {
        std::int64_t sum = input(0, i) * ranks * (ranks + 1) / 2;
        for (std::uint32_t more = 1; more < case_.iterations; ++more)
          sum *= ranks;
        return sum;
      }
      case CollectiveKind::kReduceScatter:
      case CollectiveKind::kReduce:
        return input(0, i) * ranks * (ranks + 1) / 2;
      case CollectiveKind::kAllGather:
        return input(owner_of(i), i);
      case CollectiveKind::kBroadcast:
        return input(case_.root, i);
      case CollectiveKind::kAllToAll: {
        const std::uint64_t each = case_.elements / case_.ranks;
        return input(i / each, rank * each + i % each);
      }
      case CollectiveKind::kSend:
        return input(rank < case_.ranks / 2 * 2 ? rank % (case_.ranks / 2) : rank, i);
      case CollectiveKind::kBarrier:
      case CollectiveKind::kReceive:
        break;
    }
    return input(rank, i);
  }

  const CollectiveCase& case_;
  SmallWorld& world_;
  workload::MemoryAreas areas_;
};

/// Enough for the buffers of all edges.
std::size_t memory_for(const CollectiveCase& one) {
  const workload::JobLayout layout = layout_of(one.ranks, one.domain);
  workload::Communicator world{.name = "world"};
  for (std::uint32_t rank = 0; rank < one.ranks; ++rank)
    world.members.push_back(workload::RankId(rank));
  const workload::MemberLayout members(world, layout);
  const std::size_t slots = workload::slot_of(workload::most_channels(members, one.options), 0) + 1;
  const std::size_t buffers = one.ranks * slots * static_cast<std::size_t>(one.options.buffer.count());
  return 4 * std::max(buffers, 4 * one.elements) + 1'024;
}

}  // namespace

std::string describe(const CollectiveCase& one) {
  return fmt::format("{} {}, {} ranks, domains of {}, {} elements, root {}, {} channels, {} queue pairs{}, loss 1/{}",
                     to_string(one.kind), to_string(one.algorithm), one.ranks, one.domain, one.elements, one.root,
                     one.options.channels, one.options.queue_pairs,
                     one.options.queue_pair_use == workload::QueuePairUse::kSplit ? " split" : "", one.loss);
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
  const std::size_t memory = memory_for(one);
  SmallWorld world({.ranks = one.ranks, .memory_bytes = memory, .domain = one.domain});
  RandomStream random(one.ranks * 1'000 + one.elements, "loss");
  if (one.loss > 0)
    world.loses = [&](const wire::Packet&) {
      return random.bernoulli(Probability::from_ratio({.numerator = 1, .denominator = one.loss}));
    };
  Checker checker(one, world, workload::MemoryAreas::of(Bytes(static_cast<std::int64_t>(memory))));
  checker.fill();
  const workload::JobLayout layout = layout_of(one.ranks, one.domain);
  world.run([&](workload::Messenger& messenger, workload::DeliveryMatcher& matcher, workload::RankId rank) {
    auto made = workload::CollectiveProgram::make(
        messenger, matcher,
        {.kind = one.kind,
         .algorithm = one.algorithm,
         .size = Bytes(static_cast<std::int64_t>(4 * one.elements)),
         .iterations = one.iterations,
         .root = workload::RankId(one.root),
         .engine = {.job = world.job().id, .rank = rank, .layout = &layout, .collectives = one.options}});
    EXPECT_TRUE(made.has_value()) << made.error().message;
    return std::move(*made);
  });
  ASSERT_TRUE(world.all_done()) << describe(one);
  checker.check();
}

}  // namespace weft::testing
