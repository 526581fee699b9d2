// ConWeave: a leaf moves a flow away from a path that has become slow, and the leaf at the other end restores the
// order.
//
// The first packet of an epoch asks the other leaf for a reply. Where none is back in time, the path is congested: the
// next packet is the tail, the last one by the old path, and the flow takes another, one of two at random that no
// notification speaks against. What overtakes the tail waits in a queue of the other leaf (phase 1) until the tail has
// come, or until it should have; then the first leaf is told that the order is clear, and a new epoch begins. Marked
// packets make the other leaf notify the first one of their path.
//
// A path is a number: its remainder by the count of next hops names the hop of the first leaf, what is left names those
// of the switches behind it in the same way. Nothing here knows of packets' records, queues or timers. Source: Song et
// al., "Network Load Balancing with In-network Reordering Support for RDMA", SIGCOMM 2023, sections 3.2 to 3.4; two
// rules that it leaves open are in docs/decisions/0052.
#pragma once

#include <cstdint>

#include "base/time.h"
#include "fabric/routing/deadline_table.h"
#include "fabric/routing/leaf_flow.h"

namespace weft::fabric {

struct ConWeaveOptions {
  Duration reply_margin = 4_us;      // a reply may take so much longer than on an idle network
  Duration path_pause = 16_us;       // a path is avoided for so long after a notification
  Duration resume_margin = 16_us;    // waits end so much later than the tail is expected
  Duration resume_default = 200_us;  // where nothing came by the old path in this epoch
  /// A flow that sent nothing for so long begins anew, by any path; above every wait. After a tail whose order nobody
  /// cleared, also one that went on sending.
  Duration expiry = 300_us;
};

enum class ConWeaveKind : std::uint8_t {
  kNone,     // a packet without the header
  kData,     //
  kRequest,  // data; a reply is asked for
  kTail,     // data; the last packet by the old path
  kReply,    // from the other leaf: a request has come
  kClear,    // from the other leaf: the order is restored
  kNotify,   // from the other leaf: packets by that path were marked
};

/// What packets between leaves carry. Takes no bytes of the wire: the paper uses reserved bits of the BTH.
struct ConWeaveHeader {
  Time sent{};       // at the first leaf
  Time tail_sent{};  // of the epoch's tail; with phase 1
  std::uint32_t epoch = 0;
  std::uint16_t path = 0;
  std::uint16_t rest = 0;  // of the path, for the switches to come
  ConWeaveKind kind = ConWeaveKind::kNone;
  std::uint8_t phase = 0;
};

/// The flows that begin at one leaf.
class ConWeaveSource {
 public:
  ConWeaveSource(const ConWeaveOptions& options, std::uint64_t seed);

  /// To one other leaf.
  struct Paths {
    std::uint32_t leaf = 0;
    std::uint32_t count = 1;  // 1 to 65,535
    Duration round_trip{};    // of a request and its reply on an idle network
  };
  struct Sent {
    ConWeaveHeader header;
    bool begins = false;  // the first packet by its path
    bool moved = false;   // and the flow was on another one before
  };
  [[nodiscard]] Sent send(const LeafFlow& flow, const Paths& paths, Time now);
  /// kReply or kClear of that epoch.
  void answer(const LeafFlow& flow, const ConWeaveHeader& header, Time now);
  void notify(std::uint32_t leaf, std::uint16_t path, Time now);

  [[nodiscard]] std::size_t heap_bytes() const;

 private:
  struct State {
    Time active = Time::never();  // never(): no packet yet
    Time reply_by = Time::never();
    Time tail_sent = Time::never();
    std::uint32_t epoch = 0;
    std::uint16_t path = 0;
    std::uint8_t phase = 0;
    bool settled = false;  // the epoch may end
    bool begins = false;   // no packet has gone by the path
    bool moved = false;
  };
  void choose(State& state, const Paths& paths, Time now);
  [[nodiscard]] std::uint16_t sample(const Paths& paths);

  ConWeaveOptions options_;
  std::uint64_t seed_;
  std::uint32_t samples_ = 0;  // so far
  DeadlineTable congested_;    // path and leaf
  LeafFlowTable<State> states_;
};

/// The flows that end at one leaf.
class ConWeaveDestination {
 public:
  explicit ConWeaveDestination(const ConWeaveOptions& options);

  struct Verdict {
    bool hold = false;                          // the packet waits
    bool release_before = false;                // what waits goes first,
    bool release_after = false;                 // or behind the packet
    ConWeaveKind answer = ConWeaveKind::kNone;  // for the first leaf
    /// When what waits goes at the latest; with `hold` only if it has no time yet. never(): as before.
    Time until = Time::never();
  };
  [[nodiscard]] Verdict on_packet(const LeafFlow& flow, const ConWeaveHeader& header, Time now);
  /// What waited has been released, or nothing can wait: what comes by the new path is passed on from here on. Gives
  /// the epoch that is clear.
  std::uint32_t give_up(const LeafFlow& flow);

  [[nodiscard]] std::size_t heap_bytes() const;

 private:
  struct State {
    Time old_sent{};  // of the packet that came last by the old path
    Time old_came{};
    Time tail_sent{};
    std::uint32_t epoch = 0;
    std::uint8_t phase = 0;
    bool knows_old = false;
    bool holds = false;
  };
  [[nodiscard]] Verdict on_overtaking(State& state, Time now) const;

  ConWeaveOptions options_;
  LeafFlowTable<State> states_;
};

}  // namespace weft::fabric
