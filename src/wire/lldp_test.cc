#include "wire/lldp.h"

#include <gtest/gtest.h>

#include "wire/test_bytes.h"

namespace weft::wire {
namespace {

ByteVector bytes_of_unit(const LldpUnit& unit) {
  ByteVector bytes;
  unit.emit(bytes);
  return bytes;
}

//= ieee-802.1AB 9
TEST(LldpUnit, HasItsFieldsInTheOrderOfTheStandard) {
  const LldpUnit unit{.chassis = "leaf1", .port = "port3", .time_to_live = 120};
  const ByteVector bytes = bytes_of("0206 07 6C65616631 0406 07 706F727433 0602 0078 0000");
  EXPECT_EQ(bytes_of_unit(unit), bytes);
  EXPECT_EQ(*LldpUnit::parse(bytes), unit);
}

TEST(LldpUnit, SkipsFieldsThatItDoesNotKnow) {
  const ByteVector bytes = bytes_of("0202 07 61 0402 07 62 0602 0078 FE04 00120F01 0A01 63 0000");
  EXPECT_EQ(*LldpUnit::parse(bytes), (LldpUnit{.chassis = "a", .port = "b", .system_name = "c"}));
}

TEST(LldpUnit, RefusesEveryTruncation) {
  const ByteVector good = bytes_of_unit({.chassis = "leaf1", .port = "port3", .system_name = "leaf1"});
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(LldpUnit::parse(std::span(good).first(size)).has_value()) << size;
  }
}

TEST(LldpUnit, RefusesFieldsOutOfOrderAndOtherIdentities) {
  EXPECT_EQ(LldpUnit::parse(bytes_of("0402 07 62 0202 07 61 0602 0078 0000")).error().message,
            "LLDP unit has a field of type 2 where type 1 must be");
  EXPECT_EQ(LldpUnit::parse(bytes_of("0202 04 61 0402 07 62 0602 0078 0000")).error().message,
            "LLDP chassis is of subtype 4, 7 (locally assigned) is used here");
}

}  // namespace
}  // namespace weft::wire
