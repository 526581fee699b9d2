#include "wire/pcapng_writer.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "wire/erf_record.h"
#include "wire/flow_control_packet.h"
#include "wire/pcap_reader.h"

namespace weft::wire {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using namespace weft::literals;

std::string temporary_file() {
  return (std::filesystem::path(testing::TempDir()) / fmt::format("weft_pcapng_{}.pcapng", getpid())).string();
}

std::vector<std::byte> bytes_of_length(std::size_t length) {
  std::vector<std::byte> bytes(length);
  for (std::size_t i = 0; i < length; ++i) {
    bytes[i] = static_cast<std::byte>(i * 7 + length);
  }
  return bytes;
}

TEST(PcapngWriter, EveryLengthIsReadBackWithItsBytes) {
  const std::string path = temporary_file();
  constexpr std::size_t kLongest = 70;  // through every remainder of the padding
  auto writer = PcapngWriter::create(path);
  ASSERT_TRUE(writer) << writer.error().message;
  const auto tap = writer->add_interface("leaf1:7", LinkType::kEthernet);
  ASSERT_TRUE(tap);
  for (std::size_t length = 0; length <= kLongest; ++length) {
    ASSERT_TRUE(writer->write(*tap, Time::zero(), bytes_of_length(length)));
  }
  ASSERT_TRUE(writer->close());

  auto reader = PcapReader::open(path);
  ASSERT_TRUE(reader) << reader.error().message;
  EXPECT_EQ(reader->link(), CaptureLink::kEthernet);
  for (std::size_t length = 0; length <= kLongest; ++length) {
    const auto packet = reader->next();
    ASSERT_TRUE(packet && packet->has_value()) << length;
    EXPECT_EQ((*packet)->number, length + 1);
    EXPECT_EQ((*packet)->original_length, length);
    EXPECT_THAT((*packet)->bytes, ElementsAreArray(bytes_of_length(length)));
  }
  const auto end = reader->next();
  ASSERT_TRUE(end);
  EXPECT_FALSE(end->has_value());
  std::filesystem::remove(path);
}

TEST(PcapngWriter, TimestampsAreWholeNanosecondsRoundedDown) {
  const std::string path = temporary_file();
  const std::array<Duration, 5> moments{0_ns, 999_ps, 1999_ps, 4'294'967'297_ns, 8'000'000_s};
  auto writer = PcapngWriter::create(path);
  ASSERT_TRUE(writer);
  const auto tap = writer->add_interface("tap", LinkType::kInfiniBand);
  for (const Duration moment : moments) {
    ASSERT_TRUE(writer->write(*tap, Time::zero() + moment, bytes_of_length(4)));
  }
  ASSERT_TRUE(writer->close());

  auto reader = PcapReader::open(path);
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->link(), CaptureLink::kErf);
  for (const Duration moment : moments) {
    const auto packet = reader->next();
    ASSERT_TRUE(packet && packet->has_value());
    EXPECT_EQ((*packet)->timestamp_ns, moment / 1_ns);
  }
  std::filesystem::remove(path);
}

TEST(PcapngWriter, InfiniBandGoesIntoErfRecordsOfTwoTypes) {
  const std::string path = temporary_file();
  auto writer = PcapngWriter::create(path);
  ASSERT_TRUE(writer);
  const auto tap = writer->add_interface("hca", LinkType::kInfiniBand);
  const std::array<std::pair<std::size_t, ErfType>, 2> packets{
      {{FlowControlPacket::kSize, ErfType::kInfiniBandLink}, {26, ErfType::kInfiniBand}}};
  for (const auto& [length, type] : packets) {
    ASSERT_TRUE(writer->write(*tap, Time::zero() + 5_us, bytes_of_length(length)));
  }
  ASSERT_TRUE(writer->close());

  auto reader = PcapReader::open(path);
  ASSERT_TRUE(reader);
  for (const auto& [length, type] : packets) {
    const auto packet = reader->next();
    ASSERT_TRUE(packet && packet->has_value());
    const auto record = ErfHeader::parse((*packet)->bytes);
    ASSERT_TRUE(record);
    EXPECT_EQ(record->type, static_cast<std::uint8_t>(type));
    EXPECT_EQ(record->nanoseconds, 5000U);
    EXPECT_EQ(record->wire_length, length);
    EXPECT_EQ(record->record_length, ErfHeader::kSize + length);
    EXPECT_THAT((*packet)->bytes.subspan(ErfHeader::kSize), ElementsAreArray(bytes_of_length(length)));
  }
  std::filesystem::remove(path);
}

TEST(PcapngWriter, InterfacesMayBeAddedBetweenPackets) {
  const std::string path = temporary_file();
  auto writer = PcapngWriter::create(path);
  ASSERT_TRUE(writer);
  for (int i = 0; i < 3; ++i) {
    const auto tap = writer->add_interface(fmt::format("port {}", i), LinkType::kEthernet);
    ASSERT_TRUE(tap);
    EXPECT_EQ(tap->value(), static_cast<std::uint32_t>(i));
    ASSERT_TRUE(writer->write(*tap, Time::zero(), bytes_of_length(20)));
  }
  ASSERT_TRUE(writer->close());
  auto reader = PcapReader::open(path);
  ASSERT_TRUE(reader);
  int packets = 0;
  for (auto packet = reader->next(); packet && packet->has_value(); packet = reader->next()) {
    ++packets;
  }
  EXPECT_EQ(packets, 3);
  std::filesystem::remove(path);
}

TEST(PcapngWriter, AFolderThatDoesNotExistIsAnErrorWithTheName) {
  const auto writer = PcapngWriter::create("/nonexistent/folder/x.pcapng");
  ASSERT_FALSE(writer);
  EXPECT_THAT(writer.error().message, HasSubstr("cannot write '/nonexistent/folder/x.pcapng': there is no folder"));
}

TEST(PcapngWriter, ACaptureHasItsNameOnceItIsClosed) {
  const std::string path = fmt::format("{}weft_pcapng_draft_{}.pcapng", testing::TempDir(), getpid());
  for (const bool closed : {false, true}) {
    {
      auto writer = PcapngWriter::create(path);
      ASSERT_TRUE(writer);
      ASSERT_TRUE(writer->flush());
      EXPECT_FALSE(std::filesystem::exists(path));
      if (closed) {
        ASSERT_TRUE(writer->close());
      }
    }
    EXPECT_EQ(std::filesystem::exists(path), closed);
    EXPECT_FALSE(std::filesystem::exists(draft_name(path)));
  }
  std::filesystem::remove(path);
}

TEST(PcapngWriter, AFullDiskIsReportedAndStaysReported) {
  auto writer = PcapngWriter::create("/dev/full");
  ASSERT_TRUE(writer) << "the section header is still in the buffer";
  const auto flushed = writer->flush();
  ASSERT_FALSE(flushed);
  EXPECT_THAT(flushed.error().message, HasSubstr("/dev/full: cannot write"));
  const auto again = writer->add_interface("tap", LinkType::kEthernet);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error(), flushed.error());
  EXPECT_FALSE(writer->close());
}

TEST(PcapngWriter, AClosedPipeIsReported) {
  const auto previous = std::signal(SIGPIPE, SIG_IGN);
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  close(ends[0]);
  auto writer = PcapngWriter::take(fdopen(ends[1], "wb"), "pipe");
  ASSERT_TRUE(writer);
  const auto closed = writer->close();
  ASSERT_FALSE(closed);
  EXPECT_THAT(closed.error().message, HasSubstr("pipe: cannot write the capture: Broken pipe"));
  std::signal(SIGPIPE, previous);
}

}  // namespace
}  // namespace weft::wire
