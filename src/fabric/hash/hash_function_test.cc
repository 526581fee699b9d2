// What all functions have in common, and what they make of flows.
#include "fabric/hash/hash_function.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

#include "fabric/hash/header_hash.h"
#include "fabric/hash/member_choice.h"
#include "fabric/hash/test_bytes_of.h"

namespace weft::fabric {
namespace {

TEST(HashFunctions, StandInTheOrderOfTheirValues) {
  for (std::size_t i = 0; i < hash_functions().size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(hash_functions()[i].function), i);
    EXPECT_EQ(&row_of(hash_functions()[i].function), &hash_functions()[i]);
  }
}

TEST(HashFunctions, OfHardwareAreLinear) {
  const auto a = bytes_of({10, 1, 2, 3, 10, 9, 8, 7, 0xC0, 0x11, 0x12, 0xB7, 17});
  const auto b = bytes_of({10, 7, 7, 7, 10, 1, 2, 250, 0xFE, 0x01, 0x12, 0xB7, 17});
  std::vector<std::byte> both;
  for (std::size_t i = 0; i < a.size(); ++i) {
    both.push_back(a[i] ^ b[i]);
  }
  const std::vector<std::byte> zeros(a.size());
  for (const HashFunctionRow& row : hash_functions()) {
    EXPECT_EQ(row.of(both) == (row.of(a) ^ row.of(b) ^ row.of(zeros)), row.function != HashFunction::kMixed)
        << row.word;
    EXPECT_EQ(row.bits == 32 ? 0U : row.of(a) >> 16, 0U) << row.word;
  }
}

std::vector<HeaderFields> rocev2_flows() {
  std::vector<HeaderFields> flows;
  for (unsigned i = 0; i < 4096; ++i) {
    HeaderFields headers{.protocol = 17, .destination_port = 4791, .destination_qp = 0x100 + i % 61};
    const std::uint32_t noise = switch_hash(i, 7);
    headers.source = {std::byte{10}, std::byte(noise & 0xFF), std::byte(noise >> 8 & 0xFF), std::byte(i & 0xFF)};
    headers.destination = {std::byte{10}, std::byte(noise >> 16 & 0xFF), std::byte(noise >> 24),
                           std::byte(i >> 4 & 0xFF)};
    headers.source_port = static_cast<std::uint16_t>(0xC000 | (switch_hash(i, 9) & 0x3FFF));
    flows.push_back(headers);
  }
  return flows;
}

TEST(HashFunctions, SpreadRandomAddressesEvenly) {
  for (const HashFunctionRow& row : hash_functions()) {
    const HeaderHash hash{.function = row.function};
    const MemberChoice choice({.function = row.function}, {.seed = 12345, .tier = 1});
    std::array<int, 16> counts{};
    for (const HeaderFields& flow : rocev2_flows()) {
      ++counts[choice.pick_of(choice.value_of(hash.of(flow)), 16)];
    }
    for (const int count : counts) {
      EXPECT_NEAR(count, 256, 5 * std::sqrt(256.0 * 15 / 16)) << row.word;
    }
  }
}

/// Members that the flows of one member of a leaf use at the tier above.
std::size_t members_used(const HashOptions& options, std::uint64_t leaf_seed, std::uint64_t spine_seed) {
  constexpr std::uint32_t kMembers = 8;
  const HeaderHash hash{.function = options.function};
  const MemberChoice leaf(options, {.seed = leaf_seed, .tier = 1});
  const MemberChoice spine(options, {.seed = spine_seed, .tier = 2});
  std::set<std::uint32_t> used;
  for (const HeaderFields& flow : rocev2_flows()) {
    const std::uint32_t value = hash.of(flow);
    if (leaf.pick_of(leaf.value_of(value), kMembers) == 0) {
      used.insert(spine.pick_of(spine.value_of(value), kMembers));
    }
  }
  return used.size();
}

TEST(HashFunctions, WithOneSeedPolariseToOneMember) {
  for (const HashFunctionRow& row : hash_functions()) {
    EXPECT_EQ(members_used({.function = row.function}, 3, 3), 1U) << row.word;
  }
}

// A seed of a linear function adds a constant to its value.
TEST(HashFunctions, OfHardwarePolariseWithDifferentSeedsToo) {
  for (const HashFunctionRow& row : hash_functions()) {
    EXPECT_EQ(members_used({.function = row.function}, 3, 0x1234567), row.function == HashFunction::kMixed ? 8U : 1U)
        << row.word;
  }
}

TEST(HashFunctions, RotatedByTheBitsOfAGroupDoNotPolarise) {
  for (const HashFunctionRow& row : hash_functions()) {
    EXPECT_EQ(members_used({.function = row.function, .rotation = 3}, 3, 3), 8U) << row.word;
  }
}

TEST(HeaderHash, TakesTheFieldsThatAreChosenAlone) {
  HeaderFields headers{.protocol = 17, .source_port = 49'152, .destination_port = 4791, .destination_qp = 17};
  HeaderFields other = headers;
  other.destination_qp = 18;
  for (const HashFunctionRow& row : hash_functions()) {
    EXPECT_EQ(HeaderHash{row.function}.of(headers), HeaderHash{row.function}.of(other)) << row.word;
    const HeaderHash with_qp{row.function, kHashFiveTuple | kHashDestinationQp};
    EXPECT_NE(with_qp.of(headers), with_qp.of(other)) << row.word;
  }
  other = headers;
  other.source_port = 49'153;
  const HeaderHash addresses{HashFunction::kCrc32, kHashSource | kHashDestination};
  EXPECT_EQ(addresses.of(headers), addresses.of(other));
}

TEST(HeaderHash, OfCrc32IsThatOfTheBytesInOrder) {
  HeaderFields headers{.protocol = 17, .source_port = 0xC123, .destination_port = 4791, .destination_qp = 0x010203};
  headers.source = {std::byte{10}, std::byte{0}, std::byte{0}, std::byte{1}};
  headers.destination = {std::byte{10}, std::byte{0}, std::byte{0}, std::byte{2}};
  const auto bytes = bytes_of({10, 0, 0, 1, 10, 0, 0, 2, 0xC1, 0x23, 0x12, 0xB7, 17, 1, 2, 3});
  EXPECT_EQ((HeaderHash{HashFunction::kCrc32, kHashFiveTuple | kHashDestinationQp}.of(headers)),
            row_of(HashFunction::kCrc32).of(bytes));
}

}  // namespace
}  // namespace weft::fabric
