#include "host/path/server.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/random.h"
#include "host/path/cpu.h"
#include "host/path/stage.h"

namespace weft::host {
namespace {

constexpr Time at(Duration since_start) { return Time::zero() + since_start; }

TEST(Server, ServesInTheOrderOfTheCalls) {
  Server server;
  EXPECT_EQ(server.serve(at(1_us), 2_us), at(3_us));
  EXPECT_EQ(server.serve(at(1_us), 2_us), at(5_us));
  EXPECT_EQ(server.serve(at(10_us), 1_us), at(11_us));
  EXPECT_EQ(server.busy(), 5_us);
  EXPECT_EQ(server.backlog(at(10_us)), 1_us);
  EXPECT_EQ(server.backlog(at(20_us)), Duration::zero());
}

TEST(Server, StaysOpenUntilDeferredWorkCanBegin) {
  Server server;
  EXPECT_EQ(server.serve({.now = at(0_us), .start = at(10_us)}, 3_us), at(13_us));
  EXPECT_EQ(server.serve(at(1_us), 2_us), at(3_us));
  // Eight microseconds are left before the one that was promised; the ninth comes after it.
  EXPECT_EQ(server.serve(at(2_us), 8_us), at(14_us));
  EXPECT_EQ(server.serve(at(2_us), 1_us), at(15_us));
  EXPECT_EQ(server.busy(), 14_us);
  EXPECT_EQ(server.backlog(at(2_us)), 13_us);
}

TEST(Server, WorkThatJustFitsEndsBeforeWhatWasPromised) {
  Server server;
  (void)server.serve({.now = at(0_us), .start = at(10_us)}, 3_us);
  EXPECT_EQ(server.serve(at(0_us), 10_us), at(10_us));
  EXPECT_EQ(server.serve(at(0_us), 1_us), at(14_us));
}

TEST(Server, WorkThatBeganBeforeItWasAskedForTakesWhatWasIdleThen) {
  Server server;
  EXPECT_EQ(server.serve(at(10_us), 2_us), at(12_us));
  EXPECT_EQ(server.serve({.now = at(20_us), .start = at(11_us)}, 3_us), at(15_us));
  EXPECT_EQ(server.serve({.now = at(21_us), .start = at(12_us)}, 8_us), at(23_us));
  EXPECT_EQ(server.serve(at(21_us), 1_us), at(24_us));
  EXPECT_EQ(server.busy(), 14_us);
}

// Against a server that is asked picosecond by picosecond.
TEST(Server, TakesTheFirstIdleTimeWhateverTheOrder) {
  RandomStream random(7, "server");
  Server server;
  std::vector<bool> taken(4'000);
  std::int64_t now = 0;
  for (int i = 0; i < 200; ++i) {
    now += random.uniform_between({.low = 0, .high = 9});
    const std::int64_t start = now + random.uniform_between({.low = 0, .high = 40});
    const std::int64_t work = random.uniform_between({.low = 1, .high = 8});
    std::int64_t left = work;
    auto slot = static_cast<std::size_t>(start);
    for (; left > 0; ++slot) {
      if (!taken[slot]) {
        taken[slot] = true;
        --left;
      }
    }
    EXPECT_EQ(server.serve({.now = Time::from_picoseconds(now), .start = Time::from_picoseconds(start)},
                           Duration::picoseconds(work)),
              Time::from_picoseconds(static_cast<std::int64_t>(slot)));
  }
}

TEST(ByteServer, PassesBytesAtItsRate) {
  ByteServer server(8_gbps);
  EXPECT_EQ(server.pass(at(0_us), 1000_bytes), at(1_us));
  EXPECT_EQ(server.backlog(at(0_us)), 1000_bytes);
  EXPECT_EQ(server.pass(at(0_us), 1000_bytes), at(2_us));
  EXPECT_EQ(server.bytes(), 2000_bytes);
}

TEST(ByteServer, WithoutALimitTakesNoTime) {
  ByteServer server(Rate::max());
  EXPECT_EQ(server.pass(at(3_us), 1_gib), at(3_us));
  EXPECT_EQ(server.backlog(at(0_us)), Bytes::zero());
}

TEST(Cpu, AccountsByWhatTheTimeWasFor) {
  Cpu cpu(2);
  EXPECT_EQ(cpu.run(CoreId(0), CpuWork::kCopy, at(0_us), 4_us), at(4_us));
  EXPECT_EQ(cpu.run(CoreId(1), CpuWork::kCopy, at(0_us), 1_us), at(1_us));
  EXPECT_EQ(cpu.run(CoreId(0), CpuWork::kSystemCall, at(0_us), 2_us), at(6_us));
  cpu.note(CpuWork::kCompletion, 3_us);
  EXPECT_EQ(cpu.used(CpuWork::kCopy), 5_us);
  EXPECT_EQ(cpu.used(), 10_us);
  EXPECT_EQ(cpu.busiest(), 6_us);
  EXPECT_EQ(cpu.free_at(CoreId(0)), at(6_us));
}

TEST(StageTimes, AddUpAndLeaveOutWhatTakesNoTime) {
  StageTimes list;
  list.add({"a", 2_us, Confidence::kGuess});
  list.add({"b", 0_us, Confidence::kGuess});
  list.add({"c", 3_us, Confidence::kMeasured});
  EXPECT_EQ(list.stages().size(), 2U);
  EXPECT_EQ(list.sum(), 5_us);
  EXPECT_EQ(list.time_of("c"), 3_us);
  EXPECT_EQ(weaker(Confidence::kMeasured, Confidence::kGuess), Confidence::kGuess);
  EXPECT_EQ(to_string(Confidence::kCalibrated), "calibrated");
}

TEST(Stage, CostsItsLatencyAndItsBytes) {
  const Stage copy{.latency = 50_ns, .rate = 80_gbps};
  EXPECT_EQ(copy.time(1000_bytes), 150_ns);
  EXPECT_EQ(Stage{.latency = 7_ns}.time(1_gib), 7_ns);
}

}  // namespace
}  // namespace weft::host
