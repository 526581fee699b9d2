// How a message travels: the operations that traffic can be made of.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "verbs/provider.h"
#include "verbs/work_request.h"

namespace weft::workload {

enum class Operation : std::uint8_t {
  kWrite,
  kWriteWithImm,  // as kWrite, and the receiver gets a completion: its one-way latency can be measured
  kRead,
  kSend,
};

/// "write", "write_with_imm", "read", "send": the words of a scenario.
[[nodiscard]] std::string_view to_string(Operation operation);
/// Errors: another word; the nearest one is named.
[[nodiscard]] Result<Operation> parse_operation(std::string_view word);

[[nodiscard]] verbs::WrOpcode opcode_of(Operation operation);
/// Whether the receiver's program sees a completion, and so must have posted a receive request.
[[nodiscard]] constexpr bool needs_receive(Operation operation) {
  return operation == Operation::kSend || operation == Operation::kWriteWithImm;
}

/// Errors: this device's reliable connections do not offer the operation (a TCP stream has no READ).
[[nodiscard]] Result<void> check_operation(Operation operation, const verbs::DeviceAttributes& device);

}  // namespace weft::workload
