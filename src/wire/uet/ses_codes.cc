#include "wire/uet/ses_codes.h"

#include <array>
#include <cstddef>

namespace weft::wire::uet {

namespace {

constexpr std::array<std::string_view, 18> kSesOpcodes{"no operation",
                                                       "write",
                                                       "read",
                                                       "atomic",
                                                       "fetching atomic",
                                                       "send",
                                                       "rendezvous send",
                                                       "datagram send",
                                                       "deferrable send",
                                                       "tagged send",
                                                       "rendezvous tagged send",
                                                       "deferrable tagged send",
                                                       "ready to restart",
                                                       "tagged send atomic",
                                                       "tagged send fetching atomic",
                                                       "message error",
                                                       "sync write",
                                                       "sync atomic"};

constexpr std::array<std::string_view, 4> kSesResponseOpcodes{"default response", "response", "response with data",
                                                              "no response"};

constexpr std::array<std::string_view, 37> kSesReturnCodes{"null",
                                                           "ok",
                                                           "bad generation",
                                                           "resource is disabled",
                                                           "resource is disabled and has a generation",
                                                           "no match",
                                                           "unsupported operation",
                                                           "unsupported size",
                                                           "invalid address translation context",
                                                           "address translation permission",
                                                           "ATS error",
                                                           "no translation",
                                                           "address out of range for translation",
                                                           "host read is poisoned",
                                                           "host read was unsuccessful",
                                                           "unsupported atomic operation",
                                                           "unsupported atomic type",
                                                           "atomic size is no multiple of the type's",
                                                           "atomic is not aligned",
                                                           "atomic gave a NaN",
                                                           "atomic underflow",
                                                           "atomic overflow",
                                                           "atomic is inexact",
                                                           "permission violation",
                                                           "operation violation",
                                                           "bad resource index",
                                                           "bad PID",
                                                           "bad job id",
                                                           "memory key maps to no buffer",
                                                           "bad address",
                                                           "cancelled by the target",
                                                           "undeliverable",
                                                           "uncorrectable error",
                                                           "uncorrectable error, transient",
                                                           "message is too long",
                                                           "initiator error",
                                                           "dropped"};

constexpr std::array<std::string_view, 21> kAtomicOperations{"min",
                                                             "max",
                                                             "sum",
                                                             "difference",
                                                             "product",
                                                             "logical or",
                                                             "logical and",
                                                             "bitwise or",
                                                             "bitwise and",
                                                             "logical xor",
                                                             "bitwise xor",
                                                             "read",
                                                             "write",
                                                             "swap if equal",
                                                             "swap if not equal",
                                                             "swap if less or equal",
                                                             "swap if less",
                                                             "swap if greater or equal",
                                                             "swap if greater",
                                                             "masked swap",
                                                             "invalidate"};

constexpr std::array<std::string_view, 18> kAtomicTypes{
    "int8",   "uint8",   "int16", "uint16", "int32",         "uint32",         "int64",       "uint64",
    "int128", "uint128", "float", "double", "float complex", "double complex", "long double", "long double complex",
    "bf16",   "fp16"};

struct VendorRange {
  unsigned first = 0;
  unsigned last = 0;
  unsigned extended = 0x100;
};

template <std::size_t kCount>
std::string_view code_name(const std::array<std::string_view, kCount>& names, unsigned value, VendorRange vendor) {
  if (value < kCount) {
    return names[value];
  }
  if (value == vendor.extended) {
    return "extended";
  }
  return value >= vendor.first && value <= vendor.last ? "vendor" : "reserved";
}

}  // namespace

std::string_view to_string(SesOpcode opcode) {
  return code_name(kSesOpcodes, static_cast<unsigned>(opcode), {.first = 0x30, .last = 0x3E, .extended = 0x3F});
}
std::string_view to_string(SesResponseOpcode opcode) {
  return code_name(kSesResponseOpcodes, static_cast<unsigned>(opcode), {.first = 0x30, .last = 0x3F});
}
std::string_view to_string(SesReturnCode code) {
  return code_name(kSesReturnCodes, static_cast<unsigned>(code), {.first = 0x30, .last = 0x37, .extended = 0x3E});
}
std::string_view to_string(AtomicOperation operation) {
  return code_name(kAtomicOperations, static_cast<unsigned>(operation), {.first = 0xE0, .last = 0xFE});
}
std::string_view to_string(AtomicType type) {
  return code_name(kAtomicTypes, static_cast<unsigned>(type), {.first = 0xE0, .last = 0xFE});
}

}  // namespace weft::wire::uet
