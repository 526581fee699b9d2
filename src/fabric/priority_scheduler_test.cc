#include "fabric/priority_scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "base/random.h"

namespace weft::fabric {
namespace {

using Weights = PriorityScheduler::Weights;
using Bytes8 = std::array<std::uint64_t, 8>;

/// Turn after turn, each priority visited for itself.
class WalkedTurns {
 public:
  WalkedTurns(const Weights& weights, std::uint32_t quantum) : weights_(weights), quantum_(quantum) {}

  std::uint32_t pick(std::uint32_t open) {
    for (std::uint32_t priority = 8; priority-- > 0;) {
      if (((open >> priority) & 1U) != 0 && weights_[priority] == 0) {
        return picked_ = priority;
      }
    }
    while (((open >> turn_) & 1U) == 0 || deficit_[turn_] <= 0) {
      deficit_[turn_] = std::min<std::int64_t>(deficit_[turn_], 0);
      turn_ = (turn_ + 1) % 8;
      deficit_[turn_] += std::int64_t{weights_[turn_]} * quantum_;
    }
    return picked_ = turn_;
  }
  void charge(std::uint32_t bytes) { deficit_[picked_] -= weights_[picked_] == 0 ? 0 : bytes; }

 private:
  Weights weights_;
  std::int64_t quantum_;
  std::array<std::int64_t, 8> deficit_{};
  std::uint32_t turn_ = 0;
  std::uint32_t picked_ = 0;
};

TEST(PriorityScheduler, CountsTurnsAsAWalkFromOneToTheNextWould) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    RandomStream random(seed, "turns");
    Weights weights{};
    for (std::uint16_t& weight : weights) {
      weight = static_cast<std::uint16_t>(random.uniform(3) == 0 ? 0 : 1 + random.uniform(20));
    }
    const auto quantum = static_cast<std::uint32_t>(1 + random.uniform(9'000));
    PriorityScheduler scheduler(weights, quantum);
    WalkedTurns walked(weights, quantum);
    for (int i = 0; i < 2'000; ++i) {
      const auto open = static_cast<std::uint32_t>(1 + random.uniform(255));
      const std::uint32_t picked = scheduler.pick(open);
      ASSERT_EQ(picked, walked.pick(open)) << "seed " << seed << ", packet " << i;
      if (random.uniform(4) != 0) {  // else nothing leaves this time
        const auto bytes = static_cast<std::uint32_t>(64 + random.uniform(9'000));
        scheduler.charge(bytes);
        walked.charge(bytes);
      }
    }
  }
}

/// Bytes by priority of so many packets of one length; `open_at`(packet) says which have something to send.
template <typename OpenAt>
Bytes8 sent(PriorityScheduler& scheduler, int packets, std::uint32_t bytes, const OpenAt& open_at) {
  Bytes8 made{};
  for (int i = 0; i < packets; ++i) {
    made.at(scheduler.pick(open_at(i))) += bytes;
    scheduler.charge(bytes);
  }
  return made;
}

double ratio(std::uint64_t a, std::uint64_t b) { return static_cast<double>(a) / static_cast<double>(b); }

TEST(PriorityScheduler, WhoSentAloneOwesNothingForIt) {
  for (const std::uint32_t quantum : {256U, 8'192U}) {
    PriorityScheduler scheduler({1, 1, 3, 0, 0, 0, 0, 0}, quantum);
    (void)sent(scheduler, 10'000, 4'096, [](int) { return 0b001U; });
    const Bytes8 equal = sent(scheduler, 1'000, 4'096, [](int) { return 0b011U; });
    EXPECT_NEAR(ratio(equal[0], equal[1]), 1, 0.01);
    const Bytes8 three = sent(scheduler, 1'000, 4'096, [](int) { return 0b101U; });
    EXPECT_NEAR(ratio(three[2], three[0]), 3, 0.05);
  }
}

TEST(PriorityScheduler, WhoRunsEmptyAfterEachPacketHasNoMoreThanItsShare) {
  PriorityScheduler scheduler({1, 3, 0, 0, 0, 0, 0, 0}, 256);
  bool has_sent = false;
  Bytes8 made{};
  for (int i = 0; i < 10'000; ++i) {
    const std::uint32_t picked = scheduler.pick(has_sent ? 0b10U : 0b11U);
    has_sent = picked == 0;
    made.at(picked) += 4'096;
    scheduler.charge(4'096);
  }
  EXPECT_NEAR(ratio(made[1], made[0]), 3, 0.01);
}

}  // namespace
}  // namespace weft::fabric
