#include "workload/operation.h"

#include <gtest/gtest.h>

namespace weft::workload {
namespace {

TEST(Operation, EveryWordIsUnderstoodAsWritten) {
  for (const Operation operation : {Operation::kWrite, Operation::kWriteWithImm, Operation::kRead, Operation::kSend})
    EXPECT_EQ(parse_operation(to_string(operation)), operation);
}

TEST(Operation, AnotherWordIsRefusedWithTheNearest) {
  const auto result = parse_operation("wirte");
  ASSERT_FALSE(result.has_value());
  EXPECT_NE(result.error().message.find("did you mean 'write'"), std::string::npos) << result.error().message;
}

TEST(Operation, ADeviceWithoutReadRefusesReadAlone) {
  verbs::DeviceAttributes device{.endpoint = EndpointId(7)};
  device.rc_opcodes &= ~verbs::mask_of(verbs::WrOpcode::kRdmaRead);
  EXPECT_TRUE(check_operation(Operation::kWrite, device).has_value());
  EXPECT_TRUE(check_operation(Operation::kSend, device).has_value());
  EXPECT_FALSE(check_operation(Operation::kRead, device).has_value());
}

}  // namespace
}  // namespace weft::workload
