#include "verbs/sge_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"

namespace weft::verbs {
namespace {

constexpr PdHandle kPd(1);
constexpr std::uint64_t kBase = 0x10000;

using ByteVector = std::vector<std::byte>;

/// A region of `size` bytes at kBase, each byte telling its place.
struct Buffer {
  explicit Buffer(std::size_t size, AccessMask access = kAccessLocalWrite) : bytes(size) {
    for (std::size_t i = 0; i < size; ++i) {
      bytes[i] = static_cast<std::byte>(i * 7 + 1);
    }
    key = table.register_region({.pd = kPd, .address = kBase, .length = size, .bytes = bytes.data(), .access = access})
              .value();
  }
  [[nodiscard]] Sge element(std::uint32_t offset, std::uint32_t length) const {
    return {.address = kBase + offset, .length = length, .lkey = key};
  }

  ByteVector bytes;
  MemoryTable table{1};
  std::uint32_t key = 0;
};

/// The message that a list describes, byte by byte.
ByteVector message_of(const Buffer& buffer, std::span<const Sge> elements) {
  ByteVector message;
  for (const Sge& element : elements) {
    const auto first = buffer.bytes.begin() + static_cast<std::ptrdiff_t>(element.address - kBase);
    message.insert(message.end(), first, first + element.length);
  }
  return message;
}

void expect_gathers(const SgeList& list, const MemoryTable& table, const ByteVector& message) {
  ASSERT_EQ(list.total_bytes(), message.size());
  for (std::size_t offset = 0; offset <= message.size(); ++offset) {
    for (std::size_t length = 0; offset + length <= message.size(); ++length) {
      ByteVector out(length);
      list.gather(table, offset, out);
      ASSERT_TRUE(std::equal(out.begin(), out.end(), message.begin() + static_cast<std::ptrdiff_t>(offset)))
          << offset << "+" << length;
    }
  }
}

TEST(SgeList, AnEmptyListIsAMessageOfNoBytes) {
  const Buffer buffer(8);
  const SgeList list{};
  EXPECT_EQ(list.total_bytes(), 0U);
  EXPECT_TRUE(list.elements().empty());
  EXPECT_EQ(list.check(buffer.table, kPd, kAccessAll), AccessFault::kNone);
  list.gather(buffer.table, 0, {});
}

TEST(SgeList, GathersEveryRangeOfTheMessage) {
  const Buffer buffer(64);
  const std::vector<std::vector<Sge>> lists = {
      {buffer.element(5, 20)},
      {buffer.element(40, 7), buffer.element(0, 9)},
      {buffer.element(3, 0), buffer.element(3, 4), buffer.element(9, 0), buffer.element(20, 5), buffer.element(1, 0)},
      {buffer.element(10, 6), buffer.element(10, 6), buffer.element(12, 6)},
  };
  for (const auto& elements : lists) {
    expect_gathers(SgeList(elements), buffer.table, message_of(buffer, elements));
  }
}

TEST(SgeList, KeepsItsOwnCopyOfTheElements) {
  const Buffer buffer(64);
  std::vector<Sge> elements = {buffer.element(0, 4), buffer.element(8, 4)};
  const ByteVector message = message_of(buffer, elements);
  const SgeList list(elements);
  elements.assign(2, Sge{});
  expect_gathers(list, buffer.table, message);
}

TEST(SgeList, TakesHeapOnlyForMoreThanOneElement) {
  const Buffer buffer(64);
  const std::vector<Sge> elements(3, buffer.element(0, 4));
  EXPECT_EQ(SgeList().heap_bytes(), 0U);
  EXPECT_EQ(SgeList(std::span(elements).first(1)).heap_bytes(), 0U);
  EXPECT_EQ(SgeList(elements).heap_bytes(), 3 * sizeof(Sge));
}

TEST(SgeList, InlineListsHoldTheBytesOfTheMomentOfPosting) {
  for (const std::uint32_t size : {0U, 1U, 16U, 17U, 60U}) {
    Buffer buffer(64);
    const std::vector<Sge> elements = {buffer.element(2, size / 2), buffer.element(1, size - size / 2)};
    const ByteVector message = message_of(buffer, elements);
    const SgeList list = SgeList::inlined(elements, buffer.table);
    std::fill(buffer.bytes.begin(), buffer.bytes.end(), std::byte{0});
    ASSERT_TRUE(buffer.table.deregister(buffer.key));
    EXPECT_TRUE(list.is_inline());
    EXPECT_TRUE(list.elements().empty());
    EXPECT_EQ(list.heap_bytes(), size <= 16 ? 0U : size);
    EXPECT_EQ(list.check(buffer.table, PdHandle(9), kAccessAll), AccessFault::kNone) << "nothing left to check";
    expect_gathers(list, buffer.table, message);
  }
}

TEST(SgeList, MovesWithoutCopying) {
  const Buffer buffer(64);
  const std::vector<Sge> one = {buffer.element(7, 9)};
  const std::vector<Sge> two = {buffer.element(0, 4), buffer.element(8, 4)};
  std::vector<std::pair<SgeList, ByteVector>> cases;
  cases.emplace_back(SgeList(one), message_of(buffer, one));
  cases.emplace_back(SgeList(two), message_of(buffer, two));
  cases.emplace_back(SgeList::inlined(one, buffer.table), message_of(buffer, one));
  const std::vector<Sge> long_inline = {buffer.element(0, 40)};
  cases.emplace_back(SgeList::inlined(long_inline, buffer.table), message_of(buffer, long_inline));
  for (auto& [list, message] : cases) {
    SgeList moved(std::move(list));
    expect_gathers(moved, buffer.table, message);
    SgeList assigned(two);
    assigned = std::move(moved);
    expect_gathers(assigned, buffer.table, message);
    SgeList& alias = assigned;
    assigned = std::move(alias);
    expect_gathers(assigned, buffer.table, message);
  }
}

TEST(SgeList, ScatterPutsEachByteInItsPlaceAndTouchesNoOther) {
  RandomStream random(1, "scatter");
  for (int round = 0; round < 300; ++round) {
    Buffer buffer(96);
    // Disjoint elements, in random order of address.
    std::vector<Sge> elements;
    for (std::uint32_t place = 0; place < 4; ++place) {
      const std::uint32_t slot = (place * 3 + static_cast<std::uint32_t>(round)) % 4;
      elements.push_back(buffer.element(slot * 24 + 2, static_cast<std::uint32_t>(random.next() % 20)));
    }
    const SgeList list(elements);
    const std::size_t offset = random.next() % (list.total_bytes() + 1);
    const std::size_t length = random.next() % (list.total_bytes() - offset + 1);
    ByteVector in(length);
    std::generate(in.begin(), in.end(), [&random] { return static_cast<std::byte>(random.next()); });

    ByteVector expected = buffer.bytes;
    std::size_t position = 0;
    for (const Sge& element : elements) {
      for (std::uint32_t i = 0; i < element.length; ++i, ++position) {
        if (position >= offset && position < offset + length) {
          expected[element.address - kBase + i] = in[position - offset];
        }
      }
    }
    list.scatter(buffer.table, offset, in);
    ASSERT_EQ(buffer.bytes, expected) << "round " << round;
  }
}

TEST(SgeList, RegionsWithoutBytesGiveZerosAndTakeAnything) {
  MemoryTable table(1);
  const auto key =
      table.register_region({.pd = kPd, .address = kBase, .length = 32, .access = kAccessLocalWrite}).value();
  const std::vector<Sge> elements = {{.address = kBase, .length = 20, .lkey = key}};
  const SgeList list(elements);
  ByteVector out(20, std::byte{0xFF});
  list.gather(table, 0, out);
  EXPECT_EQ(out, ByteVector(20));
  list.scatter(table, 5, ByteVector(10, std::byte{1}));
  std::fill(out.begin(), out.end(), std::byte{0xFF});
  SgeList::inlined(elements, table).gather(table, 0, out);
  EXPECT_EQ(out, ByteVector(20));
}

TEST(SgeList, CheckFindsTheFaultOfAnyElement) {
  const Buffer buffer(64, 0);
  const Sge good = buffer.element(0, 8);
  const auto fault_of = [&buffer](std::vector<Sge> elements, AccessMask access) {
    return SgeList(elements).check(buffer.table, kPd, access);
  };
  EXPECT_EQ(fault_of({good, good}, 0), AccessFault::kNone);
  EXPECT_EQ(fault_of({good, buffer.element(60, 5)}, 0), AccessFault::kOutOfBounds);
  EXPECT_EQ(fault_of({good, {.address = kBase, .length = 1, .lkey = buffer.key ^ 2}}, 0), AccessFault::kInvalidKey);
  EXPECT_EQ(fault_of({good}, kAccessLocalWrite), AccessFault::kPermission);
  EXPECT_EQ(SgeList(std::vector<Sge>{good}).check(buffer.table, PdHandle(2), 0), AccessFault::kWrongDomain);
  EXPECT_EQ(fault_of({{.address = 0, .length = 0, .lkey = 0}}, kAccessLocalWrite), AccessFault::kNone)
      << "an element of no bytes names no memory";
}

TEST(SgeListDeathTest, ReachingBeyondTheMessageIsAProgrammersError) {
  const Buffer buffer(64);
  const SgeList list(std::vector<Sge>{buffer.element(0, 8)});
  ByteVector out(4);
  EXPECT_DEATH(list.gather(buffer.table, 5, out), "assertion failed");
  EXPECT_DEATH(list.scatter(buffer.table, 9, {}), "assertion failed");
}

TEST(SgeListDeathTest, ARegionThatVanishedAfterTheCheckIsAProgrammersError) {
  Buffer buffer(64);
  const SgeList list(std::vector<Sge>{buffer.element(0, 8)});
  ASSERT_TRUE(buffer.table.deregister(buffer.key));
  ByteVector out(4);
  EXPECT_DEATH(list.gather(buffer.table, 0, out), "assertion failed");
}

}  // namespace
}  // namespace weft::verbs
