// Flows that start when others have ended, over real engines with one microsecond from rank to rank and no limit of
// rate: a message ends at its sender after two, and arrives after one.
#include <gtest/gtest.h>

#include <map>

#include "tests/workload/small_world.h"
#include "workload/flow_list.h"

namespace weft::testing {
namespace {

using workload::FlowShape;
using workload::FlowTriggers;
using workload::ListedFlow;
using workload::MessageRecord;
using workload::Operation;
using workload::RankId;
using workload::Trigger;
using workload::TriggerId;
using workload::TriggerKind;

constexpr FlowShape kWrites{.size = Bytes(64)};
constexpr FlowShape kSends{.size = Bytes(64), .operation = Operation::kSend};

Time at(std::int64_t microseconds) { return Time::zero() + Duration::microseconds(microseconds); }

ListedFlow flow(std::uint32_t from, std::uint32_t to, FlowTriggers triggers, FlowShape shape = kWrites) {
  return {RankId(from), RankId(to), shape, std::move(triggers)};
}

/// When the first message of each flow was posted: by source, destination and number of the flow.
std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Time> starts(const SmallWorld& world) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Time> times;
  for (const MessageRecord& message : world.recorded.messages) {
    EXPECT_EQ(message.status, verbs::WcStatus::kSuccess);
    times.emplace(std::tuple(message.flow.source.value(), message.flow.destination.value(), message.flow.index),
                  message.posted);
  }
  return times;
}

auto run_list(SmallWorld& world, const std::vector<ListedFlow>& flows, const std::vector<Trigger>& triggers) {
  world.run(workload::FlowList::make(world.job(), flows, triggers).value());
  EXPECT_TRUE(world.all_done());
  return starts(world);
}

const Trigger kOne{.name = "one"};

TEST(Triggers, AFlowStartsWhenAnotherOfItsRankHasBeenSent) {
  SmallWorld world({.ranks = 3});
  const auto times = run_list(world,
                              {flow(0, 1, {.sent = {TriggerId(0)}}), flow(0, 2, {.after = {TriggerId(0)}}),
                               flow(0, 1, {.after = {TriggerId(0)}, .delay = 5_us})},
                              {kOne});
  EXPECT_EQ(times.at({0, 1, 0}), at(0));
  EXPECT_EQ(times.at({0, 2, 0}), at(2));
  EXPECT_EQ(times.at({0, 1, 1}), at(7));
}

TEST(Triggers, AReceivedFlowStartsTheNextOfAChainWithoutAMessage) {
  for (const Operation operation : {Operation::kSend, Operation::kWriteWithImm}) {
    SmallWorld world({.ranks = 4});
    const FlowShape shape{.size = Bytes(64), .messages = 3, .operation = operation};
    std::vector<ListedFlow> flows;
    std::vector<Trigger> triggers;
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
      FlowTriggers own;
      if (rank > 0)
        own.after = {TriggerId(rank - 1)};
      if (rank < 3) {
        own.received = {TriggerId(rank)};
        triggers.push_back(kOne);
      }
      flows.push_back(flow(rank, (rank + 1) % 4, own, shape));
    }
    const auto times = run_list(world, flows, triggers);
    for (std::uint32_t rank = 0; rank < 4; ++rank)
      EXPECT_EQ(times.at({rank, (rank + 1) % 4, 0}), at(rank));
  }
}

TEST(Triggers, WhatAnotherRankFiresTakesAMessage) {
  SmallWorld world({.ranks = 4});
  const auto times = run_list(world,
                              {flow(0, 1, {.sent = {TriggerId(0)}}), flow(2, 3, {.after = {TriggerId(0)}}),
                               flow(3, 2, {.after = {TriggerId(0)}})},
                              {kOne});
  EXPECT_EQ(times.at({2, 3, 0}), at(3));  // the trigger's home
  EXPECT_EQ(times.at({3, 2, 0}), at(4));  // which tells the other
}

TEST(Triggers, ABarrierHoldsAllUntilTheLastHasEnded) {
  SmallWorld world({.ranks = 3});
  FlowShape late = kWrites;
  late.start = at(10);
  const TriggerId barrier(0);
  const auto times =
      run_list(world,
               {flow(0, 1, {.sent = {barrier}}), flow(1, 2, {.sent = {barrier}}, late), flow(2, 0, {.sent = {barrier}}),
                flow(0, 1, {.after = {barrier}}), flow(1, 2, {.after = {barrier}}), flow(2, 0, {.after = {barrier}})},
               {{.name = "barrier", .kind = TriggerKind::kBarrier, .count = 3}});
  EXPECT_EQ(times.at({0, 1, 1}), at(10 + 2 + 1));  // sent, and told to rank 0, whose flow waits first
  EXPECT_EQ(times.at({1, 2, 1}), at(10 + 2 + 2));
  EXPECT_EQ(times.at({2, 0, 1}), at(10 + 2 + 2));
}

TEST(Triggers, AMultishotStartsOneFlowForEachFiringInTheOrderOfTheList) {
  SmallWorld world({.ranks = 3});
  const TriggerId shots(0);
  FlowShape second = kWrites;
  second.start = at(10);
  FlowShape third = kWrites;
  third.start = at(20);
  const auto times =
      run_list(world,
               {flow(0, 1, {.after = {shots}}), flow(1, 0, {.after = {shots}}), flow(0, 1, {.sent = {shots}}),
                flow(0, 2, {.sent = {shots}}, second), flow(0, 2, {.sent = {shots}}, third)},
               {{.name = "shots", .kind = TriggerKind::kMultishot}});
  EXPECT_EQ(times.at({0, 1, 0}), at(2));
  EXPECT_EQ(times.at({1, 0, 0}), at(13));
  EXPECT_EQ(times.size(), 5U);
}

TEST(Triggers, AFlowThatWaitsForSeveralStartsWithTheLast) {
  SmallWorld world({.ranks = 2});
  FlowShape late = kSends;
  late.start = at(7);
  const auto times = run_list(world,
                              {flow(0, 1, {.sent = {TriggerId(0)}}), flow(1, 0, {.received = {TriggerId(1)}}, late),
                               flow(0, 1, {.after = {TriggerId(0), TriggerId(1)}})},
                              {kOne, {.name = "two"}});
  EXPECT_EQ(times.at({0, 1, 1}), at(8));
}

TEST(Triggers, AFailedFlowFiresNothing) {
  SmallWorld world({.ranks = 2});
  world.loses = [](const wire::Packet&) { return true; };
  world.run(workload::FlowList::make(
                world.job(), {flow(0, 1, {.sent = {TriggerId(0)}}), flow(0, 1, {.after = {TriggerId(0)}})}, {kOne})
                .value());
  EXPECT_FALSE(world.all_done());
  EXPECT_EQ(world.recorded.messages.size(), 1U);
  EXPECT_NE(world.recorded.messages.front().status, verbs::WcStatus::kSuccess);
}

std::string trigger_fault(const std::vector<ListedFlow>& flows, const std::vector<Trigger>& triggers) {
  const auto made = workload::FlowList::make({.name = "job", .ranks = 4}, flows, triggers);
  return made ? "" : made.error().message;
}

TEST(Triggers, WhatWouldNeverStartIsRefused) {
  const TriggerId a(0);
  const TriggerId b(1);
  EXPECT_EQ(trigger_fault({flow(0, 1, {.sent = {a}})}, {kOne}), "trigger 'one': no flow waits for it");
  EXPECT_EQ(trigger_fault({flow(0, 1, {.after = {a}})}, {kOne}),
            "trigger 'one': no flow fires it, so that those that wait for it would never start");
  EXPECT_EQ(trigger_fault({flow(0, 1, {.sent = {a}}), flow(1, 2, {.sent = {a}}), flow(2, 3, {.after = {a}})}, {kOne}),
            "trigger 'one': a oneshot is fired once, and 2 flows fire it; use a barrier of 2");
  EXPECT_EQ(trigger_fault({flow(0, 1, {.sent = {a}}), flow(2, 3, {.after = {a}})},
                          {{.name = "all", .kind = TriggerKind::kBarrier, .count = 2}}),
            "trigger 'all': a barrier of 2 needs as many firings, and 1 flows fire it");
  EXPECT_EQ(trigger_fault({flow(0, 1, {.sent = {a}}), flow(2, 3, {.after = {a}}), flow(2, 3, {.after = {a}})},
                          {{.name = "shots", .kind = TriggerKind::kMultishot}}),
            "trigger 'shots': a multishot starts one flow for each firing; 2 flows wait and 1 fire it");
  EXPECT_EQ(trigger_fault({flow(0, 1, {.received = {a}}), flow(2, 3, {.after = {a}})}, {kOne}),
            "flow 1: fires a trigger when it is received, but 'write' tells its receiver nothing; use send, or write "
            "with immediate data");
  EXPECT_EQ(trigger_fault({flow(0, 1, {.after = {b}}), flow(0, 1, {.after = {a}, .sent = {b}}),
                           flow(1, 2, {.after = {b}, .sent = {a}})},
                          {kOne, {.name = "two"}}),
            "flow 2: waits for triggers that fire only after it: flow 2, flow 3, flow 2");
}

}  // namespace
}  // namespace weft::testing
