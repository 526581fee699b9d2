#include "transport/stream/stream_input.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/random.h"

namespace weft::transport {
namespace {

std::vector<std::byte> pattern(StreamOffset offset, std::size_t length) {
  std::vector<std::byte> bytes(length);
  for (std::size_t i = 0; i < length; ++i) {
    bytes[i] = static_cast<std::byte>((offset + i) * 131 >> 3);
  }
  return bytes;
}

StreamRun run_of(StreamOffset offset, const std::vector<std::byte>& bytes) {
  return {.offset = offset, .length = static_cast<std::uint32_t>(bytes.size()), .bytes = bytes};
}

TEST(StreamInput, GivesBackWhatWasStoredInAnyOrder) {
  RandomStream random(1, "stream input");
  StreamInput input;
  input.start(nullptr);
  StreamOffset end = 0;
  for (int round = 0; round < 400; ++round) {
    // Runs of a window, shuffled.
    std::vector<std::pair<StreamOffset, std::size_t>> runs;
    for (std::uint64_t i = 0; i < 1 + random.uniform(12); ++i) {
      runs.emplace_back(end, 1 + random.uniform(1500));
      end += runs.back().second;
    }
    for (std::size_t i = runs.size(); i > 1; --i) {
      std::swap(runs[i - 1], runs[random.uniform(i)]);
    }
    for (const auto& [offset, length] : runs) {
      const auto bytes = pattern(offset, length);
      input.store(run_of(offset, bytes));
    }
    const auto available = static_cast<std::size_t>(end - input.position());
    std::vector<std::byte> out(available);
    input.read(input.position(), out);
    ASSERT_EQ(out, pattern(input.position(), available));
    input.consume_to(input.position() + random.uniform(available + 1));
  }
}

TEST(StreamInput, KeepsNoMoreThanTheWindowHolds) {
  StreamInput input;
  input.start(nullptr);
  EXPECT_EQ(input.heap_bytes(), 0U);
  for (StreamOffset offset = 0; offset < 10'000'000; offset += 1000) {
    const auto bytes = pattern(offset, 1000);
    input.store(run_of(offset, bytes));
    input.consume_to(offset + 1000);
  }
  EXPECT_LE(input.heap_bytes(), 4096U);
}

TEST(StreamInput, ReadsHeadersFromALedgerAndForgetsThemThere) {
  FramingHeaderLog ledger;
  ledger.append(0, pattern(1, 20));
  ledger.append(500, pattern(2, 10));
  StreamInput input;
  input.start(&ledger);
  EXPECT_FALSE(input.carries_bytes());
  std::vector<std::byte> header(64);
  EXPECT_EQ(input.read_header(0, header), 20U);
  EXPECT_EQ(input.read_header(500, std::span(header).first(4)), 4U);
  EXPECT_EQ(input.read_header(1, header), 0U);
  input.consume_to(500);
  EXPECT_EQ(ledger.front()->offset, 500U);
}

}  // namespace
}  // namespace weft::transport
