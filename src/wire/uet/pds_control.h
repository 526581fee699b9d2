// The PDS header of control packets: what two delivery contexts tell each other without a request.
//
// What `payload` is follows from the control type: ACK request, a message id or 0; clear and clear request, a PSN;
// probe, the base PSN of the SACK bitmap; credit, the credit; credit request, the credit target; otherwise 0. 16 bytes,
// as in all three readers; a negotiation carries its parameters behind the header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "wire/uet/pds_prologue.h"
#include "wire/uet/pds_request.h"

namespace weft::wire::uet {

//= uet-1.0 3.5.10
struct PdsControl {
  static constexpr std::size_t kSize = 16;
  static constexpr std::uint8_t kReservedFlags = 0x43;

  ControlType control = ControlType::kNoOperation;  // 4 bits
  bool rod = false;                                 // the context's mode
  bool retransmitted = false;
  bool ack_request = false;
  bool syn = false;
  std::uint8_t reserved = 0;       // in place, mask kReservedFlags; ignored by receivers
  std::uint16_t probe_opaque = 0;  // a probe's, comes back in its ACK; otherwise reserved
  std::uint32_t psn = 0;
  std::uint16_t source_pdc = 0;
  std::uint16_t destination_pdc = 0;  // without SYN
  PdcInfo pdc_info{};                 // with SYN
  std::uint32_t payload = 0;

  [[nodiscard]] static constexpr std::size_t size() { return kSize; }
  [[nodiscard]] static Result<PdsControl> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const PdsControl&, const PdsControl&) = default;
};

}  // namespace weft::wire::uet
