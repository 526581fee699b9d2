#include "verbs/provider.h"

#include <gtest/gtest.h>

#include "verbs/machine.h"

namespace weft::verbs {
namespace {

TEST(WrOpcodeMask, HasABitOfItsOwnForEveryOpcode) {
  WrOpcodeMask all = 0;
  for (const WrOpcode opcode :
       {WrOpcode::kSend, WrOpcode::kSendWithImm, WrOpcode::kSendWithInv, WrOpcode::kRdmaWrite,
        WrOpcode::kRdmaWriteWithImm, WrOpcode::kRdmaRead, WrOpcode::kAtomicCmpAndSwp, WrOpcode::kAtomicFetchAndAdd}) {
    EXPECT_EQ(all & mask_of(opcode), 0U);
    all |= mask_of(opcode);
  }
  EXPECT_EQ(all, kAllWrOpcodes);
}

TEST(DeviceAttributes, TheDefaultDeviceDoesAllThatVerbsOffer) {
  EXPECT_EQ(DeviceAttributes{}.rc_opcodes, kAllWrOpcodes);
}

TEST(Machine, AnInvalidGpuMeansTheHost) {
  EXPECT_FALSE(MemoryPlace{}.gpu.is_valid());
  EXPECT_FALSE(ComputeRequest{}.gpu.is_valid());
}

}  // namespace
}  // namespace weft::verbs
