#include "wire/opcode.h"

#include <fmt/core.h>

#include <string_view>

#include "wire/opcode_table.h"

namespace weft::wire {

namespace {

std::string_view service_name(Service service) {
  switch (service) {
    case Service::kRc:
      return "RC";
    case Service::kUc:
      return "UC";
    case Service::kRd:
      return "RD";
    case Service::kUd:
      return "UD";
    case Service::kCnp:
      return "CNP";
    case Service::kXrc:
      return "XRC";
    case Service::kReserved:
      return "reserved";
    case Service::kManufacturer:
      return "placed";
  }
  return "reserved";
}

std::string_view operation_name(Operation operation) {
  switch (operation) {
    case Operation::kSendFirst:
      return "SEND First";
    case Operation::kSendMiddle:
      return "SEND Middle";
    case Operation::kSendLast:
      return "SEND Last";
    case Operation::kSendLastImmediate:
      return "SEND Last with Immediate";
    case Operation::kSendOnly:
      return "SEND Only";
    case Operation::kSendOnlyImmediate:
      return "SEND Only with Immediate";
    case Operation::kWriteFirst:
      return "RDMA WRITE First";
    case Operation::kWriteMiddle:
      return "RDMA WRITE Middle";
    case Operation::kWriteLast:
      return "RDMA WRITE Last";
    case Operation::kWriteLastImmediate:
      return "RDMA WRITE Last with Immediate";
    case Operation::kWriteOnly:
      return "RDMA WRITE Only";
    case Operation::kWriteOnlyImmediate:
      return "RDMA WRITE Only with Immediate";
    case Operation::kReadRequest:
      return "RDMA READ Request";
    case Operation::kReadResponseFirst:
      return "RDMA READ Response First";
    case Operation::kReadResponseMiddle:
      return "RDMA READ Response Middle";
    case Operation::kReadResponseLast:
      return "RDMA READ Response Last";
    case Operation::kReadResponseOnly:
      return "RDMA READ Response Only";
    case Operation::kAcknowledge:
      return "Acknowledge";
    case Operation::kAtomicAcknowledge:
      return "ATOMIC Acknowledge";
    case Operation::kCompareSwap:
      return "CmpSwap";
    case Operation::kFetchAdd:
      return "FetchAdd";
    case Operation::kResync:
      return "RESYNC";
    case Operation::kSendLastInvalidate:
      return "SEND Last with Invalidate";
    case Operation::kSendOnlyInvalidate:
      return "SEND Only with Invalidate";
    case Operation::kFlush:
      return "FLUSH";
    case Operation::kAtomicWrite:
      return "ATOMIC WRITE";
  }
  return "reserved";
}

}  // namespace

const OpcodeInfo& describe(std::uint8_t opcode) { return detail::kOpcodeTable[opcode]; }

std::string opcode_name(std::uint8_t opcode) {
  if (!describe(opcode).valid) {
    return fmt::format("reserved 0x{:02X}", opcode);
  }
  switch (opcode) {
    case kOpcodeIbCnp:
      return "IB CNP";
    case kOpcodeRoceCnp:
      return "CNP";
    case kOpcodeSack:
      return "SACK";
    default:
      return fmt::format("{} {}", service_name(service_of(opcode)), operation_name(operation_of(opcode)));
  }
}

}  // namespace weft::wire
