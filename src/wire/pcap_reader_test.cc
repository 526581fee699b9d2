#include "wire/pcap_reader.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/test_paths.h"

namespace weft::wire {
namespace {

using ::testing::HasSubstr;

const std::filesystem::path kCaptures = std::filesystem::path(test_data_dir()) / "captures";

std::vector<char> contents_of(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// A reader of bytes in memory; `bytes` must outlive it.
Result<PcapReader> reader_of(std::vector<char>& bytes) {
  return PcapReader::take(fmemopen(bytes.data(), bytes.size(), "rb"), "memory");
}

struct Outcome {
  std::uint64_t packets = 0;
  std::string error;
};

Outcome read_all(Result<PcapReader> reader) {
  if (!reader) {
    return {.error = reader.error().message};
  }
  Outcome outcome;
  while (true) {
    const auto packet = reader->next();
    if (!packet) {
      outcome.error = packet.error().message;
      return outcome;
    }
    if (!packet->has_value()) {
      return outcome;
    }
    ++outcome.packets;
  }
}

TEST(PcapReader, ReadsPcapAndPcapng) {
  EXPECT_EQ(read_all(PcapReader::open(kCaptures / "rxe_rc_all_opcodes_errors_rnr.pcap")).packets, 253U);
  EXPECT_EQ(read_all(PcapReader::open(kCaptures / "rxe_rc_atomic.pcap")).packets, 40U);
}

TEST(PcapReader, TimeDoesNotRunBackwardsInACaptureOfOneInterface) {
  auto reader = PcapReader::open(kCaptures / "rxe_rc_write.pcap");
  ASSERT_TRUE(reader);
  std::int64_t previous = 0;
  for (auto packet = reader->next(); packet && packet->has_value(); packet = reader->next()) {
    EXPECT_GE((*packet)->timestamp_ns, previous);
    previous = (*packet)->timestamp_ns;
  }
  EXPECT_GT(previous, 0);
}

TEST(PcapReader, AMissingFileIsAnErrorWithItsName) {
  EXPECT_THAT(read_all(PcapReader::open("/nonexistent.pcap")).error, HasSubstr("/nonexistent.pcap: cannot open"));
}

TEST(PcapReader, ADirectoryIsAnError) {
  EXPECT_THAT(read_all(PcapReader::open(kCaptures)).error, HasSubstr("Is a directory"));
}

TEST(PcapReader, AFileOfNoBytesHoldsNoPackets) {
  const Outcome outcome = read_all(PcapReader::open("/dev/null"));
  EXPECT_EQ(outcome.packets, 0U);
  EXPECT_EQ(outcome.error, "");
}

TEST(PcapReader, TextIsNotACapture) {
  EXPECT_THAT(read_all(PcapReader::open(kCaptures / "README.md")).error, HasSubstr("not a pcap or pcapng capture"));
}

TEST(PcapReader, AFileCutAnywhereGivesItsWholePacketsThenAnError) {
  for (const char* name : {"rxe_rc_all_opcodes_errors_rnr.pcap", "rxe_rc_atomic.pcap"}) {
    const std::vector<char> whole = contents_of(kCaptures / name);
    const std::uint64_t all = read_all(PcapReader::open(kCaptures / name)).packets;
    std::uint64_t previous = 0;
    for (std::size_t length = 1; length < std::min<std::size_t>(whole.size(), 3000); length += 3) {
      std::vector<char> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
      const Outcome outcome = read_all(reader_of(cut));
      EXPECT_LT(outcome.packets, all);
      EXPECT_GE(outcome.packets, previous);
      previous = outcome.packets;
    }
    EXPECT_GT(previous, 0U);
  }
}

TEST(PcapReader, AFileCutInsideAPacketSaysSo) {
  std::vector<char> bytes = contents_of(kCaptures / "rxe_rc_atomic.pcap");
  bytes.resize(bytes.size() - 10);
  const Outcome outcome = read_all(reader_of(bytes));
  EXPECT_THAT(outcome.error, HasSubstr("memory: the capture is damaged after packet"));
}

TEST(PcapReader, DamagedBytesNeverStopTheProgram) {
  const std::vector<char> whole = contents_of(kCaptures / "rxe_rc_atomic.pcap");
  for (std::size_t at = 0; at < 600; ++at) {
    for (const int value : {0x00, 0x7F, 0xFF}) {
      std::vector<char> damaged = whole;
      damaged[at] = static_cast<char>(value);
      const Outcome outcome = read_all(reader_of(damaged));
      EXPECT_LE(outcome.packets, 40U);
    }
  }
}

}  // namespace
}  // namespace weft::wire
