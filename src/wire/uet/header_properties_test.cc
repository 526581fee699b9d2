// What holds for every UET header: short input is an error, whatever is accepted is emitted as it was, bit for bit with
// its reserved ones, random bytes do no harm. Each buffer has exactly the size under test.
#include <gtest/gtest.h>

#include "wire/test_bytes.h"
#include "wire/uet/control_ordered_set.h"
#include "wire/uet/entropy.h"
#include "wire/uet/pds.h"
#include "wire/uet/ses.h"
#include "wire/uet/tss.h"

namespace weft::wire::uet {
namespace {

/// The longest form, and how random bytes become acceptable.
template <class Header>
struct Rules {
  static constexpr std::size_t kLongest = Header::kSize;
  static void fix(ByteVector&) {}
};

/// Keeps the bytes' next header and flags, and gives them one of `types`.
void set_type(ByteVector& bytes, std::span<const std::uint8_t> types) {
  const auto random = std::to_integer<unsigned>(bytes[0]);
  bytes[0] = static_cast<std::byte>(types[random % types.size()] << 3 | (random & 7U));
}

template <std::size_t kSize, std::uint8_t... kTypes>
struct PdsRules {
  static constexpr std::size_t kLongest = kSize;
  static void fix(ByteVector& bytes) {
    constexpr std::array<std::uint8_t, sizeof...(kTypes)> kAll{kTypes...};
    set_type(bytes, kAll);
  }
};
template <>
struct Rules<PdsRequest> : PdsRules<PdsRequest::kCcSize, 2, 3, 13, 14> {};
template <>
struct Rules<PdsRudi> : PdsRules<PdsRudi::kSize, 4, 5> {};
template <>
struct Rules<PdsUud> : PdsRules<PdsUud::kSize, 6> {};
template <>
struct Rules<PdsAck> : PdsRules<PdsAck::kCcxSize, 7, 8, 9> {};
template <>
struct Rules<PdsNack> : PdsRules<PdsNack::kCcxSize, 10, 12> {};
template <>
struct Rules<PdsControl> : PdsRules<PdsControl::kSize, 11> {};

template <>
struct Rules<TssHeader> : PdsRules<TssHeader::kSourceSize, 1> {};

/// First byte and O-code.
template <std::uint8_t kFirstType, std::uint8_t kTypes>
struct CtlosRules {
  static constexpr std::size_t kLongest = 8;
  static void fix(ByteVector& bytes) {
    bytes[0] = (bytes[0] & std::byte{1}) != std::byte{0} ? std::byte{0x5C} : std::byte{0x4B};
    bytes[1] = static_cast<std::byte>(kFirstType + std::to_integer<unsigned>(bytes[1]) % kTypes);
    bytes[4] = (bytes[4] & std::byte{0xF0}) | std::byte{6};
  }
};
template <>
struct Rules<LlrMessage> : CtlosRules<1, 4> {};
template <>
struct Rules<CfUpdate> : CtlosRules<0x10, 1> {};

/// Version 0.
template <std::size_t kSize>
struct SesRules {
  static constexpr std::size_t kLongest = kSize;
  static void fix(ByteVector& bytes) { bytes[1] &= std::byte{0x3F}; }
};
template <>
struct Rules<SesSmallRequest> : SesRules<SesSmallRequest::kSize> {};
template <>
struct Rules<SesMediumRequest> : SesRules<SesMediumRequest::kSize> {};
template <>
struct Rules<SesStandardRequest> : SesRules<SesStandardRequest::kSize> {};
template <>
struct Rules<SesResponse> : SesRules<SesResponse::kSize> {};
template <>
struct Rules<SesDataResponse> : SesRules<SesDataResponse::kSize> {};
template <>
struct Rules<SesSmallDataResponse> : SesRules<SesSmallDataResponse::kSize> {};

template <class Header>
std::size_t size_on_wire(const Header& header) {
  if constexpr (requires { header.size(); }) {
    return header.size();
  } else {
    return Header::kSize;
  }
}

template <class Header>
class EveryUetHeader : public ::testing::Test {};

using UetHeaders =
    ::testing::Types<PdsRequest, PdsRudi, PdsUud, PdsAck, PdsNack, PdsControl, SesSmallRequest, SesMediumRequest,
                     SesStandardRequest, SesResponse, SesDataResponse, SesSmallDataResponse, SesAtomic, SesCompareSwap,
                     SesSync, SesRendezvous, EntropyHeader, TssHeader, LlrMessage, CfUpdate, CcUpdate>;
TYPED_TEST_SUITE(EveryUetHeader, UetHeaders);

TYPED_TEST(EveryUetHeader, IsEmittedAsItWasParsed) {
  RandomStream random(1, "uet");
  for (int i = 0; i < 2000; ++i) {
    ByteVector bytes = random_bytes(random, Rules<TypeParam>::kLongest);
    Rules<TypeParam>::fix(bytes);
    const Result<TypeParam> header = TypeParam::parse(bytes);
    ASSERT_TRUE(header.has_value()) << header.error().message;
    bytes.resize(size_on_wire(*header));
    EXPECT_EQ(emitted(*header, bytes.size()), bytes);
    EXPECT_EQ(TypeParam::parse(bytes).value(), *header);
  }
}

TYPED_TEST(EveryUetHeader, RefusesEveryTruncation) {
  RandomStream random(2, "uet");
  for (int i = 0; i < 50; ++i) {
    ByteVector bytes = random_bytes(random, Rules<TypeParam>::kLongest);
    Rules<TypeParam>::fix(bytes);
    const std::size_t whole = size_on_wire(TypeParam::parse(bytes).value());
    for (std::size_t size = 0; size < whole; ++size) {
      const ByteVector cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_FALSE(TypeParam::parse(cut).has_value()) << size;
    }
  }
}

TYPED_TEST(EveryUetHeader, SurvivesRandomBytes) {
  RandomStream random(3, "uet");
  for (int i = 0; i < 2000; ++i) {
    const ByteVector bytes = random_bytes(random, i % (Rules<TypeParam>::kLongest + 8));
    if (const Result<TypeParam> header = TypeParam::parse(bytes)) {
      EXPECT_LE(size_on_wire(*header), bytes.size());
    }
  }
}

}  // namespace
}  // namespace weft::wire::uet
