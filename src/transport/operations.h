// Groups of operations, as the engines tell them apart.
#pragma once

#include <array>
#include <cstdint>

#include "wire/opcode.h"
#include "wire/opcode_table.h"

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

/// What a reliable connection does with a packet, from its opcode alone.
enum class OpcodeClass : std::uint8_t {
  kForeign,  // another service
  kRequest,  // reserved operations of the service too: they are refused in their turn
  kResponse,
  kExtensionRequest,  // weft's own, in the manufacturer's range
  kExtensionResponse,
  kCongestionNotification,
};

namespace detail {

inline constexpr std::array<OpcodeClass, 256> kRcOpcodeClasses = [] {
  std::array<OpcodeClass, 256> classes{};
  for (unsigned i = 0; i < classes.size(); ++i) {
    const auto opcode = static_cast<std::uint8_t>(i);
    const bool response = is_response(wire::operation_of(opcode));
    if (is_cnp(opcode)) {
      classes[i] = OpcodeClass::kCongestionNotification;
    } else if (wire::service_of(opcode) == wire::Service::kRc) {
      classes[i] = response ? OpcodeClass::kResponse : OpcodeClass::kRequest;
    } else if (wire::service_of(opcode) == wire::Service::kManufacturer && wire::detail::kOpcodeTable[i].valid) {
      classes[i] = response ? OpcodeClass::kExtensionResponse : OpcodeClass::kExtensionRequest;
    }
  }
  return classes;
}();

}  // namespace detail

[[nodiscard]] constexpr OpcodeClass rc_opcode_class(std::uint8_t opcode) { return detail::kRcOpcodeClasses[opcode]; }

}  // namespace weft::transport
