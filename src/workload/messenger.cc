#include "workload/messenger.h"

#include <algorithm>
#include <span>

namespace weft::workload {
namespace {

/// A request's name: its queue's place in the table, and whether it is a receive request. A failed completion tells
/// nothing else.
constexpr std::uint64_t kReceiveRequest = std::uint64_t{1} << 63;
constexpr std::uint64_t kMaxMessage = std::uint64_t{1} << 31;

StreamKey stream_from(const ConnectionEnd& end, JobId job, std::uint32_t queue_pair) {
  return {.job = job,
          .source = end.name.from,
          .destination = end.name.to,
          .channel = end.name.channel,
          .rail = end.name.rail,
          .remote_rail = end.name.remote_rail,
          .queue_pair = queue_pair};
}

StreamKey stream_to(const ConnectionEnd& end, JobId job, std::uint32_t queue_pair) {
  StreamKey stream = stream_from(end, job, queue_pair);
  std::swap(stream.source, stream.destination);
  std::swap(stream.rail, stream.remote_rail);
  return stream;
}

}  // namespace

Result<void> Messenger::start(JobId job) {
  job_ = job;
  for (const RailPort& port : ports_.rails()) {
    if (auto armed = port.provider->req_notify_cq(port.cq, verbs::CompletionQueue::Notify::kNext); !armed)
      return armed;
  }
  return {};
}

Result<ChannelId> Messenger::open(const ConnectionRequest& request, const ConnectionOptions& options) {
  auto end = connector_.connect(request, options);
  if (!end)
    return pass_on(end);
  auto adopted = adopt(**end);
  if (adopted && (*end)->first_port().relay && !channels_[adopted->value()].hop.is_valid()) [[unlikely]] {
    if (auto opened = open_hop(*adopted); !opened)
      return pass_on(opened);
  }
  return adopted;
}

Result<void> Messenger::on_connected(const ConnectionEnd& end) {
  auto adopted = adopt(end);
  if (!adopted)
    return pass_on(adopted);
  return {};
}

Result<ChannelId> Messenger::adopt(const ConnectionEnd& end) {
  if (const auto known = by_name_.find(end.name); known != by_name_.end())
    return known->second;
  const ChannelId id = place_for(end);
  by_name_.emplace(end.name, id);
  if (end.options.closes_when_idle) {
    link_newest(id);
    ++closable_;
  }
  const std::uint32_t first = channels_[id.value()].first_queue;
  for (std::uint32_t i = 0; i < end.queue_pairs.size(); ++i) {
    for (std::uint32_t n = 0; n < end.options.receive_requests; ++n) {
      if (auto posted = post_receive(first + i); !posted)
        return pass_on(posted);
    }
  }
  return id;
}

// Connections of one job mostly have as many queue pairs, so a place that became free last fits.
ChannelId Messenger::place_for(const ConnectionEnd& end) {
  const QueuePairUse use = end.options.queue_pair_use;
  const auto queues = static_cast<std::uint32_t>(end.queue_pairs.size());
  const QueuePairChoice choice(use == QueuePairUse::kSplit ? QueuePairUse::kRoundRobin : use,
                               end.options.data_queue_pairs());
  if (!free_.empty() && channels_[free_.back().value()].queues == queues) {
    const ChannelId id = free_.back();
    free_.pop_back();
    Channel& channel = channels_[id.value()];
    channel.end = &end;
    channel.choice = choice;
    for (std::uint32_t i = 0; i < queues; ++i)
      queues_[channel.first_queue + i].traffic = {};
    return id;
  }
  const ChannelId id(static_cast<std::uint32_t>(channels_.size()));
  channels_.push_back(
      {.end = &end, .first_queue = static_cast<std::uint32_t>(queues_.size()), .choice = choice, .queues = queues});
  for (std::uint32_t i = 0; i < queues; ++i)
    queues_.push_back({.channel = id, .number = i, .in_flight = {}, .waiting = {}});
  return id;
}

void Messenger::link_newest(ChannelId id) {
  Channel& channel = channels_[id.value()];
  channel.older = newest_;
  channel.newer = ChannelId{};
  (newest_.is_valid() ? channels_[newest_.value()].newer : oldest_) = id;
  newest_ = id;
}

void Messenger::unlink(ChannelId id) {
  const Channel& channel = channels_[id.value()];
  (channel.older.is_valid() ? channels_[channel.older.value()].newer : oldest_) = channel.newer;
  (channel.newer.is_valid() ? channels_[channel.newer.value()].older : newest_) = channel.older;
}

// What is in use is looked at again when all others have been; a few at a time, for the next call looks on.
Result<void> Messenger::make_room(std::uint32_t most) {
  constexpr std::uint32_t kLooks = 8;
  for (std::uint32_t looks = 0; looks < kLooks && closable_ >= most && oldest_.is_valid(); ++looks) {
    const ChannelId candidate = oldest_;
    auto closed = connector_.disconnect(channels_[candidate.value()].end->name);
    if (!closed)
      return pass_on(closed);
    if (!*closed) {
      unlink(candidate);
      link_newest(candidate);
    }
  }
  return {};
}

std::optional<EndTraffic> Messenger::idle_traffic(const ConnectionEnd& end) const {
  const auto known = by_name_.find(end.name);
  if (owner_ == nullptr || !end.options.closes_when_idle || known == by_name_.end() ||
      !owner_->can_close(known->second))
    return std::nullopt;
  const Channel& channel = channels_[known->second.value()];
  EndTraffic all;
  for (std::uint32_t i = 0; i < channel.queues; ++i) {
    const Queue& queue = queues_[channel.first_queue + i];
    const bool is_up = queue.line == Line::kOpen || queue.line == Line::kRecovering;
    if (!is_up || !queue.in_flight.empty() || !queue.waiting.empty() || !queue.arrived_parts.empty())
      return std::nullopt;
    all.sent += queue.traffic.sent;
    all.received += queue.traffic.received;
  }
  return all;
}

void Messenger::on_disconnected(const ConnectionEnd& end) {
  const auto known = by_name_.find(end.name);
  WEFT_ASSERT(known != by_name_.end());
  const ChannelId id = known->second;
  owner_->on_closed(id);
  unlink(id);
  --closable_;
  channels_[id.value()].end = nullptr;
  free_.push_back(id);
  by_name_.erase(known);
}

Result<void> Messenger::post(ChannelId channel, std::uint32_t queue_pair, const Message& message) {
  const Channel& used = channels_[channel.value()];
  WEFT_ASSERT(queue_pair < used.end->queue_pairs.size());
  outstanding_ += message.is_control ? 0 : 1;
  if (used.hop.is_valid()) [[unlikely]]
    return relay({.channel = channel, .queue_pair = queue_pair, .message = message, .at = now()});
  return enqueue(used.first_queue + queue_pair, {.message = message, .at = now()});
}

Result<void> Messenger::post(ChannelId channel, const Message& message) {
  outstanding_ += message.is_control ? 0 : 1;
  if (channels_[channel.value()].hop.is_valid()) [[unlikely]]
    return relay({.channel = channel, .message = message, .at = now()});
  return enqueue_by_choice(channel, message, now());
}

Result<void> Messenger::enqueue_by_choice(ChannelId channel, const Message& message, Time at) {
  Channel& used = channels_[channel.value()];
  const std::uint32_t first = used.first_queue;
  if (!used.cuts_messages()) {
    const std::uint32_t queue = used.choice.next([&](std::uint32_t i) { return queues_[first + i].unfinished; });
    return enqueue(first + queue, {.message = message, .at = at});
  }
  const std::uint32_t parts = used.end->options.data_queue_pairs();
  Posted posted{.message = message,
                .at = at,
                .whole = wholes_.allocate(Whole{.message = message, .missing = parts}),
                .parts = parts};
  for (std::uint32_t i = 0; i < parts; ++i) {
    const MessagePart part = part_of(message.size, i, parts);
    posted.message.size = part.size;
    posted.message.local_offset = message.local_offset + part.offset;
    posted.message.remote_offset = message.remote_offset + part.offset;
    if (auto done = enqueue(first + i, posted); !done)
      return done;
  }
  return {};
}

Result<void> Messenger::enqueue(std::uint32_t index, const Posted& posted) {
  Queue& queue = queues_[index];
  queue.unfinished = queue.unfinished + posted.message.size;
  const ConnectionEnd& end = *channels_[queue.channel.value()].end;
  const bool is_up = queue.line == Line::kOpen || queue.line == Line::kRecovering;
  if (is_up && queue.in_flight.size() < end.options.max_send_wr && queue.waiting.empty())
    return send(index, posted);
  queue.waiting.push_back(posted);
  return {};
}

Result<void> Messenger::send(std::uint32_t queue, const Posted& posted) {
  Queue& own = queues_[queue];
  const ConnectionEnd& end = *channels_[own.channel.value()].end;
  const RailPort& port = end.port_of(own.number);
  const Message& message = posted.message;
  const verbs::Sge element{.address = ports_.memory().address + message.local_offset,
                           .length = static_cast<std::uint32_t>(message.size.count()),
                           .lkey = port.key};
  verbs::SendWr request{.wr_id = queue,
                        .sg_list = {&element, 1},
                        .opcode = opcode_of(message.operation),
                        .send_flags = verbs::kSendSignaled,
                        .imm_data = message.immediate};
  request.rdma = {.remote_address = end.remote_address + message.remote_offset,
                  .rkey = end.peer_port_of(own.number).key};
  if (auto done = port.provider->post_send(end.queue_pairs[own.number], request); !done)
    return done;
  own.in_flight.push_back(posted);
  own.traffic.sent += needs_receive(message.operation) ? 1 : 0;
  note_use(own.channel);
  return {};
}

Result<void> Messenger::post_receive(std::uint32_t queue) {
  const Queue& own = queues_[queue];
  const ConnectionEnd& end = *channels_[own.channel.value()].end;
  const RailPort& port = end.port_of(own.number);
  const auto room = std::min(static_cast<std::uint64_t>(ports_.memory().length.count()), kMaxMessage);
  const verbs::Sge element{
      .address = ports_.memory().address, .length = static_cast<std::uint32_t>(room), .lkey = port.key};
  return port.provider->post_recv(end.queue_pairs[own.number],
                                  {.wr_id = queue | kReceiveRequest, .sg_list = {&element, 1}});
}

Result<void> Messenger::poll(MessageHandler& handler) {
  for (const RailPort& port : ports_.rails()) {
    // Armed before emptied: what comes while the queue is emptied raises an event of its own.
    if (auto armed = port.provider->req_notify_cq(port.cq, verbs::CompletionQueue::Notify::kNext); !armed)
      return armed;
    if (auto polled = poll_rail(port, handler); !polled)
      return polled;
  }
  return repairs_.empty() ? Result<void>() : advance_reconnects(handler);
}

Result<void> Messenger::poll_rail(const RailPort& port, MessageHandler& handler) {
  std::array<verbs::WorkCompletion, 32> completions;
  for (;;) {
    auto count = port.provider->poll_cq(port.cq, completions);
    if (!count)
      return pass_on(count);
    for (std::size_t i = 0; i < *count; ++i) {
      if (auto taken = on_completion(completions[i], handler); !taken)
        return taken;
    }
    if (*count < completions.size())
      return {};
  }
}

Result<void> Messenger::on_completion(const verbs::WorkCompletion& completion, MessageHandler& handler) {
  if ((completion.wr_id & kGroupRequests) != 0)
    return handler.on_reduced(completion.wr_id, completion.status);
  const auto queue = static_cast<std::uint32_t>(completion.wr_id & ~kReceiveRequest);
  WEFT_ASSERT(queue < queues_.size());
  return (completion.wr_id & kReceiveRequest) != 0 ? on_receive_completion(queue, completion, handler)
                                                   : on_send_completion(queue, completion, handler);
}

Result<void> Messenger::on_send_completion(std::uint32_t queue, const verbs::WorkCompletion& completion,
                                           MessageHandler& handler) {
  Queue& own = queues_[queue];
  const Posted done = own.in_flight.pop_front();
  if (completion.status != verbs::WcStatus::kSuccess) [[unlikely]] {
    if (takes_back(queue, done, completion.status))
      return {};
    if (!failure_) {
      const ConnectionEnd& end = *channels_[own.channel.value()].end;
      failure_ = {.connection = end.name,
                  .queue_pair = end.queue_pairs[own.number],
                  .port = end.port_of(own.number).endpoint,
                  .status = completion.status,
                  .at = now()};
    }
  } else if (own.line == Line::kRecovering) [[unlikely]] {
    note_success(queue);
  }
  if (!own.waiting.empty() && own.line != Line::kBroken) {
    if (auto sent = send(queue, own.waiting.pop_front()); !sent)
      return sent;
  }
  return finish(queue, done, completion.status, handler);
}

Result<void> Messenger::finish(std::uint32_t queue, const Posted& done, verbs::WcStatus status,
                               MessageHandler& handler) {
  Queue& own = queues_[queue];
  const ConnectionEnd& end = *channels_[own.channel.value()].end;
  own.unfinished = own.unfinished - done.message.size;
  matcher_.on_finished(stream_from(end, job_, own.number), {.flow = done.message.flow,
                                                            .number = done.message.number,
                                                            .size = done.message.size,
                                                            .operation = done.message.operation,
                                                            .status = status,
                                                            .posted = done.at,
                                                            .finished = now(),
                                                            .is_control = done.message.is_control,
                                                            .queue_pair = static_cast<std::uint16_t>(own.number),
                                                            .parts = done.parts});
  Whole whole{.message = done.message, .status = status};
  if (done.whole.is_valid()) {
    const std::optional<Whole> ended = finish_part(done.whole, status);
    if (!ended)
      return {};
    whole = *ended;
  }
  if (end.name.channel == kRelayChannel) [[unlikely]]
    return pass_on_relayed(own.channel, whole.status, handler);
  outstanding_ -= whole.message.is_control ? 0 : 1;
  return handler.on_sent(whole.message, whole.status);
}

std::optional<Messenger::Whole> Messenger::finish_part(WholeHandle handle, verbs::WcStatus status) {
  Whole& whole = wholes_[handle];
  whole.status = whole.status == verbs::WcStatus::kSuccess ? status : whole.status;
  if (--whole.missing > 0)
    return std::nullopt;
  const Whole ended = whole;
  wholes_.release(handle);
  return ended;
}

void Messenger::record(StateRecord& state) const {
  state.count(repairs_.size());
  for (const Queue& queue : queues_) {
    state.count(std::uint64_t{queue.in_flight.size()} << 32 | queue.waiting.size());
    state.count(queue.arrived_parts.size());
    for (std::uint32_t i = 0; i < queue.waiting.size(); ++i)
      state.count(static_cast<std::uint64_t>(queue.waiting[i].message.size.count()));
  }
}

void Messenger::shift(Duration by) {
  for (Queue& queue : queues_) {
    for (Ring<Posted>* const line : {&queue.in_flight, &queue.waiting}) {
      for (std::uint32_t i = 0; i < line->size(); ++i)
        (*line)[i].at += by;
    }
  }
}

// Each queue pair delivers its parts in order, so that the oldest of all belong together.
std::optional<Bytes> Messenger::join_part(std::uint32_t queue, Bytes size) {
  const Channel& channel = channels_[queues_[queue].channel.value()];
  const std::span<Queue> all(&queues_[channel.first_queue], channel.end->options.data_queue_pairs());
  queues_[queue].arrived_parts.push_back(size);
  if (std::ranges::any_of(all, [](const Queue& one) { return one.arrived_parts.empty(); }))
    return std::nullopt;
  Bytes whole;
  for (Queue& one : all)
    whole = whole + one.arrived_parts.pop_front();
  return whole;
}

Result<void> Messenger::on_receive_completion(std::uint32_t queue, const verbs::WorkCompletion& completion,
                                              MessageHandler& handler) {
  Queue& own = queues_[queue];
  if (own.line == Line::kBroken) [[unlikely]]
    --repairs_.at(queue).receives_left;
  if (completion.status != verbs::WcStatus::kSuccess)
    return {};  // the queue pair is in error; the requester reports what became of its messages
  const ConnectionEnd& end = *channels_[own.channel.value()].end;
  ++own.traffic.received;
  note_use(own.channel);
  matcher_.on_delivered(stream_to(end, job_, own.number), now());
  if (own.line == Line::kRecovering) [[unlikely]]
    note_success(queue);
  if (own.line != Line::kBroken) {
    if (auto posted = post_receive(queue); !posted)
      return posted;
  }
  const Channel& channel = channels_[own.channel.value()];
  std::optional<Bytes> size = Bytes(completion.byte_len);
  if (channel.cuts_messages() && own.number < end.options.data_queue_pairs())
    size = join_part(queue, *size);
  return size ? handler.on_arrived({.source = end.name.to,
                                    .channel = own.channel,
                                    .queue_pair = own.number,
                                    .size = *size,
                                    .immediate = completion.imm_data})
              : Result<void>();
}

}  // namespace weft::workload
