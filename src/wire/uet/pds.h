// Any PDS header: the type in its prologue says which.
#pragma once

#include <cstddef>
#include <span>
#include <variant>

#include "base/result.h"
#include "wire/uet/pds_ack.h"
#include "wire/uet/pds_control.h"
#include "wire/uet/pds_datagram.h"
#include "wire/uet/pds_nack.h"
#include "wire/uet/pds_request.h"

namespace weft::wire::uet {

using PdsHeader = std::variant<PdsRequest, PdsRudi, PdsUud, PdsAck, PdsNack, PdsControl>;

/// A reserved type, or that of a TSS header, is an error.
//= uet-1.0 3.5.10
[[nodiscard]] Result<PdsHeader> parse_pds(std::span<const std::byte> bytes);
[[nodiscard]] std::size_t size_of(const PdsHeader& header);
void emit(const PdsHeader& header, std::span<std::byte> out);
/// kNone of a control packet.
[[nodiscard]] NextHeader next_header_of(const PdsHeader& header);

}  // namespace weft::wire::uet
