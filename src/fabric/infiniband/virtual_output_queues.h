// The packets that wait in the input buffers of all switches, sorted by where they want to go.
//
// A virtual output queue holds what came in at one port for one lane of one other port. It exists only while packets
// wait in it, so nothing grows with the square of the radix. The queues of one output lane take turns packet by packet,
// a new one after all that wait already: inputs share an output fairly whatever their load.
#pragma once

#include <cstdint>
#include <vector>

#include "base/assert.h"
#include "base/shared_pool.h"
#include "base/time.h"
#include "fabric/port_link.h"

namespace weft::fabric {

/// An output lane: its port's index times the number of lanes, and the lane.
using OutputLaneIndex = std::uint32_t;

struct WaitingPacket {
  PacketHandle packet;
  std::uint16_t frame_bytes = 0;
  std::uint16_t blocks = 0;
  PortIndex input = 0;
  std::uint16_t wire_bytes = 0;
  std::uint8_t input_lane = 0;
  Time since;  // when it came
};

class VirtualOutputQueues {
 public:
  struct Size {
    std::uint32_t ports = 0;
    std::uint32_t output_lanes = 0;
  };
  void resize(Size size) {
    first_of_input_.assign(size.ports, kNone);
    last_in_turn_.assign(size.output_lanes, kNone);
  }
  void set_workers(std::uint32_t workers) {
    entries_.set_workers(workers);
    queues_.set_workers(workers);
  }

  // Ask for the memory of the queue that had its turn last, and then of the one that has it now; if that is the same,
  // of its second packet.
  [[gnu::always_inline]] void prefetch(OutputLaneIndex output) const {
    if (!empty(output)) {
      __builtin_prefetch(&queues_[last_in_turn_[output]]);
    }
  }
  [[gnu::always_inline]] void prefetch_turn(OutputLaneIndex output) const {
    if (empty(output)) {
      return;
    }
    const Queue& last = queues_[last_in_turn_[output]];
    if (last.next_in_turn != last_in_turn_[output]) {
      __builtin_prefetch(&queues_[last.next_in_turn]);
    } else if (last.second != kNone) {
      __builtin_prefetch(&entries_[last.second]);
    }
  }
  /// Of the queue that a packet from this input may have to join.
  [[gnu::always_inline]] void prefetch_input(PortIndex input) const {
    if (first_of_input_[input] != kNone) {
      __builtin_prefetch(&queues_[first_of_input_[input]]);
    }
  }

  void push(OutputLaneIndex output, const WaitingPacket& packet);
  [[nodiscard]] bool empty(OutputLaneIndex output) const { return last_in_turn_[output] == kNone; }
  /// The packet whose turn it is. Not of an empty lane.
  [[nodiscard]] const WaitingPacket& front(OutputLaneIndex output) const { return queues_[turn_of(output)].first; }
  /// Takes it out; the next queue has its turn.
  WaitingPacket pop(OutputLaneIndex output, Time now);

  /// Takes out the heads that have been heads since `limit` or before, one of each queue, and calls drop(packet).
  template <class Function>
  void expire(OutputLaneIndex output, Time limit, Time now, Function drop) {
    std::vector<std::uint32_t> due;
    for_each_queue(output, [&](std::uint32_t queue) {
      if (queues_[queue].head_since <= limit) {
        due.push_back(queue);
      }
    });
    for (const std::uint32_t queue : due) {
      drop(take_head({.queue = queue, .before = before(output, queue)}, now));
    }
  }
  /// Since when the oldest head of the lane has been one; never() if nothing waits.
  [[nodiscard]] Time oldest_head(OutputLaneIndex output) const;

  template <class Function>
  void for_each(OutputLaneIndex output, Function function) const {
    for_each_queue(output, [&](std::uint32_t queue) {
      function(queues_[queue].first);
      for (std::uint32_t at = queues_[queue].second; at != kNone; at = entries_[at].next) {
        function(entries_[at].packet);
      }
    });
  }
  [[nodiscard]] std::uint32_t size() const { return entries_.live_count() + queues_.live_count(); }
  [[nodiscard]] std::size_t heap_bytes() const {
    return entries_.heap_bytes() + queues_.heap_bytes() + (first_of_input_.capacity() + last_in_turn_.capacity()) * 4;
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  struct Entry {
    WaitingPacket packet;
    std::uint32_t next = kNone;
  };
  /// One cache line. The first packet lies here, since mostly it is the only one; an empty queue does not exist.
  struct alignas(64) Queue {
    WaitingPacket first;
    std::uint32_t second = kNone;  // the entries of the packets behind it
    std::uint32_t tail = kNone;
    std::uint32_t next_in_turn = kNone;   // of the same output lane, in a circle
    std::uint32_t next_of_input = kNone;  // with the same input
    OutputLaneIndex output = 0;
    Time head_since;
  };
  static_assert(sizeof(Queue) == 64);
  /// A queue, and the one before it in the circle (itself, if it is alone).
  struct Place {
    std::uint32_t queue = kNone;
    std::uint32_t before = kNone;
  };
  [[nodiscard]] std::uint32_t turn_of(OutputLaneIndex output) const {
    return queues_[last_in_turn_[output]].next_in_turn;
  }
  void begin_queue(OutputLaneIndex output, const WaitingPacket& packet);
  [[nodiscard]] std::uint32_t before(OutputLaneIndex output, std::uint32_t queue) const;
  WaitingPacket take_head(const Place& place, Time now);
  void remove(const Place& place);

  template <class Function>
  void for_each_queue(OutputLaneIndex output, Function function) const {
    const std::uint32_t last = last_in_turn_[output];
    if (last == kNone) {
      return;
    }
    std::uint32_t queue = last;
    do {
      queue = queues_[queue].next_in_turn;
      function(queue);
    } while (queue != last);
  }

  static constexpr std::size_t kMost = std::size_t{1} << 24;
  SharedPool<Entry> entries_{kMost};
  SharedPool<Queue> queues_{kMost};
  std::vector<std::uint32_t> first_of_input_;
  std::vector<std::uint32_t> last_in_turn_;  // the queue before the one whose turn it is
};

// Here, so that taking a packet is inlined: most packets of a busy network come by.

inline WaitingPacket VirtualOutputQueues::pop(OutputLaneIndex output, Time now) {
  WEFT_DCHECK(!empty(output));
  const std::uint32_t before = last_in_turn_[output];
  const std::uint32_t turn = turn_of(output);
  last_in_turn_[output] = turn;
  return take_head({.queue = turn, .before = before}, now);
}

inline WaitingPacket VirtualOutputQueues::take_head(const Place& place, Time now) {
  Queue& queue = queues_[place.queue];
  const WaitingPacket packet = queue.first;
  if (queue.second == kNone) {
    remove(place);
    return packet;
  }
  const std::uint32_t second = queue.second;
  queue.first = entries_[second].packet;
  queue.second = entries_[second].next;
  queue.head_since = now;
  entries_.release(second);
  return packet;
}

}  // namespace weft::fabric
