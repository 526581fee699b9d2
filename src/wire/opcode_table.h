// The opcode table behind describe(), computed by the compiler so that sizes (wire/encapsulation.h) are too.
#pragma once

#include <array>
#include <cstdint>

#include "wire/opcode.h"

namespace weft::wire::detail {

/// The operations of RC: each other service has some of them.
//= ibta-1.7 9.2.1
constexpr OpcodeInfo describe_operation(Operation operation) {
  switch (operation) {
    case Operation::kSendFirst:
      return {.valid = true, .first = true, .payload = true};
    case Operation::kSendMiddle:
    case Operation::kWriteMiddle:
    case Operation::kReadResponseMiddle:
      return {.valid = true, .payload = true};
    case Operation::kSendLast:
    case Operation::kWriteLast:
      return {.valid = true, .last = true, .payload = true};
    case Operation::kSendLastImmediate:
    case Operation::kWriteLastImmediate:
      return {.valid = true, .last = true, .payload = true, .immediate = true};
    case Operation::kSendOnly:
      return {.valid = true, .first = true, .last = true, .payload = true};
    case Operation::kSendOnlyImmediate:
      return {.valid = true, .first = true, .last = true, .payload = true, .immediate = true};
    case Operation::kWriteFirst:
      return {.valid = true, .first = true, .payload = true, .reth = true};
    case Operation::kWriteOnly:
    case Operation::kAtomicWrite:
      return {.valid = true, .first = true, .last = true, .payload = true, .reth = true};
    case Operation::kWriteOnlyImmediate:
      return {.valid = true, .first = true, .last = true, .payload = true, .reth = true, .immediate = true};
    case Operation::kReadRequest:
      return {.valid = true, .first = true, .last = true, .reth = true};
    case Operation::kReadResponseFirst:
      return {.valid = true, .first = true, .payload = true, .aeth = true};
    case Operation::kReadResponseLast:
      return {.valid = true, .last = true, .payload = true, .aeth = true};
    case Operation::kReadResponseOnly:
      return {.valid = true, .first = true, .last = true, .payload = true, .aeth = true};
    case Operation::kAcknowledge:
      return {.valid = true, .aeth = true};
    case Operation::kAtomicAcknowledge:
      return {.valid = true, .first = true, .last = true, .aeth = true, .atomic_ack = true};
    case Operation::kCompareSwap:
    case Operation::kFetchAdd:
      return {.valid = true, .first = true, .last = true, .atomic = true};
    case Operation::kResync:
      return {};  // reliable datagram only
    case Operation::kSendLastInvalidate:
      return {.valid = true, .last = true, .payload = true, .invalidate = true};
    case Operation::kSendOnlyInvalidate:
      return {.valid = true, .first = true, .last = true, .payload = true, .invalidate = true};
    case Operation::kFlush:
      return {.valid = true, .first = true, .last = true, .feth = true, .reth = true};
  }
  return {};
}

constexpr bool is_response(Operation operation) {
  return operation >= Operation::kReadResponseFirst && operation <= Operation::kAtomicAcknowledge;
}

constexpr OpcodeInfo describe_rd(Operation operation) {
  OpcodeInfo info;
  if (operation == Operation::kResync) {
    info.valid = true;
  } else if (operation < Operation::kResync) {
    info = describe_operation(operation);
  }
  info.rdeth = info.valid;
  info.deth = info.valid && !is_response(operation);
  return info;
}

constexpr OpcodeInfo describe_ud(Operation operation) {
  OpcodeInfo info;
  if (operation == Operation::kSendOnly || operation == Operation::kSendOnlyImmediate) {
    info = describe_operation(operation);
    info.deth = true;
  }
  return info;
}

//= ibta-1.7 A14
constexpr OpcodeInfo describe_xrc(Operation operation) {
  auto info = describe_operation(operation);
  info.xrceth = info.valid && !is_response(operation);
  return info;
}

/// weft's own opcodes: the selective acknowledgement, and WRITE packets that each carry their own RETH.
constexpr OpcodeInfo describe_manufacturer(std::uint8_t opcode) {
  if (opcode == kOpcodeSack) {
    return {.valid = true, .aeth = true, .sack = true};
  }
  const auto operation = operation_of(opcode);
  if (operation >= Operation::kWriteFirst && operation <= Operation::kWriteOnlyImmediate) {
    auto info = describe_operation(operation);
    info.reth = true;
    return info;
  }
  return {};
}

constexpr OpcodeInfo describe_headers(std::uint8_t opcode) {
  const auto operation = operation_of(opcode);
  switch (service_of(opcode)) {
    case Service::kRc:
      return describe_operation(operation);
    case Service::kUc:
      return operation <= Operation::kWriteOnlyImmediate ? describe_operation(operation) : OpcodeInfo{};
    case Service::kRd:
      return describe_rd(operation);
    case Service::kUd:
      return describe_ud(operation);
    case Service::kCnp:
      return {.valid = opcode == kOpcodeIbCnp || opcode == kOpcodeRoceCnp,
              .cnp_reserved = opcode == kOpcodeIbCnp || opcode == kOpcodeRoceCnp};
    case Service::kXrc:
      return describe_xrc(operation);
    case Service::kReserved:
      return {};
    case Service::kManufacturer:
      return describe_manufacturer(opcode);
  }
  return {};
}

/// Sizes of BTH and extension headers; a test compares them with the header structs.
constexpr std::uint8_t header_bytes(const OpcodeInfo& info) {
  const int bytes = 12 + 4 * (info.rdeth + info.xrceth + info.feth + info.aeth + info.immediate + info.invalidate) +
                    8 * (info.deth + info.atomic_ack) + 16 * (info.reth + info.cnp_reserved) + 20 * info.sack +
                    28 * info.atomic;
  return info.valid ? static_cast<std::uint8_t>(bytes) : std::uint8_t{0};
}

constexpr std::array<OpcodeInfo, 256> make_opcode_table() {
  std::array<OpcodeInfo, 256> table{};
  for (unsigned opcode = 0; opcode < table.size(); ++opcode) {
    table[opcode] = describe_headers(static_cast<std::uint8_t>(opcode));
    table[opcode].header_bytes = header_bytes(table[opcode]);
  }
  return table;
}

inline constexpr std::array<OpcodeInfo, 256> kOpcodeTable = make_opcode_table();

}  // namespace weft::wire::detail
