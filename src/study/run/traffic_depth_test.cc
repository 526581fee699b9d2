// How many messages of a flow are in flight, where the round trip is long enough that it decides.
#include <gtest/gtest.h>

#include "study/run/run_test_support.h"

namespace weft::study::run {
namespace {

Duration time_of(std::string_view fabric, int depth, std::string_view operation) {
  const results::RunResults results = results_of(from_text(
      fmt::format("[fabric]\n{}\n[topology]\nkind = \"single-switch\"\nhosts = 2\n[nic]\nport_rate = \"100 Gbps\"\n"
                  "[link]\npropagation = \"25 us\"\n[[traffic]]\nkind = \"flows\"\nsources = [\"host0\"]\n"
                  "destinations = [\"host1\"]\noperation = \"{}\"\nsize = \"4 KiB\"\ncount = 2048\ndepth = {}\n",
                  fabric, operation, depth)));
  EXPECT_TRUE(all_succeeded(results));
  return lasted(results);
}

class TrafficDepth : public ::testing::TestWithParam<std::string> {};

// 2048 messages of 4 KiB in rounds of `depth`, each of which takes the 100 us of the cables and little more; the last
// one also what its messages take to leave.
TEST_P(TrafficDepth, IsHowManyMessagesAreInFlight) {
  constexpr double kRound = 103.5e-6;
  constexpr double kLeave = 0.335e-6;
  for (const char* const operation : {"write", "send"}) {
    for (const int depth : {64, 256}) {
      const double form = 2048.0 / depth * kRound + depth * kLeave;
      EXPECT_NEAR(time_of(GetParam(), depth, operation).seconds(), form, form * 0.03) << operation << " " << depth;
    }
  }
}

// Credits of InfiniBand cover less than such cables hold.
INSTANTIATE_TEST_SUITE_P(Families, TrafficDepth, ::testing::Values("family = \"rocev2\"", "family = \"uet\""));

}  // namespace
}  // namespace weft::study::run
