// What holds for every header: short input is an error, whatever is accepted is emitted as it was, random bytes do no
// harm. Each buffer has exactly the size under test, so that the address sanitizer sees a read past the end.
#include <gtest/gtest.h>

#include "wire/bth.h"
#include "wire/cm.h"
#include "wire/cnp.h"
#include "wire/datagram_extensions.h"
#include "wire/ethernet.h"
#include "wire/flow_control_packet.h"
#include "wire/grh.h"
#include "wire/ipv4.h"
#include "wire/ipv6.h"
#include "wire/lrh.h"
#include "wire/mad.h"
#include "wire/pfc_frame.h"
#include "wire/request_extensions.h"
#include "wire/response_extensions.h"
#include "wire/test_bytes.h"
#include "wire/udp.h"

namespace weft::wire {
namespace {

/// Makes random bytes acceptable by giving the fields with one right value that value.
template <class Header>
struct Fix {
  static void apply(ByteVector&) {}
};

template <class Header>
constexpr std::size_t longest() {
  return Header::kSize;
}
template <>
constexpr std::size_t longest<EthernetHeader>() {
  return EthernetHeader::kSize + EthernetHeader::kMaxTags * EthernetHeader::kTagSize;
}
template <>
constexpr std::size_t longest<Ipv4Header>() {
  return Ipv4Header::kSize + Ipv4Header::kMaxOptions;
}

template <class Header>
std::size_t size_of(const Header&) {
  return Header::kSize;
}
template <>
std::size_t size_of(const EthernetHeader& header) {
  return header.size();
}
template <>
std::size_t size_of(const Ipv4Header& header) {
  return header.size();
}

void set_byte(ByteVector& bytes, std::size_t at, unsigned value) { bytes[at] = static_cast<std::byte>(value); }
void clear_bits(ByteVector& bytes, std::size_t at, unsigned mask) { bytes[at] &= static_cast<std::byte>(~mask); }

template <>
struct Fix<EthernetHeader> {
  static void apply(ByteVector& bytes) {
    if ((bytes[0] & std::byte{1}) != std::byte{0}) {
      set_byte(bytes, 12, 0x81);
      set_byte(bytes, 13, 0x00);
    }
  }
};
template <>
struct Fix<Ipv4Header> {
  static void apply(ByteVector& bytes) { set_byte(bytes, 0, 0x45 + std::to_integer<unsigned>(bytes[0]) % 11); }
};
template <>
struct Fix<Ipv6Header> {
  static void apply(ByteVector& bytes) { bytes[0] = (bytes[0] & std::byte{0x0F}) | std::byte{0x60}; }
};
template <>
struct Fix<GrhHeader> : Fix<Ipv6Header> {};
template <>
struct Fix<LrhHeader> {
  static void apply(ByteVector& bytes) { clear_bits(bytes, 0, 0x0F); }
};
template <>
struct Fix<BthHeader> {
  static void apply(ByteVector& bytes) { clear_bits(bytes, 1, 0x0F); }
};
template <>
struct Fix<MadHeader> {
  static void apply(ByteVector& bytes) { set_byte(bytes, 0, 1); }
};
template <>
struct Fix<DirectedRouteSmp> {
  static void apply(ByteVector& bytes) {
    set_byte(bytes, 0, 1);
    set_byte(bytes, 1, kClassSubnetDirectedRoute);
    clear_bits(bytes, 6, 0xC0);
    clear_bits(bytes, 7, 0xC0);
  }
};
template <>
struct Fix<CmDatagram> {
  static void apply(ByteVector& bytes) {
    set_byte(bytes, 0, 1);
    set_byte(bytes, 1, kClassConnection);
    set_byte(bytes, 2, CmDatagram::kClassVersion);
    set_byte(bytes, 3, kMethodSend);
    set_byte(bytes, 16, 0);
    set_byte(bytes, 17, CmReq::kAttribute + std::to_integer<unsigned>(bytes[17]) % 7);
  }
};
template <>
struct Fix<PfcFrame> {
  static void apply(ByteVector& bytes) {
    const auto head = bytes_of("0180C2000001 020304050607 8808 0101");
    std::copy(head.begin(), head.end(), bytes.begin());
  }
};

template <class Header>
class EveryHeader : public ::testing::Test {
 protected:
  RandomStream random_{1, "header properties"};

  void expect_unharmed(const ByteVector& bytes, int& accepted) {
    const auto header = Header::parse(bytes);
    if (!header) {
      EXPECT_FALSE(header.error().message.empty());
      return;
    }
    ++accepted;
    const auto size = size_of(*header);
    ASSERT_LE(size, bytes.size());
    EXPECT_EQ(emitted(*header, size), ByteVector(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)));
    const auto again = Header::parse(emitted(*header, size));
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(*again, *header);
  }
};

using Headers =
    ::testing::Types<EthernetHeader, Ipv4Header, Ipv6Header, UdpHeader, LrhHeader, GrhHeader, BthHeader, DethHeader,
                     RdethHeader, XrcethHeader, RethHeader, AtomicEthHeader, FethHeader, ImmDtHeader, IethHeader,
                     AethHeader, AtomicAckEthHeader, SackEthHeader, CnpHeader, MadHeader, DirectedRouteSmp, CmPath,
                     CmReq, CmMra, CmRej, CmRep, CmRtu, CmDreq, CmDrep, CmDatagram, PfcFrame, FlowControlPacket>;
TYPED_TEST_SUITE(EveryHeader, Headers);

TYPED_TEST(EveryHeader, RefusesEveryTruncation) {
  for (std::size_t size = 0; size < TypeParam::kSize; ++size) {
    auto bytes = random_bytes(this->random_, longest<TypeParam>());
    Fix<TypeParam>::apply(bytes);
    bytes.resize(size);
    bytes.shrink_to_fit();
    EXPECT_FALSE(TypeParam::parse(bytes).has_value()) << size << " bytes";
  }
}

TYPED_TEST(EveryHeader, EmitsWhatItParsed) {
  int accepted = 0;
  for (int round = 0; round < 500; ++round) {
    auto bytes = random_bytes(this->random_, longest<TypeParam>());
    Fix<TypeParam>::apply(bytes);
    this->expect_unharmed(bytes, accepted);
  }
  EXPECT_GT(accepted, 20);
}

TYPED_TEST(EveryHeader, TakesRandomBytesOfAnyLength) {
  int accepted = 0;
  for (int round = 0; round < 1000; ++round) {
    const auto size = static_cast<std::size_t>(this->random_.uniform(2 * longest<TypeParam>()));
    this->expect_unharmed(random_bytes(this->random_, size), accepted);
  }
}

}  // namespace
}  // namespace weft::wire
