// The extension headers between a BTH and its payload. Which are there follows from the opcode; they stand on the wire
// in the order of the members.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "base/result.h"
#include "wire/cnp.h"
#include "wire/datagram_extensions.h"
#include "wire/opcode.h"
#include "wire/request_extensions.h"
#include "wire/response_extensions.h"

namespace weft::wire {

//= ibta-1.7 9.2.1
struct ExtensionHeaders {
  std::optional<RdethHeader> rdeth{};
  std::optional<DethHeader> deth{};
  std::optional<XrcethHeader> xrceth{};
  std::optional<FethHeader> feth{};
  std::optional<RethHeader> reth{};
  std::optional<AtomicEthHeader> atomic{};
  std::optional<AethHeader> aeth{};
  std::optional<AtomicAckEthHeader> atomic_ack{};
  std::optional<ImmDtHeader> immediate{};
  std::optional<IethHeader> invalidate{};
  std::optional<SackEthHeader> sack{};
  std::optional<CnpHeader> cnp{};

  /// Every header that `opcode` calls for, with its members zero.
  [[nodiscard]] static ExtensionHeaders for_opcode(const OpcodeInfo& opcode);

  [[nodiscard]] std::size_t size() const;
  /// `bytes` begins behind the BTH and may go on beyond the headers.
  [[nodiscard]] static Result<ExtensionHeaders> parse(const OpcodeInfo& opcode, std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const ExtensionHeaders&, const ExtensionHeaders&) = default;
};

}  // namespace weft::wire
