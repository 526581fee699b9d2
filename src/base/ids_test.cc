#include "base/ids.h"

#include <gtest/gtest.h>

#include <sstream>
#include <type_traits>

namespace weft {
namespace {

static_assert(sizeof(Qpn) == 4);
static_assert(!std::is_convertible_v<std::uint32_t, Qpn>);
static_assert(!std::is_convertible_v<Qpn, std::uint32_t>);
static_assert(!std::is_convertible_v<Qpn, EndpointId> && !std::is_constructible_v<Qpn, EndpointId>);

TEST(Id, IsInvalidUntilGivenAValue) {
  EXPECT_FALSE(Qpn().is_valid());
  EXPECT_EQ(Qpn(), Qpn::invalid());
  EXPECT_TRUE(Qpn(0).is_valid());
}

TEST(Id, ComparesByValue) {
  EXPECT_EQ(Qpn(7), Qpn(7));
  EXPECT_LT(Qpn(7), Qpn(8));
  EXPECT_LT(Qpn(8), Qpn::invalid());
}

TEST(Id, PrintsItsNumber) {
  std::ostringstream out;
  out << Qpn(17) << ' ' << Qpn();
  EXPECT_EQ(out.str(), "17 invalid");
}

}  // namespace
}  // namespace weft
