// Connection matrices of htsim: what a line means, and what is said of a wrong one.
#include "study/import/connection_matrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::study::import {
namespace {

using testing::HasSubstr;

Result<ConnectionMatrix> parse_matrix(std::string_view text, HtsimStart start = HtsimStart::kMicroseconds) {
  return parse_connection_matrix({.text = text, .name = "a.cm"}, start);
}

std::string matrix_fault(std::string_view text) {
  const auto parsed = parse_matrix(text);
  return parsed ? "" : parsed.error().message;
}

constexpr std::string_view kOneFlow = "Nodes 4\nConnections 1\n";

std::string with_line(std::string_view line) { return fmt::format("{}{}\n", kOneFlow, line); }

TEST(ConnectionMatrix, AFlowHasEndsSizeAndStart) {
  const auto matrix = parse_matrix(
      "# one\n\nNodes 16\nConnections 2\n0->15 id 1 start 0 size 2000000\n3->4 size 7 start 12.5 prio 3\n");
  ASSERT_TRUE(matrix.has_value()) << matrix.error().message;
  EXPECT_EQ(matrix->nodes, 16U);
  ASSERT_EQ(matrix->connections.size(), 2U);
  EXPECT_EQ(matrix->connections[0].destination, 15U);
  EXPECT_EQ(matrix->connections[0].size, Bytes(2'000'000));
  EXPECT_EQ(matrix->connections[0].id, 1U);
  EXPECT_EQ(matrix->connections[1].start, 12_us);
  EXPECT_EQ(matrix->cut_starts, 1U);
  EXPECT_EQ(matrix->priorities, 1U);
  EXPECT_EQ(flow_list_text(*matrix), "host0, host15, 2000000 B, 0 ps\nhost3, host4, 7 B, 12000000 ps\n");
}

TEST(ConnectionMatrix, StartsOfOtherProgramsCountPicoseconds) {
  EXPECT_EQ(parse_matrix(with_line("0->1 start 12 size 1"), HtsimStart::kPicoseconds)->connections[0].start, 12_ps);
}

TEST(ConnectionMatrix, TriggersBecomeLinesOfAFlowList) {
  const auto matrix = parse_matrix(
      "Nodes 4\nConnections 4\nTriggers 3\n0->1 id 1 start 0 size 10 send_done_trigger 5 recv_done_trigger 7\n"
      "1->2 id 2 trigger 7 size 10 send_done_trigger 9\n2->3 id 3 trigger 5 size 10 recv_done_trigger 9\n"
      "3->0 id 4 trigger 9 size 10\ntrigger id 5 oneshot\ntrigger id 7 multishot\ntrigger id 9 barrier count 2\n");
  ASSERT_TRUE(matrix.has_value()) << matrix.error().message;
  EXPECT_TRUE(matrix->fires_on_arrival());
  EXPECT_EQ(flow_list_text(*matrix),
            "trigger, t5, oneshot\ntrigger, t7, multishot\ntrigger, t9, barrier, 2\n"
            "host0, host1, 10 B, 0 ps, sent t5, received t7\nhost1, host2, 10 B, after t7, sent t9\n"
            "host2, host3, 10 B, after t5, received t9\nhost3, host0, 10 B, after t9\n");
}

TEST(ConnectionMatrix, AFailureIsALinkOfAnAggregationSwitch) {
  const auto matrix = parse_matrix(
      "Nodes 4\nConnections 1\nFailures 1\n0->1 start 0 size 1\nfailure switch_type AGG switch_id 3 link_id 1\n");
  ASSERT_TRUE(matrix.has_value()) << matrix.error().message;
  EXPECT_EQ(matrix->failures[0].switch_id, 3U);
  EXPECT_EQ(matrix->failures[0].link_id, 1U);
}

TEST(ConnectionMatrix, WrongLinesAreNamedWithTheirColumn) {
  EXPECT_EQ(matrix_fault(with_line("0->4 start 0 size 1")),
            "a.cm:3:1: the destination is '4'; it must be a whole number from 0 to 3");
  EXPECT_EQ(matrix_fault(with_line("2->2 start 0 size 1")), "a.cm:3:1: node 2 sends to itself");
  EXPECT_EQ(matrix_fault(with_line("0->1 start 0 size 0")),
            "a.cm:3:19: size is '0'; it must be a whole number from 1 to 2147483647");
  EXPECT_EQ(matrix_fault(with_line("0->1 start 0 siz 1")),
            "a.cm:3:14: unknown word 'siz'; did you mean 'size'? one of id, start, trigger, size, send_done_trigger, "
            "recv_done_trigger, prio, msg");
  EXPECT_EQ(matrix_fault(with_line("0->1 size 1")),
            "a.cm:3:1: the connection has neither 'start TIME' nor 'trigger ID'");
  EXPECT_EQ(matrix_fault(with_line("0->1 size 1 start 0 trigger 1")),
            "a.cm:3:1: the connection has both a start and a trigger; it begins by one of them");
  EXPECT_EQ(matrix_fault(with_line("0->1 start 0")), "a.cm:3:13: the connection has no size");
  EXPECT_THAT(matrix_fault(with_line("0->1 start -1 size 1")), HasSubstr("a.cm:3:12: start is '-1'"));
  EXPECT_THAT(matrix_fault(with_line("0->1 start 0x1 size 1")), HasSubstr("start is '0x1'"));
  EXPECT_THAT(matrix_fault(with_line("0->1 start")), HasSubstr("a.cm:3:11: start is missing"));
  EXPECT_EQ(matrix_fault(with_line("0->1 start 0 size 1 trigger_id 3").substr(8)).substr(0, 9), "a.cm:2:1:");
  EXPECT_THAT(matrix_fault(with_line("flow 3")), HasSubstr("a.cm:3:1: unknown line 'flow'"));
  EXPECT_EQ(matrix_fault(with_line("0->1 start 0 size 1\nNodes 4")),
            "a.cm:4:1: 'Nodes' must stand before the first connection");
  EXPECT_EQ(matrix_fault("Nodes 4\nNodes 4\n"), "a.cm:2:1: 'Nodes' is given twice");
}

TEST(ConnectionMatrix, WrongCountsAndTriggersAreNamed) {
  EXPECT_EQ(matrix_fault(with_line("0->1 start 0 size 1\n1->2 start 0 size 1")),
            "a.cm: the header says 'Connections 1', the file has 2");
  EXPECT_EQ(matrix_fault(with_line("0->1 start 0 size 1 send_done_trigger 3")),
            "a.cm:3: no line 'trigger id 3 ...' defines the trigger");
  EXPECT_EQ(matrix_fault(
                "Nodes 4\nConnections 1\nTriggers 1\n0->1 start 0 size 1 send_done_trigger 3\ntrigger id 3 oneshot\n"),
            "a.cm:5: trigger '3': no flow waits for it");
  EXPECT_EQ(
      matrix_fault("Nodes 4\nConnections 2\nTriggers 2\n0->1 id 1 trigger 1 size 1 send_done_trigger 2\n"
                   "1->2 id 2 trigger 2 size 1 send_done_trigger 1\ntrigger id 1 oneshot\ntrigger id 2 oneshot\n"),
      "a.cm:4: waits for triggers that fire only after it: line 4, line 5, line 4");
  EXPECT_THAT(matrix_fault(with_line("trigger id 1 twoshot")),
              HasSubstr("a.cm:3:14: unknown kind of trigger 'twoshot'"));
  EXPECT_THAT(matrix_fault(with_line("trigger id 1 barrier")), HasSubstr("a barrier needs 'count NUMBER'"));
  EXPECT_THAT(matrix_fault(with_line("failure switch_type TOR switch_id 0 link_id 0")),
              HasSubstr("a.cm:3:21: the switch type"));
  EXPECT_THAT(matrix_fault(""), HasSubstr("a.cm: no connection; the file begins with 'Nodes N'"));
}

}  // namespace
}  // namespace weft::study::import
