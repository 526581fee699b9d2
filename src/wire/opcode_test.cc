#include "wire/opcode.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace weft::wire {
namespace {

bool is_valid(Service service, unsigned operation) {
  return describe(make_opcode(service, static_cast<Operation>(operation))).valid;
}

//= ibta-1.7 9.2.1
TEST(Opcode, ServicesHaveTheOperationsOfTheSpecification) {
  for (unsigned operation = 0; operation < 32; ++operation) {
    const bool rc =
        operation <= 0x14 || operation == 0x16 || operation == 0x17 || operation == 0x1C || operation == 0x1D;
    EXPECT_EQ(is_valid(Service::kRc, operation), rc) << operation;
    EXPECT_EQ(is_valid(Service::kUc, operation), operation <= 0x0B) << operation;
    EXPECT_EQ(is_valid(Service::kRd, operation), operation <= 0x15) << operation;
    EXPECT_EQ(is_valid(Service::kUd, operation), operation == 0x04 || operation == 0x05) << operation;
    EXPECT_EQ(is_valid(Service::kCnp, operation), operation <= 1) << operation;
    EXPECT_EQ(is_valid(Service::kXrc, operation), rc) << operation;
    EXPECT_FALSE(is_valid(Service::kReserved, operation)) << operation;
    const bool placed = operation >= 0x06 && operation <= 0x0B;
    EXPECT_EQ(is_valid(Service::kManufacturer, operation), placed || operation == 0x11) << operation;
  }
}

TEST(Opcode, HeaderBytesFollowTheSpecification) {
  EXPECT_EQ(describe(make_opcode(Service::kRc, Operation::kSendMiddle)).header_bytes, 12);
  EXPECT_EQ(describe(make_opcode(Service::kRc, Operation::kWriteOnlyImmediate)).header_bytes, 12 + 16 + 4);
  EXPECT_EQ(describe(make_opcode(Service::kRc, Operation::kAtomicAcknowledge)).header_bytes, 12 + 4 + 8);
  EXPECT_EQ(describe(make_opcode(Service::kRc, Operation::kCompareSwap)).header_bytes, 12 + 28);
  EXPECT_EQ(describe(make_opcode(Service::kRc, Operation::kFlush)).header_bytes, 12 + 4 + 16);
  EXPECT_EQ(describe(make_opcode(Service::kUd, Operation::kSendOnlyImmediate)).header_bytes, 12 + 8 + 4);
  EXPECT_EQ(describe(kOpcodeRoceCnp).header_bytes, 12 + 16);
  EXPECT_EQ(describe(kOpcodeSack).header_bytes, 12 + 4 + 20);
}

/// A message is one "only" packet, or a first, middles and a last.
TEST(Opcode, PlaceInTheMessageFollowsTheName) {
  for (unsigned opcode = 0; opcode < 256; ++opcode) {
    const auto& info = describe(static_cast<std::uint8_t>(opcode));
    const auto name = opcode_name(static_cast<std::uint8_t>(opcode));
    const auto says = [&name](const char* word) { return name.find(word) != std::string::npos; };
    if (says("First") || says("Middle") || says("Last") || says("Only")) {
      EXPECT_EQ(info.first, says("First") || says("Only")) << name;
      EXPECT_EQ(info.last, says("Last") || says("Only")) << name;
      EXPECT_TRUE(info.payload) << name;
    }
  }
}

/// Responses go to the requester's QP: they name no shared receive queue and no Q_Key.
//= ibta-1.7 A14
TEST(Opcode, XrcRequestsAloneCarryXrceth) {
  EXPECT_TRUE(describe(make_opcode(Service::kXrc, Operation::kWriteOnly)).xrceth);
  EXPECT_TRUE(describe(make_opcode(Service::kXrc, Operation::kFetchAdd)).xrceth);
  EXPECT_FALSE(describe(make_opcode(Service::kXrc, Operation::kReadResponseMiddle)).xrceth);
  EXPECT_FALSE(describe(make_opcode(Service::kXrc, Operation::kAcknowledge)).xrceth);
}

TEST(Opcode, EveryPlacedWriteCarriesItsOwnReth) {
  for (unsigned operation = 0x06; operation <= 0x0B; ++operation) {
    const auto& placed = describe(make_opcode(Service::kManufacturer, static_cast<Operation>(operation)));
    const auto& plain = describe(make_opcode(Service::kRc, static_cast<Operation>(operation)));
    EXPECT_TRUE(placed.reth);
    EXPECT_EQ(placed.first, plain.first);
    EXPECT_EQ(placed.last, plain.last);
    EXPECT_EQ(placed.immediate, plain.immediate);
  }
}

TEST(Opcode, NamesAreDistinctAndReadable) {
  std::set<std::string> names;
  for (unsigned opcode = 0; opcode < 256; ++opcode) {
    EXPECT_TRUE(names.insert(opcode_name(static_cast<std::uint8_t>(opcode))).second) << opcode;
  }
  EXPECT_EQ(opcode_name(0x05), "RC SEND Only with Immediate");
  EXPECT_EQ(opcode_name(0x2A), "UC RDMA WRITE Only");
  EXPECT_EQ(opcode_name(0x81), "CNP");
  EXPECT_EQ(opcode_name(0xC5), "reserved 0xC5");
  EXPECT_EQ(opcode_name(0xF1), "SACK");
  EXPECT_EQ(opcode_name(0xE6), "placed RDMA WRITE First");
}

}  // namespace
}  // namespace weft::wire
