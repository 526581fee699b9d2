#include "wire/address.h"

#include <gtest/gtest.h>

#include "wire/test_bytes.h"
#include "wire/version6_word.h"

namespace weft::wire {
namespace {

Ipv6Address ipv6(std::string_view hex) { return load_address(bytes_of(hex), 0); }

TEST(Address, WritesIpv4InDottedForm) { EXPECT_EQ(to_string(Ipv4Address{0x0A000102}), "10.0.1.2"); }

//= rfc5952 4
TEST(Address, ShortensTheFirstLongestRunOfZeroGroups) {
  EXPECT_EQ(to_string(ipv6("20010DB8000000000001000000000001")), "2001:db8::1:0:0:1");
  EXPECT_EQ(to_string(ipv6("FE800000000000005054000000000001")), "fe80::5054:0:0:1");
  EXPECT_EQ(to_string(ipv6("20010000000300000000000000070008")), "2001:0:3::7:8");
}

//= rfc5952 4.2.2
TEST(Address, KeepsASingleZeroGroup) {
  EXPECT_EQ(to_string(ipv6("20010DB8000000010001000100010001")), "2001:db8:0:1:1:1:1:1");
}

TEST(Address, ShortensRunsAtBothEnds) {
  EXPECT_EQ(to_string(ipv6("00000000000000000000000000000000")), "::");
  EXPECT_EQ(to_string(ipv6("00000000000000000000000000000001")), "::1");
  EXPECT_EQ(to_string(ipv6("FE800000000000000000000000000000")), "fe80::");
}

//= ibta-1.7 A17
TEST(Address, MapsAnIpv4AddressToAGid) {
  const auto gid = gid_of(Ipv4Address{0x0A000001});
  EXPECT_EQ(gid, ipv6("00000000000000000000FFFF0A000001"));
  EXPECT_EQ(to_string(gid), "::ffff:10.0.0.1");
}

}  // namespace
}  // namespace weft::wire
