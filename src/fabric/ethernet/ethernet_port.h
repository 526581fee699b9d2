// The records of an Ethernet switch and of one port of a device: its wire, its egress queues, its pauses.
#pragma once

#include <array>
#include <cstdint>

#include "fabric/core/switch_core.h"
#include "fabric/ethernet/options.h"
#include "fabric/flow_control/shared_buffer.h"
#include "fabric/port_link.h"

namespace weft::fabric {

/// What a departure needs of a packet, so that it does not wait for the packet's own record.
struct QueuedPacket {
  PacketHandle packet;
  std::uint16_t frame_bytes = 0;
  std::uint16_t ingress = 0;  // number of the port it came in by
};
static_assert(sizeof(QueuedPacket) == 8);

/// The egress queue of one priority; counters as a switch has them. One cache line: what an arrival and a
/// departure change lies together.
struct alignas(64) EgressQueue {
  Ring<QueuedPacket> packets;
  std::uint64_t tx_packets = 0;
  std::uint32_t bytes = 0;
  std::uint32_t peak_bytes = 0;
  std::int32_t deficit = 0;               // DWRR: bytes this queue may still send in its turn
  std::uint32_t marked = 0;               // packets marked CE
  std::uint32_t mark_above = 0xFFFFFFFF;  // kmin of the queue's marker: at most so many bytes, and it is not asked
  std::int8_t alpha_shift = 0;            // of what is left of the pool, for lossy priorities
  std::uint64_t tx_bytes = 0;             // beside the packets, both would be added to as one vector, which is slower
};
static_assert(sizeof(EgressQueue) == 64);

/// Why an endpoint pauses its peer: what stands before the NIC is full, or the NIC's own receive buffer.
enum class PauseCause : std::uint8_t { kInline, kReceiveBuffer };

/// What only ports have that pause or are paused.
struct PauseRecord {
  std::array<Time, kPriorities> paused_until{};
  std::array<Time, kPriorities> paused_since{};
  std::array<Duration, kPriorities> paused_total{};  // closed pauses; that of a current one is not in it
  std::array<std::uint32_t, kPriorities> pauses_received{};
  std::array<std::uint32_t, kPriorities> pauses_sent{};  // XOFF frames, refreshes included
  std::array<Time, kPriorities> ignored_pause_at{};      // the last pause that a watchdog ignored
  std::array<std::uint32_t, kPriorities> storms{};       // times that the watchdog triggered
  Time refresh_at = Time::never();
  // Of endpoints.
  std::array<std::uint8_t, 2> asked{};  // per PauseCause: bit p: the peer's priority p is to be paused
  Time room_at = Time::never();         // the receive buffer has room again, and the peer is paused until then
};

/// What only ports have that trim packets, mark them late or limit queues by themselves.
struct DepartureRecord {
  Time sent_until;                  // the last packet occupies the wire until then
  PacketHandle sent;                // meaningful at that instant
  std::uint32_t sent_bytes = 0;     // of its frame
  std::uint8_t sent_priority = 0;   // of its queue
  std::uint64_t coin_state = 0;     // of the stream that says who is trimmed
  std::uint64_t trimmed = 0;        // packets cut
  std::uint64_t trimmed_bytes = 0;  // that they lost
};

/// A port's watchdog has disabled a priority.
inline constexpr PortFlag kWatchdogTripped = kFirstOwnFlag;
/// Something has to be done, beside the usual, when a packet leaves by the port or arrives at it: limits of queues,
/// late marks, LLR, credits.
inline constexpr PortFlag kExtended = kSecondOwnFlag;

/// A priority is a lane of the port: `queued` and `blocked` go by priority, and `pending_pauses` holds the changes of
/// `xoff` that have not been sent yet. `blocked` is what its three causes make together.
struct EthernetTransmission : PortTransmission {
  std::uint8_t pending_pauses = 0;  // bit p: a PFC frame of priority p is still to be sent
  std::uint8_t xoff = 0;            // bit p: this port's ingress group p has paused the peer
  std::uint8_t dwrr_turn = 0;
  std::uint8_t watchdog_tripped = 0;  // bit p: the watchdog has taken priority p out of service
  std::uint16_t profile = 0;          // in the fabric's table of EthernetPortOptions
  std::uint8_t paused = 0;            // bit p: by the peer, until then
  std::uint8_t stalled = 0;           // bit p: its credits do not cover a frame of the largest size
  std::uint8_t held = 0;              // all bits or none: by LLR

  void combine_blocks() { blocked = static_cast<std::uint16_t>(paused | stalled | held); }
};

struct EthernetPort : PortLink<EthernetTransmission> {};
static_assert(sizeof(EthernetPort) == 256);

/// One cache line, for every packet that is forwarded looks at it.
struct EthernetSwitch : SwitchCore {
  bool hashes = true;  // the path of a packet follows from its flow alone
  SharedBuffer buffer;
};
static_assert(sizeof(EthernetSwitch) == 64);

struct EthernetParts {
  using Options = EthernetOptions;
  using Port = EthernetPort;
  using Switch = EthernetSwitch;
  /// Preamble, and the headers up to the UDP ports or the end of the GRH.
  static constexpr std::uint16_t kCutThroughBytes = 80;
  static constexpr PortFlags kSlowArrival = kExtended;
};

}  // namespace weft::fabric
