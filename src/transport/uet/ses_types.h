// What the requester and the responder of a UET queue pair share.
#pragma once

#include <cstdint>

#include "transport/qp_core.h"
#include "transport/uet/pds_client.h"

namespace weft::transport {

/// The environment of one call to a requester or responder.
struct SesCall {
  const QpCore& core;
  const UetOptions& options;
  verbs::Context& context;
  Time now;

  [[nodiscard]] const verbs::QpAttributes& attributes() const { return core.attributes(); }
  [[nodiscard]] verbs::PathMtu mtu() const { return core.attributes().path_mtu; }
};

/// Header data of a message as verbs uses them: immediate data, the place among the receiver's requests, two flags.
struct VerbsHeaderData {
  std::uint32_t immediate = 0;
  std::uint16_t receive_number = 0;  // low bits
  bool has_immediate = false;
  bool solicited = false;
};

[[nodiscard]] constexpr std::uint64_t pack(const VerbsHeaderData& data) {
  return data.immediate | static_cast<std::uint64_t>(data.receive_number) << 32 |
         static_cast<std::uint64_t>(data.has_immediate ? 1 : 0) << 48 |
         static_cast<std::uint64_t>(data.solicited ? 1 : 0) << 49;
}

[[nodiscard]] constexpr VerbsHeaderData unpack_header_data(std::uint64_t bits) {
  return {.immediate = static_cast<std::uint32_t>(bits),
          .receive_number = static_cast<std::uint16_t>(bits >> 32),
          .has_immediate = ((bits >> 48) & 1U) != 0,
          .solicited = ((bits >> 49) & 1U) != 0};
}

/// Codes of an atomic extension.
inline constexpr auto kAtomicAdd = static_cast<std::uint8_t>(wire::uet::AtomicOperation::kSum);
inline constexpr auto kAtomicCompareSwap = static_cast<std::uint8_t>(wire::uet::AtomicOperation::kCompareSwap);

/// Frame of a data packet less its payload, at most: for how much credit it takes.
[[nodiscard]] inline Bytes packet_headers(const SesCall& call) {
  if (const auto& own = call.options.sizes.data_headers; own)
    return Bytes(*own);
  return wire::uet_sizes(call.core.identity().encapsulation,
                         {.headers = Bytes(kPdsCreditRequestBytes + kSesStandardBytes), .payload = Bytes::zero()})
      .frame;
}

/// Attaches a cold record that is all zeros.
inline wire::UetExtension& attach_extension(const TransmitSlot& slot) {
  slot.packet.common.flags |= wire::kHasCold;
  slot.cold.uet = wire::UetExtension{};
  return slot.cold.uet;
}

}  // namespace weft::transport
