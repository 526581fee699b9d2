// What becomes of messages when a queue pair is connected anew.
#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "workload/messenger.h"

namespace weft::workload {

// Receive requests are posted again as they are used, so that all of them are with the queue pair.
void Messenger::break_line(std::uint32_t queue) {
  Queue& own = queues_[queue];
  if (own.line == Line::kBroken)
    return;
  WEFT_ASSERT(own.line != Line::kConnected);
  own.line = Line::kBroken;
  repairs_[queue].receives_left = channels_[own.channel.value()].end->options.receive_requests;
}

bool Messenger::takes_back(std::uint32_t queue, const Posted& posted, verbs::WcStatus status) {
  Queue& own = queues_[queue];
  if (own.line != Line::kBroken) {
    const ConnectionEnd& end = *channels_[own.channel.value()].end;
    if (status != verbs::WcStatus::kRetryExcErr || !connector_.reconnect(end, own.number))
      return false;
    break_line(queue);
  }
  // Until it is sent again it counts as not sent.
  own.traffic.sent -= needs_receive(posted.message.operation) ? 1 : 0;
  repairs_.at(queue).returned.push_back(posted);
  return true;
}

void Messenger::note_success(std::uint32_t queue) {
  Queue& own = queues_[queue];
  own.line = Line::kOpen;
  connector_.on_recovered(*channels_[own.channel.value()].end, own.number);
}

void Messenger::on_reconnect_request(const ConnectionEnd& end, std::uint32_t queue_pair) {
  break_line(queue_of(end, queue_pair));
}

std::optional<std::uint32_t> Messenger::drained(const ConnectionEnd& end, std::uint32_t queue_pair) const {
  const std::uint32_t queue = queue_of(end, queue_pair);
  const Queue& own = queues_[queue];
  if (!own.in_flight.empty() || repairs_.at(queue).receives_left > 0)
    return std::nullopt;
  return own.traffic.received;
}

Result<void> Messenger::on_reconnected(const ConnectionEnd& end, std::uint32_t queue_pair,
                                       std::uint32_t peer_received) {
  const std::uint32_t queue = queue_of(end, queue_pair);
  queues_[queue].line = Line::kConnected;
  repairs_.at(queue).peer_received = peer_received;
  for (std::uint32_t n = 0; n < end.options.receive_requests; ++n) {
    if (auto posted = post_receive(queue); !posted)
      return posted;
  }
  ports_.machine().set_timer({.at = now(), .token = kReconnectToken});
  return {};
}

Result<void> Messenger::advance_reconnects(MessageHandler& handler) {
  std::vector<std::uint32_t> queues;
  for (const auto& [queue, repair] : repairs_)
    queues.push_back(queue);
  for (const std::uint32_t queue : queues) {
    const Queue& own = queues_[queue];
    if (auto advanced = connector_.advance_reconnect(*channels_[own.channel.value()].end, own.number); !advanced)
      return advanced;
  }
  for (const std::uint32_t queue : queues) {
    if (queues_[queue].line != Line::kConnected)
      continue;
    if (auto resumed = resume(queue, handler); !resumed)
      return resumed;
  }
  return {};
}

// A queue pair executes in order: whatever was posted before a message that has arrived has been executed as well. Data
// of a READ may still be missing, and it is done again.
Result<void> Messenger::resume(std::uint32_t queue, MessageHandler& handler) {
  Repair repair = std::move(repairs_.extract(queue).mapped());
  std::uint32_t arrived = repair.peer_received - queues_[queue].traffic.sent;
  queues_[queue].traffic.sent = repair.peer_received;
  std::vector<Posted> again;
  while (!repair.returned.empty()) {
    const Posted posted = repair.returned.pop_front();
    if (arrived == 0 || posted.message.operation == Operation::kRead) {
      again.push_back(posted);
      continue;
    }
    arrived -= needs_receive(posted.message.operation) ? 1 : 0;
    if (auto told = finish(queue, posted, verbs::WcStatus::kSuccess, handler); !told)
      return told;
  }
  WEFT_ASSERT(arrived == 0);
  queues_[queue].line = Line::kRecovering;
  for (const Posted& posted : again) {
    if (auto sent = send(queue, posted); !sent)
      return sent;
  }
  const std::uint32_t room = channels_[queues_[queue].channel.value()].end->options.max_send_wr;
  while (!queues_[queue].waiting.empty() && queues_[queue].in_flight.size() < room) {
    if (auto sent = send(queue, queues_[queue].waiting.pop_front()); !sent)
      return sent;
  }
  if (queues_[queue].in_flight.empty())
    connector_.on_nothing_left(*channels_[queues_[queue].channel.value()].end, queues_[queue].number);
  return {};
}

}  // namespace weft::workload
