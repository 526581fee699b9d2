#include "base/data_size.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

template <class A, class B>
concept Addable = requires(A a, B b) {
  a + b;
};
static_assert(Addable<Bytes, Bytes> && Addable<Packets, Packets>);
static_assert(!Addable<Bytes, Packets> && !Addable<Bytes, int>);

TEST(Bytes, PrefixesAreDecimalOrBinary) {
  EXPECT_EQ(1_kb, 1000_bytes);
  EXPECT_EQ(1_mb, 1000 * 1_kb);
  EXPECT_EQ(1_gb, 1000 * 1_mb);
  EXPECT_EQ(1_tb, 1000 * 1_gb);
  EXPECT_EQ(1_kib, 1024_bytes);
  EXPECT_EQ(1_mib, 1024 * 1_kib);
  EXPECT_EQ(1_gib, 1024 * 1_mib);
  EXPECT_EQ(1_tib, 1024 * 1_gib);
}

TEST(Bytes, AreEightBits) { EXPECT_EQ((1500_bytes).bits(), 12000); }

TEST(Bytes, DifferencesMayBeNegative) { EXPECT_EQ(1_kib - 1_mib, -(1_mib - 1_kib)); }

TEST(Bytes, QuotientAndRemainderReassemble) {
  const Bytes mtu = 4_kib;
  for (const Bytes size : {0_bytes, 1_bytes, 4095_bytes, 4096_bytes, 4097_bytes, 1_gb}) {
    EXPECT_EQ((size / mtu) * mtu + size % mtu, size);
  }
}

TEST(Bytes, EmptyMessageTakesOnePacket) { EXPECT_EQ((0_bytes).packets_of(4_kib), 1_packets); }

TEST(Bytes, PacketsAreTheFewestThatHoldTheMessage) {
  const Bytes mtu = 256_bytes;
  for (std::int64_t count = 1; count <= 5 * mtu.count(); ++count) {
    const std::int64_t packets = Bytes(count).packets_of(mtu).count();
    EXPECT_GE(packets * mtu, Bytes(count));
    EXPECT_LT((packets - 1) * mtu, Bytes(count));
  }
}

TEST(Bytes, PacketCountOfTheLargestSizeDoesNotOverflow) {
  EXPECT_EQ(Bytes::max().packets_of(2_bytes).count(), Bytes::max().count() / 2 + 1);
}

TEST(Packets, AddAndScale) {
  Packets sent = 3_packets;
  sent += 4_packets;
  sent -= 1_packets;
  EXPECT_EQ(sent, 2 * 3_packets);
}

}  // namespace
}  // namespace weft
