#include "wire/mpa.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "wire/crc32c.h"
#include "wire/test_bytes.h"

namespace weft::wire {
namespace {

using ::testing::HasSubstr;

constexpr MpaMarkers kBoth[] = {MpaMarkers::kOff, MpaMarkers::kOn};

// From Linux's soft-iWARP: revision 2, enhanced, no markers, no CRC, peer to peer with a zero-length READ.
const ByteVector kCapturedRequest = bytes_of("4d504120494420526571204672616d65 10 02 0004 8001 4001");

//= rfc5044 7.1.1
//= rfc6581 9
TEST(Mpa, ReadsAStartFrameOfRevisionTwoAndWritesTheSameBytes) {
  const auto frame = MpaStartFrame::parse(kCapturedRequest);
  ASSERT_TRUE(frame) << frame.error().message;
  EXPECT_EQ(frame->kind, MpaFrameKind::kRequest);
  EXPECT_EQ(frame->revision, 2);
  EXPECT_FALSE(frame->crc || frame->markers || frame->reject);
  EXPECT_EQ(frame->enhanced, (MpaEnhanced{.ird = 1, .ord = 1, .peer_to_peer = true, .read_rtr = true}));
  EXPECT_TRUE(frame->private_data.empty());
  EXPECT_EQ(emitted(*frame, frame->size()), kCapturedRequest);
}

TEST(Mpa, StartFramesOfBothRevisionsSurviveTheWire) {
  RandomStream random(1, "start frames");
  for (int i = 0; i < 300; ++i) {
    const ByteVector data = random_bytes(random, random.uniform(100));
    MpaStartFrame frame;
    frame.kind = random.uniform(2) == 0 ? MpaFrameKind::kRequest : MpaFrameKind::kReply;
    frame.revision = static_cast<std::uint8_t>(1 + random.uniform(2));
    frame.markers = random.uniform(2) == 0;
    frame.crc = random.uniform(2) == 0;
    frame.reject = random.uniform(2) == 0;
    frame.reserved = static_cast<std::uint8_t>(random.uniform(frame.revision == 1 ? 32 : 16));
    if (frame.revision == 2 && random.uniform(2) == 0) {
      frame.enhanced = MpaEnhanced{.ird = static_cast<std::uint16_t>(random.uniform(0x4000)),
                                   .ord = static_cast<std::uint16_t>(random.uniform(0x4000)),
                                   .peer_to_peer = random.uniform(2) == 0,
                                   .fpdu_rtr = random.uniform(2) == 0,
                                   .write_rtr = random.uniform(2) == 0,
                                   .read_rtr = random.uniform(2) == 0};
    }
    frame.private_data = data;
    const ByteVector bytes = emitted(frame, frame.size());
    const auto again = MpaStartFrame::parse(bytes);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->enhanced, frame.enhanced);
    EXPECT_EQ(emitted(*again, again->size()), bytes);
    for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
      EXPECT_FALSE(MpaStartFrame::parse(std::span(bytes).first(cut))) << cut;
    }
  }
}

TEST(Mpa, RefusesAStartFrameThatIsNone) {
  ByteVector bytes = kCapturedRequest;
  bytes[17] = std::byte{3};
  EXPECT_THAT(MpaStartFrame::parse(bytes).error().message, HasSubstr("revision is 3"));
  bytes = kCapturedRequest;
  bytes[18] = std::byte{2};
  bytes[19] = std::byte{1};
  EXPECT_THAT(MpaStartFrame::parse(bytes).error().message, HasSubstr("513 bytes of private data"));
  bytes = kCapturedRequest;
  bytes[19] = std::byte{3};
  EXPECT_THAT(MpaStartFrame::parse(bytes).error().message, HasSubstr("needs at least 4"));
  bytes = kCapturedRequest;
  bytes[0] = std::byte{'N'};
  EXPECT_THAT(MpaStartFrame::parse(bytes).error().message, HasSubstr("neither the key"));
}

//= rfc5044 4.1
TEST(Mpa, AnFpduIsPaddedToAMultipleOfFour) {
  EXPECT_EQ(fpdu_size(0), 8U);
  EXPECT_EQ(fpdu_size(2), 8U);
  EXPECT_EQ(fpdu_size(3), 12U);
  for (std::size_t ulpdu = 0; ulpdu < 600; ++ulpdu) {
    EXPECT_EQ(fpdu_size(ulpdu) % 4, 0U);
    EXPECT_LT(fpdu_size(ulpdu) - (2 + ulpdu + 4), 4U);
  }
}

/// The stream position of every marker is a multiple of 512: count them one by one.
std::size_t markers_one_by_one(std::uint64_t place, std::size_t bytes) {
  std::size_t markers = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    if (place % kMpaMarkerInterval == 0) {
      ++markers;
      place += kMpaMarkerSize;
    }
    ++place;
  }
  return markers;
}

//= rfc5044 4.3
TEST(Mpa, MarkersAreWhereverTheStreamIsAtAMultipleOf512) {
  for (std::uint64_t place = 0; place < 1024; place += 4) {
    for (std::size_t bytes = 0; bytes < 2100; bytes += 4) {
      ASSERT_EQ(markers_within(place, bytes), markers_one_by_one(place, bytes)) << place << " " << bytes;
    }
  }
}

//= rfc5044 4.5
TEST(Mpa, AnFpduOfTheMulpduFitsIntoASegmentWhereverItBegins) {
  for (const MpaMarkers markers : kBoth) {
    for (const std::size_t emss : {128U, 536U, 1000U, 1447U, 1448U, 1460U, 8947U, 8960U}) {
      const std::size_t longest = mulpdu(emss, markers);
      std::size_t largest = 0;
      for (std::uint64_t place = 0; place < 512; place += 4) {
        largest = std::max(largest, fpdu_extent(place, longest, markers));
      }
      EXPECT_LE(largest, emss);
      EXPECT_GT(largest + 8, emss) << "room is wasted";
    }
  }
  EXPECT_EQ(mulpdu(8, MpaMarkers::kOff), 2U);
  EXPECT_EQ(mulpdu(6, MpaMarkers::kOff), 0U);
}

TEST(Mpa, FpdusSurviveTheWireInEveryFormAtEveryPlace) {
  RandomStream random(2, "fpdus");
  for (int i = 0; i < 2000; ++i) {
    const MpaForm form{.markers = kBoth[random.uniform(2)], .crc = random.uniform(2) == 0 ? MpaCrc::kOff : MpaCrc::kOn};
    const std::uint64_t place = 4 * random.uniform(1000);
    const ByteVector ulpdu = random_bytes(random, random.uniform(1500));
    ByteVector bytes(fpdu_extent(place, ulpdu.size(), form.markers));
    emit_fpdu({.ulpdu = ulpdu}, place, form, bytes);
    ASSERT_EQ(peek_ulpdu_length(bytes, place, form.markers), ulpdu.size());
    const Fpdu fpdu = parse_fpdu(bytes, place, form);
    EXPECT_EQ(fpdu.fault, FpduFault::kNone);
    EXPECT_EQ(fpdu.ulpdu, ulpdu);
    EXPECT_EQ(fpdu.pad_bytes, fpdu_size(ulpdu.size()) - 2 - ulpdu.size() - 4);
  }
}

//= rfc5044 4.4
TEST(Mpa, TheCrcCoversLengthUlpduPadAndMarkersLeastSignificantByteFirst) {
  const ByteVector ulpdu = bytes_of("010203");
  ByteVector bytes(fpdu_extent(0, ulpdu.size(), MpaMarkers::kOn));
  emit_fpdu({.ulpdu = ulpdu}, 0, {.markers = MpaMarkers::kOn, .crc = MpaCrc::kOn}, bytes);
  const ByteVector covered = bytes_of("00000000 0003 010203 000000");
  const std::uint32_t crc = Crc32c().add(covered).value();
  const ByteVector trailer{static_cast<std::byte>(crc & 0xFFU), static_cast<std::byte>(crc >> 8 & 0xFFU),
                           static_cast<std::byte>(crc >> 16 & 0xFFU), static_cast<std::byte>(crc >> 24)};
  EXPECT_EQ(bytes, covered + trailer);
}

TEST(Mpa, WithoutTheCrcItsFieldIsZero) {
  ByteVector bytes(fpdu_size(2));
  emit_fpdu({.ulpdu = bytes_of("ABCD")}, 40, {.markers = MpaMarkers::kOff, .crc = MpaCrc::kOff}, bytes);
  EXPECT_EQ(bytes, bytes_of("0002 ABCD 00000000"));
}

TEST(Mpa, AMarkerInsideAnFpduPointsBackToItsLengthField) {
  const ByteVector ulpdu(100);
  ByteVector bytes(fpdu_extent(480, ulpdu.size(), MpaMarkers::kOn));
  emit_fpdu({.ulpdu = ulpdu}, 480, {.markers = MpaMarkers::kOn, .crc = MpaCrc::kOn}, bytes);
  const ByteVector marker(bytes.begin() + 32, bytes.begin() + 36);
  EXPECT_EQ(marker, bytes_of("0000 0020"));
}

TEST(Mpa, EveryFlippedBitIsACrcOrAMarkerFault) {
  RandomStream random(3, "flips");
  const ByteVector ulpdu = random_bytes(random, 600);
  const MpaForm form{.markers = MpaMarkers::kOn, .crc = MpaCrc::kOn};
  ByteVector bytes(fpdu_extent(100, ulpdu.size(), form.markers));
  emit_fpdu({.ulpdu = ulpdu}, 100, form, bytes);
  for (std::size_t i = 2; i < bytes.size(); ++i) {
    bytes[i] ^= std::byte{4};
    EXPECT_NE(parse_fpdu(bytes, 100, form).fault, FpduFault::kNone) << i;
    bytes[i] ^= std::byte{4};
  }
}

}  // namespace
}  // namespace weft::wire
