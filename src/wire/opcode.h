// BTH opcodes: transport service in the top three bits, operation in the low five, and what each one carries.
//
// `describe(opcode)` is a table look-up: the extension headers that follow the BTH, in wire order, and the packet's
// place in its message. Unknown and reserved opcodes have `valid == false`.
#pragma once

#include <cstdint>
#include <string>

namespace weft::wire {

/// Transport service: the top three bits of an opcode.
//= ibta-1.7 9.2.1
enum class Service : std::uint8_t {
  kRc = 0x00,
  kUc = 0x20,
  kRd = 0x40,
  kUd = 0x60,
  kCnp = 0x80,
  kXrc = 0xA0,
  kReserved = 0xC0,
  kManufacturer = 0xE0,
};

/// Operation: the low five bits of an opcode.
enum class Operation : std::uint8_t {
  kSendFirst = 0x00,
  kSendMiddle = 0x01,
  kSendLast = 0x02,
  kSendLastImmediate = 0x03,
  kSendOnly = 0x04,
  kSendOnlyImmediate = 0x05,
  kWriteFirst = 0x06,
  kWriteMiddle = 0x07,
  kWriteLast = 0x08,
  kWriteLastImmediate = 0x09,
  kWriteOnly = 0x0A,
  kWriteOnlyImmediate = 0x0B,
  kReadRequest = 0x0C,
  kReadResponseFirst = 0x0D,
  kReadResponseMiddle = 0x0E,
  kReadResponseLast = 0x0F,
  kReadResponseOnly = 0x10,
  kAcknowledge = 0x11,
  kAtomicAcknowledge = 0x12,
  kCompareSwap = 0x13,
  kFetchAdd = 0x14,
  kResync = 0x15,
  kSendLastInvalidate = 0x16,
  kSendOnlyInvalidate = 0x17,
  kFlush = 0x1C,
  kAtomicWrite = 0x1D,
};

constexpr std::uint8_t make_opcode(Service service, Operation operation) {
  return static_cast<std::uint8_t>(static_cast<std::uint8_t>(service) | static_cast<std::uint8_t>(operation));
}
constexpr Service service_of(std::uint8_t opcode) { return static_cast<Service>(opcode & 0xE0U); }
constexpr Operation operation_of(std::uint8_t opcode) { return static_cast<Operation>(opcode & 0x1FU); }

/// Congestion notification of InfiniBand (Annex A10) and of RoCEv2 (Annex A17).
inline constexpr std::uint8_t kOpcodeIbCnp = 0x80;
inline constexpr std::uint8_t kOpcodeRoceCnp = 0x81;
/// weft's selective acknowledgement in the manufacturer's range: AETH, then a 16-byte bitmap (docs/decisions).
inline constexpr std::uint8_t kOpcodeSack = 0xF1;
// WRITE packets that may be placed out of order are in the manufacturer's range too: kManufacturer with the operation
// of WRITE first, middle, last, last with immediate, only, only with immediate; every one carries a RETH whose address
// and length are those of its own bytes (docs/decisions).

/// What an opcode means; extension headers appear on the wire in the order of the members.
struct OpcodeInfo {
  bool valid = false;
  bool first = false;    // starts a message (also true for "only")
  bool last = false;     // ends a message (also true for "only")
  bool payload = false;  // may carry payload bytes
  bool rdeth = false;
  bool deth = false;
  bool xrceth = false;
  bool feth = false;
  bool reth = false;
  bool atomic = false;
  bool aeth = false;
  bool atomic_ack = false;
  bool immediate = false;
  bool invalidate = false;
  bool sack = false;              // weft's bitmap follows the AETH
  bool cnp_reserved = false;      // the 16 zero bytes of a CNP
  std::uint8_t header_bytes = 0;  // BTH and all extension headers
};

[[nodiscard]] const OpcodeInfo& describe(std::uint8_t opcode);

/// "RC SEND Only with Immediate", "CNP", "reserved 0xC5".
[[nodiscard]] std::string opcode_name(std::uint8_t opcode);

}  // namespace weft::wire
