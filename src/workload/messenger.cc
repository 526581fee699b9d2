#include "workload/messenger.h"

#include <algorithm>
#include <span>

namespace weft::workload {
namespace {

/// A request's name: its queue's place in the table, and whether it is a receive request. A failed completion tells
/// nothing else.
constexpr std::uint64_t kReceive = std::uint64_t{1} << 63;
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
  return adopt(**end);
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
  const ChannelId id(static_cast<std::uint32_t>(channels_.size()));
  by_name_.emplace(end.name, id);
  const QueuePairUse use = end.options.queue_pair_use;
  channels_.push_back({.end = &end,
                       .first_queue = static_cast<std::uint32_t>(queues_.size()),
                       .choice = QueuePairChoice(use == QueuePairUse::kSplit ? QueuePairUse::kRoundRobin : use,
                                                 end.options.data_queue_pairs())});
  for (std::uint32_t i = 0; i < end.queue_pairs.size(); ++i) {
    const auto queue = static_cast<std::uint32_t>(queues_.size());
    queues_.push_back({.channel = id, .number = i, .in_flight = {}, .waiting = {}});
    for (std::uint32_t n = 0; n < end.options.receive_requests; ++n) {
      if (auto posted = post_receive(queue); !posted)
        return pass_on(posted);
    }
  }
  return id;
}

Result<void> Messenger::post(ChannelId channel, std::uint32_t queue_pair, const Message& message) {
  const Channel& used = channels_[channel.value()];
  WEFT_ASSERT(queue_pair < used.end->queue_pairs.size());
  outstanding_ += message.is_control ? 0 : 1;
  return enqueue(used.first_queue + queue_pair, {.message = message, .at = now()});
}

Result<void> Messenger::post(ChannelId channel, const Message& message) {
  Channel& used = channels_[channel.value()];
  if (!used.cuts_messages())
    return post(channel, used.choice.next([&](std::uint32_t i) { return queues_[used.first_queue + i].unfinished; }),
                message);
  const std::uint32_t parts = used.end->options.data_queue_pairs();
  const std::uint32_t first = used.first_queue;
  outstanding_ += message.is_control ? 0 : 1;
  Posted posted{.message = message,
                .at = now(),
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
  if (queue.in_flight.size() < end.options.max_send_wr && queue.waiting.empty())
    return send(index, posted);
  queue.waiting.push_back(posted);
  return {};
}

Result<void> Messenger::send(std::uint32_t queue, const Posted& posted) {
  Queue& own = queues_[queue];
  const ConnectionEnd& end = *channels_[own.channel.value()].end;
  const Message& message = posted.message;
  const verbs::Sge element{.address = ports_.memory().address + message.local_offset,
                           .length = static_cast<std::uint32_t>(message.size.count()),
                           .lkey = end.port.key};
  verbs::SendWr request{.wr_id = queue,
                        .sg_list = {&element, 1},
                        .opcode = opcode_of(message.operation),
                        .send_flags = verbs::kSendSignaled,
                        .imm_data = message.immediate};
  request.rdma = {.remote_address = end.remote_address + message.remote_offset, .rkey = end.remote_key};
  if (auto done = end.port.provider->post_send(end.queue_pairs[own.number], request); !done)
    return done;
  own.in_flight.push_back(posted);
  return {};
}

Result<void> Messenger::post_receive(std::uint32_t queue) {
  const Queue& own = queues_[queue];
  const ConnectionEnd& end = *channels_[own.channel.value()].end;
  const auto room = std::min(static_cast<std::uint64_t>(ports_.memory().length.count()), kMaxMessage);
  const verbs::Sge element{
      .address = ports_.memory().address, .length = static_cast<std::uint32_t>(room), .lkey = end.port.key};
  return end.port.provider->post_recv(end.queue_pairs[own.number],
                                      {.wr_id = queue | kReceive, .sg_list = {&element, 1}});
}

Result<void> Messenger::poll(MessageHandler& handler) {
  for (const RailPort& port : ports_.rails()) {
    // Armed before emptied: what comes while the queue is emptied raises an event of its own.
    if (auto armed = port.provider->req_notify_cq(port.cq, verbs::CompletionQueue::Notify::kNext); !armed)
      return armed;
    if (auto polled = poll_rail(port, handler); !polled)
      return polled;
  }
  return {};
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
  const auto queue = static_cast<std::uint32_t>(completion.wr_id & ~kReceive);
  WEFT_ASSERT(queue < queues_.size());
  return (completion.wr_id & kReceive) != 0 ? on_receive_completion(queue, completion, handler)
                                            : on_send_completion(queue, completion, handler);
}

Result<void> Messenger::on_send_completion(std::uint32_t queue, const verbs::WorkCompletion& completion,
                                           MessageHandler& handler) {
  Queue& own = queues_[queue];
  const ConnectionEnd& end = *channels_[own.channel.value()].end;
  const Posted done = own.in_flight.pop_front();
  own.unfinished = own.unfinished - done.message.size;
  if (completion.status != verbs::WcStatus::kSuccess && !failure_) [[unlikely]]
    failure_ = {.connection = end.name,
                .queue_pair = end.queue_pairs[own.number],
                .port = end.port.endpoint,
                .status = completion.status,
                .at = now()};
  if (!own.waiting.empty()) {
    if (auto sent = send(queue, own.waiting.pop_front()); !sent)
      return sent;
  }
  matcher_.on_finished(stream_from(end, job_, own.number), {.flow = done.message.flow,
                                                            .number = done.message.number,
                                                            .size = done.message.size,
                                                            .operation = done.message.operation,
                                                            .status = completion.status,
                                                            .posted = done.at,
                                                            .finished = now(),
                                                            .is_control = done.message.is_control,
                                                            .parts = done.parts});
  Whole whole{.message = done.message, .status = completion.status};
  if (done.whole.is_valid()) {
    const std::optional<Whole> ended = finish_part(done.whole, completion.status);
    if (!ended)
      return {};
    whole = *ended;
  }
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
  if (completion.status != verbs::WcStatus::kSuccess)
    return {};  // the queue pair is in error; the requester reports what became of its messages
  const Queue& own = queues_[queue];
  const ConnectionEnd& end = *channels_[own.channel.value()].end;
  matcher_.on_delivered(stream_to(end, job_, own.number), now());
  if (auto posted = post_receive(queue); !posted)
    return posted;
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
