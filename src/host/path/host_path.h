// The host path between a program and its NIC's engines: one implementation for RDMA, one for sockets.
//
// A path keeps no events and no packets. It is told of each packet and request, occupies the host's shared resources,
// and returns when the next step may happen. All calls come at the present instant, in order. A NIC without a path has
// constant delays instead (HostPipeline).
#pragma once

#include <cstdint>
#include <optional>

#include "base/data_size.h"
#include "base/ids.h"
#include "base/time.h"
#include "fabric/scale_up/receive_memory.h"
#include "host/path/flow_table.h"
#include "host/path/stage.h"
#include "transport/qpn_table.h"
#include "verbs/memory_place.h"
#include "verbs/work_request.h"

namespace weft::host {

/// A part of the way of a message through idle hosts, for its list of stages.
enum class HostPathSide : std::uint8_t {
  kSend,        // from the program to the wire
  kReceive,     // from the wire to the program of the other side
  kReadTarget,  // from a READ request until its first answer may leave
  kAckReturn,   // from the wire until an acknowledgement may leave
  kCompletion,  // from the acknowledgement's arrival until the sender's program sees its completion
};

/// A message, as far as its stages depend on it.
struct MessageShape {
  Bytes size{};
  Bytes packet{};  // payload of a full packet (path MTU, or MSS)
  verbs::WrOpcode opcode = verbs::WrOpcode::kSend;
  verbs::MemoryPlace place{};  // of the memory on the side asked for
  std::uint8_t send_flags = 0;
  transport::EngineKind engine = transport::EngineKind::kRc;  // of its queue pairs
};

class HostPath {
 public:
  virtual ~HostPath() = default;

  struct Posting {
    FlowRef flow = 0;
    Qpn qpn{};
    Bytes size{};
    verbs::WrOpcode opcode = verbs::WrOpcode::kSend;
    std::uint8_t send_flags = 0;
    verbs::MemoryPlace place{};  // of the local memory
    Bytes packet{};              // payload of a full packet
  };
  /// A program posts a request; when the engine may have it.
  virtual Time post(const Posting& posting, Time now) = 0;

  /// A packet leaves for the wire.
  virtual void on_departure(FlowRef flow, Bytes payload, Time now) = 0;
  /// From when data of any queue pair may leave, and answers and data of this one.
  [[nodiscard]] virtual Time device_data_from() const = 0;
  [[nodiscard]] virtual Time data_from(FlowRef flow) = 0;
  [[nodiscard]] virtual Time responses_from(FlowRef flow) = 0;

  /// A packet from the wire, as far as a path looks at it.
  struct Arrival {
    std::uint32_t packet = 0;  // the NIC's name for it
    std::uint32_t flow_hash = 0;
    Bytes payload{};
    std::uint8_t lane = 0;                                      // its priority, or virtual lane
    transport::EngineKind engine = transport::EngineKind::kRc;  // that gets it
    bool is_read_request = false;
    Bytes read_first{};        // of a READ request: payload of the first answer
    bool begins_send = false;  // needs a receive request before its bytes can be placed
    bool ends_message = false;
    std::optional<verbs::MemoryPlace> sink{};  // where its bytes go, if it says so
  };
  enum class Admission : std::uint8_t { kDeliver, kKeep, kDrop };
  /// Whether it holds back the peer of the NIC's port, where flow control lets it.
  [[nodiscard]] virtual bool may_back_up() const { return false; }
  /// Of a packet that is to be admitted next, as far as its payload, lane and engine say: Endpoint::room_at.
  virtual Time room_at(const Arrival& /*arrival*/, Time now) { return now; }
  /// Whether the engine sees it now, or the path names it again by next_arrival, or there is no room for it.
  virtual Admission admit(const Arrival& arrival, Time now) = 0;
  /// When something happens to packets that are kept; never() if there are none. Not before the latest instant told.
  [[nodiscard]] virtual Time next_arrival() const = 0;
  /// Lets it happen, if it is time; the packet that the engine sees now, if any.
  virtual std::optional<std::uint32_t> take_arrival(Time now) = 0;
  /// The engine has seen it. When its bytes are where the program finds them.
  virtual Time on_delivered(FlowRef flow, const Arrival& arrival, Time now) = 0;
  /// Completions of a queue pair were pushed whose bytes were there at `landed`: when the program sees them.
  virtual Time on_completions_seen(FlowRef flow, Time landed) = 0;

  /// What a scale-up port writes arriving bytes to before it gives their credits back; null: nothing.
  [[nodiscard]] virtual fabric::ReceiveMemory* receive_memory() { return nullptr; }

  /// A queue pair is gone.
  virtual void forget(FlowRef flow) = 0;

  /// The stages of a message when the host is idle; their sum is what it takes. With more than one packet: up to the
  /// first, and from the last.
  [[nodiscard]] virtual StageTimes idle_stages(HostPathSide side, const MessageShape& shape) const = 0;

  struct Counters {
    std::uint64_t dropped = 0;  // no room in the NIC's receive buffer or ring
    std::uint64_t interrupts = 0;
    std::uint64_t held_back = 0;  // times that its receive buffer held back the peer of its port
    Duration held_back_for;
  };
  [[nodiscard]] virtual Counters counters() const = 0;
  [[nodiscard]] virtual std::size_t heap_bytes() const = 0;
};

}  // namespace weft::host
