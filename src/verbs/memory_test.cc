#include "verbs/memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "base/int128.h"
#include "base/random.h"

namespace weft::verbs {
namespace {

constexpr std::uint64_t kTop = std::numeric_limits<std::uint64_t>::max();
constexpr PdHandle kPd(7);
constexpr AccessMask kFull = kAccessAll;

MemoryTable::Registration range(std::uint64_t address, std::uint64_t length, AccessMask access = kFull) {
  return {.pd = kPd, .address = address, .length = length, .access = access};
}

AccessFault fault_of(const MemoryTable& table, std::uint32_t key, std::uint64_t address, std::uint64_t length,
                     AccessMask access = 0) {
  return table.check({.pd = kPd, .key = key, .address = address, .length = length, .access = access}).fault;
}

std::vector<std::uint32_t> register_many(MemoryTable& table, std::size_t count) {
  std::vector<std::uint32_t> keys;
  for (std::size_t i = 0; i < count; ++i) {
    keys.push_back(table.register_region(range(0x1000, 64)).value());
  }
  return keys;
}

TEST(MemoryTable, ARegionIsFoundByItsKeyAndLeadsToItsBytes) {
  std::array<std::byte, 16> bytes{};
  MemoryTable table(1);
  const auto key = table.register_region(
      {.pd = kPd, .address = 0x5000, .length = bytes.size(), .bytes = bytes.data(), .access = kFull});
  ASSERT_TRUE(key.has_value());
  const auto checked = table.check({.pd = kPd, .key = *key, .address = 0x5004, .length = 12});
  ASSERT_EQ(checked.fault, AccessFault::kNone);
  EXPECT_EQ(checked.region->data(0x5004), bytes.data() + 4);
  EXPECT_EQ(table.size(), 1U);
}

TEST(MemoryTable, ARegionWithoutBytesIsCheckedAllTheSame) {
  MemoryTable table(1);
  const auto key = table.register_region(range(0x5000, 16)).value();
  EXPECT_EQ(fault_of(table, key, 0x5000, 16), AccessFault::kNone);
  EXPECT_EQ(fault_of(table, key, 0x5000, 17), AccessFault::kOutOfBounds);
  EXPECT_EQ(table.find(key)->data(0x5000), nullptr);
}

TEST(MemoryTable, EachFaultHasItsOwnName) {
  MemoryTable table(1);
  const auto key = table.register_region(range(0x5000, 16, kAccessRemoteRead)).value();
  EXPECT_EQ(table.check({.pd = PdHandle(8), .key = key, .address = 0x5000, .length = 1}).fault,
            AccessFault::kWrongDomain);
  EXPECT_EQ(fault_of(table, key ^ 1, 0x5000, 1), AccessFault::kInvalidKey);
  EXPECT_EQ(fault_of(table, key, 0x4FFF, 1), AccessFault::kOutOfBounds);
  EXPECT_EQ(fault_of(table, key, 0x5000, 1, kAccessRemoteWrite), AccessFault::kPermission);
  EXPECT_EQ(fault_of(table, key, 0x5000, 1, kAccessLocalWrite), AccessFault::kPermission);
  EXPECT_EQ(fault_of(table, key, 0x5000, 1, kAccessRemoteRead), AccessFault::kNone);
  EXPECT_EQ(fault_of(table, key, 0x5000, 1), AccessFault::kNone) << "local read is always granted";
}

TEST(MemoryTable, EveryBitOfTheAccessMaskMustBeGranted) {
  for (AccessMask granted = 0; granted <= kFull; ++granted) {
    MemoryTable table(1);
    const auto key = table.register_region(range(0, 8, granted));
    if (!key.has_value()) {
      continue;  // not a mask one can register
    }
    for (AccessMask wanted = 0; wanted <= kFull; ++wanted) {
      const bool allowed = (granted | wanted) == granted;
      EXPECT_EQ(fault_of(table, *key, 0, 8, wanted) == AccessFault::kNone, allowed) << int{granted} << int{wanted};
    }
  }
}

//= ibta-1.7 11.2.8
TEST(MemoryTable, RemoteWriteAndAtomicNeedLocalWrite) {
  MemoryTable table(1);
  EXPECT_FALSE(table.register_region(range(0, 8, kAccessRemoteWrite)).has_value());
  EXPECT_FALSE(table.register_region(range(0, 8, kAccessRemoteAtomic | kAccessRemoteRead)).has_value());
  EXPECT_TRUE(table.register_region(range(0, 8, kAccessRemoteWrite | kAccessLocalWrite)).has_value());
  EXPECT_TRUE(table.register_region(range(0, 8, kAccessRemoteAtomic | kAccessLocalWrite)).has_value());
  EXPECT_EQ(table.size(), 2U);
}

// Every range around both ends of a region, against arithmetic too wide to wrap.
TEST(MemoryTable, BoundsHoldEverywhereIncludingTheEndOfTheAddressSpace) {
  struct Extent {
    std::uint64_t address, length;
  };
  for (const Extent region : {Extent{0, 8}, Extent{0x1000, 8}, Extent{kTop - 7, 8}, Extent{kTop, 1}, Extent{1, kTop}}) {
    MemoryTable table(1);
    const auto key = table.register_region(range(region.address, region.length)).value();
    const Uint128 end = Uint128{region.address} + region.length;
    for (const std::uint64_t base : {std::uint64_t{0}, region.address, region.address + region.length, kTop}) {
      for (std::uint64_t shift = 0; shift < 20; ++shift) {
        const std::uint64_t address = base + shift - 10;
        for (const std::uint64_t length :
             {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{8}, std::uint64_t{9}, kTop - 8, kTop - 1, kTop}) {
          const bool inside = address >= region.address && Uint128{address} + length <= end;
          ASSERT_EQ(fault_of(table, key, address, length) == AccessFault::kNone, inside)
              << "region " << region.address << "+" << region.length << " access " << address << "+" << length;
        }
      }
    }
  }
}

TEST(MemoryTable, RefusesARangeThatPassesTheEndOfTheAddressSpace) {
  MemoryTable table(1);
  EXPECT_TRUE(table.register_region(range(kTop, 1)).has_value());
  EXPECT_TRUE(table.register_region(range(0, kTop)).has_value());
  const auto wraps = table.register_region(range(kTop, 2));
  ASSERT_FALSE(wraps.has_value());
  EXPECT_NE(wraps.error().message.find("end of the address space"), std::string::npos);
}

//= ibta-1.7 9.7.4.1.5
TEST(MemoryTable, AnAccessOfNoBytesNeedsNoKey) {
  const MemoryTable table(1);
  const auto checked = table.check({.pd = kPd, .key = 0xDEAD, .address = kTop, .length = 0, .access = kFull});
  EXPECT_EQ(checked.fault, AccessFault::kNone);
  EXPECT_EQ(checked.region, nullptr);
}

TEST(MemoryTable, ARegionOfNoBytesAdmitsOnlyAccessesOfNoBytes) {
  MemoryTable table(1);
  const auto key = table.register_region(range(0x1000, 0)).value();
  EXPECT_EQ(fault_of(table, key, 0x1000, 1), AccessFault::kOutOfBounds);
  EXPECT_EQ(fault_of(table, key, 0x1000, 0), AccessFault::kNone);
}

TEST(MemoryTable, ADeregisteredKeyIsInvalid) {
  MemoryTable table(1);
  const auto key = table.register_region(range(0, 8)).value();
  EXPECT_TRUE(table.deregister(key));
  EXPECT_EQ(fault_of(table, key, 0, 8), AccessFault::kInvalidKey);
  EXPECT_FALSE(table.deregister(key));
  EXPECT_EQ(table.size(), 0U);
}

TEST(MemoryTable, AKeyThatWasLookedUpIsWrongOnceItsSlotHasAnother) {
  MemoryTable table(1);
  EXPECT_EQ(fault_of(table, 0, 0x1000, 4), AccessFault::kInvalidKey);
  const std::uint32_t key = table.register_region(range(0x1000, 64)).value();
  EXPECT_EQ(fault_of(table, key, 0x1000, 4), AccessFault::kNone);
  EXPECT_EQ(fault_of(table, 0, 0x1000, 4), AccessFault::kInvalidKey);
  for (std::uint32_t last = key, i = 0; i < 300; ++i) {
    ASSERT_TRUE(table.deregister(last));
    EXPECT_EQ(fault_of(table, last, 0x1000, 4), AccessFault::kInvalidKey);
    last = table.register_region(range(0x1000, 64)).value();
    EXPECT_EQ(fault_of(table, last, 0x1000, 4), AccessFault::kNone);
    EXPECT_EQ(fault_of(table, key, 0x1000, 4), AccessFault::kInvalidKey);
  }
}

TEST(MemoryTable, AnInvalidatedRegionStaysRegisteredButClosed) {
  MemoryTable table(1);
  auto registration = range(0, 8);
  registration.invalidatable = true;
  const auto key = table.register_region(registration).value();
  EXPECT_EQ(table.invalidate(kPd, key), AccessFault::kNone);
  EXPECT_EQ(fault_of(table, key, 0, 8), AccessFault::kInvalidKey);
  EXPECT_EQ(table.find(key), nullptr);
  EXPECT_EQ(table.invalidate(kPd, key), AccessFault::kInvalidKey);
  EXPECT_EQ(table.count_in(kPd), 1U);
  EXPECT_TRUE(table.deregister(key)) << "its owner can still free it";
  EXPECT_EQ(table.count_in(kPd), 0U);
}

TEST(MemoryTable, OnlyAnInvalidatableRegionOfTheSameDomainCanBeInvalidated) {
  MemoryTable table(1);
  const auto fixed = table.register_region(range(0, 8)).value();
  auto registration = range(0, 8);
  registration.invalidatable = true;
  const auto window = table.register_region(registration).value();
  EXPECT_EQ(table.invalidate(kPd, fixed), AccessFault::kPermission);
  EXPECT_EQ(table.invalidate(PdHandle(8), window), AccessFault::kWrongDomain);
  EXPECT_EQ(table.invalidate(kPd, window ^ 0x80000000U), AccessFault::kInvalidKey);
  EXPECT_EQ(fault_of(table, fixed, 0, 8), AccessFault::kNone);
  EXPECT_EQ(fault_of(table, window, 0, 8), AccessFault::kNone);
}

TEST(MemoryTable, CountsTheRegionsOfADomain) {
  MemoryTable table(1);
  register_many(table, 3);
  EXPECT_EQ(table.count_in(kPd), 3U);
  EXPECT_EQ(table.count_in(PdHandle(8)), 0U);
}

TEST(MemoryKeys, AreUniqueNeverZeroAndLeadToTheirOwnRegion) {
  MemoryTable table(2);
  std::set<std::uint32_t> keys;
  for (std::uint64_t i = 0; i < 5'000; ++i) {
    const auto key = table.register_region(range(i << 12, 16)).value();
    EXPECT_NE(key, 0U);
    EXPECT_TRUE(keys.insert(key).second);
    EXPECT_EQ(table.find(key)->address, i << 12);
  }
}

TEST(MemoryKeys, RepeatWithTheSeedAndDifferWithoutIt) {
  MemoryTable a(3), b(3), c(4);
  const auto keys = register_many(a, 1'000);
  EXPECT_EQ(keys, register_many(b, 1'000));
  const auto others = register_many(c, 1'000);
  std::size_t shared = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    shared += keys[i] == others[i] ? 1 : 0;
  }
  EXPECT_LE(shared, 1U);
}

TEST(MemoryKeys, ANeighbourIsNeverNearAndNoDifferenceRepeats) {
  MemoryTable table(5);
  const auto keys = register_many(table, 1'000);
  std::set<std::uint32_t> differences;
  for (std::size_t i = 1; i < keys.size(); ++i) {
    const std::uint32_t difference = keys[i] - keys[i - 1];
    EXPECT_GT(std::min(difference, 0 - difference), 1'024U);
    EXPECT_TRUE(differences.insert(difference).second) << "difference " << i;
  }
}

// 16 changed bits of 32 in the mean, as of independent keys: standard deviation sqrt(8 / n).
TEST(MemoryKeys, EachKeyDiffersFromTheLastInHalfItsBits) {
  MemoryTable table(6);
  const auto keys = register_many(table, 10'000);
  int changed = 0;
  for (std::size_t i = 1; i < keys.size(); ++i) {
    changed += std::popcount(keys[i] ^ keys[i - 1]);
  }
  const auto pairs = static_cast<double>(keys.size() - 1);
  EXPECT_NEAR(changed / pairs, 16.0, 5 * std::sqrt(8 / pairs));
}

TEST(MemoryKeys, EveryBitIsSetInHalfOfThem) {
  MemoryTable table(7);
  const auto keys = register_many(table, 10'000);
  for (int bit = 0; bit < 32; ++bit) {
    int set = 0;
    for (const std::uint32_t key : keys) {
      set += static_cast<int>(key >> bit & 1);
    }
    const auto count = static_cast<double>(keys.size());
    EXPECT_NEAR(set, count / 2, 5 * std::sqrt(count / 4)) << "bit " << bit;
  }
}

// Probes hit by chance alone: n probes of a table with s regions find n * s / 2^32 of them (Poisson).
TEST(MemoryKeys, GuessingSucceedsNoMoreOftenThanChance) {
  constexpr std::size_t kRegions = 65'536;
  constexpr int kProbes = 1'000'000;
  MemoryTable table(8);
  const auto keys = register_many(table, kRegions);
  RandomStream random(8, "probes");
  int hits = 0;
  int near_hits = 0;
  for (int i = 0; i < kProbes; ++i) {
    const auto guess = static_cast<std::uint32_t>(random.next());
    hits += table.find(guess) != nullptr ? 1 : 0;
    // Nor does it help to start from a known key.
    const std::uint32_t known = keys[guess % kRegions];
    near_hits += table.find(known + 1 + (guess >> 16) % 16) != nullptr ? 1 : 0;
  }
  const double expected = kProbes * (kRegions / std::pow(2.0, 32));
  EXPECT_NEAR(hits, expected, 5 * std::sqrt(expected));
  EXPECT_NEAR(near_hits, expected, 5 * std::sqrt(expected));
}

TEST(MemoryKeys, AFreedKeyDoesNotComeBackForThousandsOfRegistrations) {
  MemoryTable table(9);
  const auto first = table.register_region(range(0, 8)).value();
  ASSERT_TRUE(table.deregister(first));
  for (int i = 0; i < 50'000; ++i) {
    const auto key = table.register_region(range(0, 8)).value();
    ASSERT_NE(key, first) << "after " << i;
    ASSERT_EQ(table.find(first), nullptr);
    ASSERT_TRUE(table.deregister(key));
  }
}

// Random registrations, deregistrations and look-ups against a plain list.
TEST(MemoryTable, AgreesWithAPlainListUnderRandomOperations) {
  MemoryTable table(10);
  RandomStream random(10, "operations");
  struct Known {
    std::uint32_t key;
    std::uint64_t address;
  };
  std::vector<Known> live;
  std::vector<std::uint32_t> dead;
  for (std::uint64_t step = 0; step < 20'000; ++step) {
    if (live.empty() || random.next() % 3 != 0) {
      live.push_back({table.register_region(range(step * 64, 64)).value(), step * 64});
    } else {
      const std::size_t victim = random.next() % live.size();
      ASSERT_TRUE(table.deregister(live[victim].key));
      dead.push_back(live[victim].key);
      live[victim] = live.back();
      live.pop_back();
    }
    if (!live.empty()) {
      const Known& some = live[random.next() % live.size()];
      ASSERT_EQ(table.find(some.key)->address, some.address);
    }
    if (!dead.empty()) {
      ASSERT_EQ(table.find(dead[random.next() % dead.size()]), nullptr);
    }
  }
  EXPECT_EQ(table.size(), live.size());
}

}  // namespace
}  // namespace weft::verbs
