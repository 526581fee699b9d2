// Which TERMINATE a fault is answered with, and what a TERMINATE means for the requests of its receiver.
#pragma once

#include "transport/stream/receive_placement.h"
#include "verbs/completion.h"
#include "wire/rdmap.h"

namespace weft::transport {

/// A fault of tagged data (WRITE), of the source of a READ, and of an untagged message (SEND, immediate data).
[[nodiscard]] wire::TerminateCode tagged_code(SinkFault fault);
[[nodiscard]] wire::TerminateCode read_code(SinkFault fault);
[[nodiscard]] wire::TerminateCode untagged_code(SinkFault fault);

/// The code speaks of a violation of memory rights.
[[nodiscard]] bool is_protection(wire::TerminateCode code);
/// Status of the request that a received TERMINATE is about: the one that RC gives for the same fault.
[[nodiscard]] verbs::WcStatus status_of(wire::TerminateCode code);

}  // namespace weft::transport
