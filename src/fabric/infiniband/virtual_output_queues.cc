#include "fabric/infiniband/virtual_output_queues.h"

#include <utility>

#include "base/assert.h"

namespace weft::fabric {

// An input seldom waits for many outputs at once: its buffer holds few packets. So its queues are a list.
void VirtualOutputQueues::push(OutputLaneIndex output, const WaitingPacket& packet) {
  std::uint32_t at = first_of_input_[packet.input];
  while (at != kNone && queues_[at].output != output) {
    at = queues_[at].next_of_input;
  }
  if (at == kNone) {
    return begin_queue(output, packet);
  }
  Queue& queue = queues_[at];
  WEFT_DCHECK(queue.first.input == packet.input && queue.head_since <= packet.since);
  const std::uint32_t made = entries_.allocate();
  entries_[made].packet = packet;
  (queue.second == kNone ? queue.second : entries_[queue.tail].next) = made;
  queue.tail = made;
}

void VirtualOutputQueues::begin_queue(OutputLaneIndex output, const WaitingPacket& packet) {
  const std::uint32_t made = queues_.allocate();
  Queue& queue = queues_[made];
  queue.first = packet;
  queue.output = output;
  queue.head_since = packet.since;
  queue.next_of_input = first_of_input_[packet.input];
  first_of_input_[packet.input] = made;
  std::uint32_t& last = last_in_turn_[output];
  if (last == kNone) {
    queue.next_in_turn = made;
  } else {
    queue.next_in_turn = std::exchange(queues_[last].next_in_turn, made);
  }
  last = made;
}

void VirtualOutputQueues::remove(const Place& place) {
  const Queue& queue = queues_[place.queue];
  WEFT_DCHECK(queue.second == kNone && queues_[place.before].next_in_turn == place.queue);
  std::uint32_t* link = &first_of_input_[queue.first.input];
  while (*link != place.queue) {
    WEFT_DCHECK(*link != kNone);  // each queue is in the list of its input
    link = &queues_[*link].next_of_input;
  }
  *link = queue.next_of_input;
  std::uint32_t& last = last_in_turn_[queue.output];
  if (place.before == place.queue) {
    last = kNone;
  } else {
    queues_[place.before].next_in_turn = queue.next_in_turn;
    last = last == place.queue ? place.before : last;
  }
  queues_.release(place.queue);
}

std::uint32_t VirtualOutputQueues::before(OutputLaneIndex output, std::uint32_t queue) const {
  std::uint32_t at = last_in_turn_[output];
  WEFT_DCHECK(!empty(output));
  while (queues_[at].next_in_turn != queue) {
    at = queues_[at].next_in_turn;
  }
  return at;
}

Time VirtualOutputQueues::oldest_head(OutputLaneIndex output) const {
  Time oldest = Time::never();
  for_each_queue(output, [&](std::uint32_t queue) { oldest = earlier(oldest, queues_[queue].head_since); });
  return oldest;
}

}  // namespace weft::fabric
