// Files of flows: what a line means, and what is said of a wrong one.
#include "study/scenario/flow_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace weft::study::scenario {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using workload::TriggerId;
using workload::TriggerKind;

Result<FlowFile> read_flows(const std::string& text) {
  const std::string path =
      testing::TempDir() + "weft_flows_" + testing::UnitTest::GetInstance()->current_test_info()->name() + ".csv";
  std::ofstream(path) << text;
  Result<FlowFile> file = read_flow_file(path);
  std::filesystem::remove(path);
  return file;
}

std::string flow_file_fault(const std::string& text) {
  const auto file = read_flows(text);
  return file ? "" : file.error().message;
}

TEST(FlowFile, AFlowHasEndsSizeAndPerhapsAStart) {
  const FlowFile file = read_flows("# two\nhost0, host3/nic0, 1 MiB, 10 us\n\nhost1,host2,5 kB\n").value();
  ASSERT_EQ(file.flows.size(), 2U);
  EXPECT_EQ(file.flows[0].destination, "host3/nic0");
  EXPECT_EQ(file.flows[0].start, 10_us);
  EXPECT_EQ(file.flows[1].size, Bytes(5000));
  EXPECT_TRUE(file.flows[1].triggers.none());
}

TEST(FlowFile, FlowsNameTriggersThatStandAnywhere) {
  const FlowFile file = read_flows(
                            "host0, host1, 1 B, sent a b, received c\nhost1, host0, 1 B, 5 us, after a c\n"
                            "trigger, a, oneshot\ntrigger, b, multishot\ntrigger, c, barrier, 3\n")
                            .value();
  ASSERT_EQ(file.triggers.size(), 3U);
  EXPECT_EQ(file.triggers[2].kind, TriggerKind::kBarrier);
  EXPECT_EQ(file.triggers[2].count, 3U);
  EXPECT_THAT(file.flows[0].triggers.sent, ElementsAre(TriggerId(0), TriggerId(1)));
  EXPECT_THAT(file.flows[0].triggers.received, ElementsAre(TriggerId(2)));
  EXPECT_THAT(file.flows[1].triggers.after, ElementsAre(TriggerId(0), TriggerId(2)));
  EXPECT_EQ(file.flows[1].triggers.delay, 5_us);
  EXPECT_EQ(file.flows[1].start, Duration::zero());
  EXPECT_THAT(file.trigger_places[0], EndsWith(".csv:3"));
}

TEST(FlowFile, AHostMayBeNamedTrigger) { EXPECT_EQ(read_flows("trigger, host1, 4 KiB\n")->flows[0].source, "trigger"); }

TEST(FlowFile, WrongLinesAreNamed) {
  EXPECT_THAT(flow_file_fault("host0, host1\n"),
              EndsWith(".csv:1: 'host0, host1' is no flow; expected 'source, destination, "
                       "size[, start][, after NAME ...][, sent NAME ...][, received NAME "
                       "...]'"));
  EXPECT_THAT(flow_file_fault("a, b, 1 B, sent x\ntrigger, y1, oneshot\n"),
              EndsWith(".csv:1: no line defines the trigger 'x'; add 'trigger, x, oneshot'"));
  EXPECT_THAT(flow_file_fault("a, b, 1 B, sent frist\ntrigger, first, oneshot\n"),
              EndsWith(".csv:1: no line defines the trigger 'frist'; did you mean 'first'?"));
  EXPECT_THAT(flow_file_fault("trigger, x, onceshot\n"),
              EndsWith(".csv:1: unknown kind of trigger 'onceshot'; did you mean 'oneshot'? one of oneshot, multishot, "
                       "barrier"));
  EXPECT_THAT(flow_file_fault("trigger, x, barrier\n"),
              EndsWith(": a barrier needs the number of firings that it waits for"));
  EXPECT_THAT(flow_file_fault("trigger, x, barrier, 0\n"),
              EndsWith(": '0' is no number of firings; it must be at least 1"));
  EXPECT_THAT(flow_file_fault("trigger, x, oneshot\ntrigger, x, oneshot\n"),
              EndsWith(".csv:2: a trigger named x is already defined"));
  EXPECT_THAT(flow_file_fault("a, b, 1 B, sent\n"),
              EndsWith(": 'sent': expected one 'sent' with the names of triggers"));
  EXPECT_THAT(flow_file_fault("a, b, 1 B, sent x, 5 us\n"), testing::HasSubstr("is no flow"));
  EXPECT_THAT(flow_file_fault("a, b, 1 B, soon\n"), testing::HasSubstr(".csv:1: start: "));
  EXPECT_THAT(flow_file_fault("# nothing\n"), EndsWith(": the file contains no flow"));
}

}  // namespace
}  // namespace weft::study::scenario
