#include "verbs/machine_work.h"

#include <gmock/gmock.h>

#include <array>

namespace weft::verbs {
namespace {

using ::testing::HasSubstr;

Time at(std::int64_t microseconds) { return Time::zero() + Duration::microseconds(microseconds); }

TEST(MachineWork, AGpuDoesOneRequestAfterAnotherAndTheProcessorAnyNumberAtOnce) {
  MachineWork work({.gpus = 2});
  const auto end = [&](GpuIndex gpu) {
    return work.compute({.gpu = gpu, .work = Duration::microseconds(10)}, at(5))->at;
  };
  EXPECT_EQ(end(GpuIndex(0)), at(15));
  EXPECT_EQ(end(GpuIndex(0)), at(25));
  EXPECT_EQ(end(GpuIndex(1)), at(15));
  EXPECT_EQ(end(GpuIndex()), at(15));
  EXPECT_EQ(end(GpuIndex()), at(15));
}

TEST(MachineWork, OperationsTakeTheirTimeRoundedUp) {
  MachineWork work({.gpus = 1, .flops_per_second = 3'000'000'000'000});
  EXPECT_EQ(work.compute({.gpu = GpuIndex(0), .work = Flops{10}}, at(0))->at, at(0) + Duration::picoseconds(4));
}

TEST(MachineWork, WhatCannotBeIsRefused) {
  MachineWork work({.gpus = 1, .flops_per_second = 1});
  const auto refused = [&](const ComputeRequest& request) { return work.compute(request, at(0)).error().message; };
  EXPECT_THAT(refused({.gpu = GpuIndex(1)}), HasSubstr("GPU 1; this host has 1"));
  EXPECT_THAT(refused({.work = Flops{1}}), HasSubstr("no operation rate"));
  EXPECT_THAT(refused({.gpu = GpuIndex(0), .work = Flops{-1}}), HasSubstr("-1 operations"));
  EXPECT_THAT(refused({.work = Duration::picoseconds(-1)}), HasSubstr("negative time"));
  EXPECT_THAT(work.check({.size = Bytes(-1)}).error().message, HasSubstr("-1 bytes"));
  EXPECT_THAT(work.check({.from = {.gpu = GpuIndex(1)}}).error().message, HasSubstr("no such GPU"));
  EXPECT_TRUE(work.check({.from = {.gpu = GpuIndex(0)}, .size = Bytes(1)}));
}

TEST(MachineWork, EventsAreToldInTheOrderOfTimeThenOfRequest) {
  MachineWork work({});
  EXPECT_TRUE(work.next().is_never());
  work.add({.token = 1, .at = at(20)});
  work.add({.token = 2, .at = at(10)});
  work.add({.token = 3, .at = at(10)});
  EXPECT_EQ(work.next(), at(10));
  std::array<MachineEvent, 4> out{};
  EXPECT_EQ(work.poll(out, at(9)), 0U);
  ASSERT_EQ(work.poll(std::span(out).first(1), at(10)), 1U);
  EXPECT_EQ(out[0].token, 2U);
  ASSERT_EQ(work.poll(out, at(20)), 2U);
  EXPECT_EQ(out[0].token, 3U);
  EXPECT_EQ(out[1].token, 1U);
}

}  // namespace
}  // namespace weft::verbs
