#include "verbs/receive_queue.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>
#include <vector>

namespace weft::verbs {
namespace {

constexpr std::uint32_t kMaxLength = std::numeric_limits<std::uint32_t>::max();

RecvWr numbered(std::uint64_t wr_id) { return RecvWr{.wr_id = wr_id, .sg_list = {}}; }

void fill(ReceiveQueue& queue, std::uint64_t count) {
  for (std::uint64_t id = 1; id <= count; ++id) {
    ASSERT_TRUE(queue.post(numbered(id)).has_value());
  }
}

TEST(ReceiveQueue, HandsOutRequestsInTheOrderOfPosting) {
  ReceiveQueue queue({.max_wr = 3, .max_sge = 1});
  fill(queue, 3);
  EXPECT_EQ(queue.take()->wr_id, 1U);
  ASSERT_TRUE(queue.post(numbered(4)).has_value());
  EXPECT_EQ(queue.take()->wr_id, 2U);
  EXPECT_EQ(queue.take()->wr_id, 3U);
  EXPECT_EQ(queue.take()->wr_id, 4U);
  EXPECT_FALSE(queue.take().has_value());
  EXPECT_TRUE(queue.empty());
}

TEST(ReceiveQueue, CopiesTheScatterGatherList) {
  ReceiveQueue queue({.max_wr = 1, .max_sge = 2});
  std::vector<Sge> elements = {{.address = 0x1000, .length = 10, .lkey = 1},
                               {.address = 0x2000, .length = 20, .lkey = 2}};
  ASSERT_TRUE(queue.post({.wr_id = 1, .sg_list = elements}).has_value());
  elements.assign(2, Sge{});
  const auto taken = queue.take();
  ASSERT_EQ(taken->sg_list.elements().size(), 2U);
  EXPECT_EQ(taken->sg_list.elements()[1].address, 0x2000U);
  EXPECT_EQ(taken->sg_list.total_bytes(), 30U);
}

TEST(ReceiveQueue, RefusesWhatDoesNotFitAndSaysWhy) {
  ReceiveQueue queue({.max_wr = 1, .max_sge = 2});
  const std::array<Sge, 3> three{};
  const auto too_many = queue.post({.wr_id = 1, .sg_list = three});
  ASSERT_FALSE(too_many.has_value());
  EXPECT_NE(too_many.error().message.find("3 scatter-gather elements"), std::string::npos);
  fill(queue, 1);
  const auto full = queue.post(numbered(2));
  ASSERT_FALSE(full.has_value());
  EXPECT_NE(full.error().message.find("full"), std::string::npos);
  EXPECT_EQ(queue.size(), 1U);
}

TEST(ReceiveQueue, HoldsAtMostAMessageOfTwoToThe31Bytes) {
  ReceiveQueue queue({.max_wr = 2, .max_sge = 2});
  std::array<Sge, 2> elements = {Sge{.length = 1U << 30}, Sge{.length = 1U << 30}};
  EXPECT_TRUE(queue.post({.wr_id = 1, .sg_list = elements}).has_value());
  elements[1].length += 1;
  EXPECT_FALSE(queue.post({.wr_id = 2, .sg_list = elements}).has_value());
  elements = {Sge{.length = kMaxLength}, Sge{.length = kMaxLength}};
  EXPECT_FALSE(queue.post({.wr_id = 3, .sg_list = elements}).has_value()) << "the sum must not wrap around";
}

//= ibta-1.7 10.2.9
TEST(ReceiveQueue, LimitEventFiresOnceWhenFewerThanTheLimitRemain) {
  ReceiveQueue queue({.max_wr = 8, .max_sge = 1});
  fill(queue, 4);
  queue.arm_limit(3);
  EXPECT_TRUE(queue.take().has_value());
  EXPECT_FALSE(queue.take_limit_event()) << "3 remain";
  EXPECT_TRUE(queue.take().has_value());
  EXPECT_TRUE(queue.take_limit_event()) << "2 remain";
  EXPECT_FALSE(queue.take_limit_event());
  EXPECT_TRUE(queue.take().has_value());
  EXPECT_FALSE(queue.take_limit_event()) << "disarmed by firing";
}

TEST(ReceiveQueue, ALimitOfZeroDisarms) {
  ReceiveQueue queue({.max_wr = 8, .max_sge = 1});
  fill(queue, 2);
  queue.arm_limit(2);
  queue.arm_limit(0);
  EXPECT_TRUE(queue.take().has_value());
  EXPECT_TRUE(queue.take().has_value());
  EXPECT_FALSE(queue.take_limit_event());
}

}  // namespace
}  // namespace weft::verbs
