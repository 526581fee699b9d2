// Settings of an iWARP connection, and what its two ends have agreed on.
#pragma once

#include <cstdint>
#include <vector>

#include "transport/stream/stream_types.h"
#include "wire/mpa.h"

namespace weft::transport {

/// How a SEND without a posted receive request is handled.
enum class MissingReceive : std::uint8_t {
  kWait,       // the stream waits and TCP's window closes
  kTerminate,  // the connection ends, as an untagged buffer is missing
};

struct IwarpOptions : StreamOptions {
  std::uint8_t mpa_revision = 2;  // 1 or 2
  bool crc = true;                // asks for the CRC; off only if both ends ask for none
  bool markers = false;           // asks the peer to send markers
  bool peer_to_peer = true;       // revision 2: the initiator sends a ready-to-receive message first
  wire::MpaRtr rtr = wire::MpaRtr::kZeroLengthWrite;
  bool early_placement = true;  // of tagged data that come out of order
  MissingReceive missing_receive = MissingReceive::kWait;
  /// Private data of the program in the request or reply frame, at most 508 bytes.
  std::vector<std::byte> private_data{};
};

/// What both ends have agreed on; what the options ask for before that, and if the exchange is taken as done.
struct IwarpNegotiated {
  wire::MpaForm sends{};
  wire::MpaForm receives{};
  std::uint16_t ird = 0;                   // READs that the peer may have in flight here
  std::uint16_t ord = 0;                   // READs that this end may have in flight
  wire::MpaRtr rtr = wire::MpaRtr::kNone;  // what the initiator sends before anything else
};

}  // namespace weft::transport
