// Checks of a send request when it is posted, and the data packets of SEND and WRITE messages, for the engines without
// acknowledgements.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "transport/packet_io.h"
#include "transport/send_wqe.h"
#include "verbs/context.h"

namespace weft::transport {

/// Inline data are read when the request is posted, so their memory must be right then. Error: it is not.
[[nodiscard]] Result<void> check_inline(const verbs::SendWr& request, verbs::PdHandle pd,
                                        const verbs::MemoryTable& memory);

/// Which packet of a message to make.
struct MessagePacket {
  const SendWqe& wqe;
  std::uint32_t index = 0;
  wire::Service service = wire::Service::kUc;
  verbs::PathMtu mtu = verbs::PathMtu::k1024;
};

/// Fills opcode, RETH, immediate data, solicited event, sizes and bytes of a packet that has been started. The local
/// memory must have passed the check of protection if the slot has room for bytes.
void fill_message_packet(const MessagePacket& message, TransmitSlot& slot, const verbs::MemoryTable& memory);

}  // namespace weft::transport
