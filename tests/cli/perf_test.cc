// `weft perf` as a user meets it: two processes, on loopback addresses that belong to this test process alone.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "base/test_paths.h"
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
  return fmt::format("{} perf client {} --bind {} --idle-timeout 5s {}", weft_binary(), address(1), address(2),
                     options);
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

TEST(Perf, UltraEthernetHasTheSameTableAndTheSameJson) {
  const Outcome outcome =
      with_server("--once --transport uet", client("--transport uet --op send -s 4096 -n 100 --faults loss=1%,seed=1"));
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("Ultra Ethernet over UDP sockets"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("#bytes     #iterations BW peak[Gb/sec]"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("Data verified: 100 messages, 0 wrong"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find(":4793"), std::string::npos) << outcome.out;
  const Outcome told = with_server("--once --transport uet", client("--transport uet --test lat -n 20 --json -"));
  const nlohmann::json json = nlohmann::json::parse(told.out, nullptr, false);
  ASSERT_FALSE(json.is_discarded()) << told.out << told.err;
  EXPECT_EQ(json["transport"], "uet");
  EXPECT_EQ(json["security"], "none");
  EXPECT_EQ(json["wrong"], 0);
  EXPECT_GT(json["rows"][0]["t_min_usec"], 0.0);
  EXPECT_GE(json["counters"]["contexts_opened"], 1);
}

TEST(Perf, EncryptsWithTheKeyOfAFile) {
  const std::string key = fmt::format("{}weft_perf_key_{}", testing::TempDir(), getpid());
  const std::string with_key = "--transport uet --encrypt " + key;
  std::FILE* const file = std::fopen(key.c_str(), "w");
  ASSERT_NE(file, nullptr);
  fmt::print(file, "{:064x}\n", 0x1234);
  std::fclose(file);
  const Outcome outcome = with_server("--once " + with_key, client("-s 5000 -n 30 " + with_key));
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("encrypted (TSS)"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("Data verified: 30 messages, 0 wrong"), std::string::npos) << outcome.out;
  EXPECT_EQ(run_weft("perf client 127.0.0.1 --encrypt " + key).err,
            "weft perf client: --encrypt needs --transport uet: RoCEv2 has no encryption\n");
  std::FILE* const short_key = std::fopen(key.c_str(), "w");
  ASSERT_NE(short_key, nullptr);
  fmt::print(short_key, "1234\n");
  std::fclose(short_key);
  EXPECT_NE(run_weft("perf client 127.0.0.1 " + with_key).err.find("64 hexadecimal digits"), std::string::npos);
  std::remove(key.c_str());
}

TEST(Perf, SaysThatTheServerServesAnotherTransport) {
  const Outcome outcome = with_server("--once", client("--transport uet -n 10"));
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_NE(outcome.err.find("this server serves roce"), std::string::npos) << outcome.err;
}

TEST(Perf, ACaptureOfARunPassesTheCheck) {
  const std::string file = fmt::format("{}weft_perf_{}.pcapng", testing::TempDir(), getpid());
  const Outcome outcome = with_server(
      "--once", fmt::format("{} >&2 && {} pcap check {}", client("-n 30 --pcap " + file), weft_binary(), file));
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

TEST(Perf, SaysWhichPortsThereAre) {
  for (const auto& [arguments, expected] :
       {std::pair("client 127.0.0.1 --port 70000", "--port: Value 70000 not in range 1 to 65535"),
        std::pair("client 127.0.0.1 --port 0", "--port: Value 0 not in range 1 to 65535"),
        std::pair("client 127.0.0.1 --port http", "--port: Value http not in range 1 to 65535"),
        std::pair("server --port -1", "--port: Value -1 not in range 0 to 65535"),
        std::pair("client 127.0.0.1 --udp-port 65536", "--udp-port: Value 65536 not in range 0 to 65535"),
        std::pair("client 127.0.0.1 --mtu 4k", "--mtu: '4k' is no number that it takes"),
        std::pair("client 127.0.0.1:18515", "give the server's port with --port")}) {
    const Outcome outcome = run_weft(fmt::format("perf {}", arguments));
    EXPECT_EQ(outcome.exit_status, 2) << arguments;
    EXPECT_NE(outcome.err.find(expected), std::string::npos) << outcome.err;
  }
}

TEST(Perf, SaysThatThePortIsInUse) {
  const Outcome outcome = with_server(
      "",
      fmt::format("{} perf server --bind {}; status=$?; kill -INT $server; (exit $status)", weft_binary(), address(1)));
  EXPECT_EQ(outcome.exit_status, 2) << outcome.err;
  EXPECT_NE(outcome.err.find("in use"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace weft::test
