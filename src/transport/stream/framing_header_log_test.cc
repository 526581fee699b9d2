#include "transport/stream/framing_header_log.h"

#include <gtest/gtest.h>

#include <map>
#include <thread>
#include <vector>

#include "base/random.h"

namespace weft::transport {
namespace {

std::vector<std::byte> header_of(StreamOffset offset) {
  return std::vector<std::byte>(1 + offset % 70, static_cast<std::byte>(offset * 31));
}

TEST(FramingHeaderLog, GivesHeadersBackByOffsetUntilTheyAreDiscarded) {
  FramingHeaderLog ledger;
  EXPECT_FALSE(ledger.front());
  EXPECT_FALSE(ledger.find(0));
  ledger.append(0, header_of(0));
  ledger.append(100, header_of(100));
  ASSERT_TRUE(ledger.front());
  EXPECT_EQ(ledger.front()->offset, 0U);
  ASSERT_TRUE(ledger.find(100));
  EXPECT_EQ(ledger.find(100)->header.size(), header_of(100).size());
  EXPECT_FALSE(ledger.find(50));
  EXPECT_FALSE(ledger.find(101));
  ledger.discard_before(100);
  EXPECT_EQ(ledger.front()->offset, 100U);
  ledger.discard_before(101);
  EXPECT_FALSE(ledger.front());
}

TEST(FramingHeaderLog, AgreesWithAMapOverRandomOperations) {
  RandomStream random(1, "ledger");
  FramingHeaderLog ledger;
  std::map<StreamOffset, std::vector<std::byte>> reference;
  StreamOffset next = 0;
  StreamOffset discarded = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t choice = random.uniform(4);
    if (choice <= 1) {
      next += 1 + random.uniform(50);
      ledger.append(next, header_of(next));
      reference[next] = header_of(next);
    } else if (choice == 2 && next > discarded) {
      const StreamOffset at = discarded + random.uniform(next - discarded + 2);
      const auto expected = reference.find(at);
      const auto found = ledger.find(at);
      ASSERT_EQ(found.has_value(), expected != reference.end());
      if (found) {
        ASSERT_TRUE(std::ranges::equal(found->header, expected->second));
      }
    } else if (next > discarded) {
      discarded += random.uniform((next - discarded) / 2 + 2);
      ledger.discard_before(discarded);
      reference.erase(reference.begin(), reference.lower_bound(discarded));
    }
    ASSERT_EQ(ledger.front().has_value(), !reference.empty());
    if (!reference.empty()) {
      ASSERT_EQ(ledger.front()->offset, reference.begin()->first);
    }
  }
}

TEST(FramingHeaderLog, FreesWhatIsDiscarded) {
  FramingHeaderLog ledger;
  EXPECT_EQ(ledger.heap_bytes(), 0U);
  std::size_t most = 0;
  for (StreamOffset offset = 0; offset < 100'000; ++offset) {
    ledger.append(offset, header_of(offset));
    if (offset >= 100) {
      ledger.discard_before(offset - 100);
    }
    most = std::max(most, ledger.heap_bytes());
  }
  EXPECT_LT(most, 20'000U);
  ledger.clear();
  EXPECT_EQ(ledger.heap_bytes(), 0U);
  ledger.append(5, header_of(5));
  EXPECT_EQ(ledger.front()->offset, 5U);
}

TEST(FramingHeaderLog, HoldsTheLongestHeader) {
  FramingHeaderLog ledger;
  const std::vector<std::byte> longest(FramingHeaderLog::kMaxHeader, std::byte{7});
  ledger.append(1, header_of(1));
  ledger.append(2, longest);
  ledger.append(3, header_of(3));
  EXPECT_TRUE(std::ranges::equal(ledger.find(2)->header, longest));
  EXPECT_TRUE(ledger.find(3));
}

TEST(FramingHeaderLog, ProducerAndConsumerMayBeTwoThreads) {
  constexpr StreamOffset kEntries = 200'000;
  FramingHeaderLog ledger;
  std::thread producer([&ledger] {
    for (StreamOffset offset = 0; offset < kEntries; ++offset) {
      ledger.append(offset, header_of(offset));
    }
  });
  StreamOffset wrong = 0;
  for (StreamOffset offset = 0; offset < kEntries;) {
    const auto entry = ledger.front();
    if (!entry) {
      std::this_thread::yield();
      continue;
    }
    wrong += entry->offset != offset || !std::ranges::equal(entry->header, header_of(offset)) ? 1U : 0U;
    ++offset;
    ledger.discard_before(offset);
  }
  producer.join();
  EXPECT_EQ(wrong, 0U);
  EXPECT_LT(ledger.heap_bytes(), 2'000U) << "what the consumer has passed is freed, but for the last piece";
}

TEST(FramingHeaderLogs, BothEndsOpenTheSameLedgerAndTheLastOneClosesIt) {
  FramingHeaderLogs ledgers;
  const FramingHeaderLogs::Sender sender{.endpoint = EndpointId(3), .qpn = Qpn(9)};
  FramingHeaderLog& first = ledgers.open(sender);
  EXPECT_EQ(&ledgers.open(sender), &first);
  EXPECT_NE(&ledgers.open({.endpoint = EndpointId(3), .qpn = Qpn(8)}), &first);
  ledgers.close(sender);
  EXPECT_EQ(ledgers.size(), 2U);
  ledgers.close(sender);
  EXPECT_EQ(ledgers.size(), 1U);
}

}  // namespace
}  // namespace weft::transport
