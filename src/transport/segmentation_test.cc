#include "transport/segmentation.h"

#include <gtest/gtest.h>

namespace weft::transport {
namespace {

using verbs::PathMtu;

constexpr PathMtu kAll[] = {PathMtu::k256, PathMtu::k512,  PathMtu::k1024, PathMtu::k2048, PathMtu::k4096,
                            PathMtu(260),  PathMtu(1'000), PathMtu(1'408), PathMtu(8'188), PathMtu(8'192)};

TEST(Segmentation, FullPacketsAreThoseThatTheBytesFill) {
  for (const PathMtu mtu : kAll) {
    const std::uint64_t bytes = full_payload(mtu);
    EXPECT_EQ(full_packets(0, mtu), 0U);
    for (std::uint64_t packets = 1; packets < 20; ++packets) {
      EXPECT_EQ(full_packets(packets * bytes - 1, mtu), packets - 1);
      EXPECT_EQ(full_packets(packets * bytes, mtu), packets);
    }
  }
}

TEST(Segmentation, MessageTakesAsManyPacketsAsItsBytesFill) {
  for (const PathMtu mtu : kAll) {
    const auto bytes = static_cast<std::uint64_t>(verbs::to_bytes(mtu).count());
    EXPECT_EQ(packet_count(0, mtu), 1U);
    for (std::uint64_t packets = 1; packets < 20; ++packets) {
      EXPECT_EQ(packet_count((packets - 1) * bytes + 1, mtu), packets);
      EXPECT_EQ(packet_count(packets * bytes, mtu), packets);
    }
    const std::uint64_t largest = std::uint64_t{1} << 31;
    EXPECT_EQ(packet_count(largest, mtu), (largest + bytes - 1) / bytes);
    EXPECT_EQ(packet_count(0xFFFFFFFF, mtu), (0xFFFFFFFF + bytes - 1) / bytes);
  }
}

}  // namespace
}  // namespace weft::transport
