// What a fabric of any discipline counts per port and lane. A lane is a priority or a virtual lane; what a discipline
// does not have stays zero.
#pragma once

#include <cstdint>

#include "base/time.h"

namespace weft::fabric {

struct LaneCounters {
  std::uint64_t tx_packets = 0;
  std::uint64_t tx_bytes = 0;  // of frames
  std::uint64_t marked = 0;
  std::uint64_t queue_peak = 0;       // most bytes that ever waited to leave
  std::uint64_t ingress_peak = 0;     // most bytes that ever waited of what came in here (PFC)
  std::uint64_t pauses_sent = 0;      // XOFF frames, refreshes included
  std::uint64_t pauses_received = 0;  // likewise
  std::uint64_t storms = 0;           // times that the watchdog triggered
  Duration held;                      // paused, or without credits while something waited; a current one included
};

struct PortCounters {
  std::uint64_t drops = 0;           // Ethernet: of what came in here; InfiniBand: of packets for this egress port
  std::uint64_t receive_errors = 0;  // damaged packets (InfiniBand)
  std::uint64_t credits_sent = 0;   // flow control packets (InfiniBand), credit updates (Ethernet), credits (scheduled)
  std::uint64_t trimmed = 0;        // packets cut for want of room to leave by this port (Ethernet)
  std::uint64_t trimmed_bytes = 0;  // that they lost
  std::uint64_t replays = 0;        // that LLR began on the wire from this port (Ethernet)
  std::uint64_t replayed = 0;       // frames that were sent again for that
  std::uint64_t voq_peak = 0;       // bytes, of the longest virtual output queue for this port (scheduled)
  Duration voq_wait{};              // in those queues, all packets for this port together (scheduled)
  std::uint64_t incomplete = 0;     // packets for this port that lacked cells (scheduled)
  // Of what waited for its order before it could leave by this port to a host (Ethernet).
  std::uint64_t reordered = 0;          // packets
  std::uint64_t reorder_queues = 0;     // most queues in use at a time
  std::uint64_t reorder_peak = 0;       // most bytes in all of them
  std::uint64_t reorder_overflows = 0;  // packets that found no queue or no room, and passed out of order
  std::uint64_t reorder_timeouts = 0;   // waits that ended with packets missing
  std::uint64_t reorder_late = 0;       // packets that came after a wait for them had ended
  Duration reorder_latest{};            // from the beginning of such a wait, at most
};

}  // namespace weft::fabric
