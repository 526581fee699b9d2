#include <fmt/core.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/test_paths.h"
#include "tests/cli/run_weft.h"

namespace weft::test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const std::filesystem::path kCaptures = std::filesystem::path(test_data_dir()) / "captures";

std::string capture(const char* name) { return (kCaptures / name).string(); }

std::string contents_of(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// A file that lives as long as its test.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& bytes)
      : path_(std::filesystem::path(testing::TempDir()) / fmt::format("weft_pcap_{}.bin", getpid())) {
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::filesystem::remove(path_); }

  [[nodiscard]] std::string name() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST(PcapCheck, CountsTheKindsOfPackets) {
  const Outcome outcome = run_weft("pcap check " + capture("rxe_rc_all_opcodes_errors_rnr.pcap"));
  EXPECT_EQ(outcome.exit_status, 0);
  EXPECT_EQ(outcome.out, "253 packets: 105 verified, 105 re-emitted identically, 148 unknown, 0 faults\n");
  EXPECT_THAT(outcome.err, IsEmpty());
}

TEST(PcapCheck, TellsWhatItFoundOfIwarp) {
  const Outcome outcome = run_weft("pcap check " + capture("siw_rping_ucmatose_send_write_read.pcap"));
  EXPECT_EQ(outcome.exit_status, 0);
  EXPECT_EQ(outcome.out,
            "490 packets: 0 verified, 0 re-emitted identically, 240 unknown, 0 faults; iWARP: 250 packets, 7 "
            "connections, 14 start frames, 206 FPDUs, 220 frames re-emitted identically, 0 FPDUs with a right CRC\n");
}

/// The first packets of a capture of soft-RoCE, sent to UDP port 5000: bytes 36 and 37 of each frame.
std::string capture_to_port_5000() {
  std::string bytes = contents_of(kCaptures / "rxe_uc_send_first20.pcap");
  constexpr std::size_t kFileHeader = 24;
  constexpr std::size_t kPacketHeader = 16;
  for (std::size_t at = kFileHeader; at < bytes.size();) {
    const auto length = static_cast<std::size_t>(static_cast<unsigned char>(bytes[at + 8])) |
                        static_cast<std::size_t>(static_cast<unsigned char>(bytes[at + 9])) << 8U;
    bytes[at + kPacketHeader + 36] = '\x13';
    bytes[at + kPacketHeader + 37] = '\x88';
    at += kPacketHeader + length;
  }
  return bytes;
}

TEST(PcapCheck, AnotherUdpPortIsRoceV2IfItIsTold) {
  const TemporaryFile file(capture_to_port_5000());
  EXPECT_THAT(run_weft("pcap check " + file.name()).out,
              StartsWith("20 packets: 0 verified, 0 re-emitted identically, 20"));
  for (const char* ports : {"--port 5000", "--port 7,5000", "--port 7 --port 5000"}) {
    const Outcome told = run_weft(fmt::format("pcap check {} {}", ports, file.name()));
    // The ICRC covers the port, which the test has changed.
    EXPECT_EQ(told.exit_status, 1) << ports;
    EXPECT_THAT(told.out, EndsWith("20 packets: 0 verified, 20 re-emitted identically, 0 unknown, 20 faults\n"))
        << ports;
  }
  EXPECT_THAT(run_weft("pcap list --port 5000 " + file.name()).out, HasSubstr(":5000 UC SEND"));
}

TEST(PcapCheck, APortThatIsNoneIsStatusTwo) {
  for (const char* port : {"0", "65536", "roce", "-1"}) {
    const Outcome outcome = run_weft(fmt::format("pcap check --port {} {}", port, capture("rxe_rc_atomic.pcap")));
    EXPECT_EQ(outcome.exit_status, 2) << port;
    EXPECT_THAT(outcome.err, HasSubstr("--port")) << port;
  }
}

TEST(PcapList, NamesTheFramesOfIwarp) {
  const Outcome outcome = run_weft("pcap list " + capture("siw_rping_ucmatose_send_write_read.pcap"));
  EXPECT_EQ(outcome.exit_status, 0);
  EXPECT_EQ(std::ranges::count(outcome.out, '\n'), 490);
  for (const char* what : {"MPA request revision 2", "MPA reply revision 2", "RDMA Write stag 0x", "RDMA Read request ",
                           "RDMA Read response stag 0x", "Send queue 0 msn 1 offset 0 last len "}) {
    EXPECT_THAT(outcome.out, HasSubstr(what));
  }
}

TEST(PcapCheck, SumsTheCountsOfSeveralFiles) {
  const Outcome outcome =
      run_weft(fmt::format("pcap check {} {}", capture("rxe_rc_atomic.pcap"), capture("rxe_ud_send.pcap")));
  EXPECT_EQ(outcome.exit_status, 0);
  EXPECT_EQ(outcome.out, "60 packets: 60 verified, 60 re-emitted identically, 0 unknown, 0 faults\n");
}

TEST(PcapCheck, ADamagedPacketIsOneLineAndStatusOne) {
  std::string bytes = contents_of(kCaptures / "rxe_uc_send_first20.pcap");
  constexpr std::size_t kFileHeader = 24;
  constexpr std::size_t kPacketHeader = 16;
  constexpr std::size_t kInThePayload = 100;
  bytes[kFileHeader + kPacketHeader + kInThePayload] ^= 1;
  const TemporaryFile file(bytes);
  const Outcome outcome = run_weft("pcap check " + file.name());
  EXPECT_EQ(outcome.exit_status, 1);
  EXPECT_THAT(outcome.out, StartsWith(file.name() + ":1: ICRC is 0x"));
  EXPECT_THAT(outcome.out, EndsWith("\n20 packets: 19 verified, 20 re-emitted identically, 0 unknown, 1 faults\n"));
  EXPECT_EQ(std::ranges::count(outcome.out, '\n'), 2);
}

TEST(PcapCheck, AnUnreadableFileIsStatusTwoAndTheOthersAreStillChecked) {
  const Outcome outcome = run_weft("pcap check /nonexistent.pcap " + capture("rxe_rc_atomic.pcap"));
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_THAT(outcome.out, StartsWith("40 packets: 40 verified"));
  EXPECT_THAT(outcome.err, HasSubstr("/nonexistent.pcap: cannot open the capture: No such file"));
}

TEST(PcapCheck, ADirectoryAndATextAreStatusTwo) {
  for (const std::string& path : {kCaptures.string(), capture("README.md")}) {
    const Outcome outcome = run_weft("pcap check " + path);
    EXPECT_EQ(outcome.exit_status, 2) << path;
    EXPECT_THAT(outcome.out, StartsWith("0 packets:")) << path;
    EXPECT_THAT(outcome.err, HasSubstr(path)) << path;
  }
}

TEST(PcapCheck, AFileCutShortCountsItsWholePacketsAndIsStatusTwo) {
  const std::string whole = contents_of(kCaptures / "rxe_uc_send_first20.pcap");
  const TemporaryFile file(whole.substr(0, whole.size() - 10));
  const Outcome outcome = run_weft("pcap check " + file.name());
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_THAT(outcome.out, StartsWith("19 packets: 19 verified"));
  EXPECT_THAT(outcome.err, HasSubstr("damaged after packet 19"));
}

TEST(PcapCheck, ALinkTypeThatIsNotReadIsNamed) {
  std::string bytes = contents_of(kCaptures / "rxe_uc_send_first20.pcap");
  constexpr std::size_t kLinkType = 20;
  constexpr char kIeee80211 = 105;
  bytes[kLinkType] = kIeee80211;
  const TemporaryFile file(bytes);
  const Outcome outcome = run_weft("pcap check " + file.name());
  EXPECT_EQ(outcome.exit_status, 1);  // nothing was checked
  EXPECT_THAT(outcome.out, StartsWith("20 packets: 0 verified, 0 re-emitted identically, 20 unknown, 0 faults"));
  EXPECT_THAT(outcome.err, HasSubstr("nothing was checked: none of 20 packets is RDMA"));
  EXPECT_THAT(outcome.err, HasSubstr("link type IEEE802_11"));
}

TEST(PcapCheck, AFileOfNoBytesHoldsNoPackets) {
  const Outcome outcome = run_weft("pcap check /dev/null");
  EXPECT_EQ(outcome.exit_status, 1);  // nothing was checked
  EXPECT_EQ(outcome.out, "0 packets: 0 verified, 0 re-emitted identically, 0 unknown, 0 faults\n");
}

TEST(PcapCommand, MissingArgumentsAreUsageErrors) {
  for (const char* arguments : {"pcap", "pcap check", "pcap list", "pcap nonsense", "pcap list a b"}) {
    const Outcome outcome = run_weft(arguments);
    EXPECT_EQ(outcome.exit_status, 2) << arguments;
    EXPECT_THAT(outcome.out, IsEmpty()) << arguments;
  }
}

TEST(PcapList, ShowsAnExchangeOfAtomics) {
  const Outcome outcome = run_weft(fmt::format("pcap list {} | head -4", capture("rxe_rc_atomic.pcap")));
  EXPECT_EQ(outcome.out,
            "1 0.000000000 RoCEv2 10.0.0.2:49728 > 10.0.0.1 RC CmpSwap qp 0x18 psn 2613745 ackreq va 0x5604b8b44000 "
            "rkey 0x82b swap/add 0x0 compare 0x0 len 0\n"
            "2 0.000909000 RoCEv2 10.0.0.1:49728 > 10.0.0.2 RC ATOMIC Acknowledge qp 0x18 psn 2613745 ACK msn 1 "
            "original 0x2ff60f5ceefc3501 len 0\n"
            "3 0.001701000 RoCEv2 10.0.0.2:49728 > 10.0.0.1 RC CmpSwap qp 0x18 psn 2613746 ackreq va 0x5604b8b44000 "
            "rkey 0x82b swap/add 0x0 compare 0x0 len 0\n"
            "4 0.001933000 RoCEv2 10.0.0.1:49728 > 10.0.0.2 RC ATOMIC Acknowledge qp 0x18 psn 2613746 ACK msn 2 "
            "original 0x2ff60f5ceefc3501 len 0\n");
}

TEST(PcapList, HasOneLinePerPacket) {
  const Outcome outcome = run_weft("pcap list " + capture("rxe_rc_all_opcodes_errors_rnr.pcap"));
  EXPECT_EQ(outcome.exit_status, 0);
  EXPECT_EQ(std::ranges::count(outcome.out, '\n'), 253);
  EXPECT_THAT(outcome.out, HasSubstr("RNR NAK 0.64 ms msn 18"));
  EXPECT_THAT(outcome.out, HasSubstr("not RDMA, 42 bytes: EtherType is 0x0806"));
}

TEST(PcapList, AReaderThatLeavesEarlyCausesNoMessage) {
  const Outcome outcome = run_weft(fmt::format("pcap list {} | true", capture("rxe_rc_all_opcodes_errors_rnr.pcap")));
  EXPECT_EQ(outcome.exit_status, 0);
  EXPECT_THAT(outcome.err, IsEmpty());
}

TEST(PcapList, AnUnreadableFileIsStatusTwo) {
  const Outcome outcome = run_weft("pcap list /nonexistent.pcap");
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, HasSubstr("weft pcap list: /nonexistent.pcap: cannot open"));
}

}  // namespace
}  // namespace weft::test
