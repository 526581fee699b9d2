#include "workload/operation.h"

#include <array>

#include "base/nearest_word.h"

namespace weft::workload {
namespace {

constexpr std::array kAll = {Operation::kWrite, Operation::kWriteWithImm, Operation::kRead, Operation::kSend};

}  // namespace

std::string_view to_string(Operation operation) {
  switch (operation) {
    case Operation::kWrite:
      return "write";
    case Operation::kWriteWithImm:
      return "write_with_imm";
    case Operation::kRead:
      return "read";
    case Operation::kSend:
      return "send";
  }
  return "unknown operation";
}

Result<Operation> parse_operation(std::string_view word) {
  std::array<std::string_view, kAll.size()> words;
  for (std::size_t i = 0; i < kAll.size(); ++i) {
    words[i] = to_string(kAll[i]);
    if (words[i] == word)
      return kAll[i];
  }
  return tl::unexpected<Error>(unknown_word({.kind = "operation", .word = word, .valid = words}));
}

verbs::WrOpcode opcode_of(Operation operation) {
  switch (operation) {
    case Operation::kWrite:
      return verbs::WrOpcode::kRdmaWrite;
    case Operation::kWriteWithImm:
      return verbs::WrOpcode::kRdmaWriteWithImm;
    case Operation::kRead:
      return verbs::WrOpcode::kRdmaRead;
    case Operation::kSend:
      break;
  }
  return verbs::WrOpcode::kSend;
}

Result<void> check_operation(Operation operation, const verbs::DeviceAttributes& device) {
  if ((device.rc_opcodes & verbs::mask_of(opcode_of(operation))) != 0)
    return {};
  return fail("operation '{}' is not offered by the transport of endpoint {}", to_string(operation),
              device.endpoint.value());
}

}  // namespace weft::workload
