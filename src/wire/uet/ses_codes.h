// What requests and responses of the semantic sublayer (SES) of Ultra Ethernet ask and answer: opcodes, return codes,
// lists, and the operations and types of atomics.
//
// Source: Ultra Ethernet Specification 1.0, 3.4, through the three readers that wire/uet/pds_prologue.h names. The two
// synchronizing opcodes, 0x10 and 0x11, are the reference provider's alone.
#pragma once

#include <cstdint>
#include <string_view>

namespace weft::wire::uet {

/// 0x12 to 0x2F are reserved, 0x30 to 0x3E manufacturers', 0x3F announces more.
//= uet-1.0 3.4
enum class SesOpcode : std::uint8_t {
  kNoOperation = 0x00,
  kWrite = 0x01,
  kRead = 0x02,
  kAtomic = 0x03,
  kFetchingAtomic = 0x04,
  kSend = 0x05,
  kRendezvousSend = 0x06,
  kDatagramSend = 0x07,
  kDeferrableSend = 0x08,
  kTaggedSend = 0x09,
  kRendezvousTaggedSend = 0x0A,
  kDeferrableTaggedSend = 0x0B,
  kReadyToRestart = 0x0C,
  kTaggedSendAtomic = 0x0D,
  kTaggedSendFetchingAtomic = 0x0E,
  kMessageError = 0x0F,
  kSyncWrite = 0x10,
  kSyncAtomic = 0x11,
};
/// "deferrable tagged send"; "reserved", "vendor" or "extended" for the others.
[[nodiscard]] std::string_view to_string(SesOpcode opcode);

/// 4 to 0x2F are reserved, 0x30 to 0x3F manufacturers'.
//= uet-1.0 3.4
enum class SesResponseOpcode : std::uint8_t { kDefault = 0, kResponse = 1, kWithData = 2, kNone = 3 };
[[nodiscard]] std::string_view to_string(SesResponseOpcode opcode);

/// Where a message was put. 2 and 3 are manufacturers'.
//= uet-1.0 3.4
enum class SesList : std::uint8_t { kExpected = 0, kOverflow = 1, kVendor2 = 2, kVendor3 = 3 };

/// 0x25 to 0x2F, 0x38 to 0x3D and 0x3F are reserved, 0x30 to 0x37 manufacturers', 0x3E announces more.
//= uet-1.0 3.4
enum class SesReturnCode : std::uint8_t {
  kNull = 0x00,
  kOk = 0x01,
  kBadGeneration = 0x02,
  kDisabled = 0x03,
  kDisabledGeneration = 0x04,
  kNoMatch = 0x05,
  kUnsupportedOperation = 0x06,
  kUnsupportedSize = 0x07,
  kInvalidTranslation = 0x08,
  kTranslationPermission = 0x09,
  kAtsError = 0x0A,
  kNoTranslation = 0x0B,
  kTranslationOutOfRange = 0x0C,
  kHostPoisoned = 0x0D,
  kHostUnsuccessful = 0x0E,
  kAtomicUnsupportedOperation = 0x0F,
  kAtomicUnsupportedType = 0x10,
  kAtomicUnsupportedSize = 0x11,
  kAtomicUnaligned = 0x12,
  kAtomicNan = 0x13,
  kAtomicUnderflow = 0x14,
  kAtomicOverflow = 0x15,
  kAtomicInexact = 0x16,
  kPermissionViolation = 0x17,
  kOperationViolation = 0x18,
  kBadIndex = 0x19,
  kBadPid = 0x1A,
  kBadJobId = 0x1B,
  kBadMemoryKey = 0x1C,
  kBadAddress = 0x1D,
  kCancelled = 0x1E,
  kUndeliverable = 0x1F,
  kUncorrectable = 0x20,
  kUncorrectableTransient = 0x21,
  kTooLong = 0x22,
  kInitiatorError = 0x23,
  kDropped = 0x24,
};
/// "memory key maps to no buffer"; "reserved", "vendor" or "extended" for the others.
[[nodiscard]] std::string_view to_string(SesReturnCode code);

/// 0x15 to 0xDF and 0xFF are reserved, 0xE0 to 0xFE manufacturers'.
//= uet-1.0 3.4
enum class AtomicOperation : std::uint8_t {
  kMin = 0x00,
  kMax = 0x01,
  kSum = 0x02,
  kDifference = 0x03,
  kProduct = 0x04,
  kLogicalOr = 0x05,
  kLogicalAnd = 0x06,
  kBitwiseOr = 0x07,
  kBitwiseAnd = 0x08,
  kLogicalXor = 0x09,
  kBitwiseXor = 0x0A,
  kRead = 0x0B,
  kWrite = 0x0C,
  kCompareSwap = 0x0D,
  kCompareSwapNotEqual = 0x0E,
  kCompareSwapLessOrEqual = 0x0F,
  kCompareSwapLess = 0x10,
  kCompareSwapGreaterOrEqual = 0x11,
  kCompareSwapGreater = 0x12,
  kMaskedSwap = 0x13,
  kInvalidate = 0x14,
};
[[nodiscard]] std::string_view to_string(AtomicOperation operation);
/// Operations with two operands, which stand in the header. The readers agree on the six compare-and-swaps; that a
/// masked swap is among them follows from its needing two operands, and no reader says so.
[[nodiscard]] constexpr bool has_two_operands(AtomicOperation operation) {
  return operation >= AtomicOperation::kCompareSwap && operation <= AtomicOperation::kMaskedSwap;
}

//= uet-1.0 3.4
enum class AtomicType : std::uint8_t {
  kInt8 = 0x00,
  kUint8 = 0x01,
  kInt16 = 0x02,
  kUint16 = 0x03,
  kInt32 = 0x04,
  kUint32 = 0x05,
  kInt64 = 0x06,
  kUint64 = 0x07,
  kInt128 = 0x08,
  kUint128 = 0x09,
  kFloat = 0x0A,
  kDouble = 0x0B,
  kFloatComplex = 0x0C,
  kDoubleComplex = 0x0D,
  kLongDouble = 0x0E,
  kLongDoubleComplex = 0x0F,
  kBf16 = 0x10,
  kFp16 = 0x11,
};
[[nodiscard]] std::string_view to_string(AtomicType type);

/// Each packet of these opcodes carries an atomic extension.
[[nodiscard]] constexpr bool is_atomic(SesOpcode opcode) {
  return opcode == SesOpcode::kAtomic || opcode == SesOpcode::kFetchingAtomic ||
         opcode == SesOpcode::kTaggedSendAtomic || opcode == SesOpcode::kTaggedSendFetchingAtomic ||
         opcode == SesOpcode::kSyncAtomic;
}
[[nodiscard]] constexpr bool is_synchronizing(SesOpcode opcode) {
  return opcode == SesOpcode::kSyncWrite || opcode == SesOpcode::kSyncAtomic;
}
[[nodiscard]] constexpr bool is_rendezvous(SesOpcode opcode) {
  return opcode == SesOpcode::kRendezvousSend || opcode == SesOpcode::kRendezvousTaggedSend;
}
[[nodiscard]] constexpr bool is_deferrable(SesOpcode opcode) {
  return opcode == SesOpcode::kDeferrableSend || opcode == SesOpcode::kDeferrableTaggedSend;
}

}  // namespace weft::wire::uet
