#include "transport/congestion/rccc_scheduler.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "base/random.h"

namespace weft::transport {
namespace {

using namespace literals;

constexpr std::uint32_t kQuanta = 64;  // of four packets of 4 KiB
const CreditScheduler::Parameters kParameters{.line = 100_gbps, .payload = 4'096_bytes, .window = 262'144_bytes};

/// Takes every credit packet in time order until nobody is left, at most `most`.
std::vector<CreditScheduler::Grant> drain(CreditScheduler& scheduler, Time& now, int most = 1'000'000) {
  std::vector<CreditScheduler::Grant> grants;
  while (most-- > 0 && !scheduler.next_transmit().is_never()) {
    now = later(now, scheduler.next_transmit());
    const std::optional<CreditScheduler::Grant> grant = scheduler.poll(now);
    if (!grant)
      break;
    grants.push_back(*grant);
  }
  return grants;
}

TEST(CreditScheduler, HasNothingToSendBeforeSomebodyAsks) {
  CreditScheduler scheduler(kParameters);
  EXPECT_TRUE(scheduler.next_transmit().is_never());
  const CreditScheduler::Handle sender = scheduler.add();
  EXPECT_TRUE(scheduler.next_transmit().is_never());
  EXPECT_FALSE(scheduler.poll(Time::zero() + 1_s).has_value());
  scheduler.on_target(sender, CreditTotal(1));
  EXPECT_EQ(scheduler.next_transmit(), Time::zero());
}

TEST(CreditScheduler, GrantsFourPacketsAtATimeAndNeverBeyondTheTarget) {
  CreditScheduler scheduler(kParameters);
  const CreditScheduler::Handle sender = scheduler.add();
  scheduler.on_target(sender, CreditTotal(2 * kQuanta + 10));
  Time now = Time::zero();
  std::vector<std::uint32_t> totals;
  for (const CreditScheduler::Grant& grant : drain(scheduler, now)) {
    if (!grant.slow)
      totals.push_back(grant.total.value());
  }
  EXPECT_EQ(totals, (std::vector<std::uint32_t>{kQuanta, 2 * kQuanta, 2 * kQuanta + 10}));
}

TEST(CreditScheduler, CreditLeavesAtNinetyNinePercentOfTheLine) {
  CreditScheduler scheduler(kParameters);
  const CreditScheduler::Handle sender = scheduler.add();
  scheduler.on_target(sender, CreditTotal(100 * kQuanta));
  Time now = Time::zero() + 5_us;
  const Time start = now;
  EXPECT_EQ(drain(scheduler, now, 101).size(), 101U);
  // 100 gaps of 16 KiB at 99 Gb/s.
  const Duration gap = (99_gbps).transmit_time(16'384_bytes);
  EXPECT_NEAR(static_cast<double>((now - start).picoseconds()), static_cast<double>((100 * gap).picoseconds()), 200);
}

TEST(CreditScheduler, ThoseThatWantCreditTakeTurns) {
  CreditScheduler scheduler(kParameters);
  std::vector<CreditScheduler::Handle> senders;
  for (int i = 0; i < 3; ++i) {
    senders.push_back(scheduler.add());
    scheduler.on_target(senders.back(), CreditTotal(10 * kQuanta));
  }
  EXPECT_EQ(scheduler.active_senders(), 3U);
  Time now = Time::zero();
  const std::vector<CreditScheduler::Grant> grants = drain(scheduler, now, 30);
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_EQ(grants[i].sender, senders[i % 3]);
    EXPECT_EQ(grants[i].total.value(), (i / 3 + 1) * kQuanta);
    EXPECT_FALSE(grants[i].slow);
  }
  EXPECT_EQ(scheduler.active_senders(), 0U);
}

TEST(CreditScheduler, SlowCreditComesLastAndUpToAWindow) {
  CreditScheduler scheduler(kParameters);
  const CreditScheduler::Handle idle = scheduler.add();
  const CreditScheduler::Handle busy = scheduler.add();
  scheduler.on_target(idle, CreditTotal(10));
  scheduler.on_target(busy, CreditTotal(5 * kQuanta));
  Time now = Time::zero();
  std::map<CreditScheduler::Handle, std::uint32_t> slow;
  std::uint32_t regular_after_slow = 0;
  for (const CreditScheduler::Grant& grant : drain(scheduler, now)) {
    if (grant.slow)
      ++slow[grant.sender];
    else if (!slow.empty())
      ++regular_after_slow;
  }
  EXPECT_EQ(regular_after_slow, 0U);
  // 1,024 quanta are a window.
  EXPECT_EQ(slow[idle], 1'024 / kQuanta);
  EXPECT_EQ(slow[busy], 1'024 / kQuanta);
  EXPECT_TRUE(scheduler.next_transmit().is_never());
  // What it had on top is used up by its next target first.
  scheduler.on_target(idle, CreditTotal(10 + 1'024 + 5));
  EXPECT_EQ(scheduler.poll(scheduler.next_transmit())->total.value(), 10U + 1'024 + 5);
}

TEST(CreditScheduler, ARequestIsAnsweredEvenWithNothingToGrant) {
  CreditScheduler scheduler(kParameters);
  const CreditScheduler::Handle sender = scheduler.add();
  scheduler.on_request(sender);
  scheduler.on_request(sender);
  const std::optional<CreditScheduler::Grant> grant = scheduler.poll(Time::zero());
  ASSERT_TRUE(grant.has_value());
  EXPECT_EQ(grant->total, CreditTotal());
  EXPECT_FALSE(grant->slow);
  const Duration wait = scheduler.next_transmit() - Time::zero();
  EXPECT_NEAR(static_cast<double>(wait.picoseconds()),
              static_cast<double>((99_gbps).transmit_time(1'024_bytes).picoseconds()), 2);
  EXPECT_TRUE(scheduler.poll(scheduler.next_transmit())->slow);
}

TEST(CreditScheduler, OldTargetsChangeNothing) {
  CreditScheduler scheduler(kParameters);
  const CreditScheduler::Handle sender = scheduler.add();
  scheduler.on_target(sender, CreditTotal(kQuanta));
  scheduler.on_target(sender, CreditTotal(kQuanta / 2));
  EXPECT_EQ(scheduler.poll(Time::zero())->total.value(), kQuanta);
  EXPECT_EQ(scheduler.active_senders(), 0U);
}

TEST(CreditScheduler, TotalsWrap) {
  CreditScheduler scheduler(kParameters);
  const CreditScheduler::Handle sender = scheduler.add();
  Time now = Time::zero();
  CreditTotal total;
  for (int i = 0; i < 5; ++i) {
    total = total + (1 << 22);
    scheduler.on_target(sender, total);
    while (scheduler.active_senders() > 0) {
      ASSERT_FALSE(drain(scheduler, now, 1).empty());
    }
  }
  EXPECT_EQ(total.value(), 1U << 22);
  scheduler.on_request(sender);
  EXPECT_EQ(drain(scheduler, now, 1)[0].total, total);
}

TEST(CreditScheduler, SlowsDownByThePartOfAnOversubscribedCore) {
  CreditScheduler scheduler(kParameters);
  scheduler.set_part_of_rate(Probability::from_ratio({.numerator = 1, .denominator = 4}));
  const CreditScheduler::Handle sender = scheduler.add();
  scheduler.on_target(sender, CreditTotal(kQuanta));
  (void)scheduler.poll(Time::zero());
  EXPECT_NEAR(static_cast<double>((scheduler.next_transmit() - Time::zero()).picoseconds()),
              4.0 * static_cast<double>((99_gbps).transmit_time(16'384_bytes).picoseconds()), 8);
}

// Whatever comes and goes: nobody gets more than a target and a window, nobody who wants credit is passed over for
// ever, and all credit together stays below the line.
TEST(CreditSchedulerProperty, GrantsStayWithinTargetsAndTheLine) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    RandomStream random(seed, "credits");
    CreditScheduler scheduler(kParameters);
    std::map<CreditScheduler::Handle, std::pair<CreditTotal, CreditTotal>> senders;  // target, granted
    Time now = Time::zero();
    std::int64_t quanta = 0;
    for (int i = 0; i < 3'000; ++i) {
      const std::uint64_t what = random.uniform(10);
      if (what == 0 && senders.size() < 8) {
        const CreditScheduler::Handle added = scheduler.add();
        ASSERT_FALSE(senders.contains(added));
        senders[added] = {};
      } else if (what == 1 && !senders.empty()) {
        const auto chosen = std::next(senders.begin(), static_cast<std::ptrdiff_t>(random.uniform(senders.size())));
        scheduler.remove(chosen->first);
        senders.erase(chosen);
      } else if (what <= 4 && !senders.empty()) {
        const auto chosen = std::next(senders.begin(), static_cast<std::ptrdiff_t>(random.uniform(senders.size())));
        chosen->second.first = chosen->second.first + static_cast<std::int64_t>(random.uniform(400));
        scheduler.on_target(chosen->first, chosen->second.first);
        if (random.uniform(3) == 0)
          scheduler.on_request(chosen->first);
      } else if (const Time next = scheduler.next_transmit(); !next.is_never()) {
        now = later(now, next);
        const std::optional<CreditScheduler::Grant> grant = scheduler.poll(now);
        ASSERT_TRUE(grant.has_value());
        ASSERT_TRUE(senders.contains(grant->sender));
        auto& [target, granted] = senders[grant->sender];
        const std::int32_t more = grant->total - granted;
        ASSERT_GE(more, 0);
        ASSERT_LE(more, static_cast<std::int32_t>(kQuanta));
        ASSERT_TRUE(more == 0 || grant->slow || grant->total - target <= 0);
        ASSERT_LE(grant->total - target, 1'024 + static_cast<std::int32_t>(kQuanta));
        granted = grant->total;
        quanta += more;
      }
    }
    const Bytes most = (100_gbps).bytes_in(now - Time::zero()) + 16_kib;
    EXPECT_LE(quanta * CreditTotal::kQuantum, most) << "seed " << seed;
    (void)drain(scheduler, now);
    for (const auto& [handle, one] : senders)
      EXPECT_TRUE(scheduler.next_transmit().is_never()) << handle;
  }
}

}  // namespace
}  // namespace weft::transport
