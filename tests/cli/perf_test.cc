// `weft perf` as a user meets it: two processes, on loopback addresses that belong to this test process alone.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/run_weft.h"

namespace weft::test {
namespace {

std::string address(unsigned which) {
  const unsigned pid = static_cast<unsigned>(getpid()) & 0x1F'FFFFU;
  const unsigned low = (pid << 2) + which;
  return fmt::format("127.{}.{}.{}", 64 + ((low >> 16) & 63U), (low >> 8) & 255U, low & 255U);
}

/// A server in the background of the shell, whose output goes to standard error, then the client; both on the standard
/// ports. The server's status is added to what the shell prints.
Outcome with_server(const std::string& server_options, const std::string& then) {
  return run_weft(
      fmt::format("perf server --bind {} --idle-timeout 5s {} >&2 & server=$!; sleep 0.3; {}; status=$?; "
                  "wait $server; echo \"server $?\" >&2; (exit $status)",
                  address(1), server_options, then));
}

std::string client(const std::string& options) {
  return fmt::format("{} perf client {} --bind {} --idle-timeout 5s {}", WEFT_BINARY, address(1), address(2), options);
}

TEST(Perf, PrintsTheTableOfABandwidthTest) {
  const Outcome outcome = with_server("--once", client("-s 4096 -n 100"));
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("#bytes     #iterations BW peak[Gb/sec]"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find(" 4096       100 "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("Data verified: 100 messages, 0 wrong"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.err.find("server 0"), std::string::npos) << outcome.err;
}

TEST(Perf, WithJsonOnStandardOutputNothingElseIsThere) {
  const Outcome outcome = with_server("--once", client("--op send --test lat -s 8 -n 50 --json -"));
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  const nlohmann::json json = nlohmann::json::parse(outcome.out, nullptr, false);
  ASSERT_FALSE(json.is_discarded()) << outcome.out;
  EXPECT_EQ(json["op"], "send");
  EXPECT_EQ(json["rows"].size(), 1U);
  EXPECT_EQ(json["rows"][0]["iterations"], 50);
  EXPECT_EQ(json["wrong"], 0);
}

TEST(Perf, ACaptureOfARunPassesTheCheck) {
  const std::string file = fmt::format("{}weft_perf_{}.pcapng", testing::TempDir(), getpid());
  const Outcome outcome = with_server(
      "--once", fmt::format("{} >&2 && {} pcap check {}", client("-n 30 --pcap " + file), WEFT_BINARY, file));
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err << outcome.out;
  EXPECT_NE(outcome.out.find("0 unknown, 0 faults"), std::string::npos) << outcome.out;
  std::remove(file.c_str());
}

TEST(Perf, AKilledClientLeavesTheServerServingAndCtrlCEndsIt) {
  const Outcome outcome =
      with_server("", fmt::format("timeout -s KILL 0.5 {} >&2; {} >&2; status=$?; kill -INT $server; (exit $status)",
                                  client("-n 90000000"), client("-n 100")));
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("ended early"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("1 rows, 0 wrong messages"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("server 130"), std::string::npos) << outcome.err;
}

TEST(Perf, ErrorsAreOneLineAndStatusTwo) {
  for (const std::string& arguments :
       {std::string("perf client no.such.host.invalid"), "perf client " + address(3),
        std::string("perf client ::1 --op fly"), std::string("perf client ::1 --faults los=1%"),
        std::string("perf client ::1 --op cas -s 9"), std::string("perf client ::1 -m 1500"),
        std::string("perf server --bind 203.0.113.1")}) {
    const Outcome outcome = run_weft(arguments);
    EXPECT_EQ(outcome.exit_status, 2) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << arguments << ": " << outcome.err;
  }
}

TEST(Perf, SaysThatThePortIsInUse) {
  const Outcome outcome = with_server(
      "",
      fmt::format("{} perf server --bind {}; status=$?; kill -INT $server; (exit $status)", WEFT_BINARY, address(1)));
  EXPECT_EQ(outcome.exit_status, 2) << outcome.err;
  EXPECT_NE(outcome.err.find("in use"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace weft::test
