// The records of a scheduled fabric: ports, switches, and what a leaf has: virtual output queues, events, packets that
// are on their way in cells.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "base/ring.h"
#include "fabric/core/switch_core.h"
#include "fabric/ethernet/ethernet_port.h"
#include "fabric/flow_control/shared_buffer.h"
#include "fabric/marking/red.h"
#include "fabric/scheduled/cells.h"
#include "fabric/scheduled/credit_scheduler.h"
#include "fabric/scheduled/options.h"

namespace weft::fabric {

struct ScheduledTransmission : PortTransmission {
  std::uint8_t pending_pauses = 0;  // bit p: a PFC frame of priority p is still to be sent
  std::uint8_t xoff = 0;            // bit p: what came in here has paused the peer
  std::uint16_t profile = 0;
  std::uint8_t turn = 0;  // of priorities with weights
};
struct ScheduledPort : PortLink<ScheduledTransmission> {};

struct alignas(64) ScheduledSwitch : SwitchCore {
  std::uint32_t leaf = 0xFFFFFFFF;  // in the table of leaves; above it: a spine
};

struct ScheduledParts {
  using Options = ScheduledOptions;
  using Port = ScheduledPort;
  using Switch = ScheduledSwitch;
  static constexpr std::uint16_t kCutThroughBytes = 80;  // never: switches store
  static constexpr PortFlags kSlowArrival = 0;
};

struct VoqPacket {
  PacketHandle packet;
  std::uint16_t frame_bytes = 0;
  std::uint16_t ingress = 0;  // number of the port it came in by
  Time at;                    // when it came
};

/// Of one ingress leaf, egress port and priority.
struct Voq {
  Ring<VoqPacket> packets;
  EndpointId destination;
  std::uint32_t bytes = 0;     // of all packets
  std::uint32_t released = 0;  // packets, from the front, that wait for the leaf's uplinks alone
  std::uint64_t released_bytes = 0;
  std::int64_t balance = 0;  // granted and not used; negative: the last packet was larger than what was granted
};

/// Cells of one packet on one uplink and the downlink behind it.
struct CellBundle {
  PortIndex up = 0;    // of the leaf
  PortIndex down = 0;  // of the spine; 0: not yet
  std::uint32_t cells = 0;
  std::uint32_t bytes = 0;
  Time first_at;    // the first cell is whole in the spine
  Time crossed_at;  // the last one is
  Time last_at;     // the last one is in the leaf, once `down` is known
};

/// A packet in cells.
struct CellTransit {
  PacketHandle packet = PacketHandle::invalid();  // invalid: the record is free
  std::uint32_t frame_bytes = 0;
  CreditSource source = 0;
  EndpointId destination;
  bool lost = false;
  std::vector<CellBundle> bundles;
};

struct LeafEvent {
  enum class Kind : std::uint8_t {
    kRequest,      // at the egress leaf
    kGrant,        // at the ingress leaf
    kUplinks,      // at the ingress leaf: room on them
    kSpines,       // of the egress leaf: the first cell is whole in a spine
    kReassembled,  // at the egress leaf
    kExpired,      // likewise: cells are missing
  };
  Time at;
  std::uint64_t number = 0;  // of those of this leaf, in the order in which they were planned
  Kind kind = Kind::kRequest;
  EndpointId destination;     // kRequest
  std::uint32_t subject = 0;  // source, queue, or transit
  std::uint32_t bytes = 0;

  friend bool operator>(const LeafEvent& a, const LeafEvent& b) {
    return a.at != b.at ? a.at > b.at : a.number > b.number;
  }
};

/// Open to look through, for checks.
class LeafAgenda : public std::priority_queue<LeafEvent, std::vector<LeafEvent>, std::greater<>> {
 public:
  [[nodiscard]] const std::vector<LeafEvent>& entries() const { return c; }
};

/// What a leaf knows of another one that it sends to.
struct LeafPair {
  CellSprayer sprayer;
  Time crossed;  // the last packet's first cell was whole in a spine
};

struct Leaf {
  static constexpr std::uint32_t kNoRow = 0xFFFFFFFF;

  std::uint32_t ordinal = 0;  // of its switch
  SharedBuffer buffer;
  std::vector<std::uint32_t> rows;  // by endpoint: its first queue; kNoRow: none yet
  std::vector<Voq> voqs;            // kPriorities for each row
  std::vector<Red> markers;         // by priority
  Ring<std::uint32_t> ready;        // queues, once for each released packet
  std::vector<LeafPair> pairs;      // by leaf
  std::vector<PortIndex> uplinks;
  Rate fabric_rate;                // all usable links to spines together
  Duration lead;                   // so long before they are free, uplinks take the next packet
  Time next_feed = Time::never();  // the next event for them
  Time uplinks_free;               // at which all uplinks together have sent what they were given
  Time downlinks_free;             // the same of the links to this leaf, by what was granted
  LeafAgenda agenda;
  std::uint64_t events = 0;
};

/// What the egress port of an endpoint has.
struct EgressRecord {
  CreditScheduler scheduler;
  Time next_credit;
  std::vector<Time> in_order;    // by source: when its last packet is, or was, complete
  std::uint64_t voq_peak = 0;    // bytes, of the longest queue for this port
  std::uint64_t incomplete = 0;  // packets that lacked cells
  Duration waited;               // in virtual output queues, all packets together
};

}  // namespace weft::fabric
