// Groups of operations, as the engines tell them apart.
#pragma once

#include <cstdint>

#include "wire/opcode.h"

namespace weft::transport {

[[nodiscard]] constexpr bool is_send(wire::Operation operation) {
  return operation <= wire::Operation::kSendOnlyImmediate || operation == wire::Operation::kSendLastInvalidate ||
         operation == wire::Operation::kSendOnlyInvalidate;
}

[[nodiscard]] constexpr bool is_write(wire::Operation operation) {
  return operation >= wire::Operation::kWriteFirst && operation <= wire::Operation::kWriteOnlyImmediate;
}

[[nodiscard]] constexpr bool is_atomic(wire::Operation operation) {
  return operation == wire::Operation::kCompareSwap || operation == wire::Operation::kFetchAdd;
}

/// READ data, acknowledgements and NAKs, results of atomics.
[[nodiscard]] constexpr bool is_response(wire::Operation operation) {
  return operation >= wire::Operation::kReadResponseFirst && operation <= wire::Operation::kAtomicAcknowledge;
}

/// A congestion notification, of InfiniBand or of RoCEv2.
[[nodiscard]] constexpr bool is_cnp(std::uint8_t opcode) {
  return opcode == wire::kOpcodeRoceCnp || opcode == wire::kOpcodeIbCnp;
}

}  // namespace weft::transport
