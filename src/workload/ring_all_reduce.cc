#include "workload/ring_all_reduce.h"

#include <array>

#include "base/format_quantity.h"

namespace weft::workload {

Result<std::unique_ptr<RingAllReduce>> RingAllReduce::make(Messenger& messenger, DeliveryMatcher& matcher,
                                                           const RingAllReduceOptions& options) {
  if (auto right = check_ring(options.shape); !right)
    return pass_on(right);
  if (options.rank.value() >= options.shape.ranks)
    return fail("all-reduce: no rank {} in a ring of {}", options.rank, options.shape.ranks);
  const Bytes memory = messenger.ports().memory().length;
  if (memory / 2 < options.shape.size)
    return fail("all-reduce of {}: the rank's memory of {} is smaller than twice that", options.shape.size, memory);
  if (options.connection.receive_requests == 0)
    return fail("all-reduce: no receive request per queue pair; it needs at least one");
  return std::unique_ptr<RingAllReduce>(new RingAllReduce(messenger, matcher, options));
}

RingAllReduce::RingAllReduce(Messenger& messenger, DeliveryMatcher& matcher, const RingAllReduceOptions& options)
    : messenger_(messenger),
      matcher_(matcher),
      options_(options),
      arrived_(options.connection.queue_pairs, 0),
      sends_(options.shape, options.rank),
      receives_(options.shape, neighbour(options.shape.ranks - 1)) {}

RankId RingAllReduce::neighbour(std::uint32_t distance) const {
  const std::uint64_t rank = std::uint64_t{options_.rank.value()} + distance;
  return RankId(static_cast<std::uint32_t>(rank % options_.shape.ranks));
}

Result<void> RingAllReduce::start() {
  if (auto started = messenger_.start(options_.job); !started)
    return started;
  if (options_.start > messenger_.now()) {
    messenger_.ports().machine().set_timer({.at = options_.start});
    return {};
  }
  return advance();
}

Result<void> RingAllReduce::on_event() {
  std::array<verbs::MachineEvent, 16> events;
  std::size_t count = events.size();
  while (count == events.size()) {
    count = messenger_.ports().machine().poll_events(events);
    for (std::size_t i = 0; i < count; ++i) {
      if (events[i].kind == verbs::MachineEvent::Kind::kCompute)
        finish_reduction();
    }
  }
  if (auto polled = messenger_.poll(*this); !polled)
    return polled;
  return advance();
}

Result<void> RingAllReduce::on_sent(const Message&, verbs::WcStatus status) {
  --outstanding_;
  failed_ |= status != verbs::WcStatus::kSuccess;
  return {};
}

Result<void> RingAllReduce::on_arrived(const Arrival& arrival) {
  ++arrived_[arrival.queue_pair];
  return {};
}

void RingAllReduce::begin_iteration() {
  iteration_start_ = messenger_.now();
  sends_ = RingCursor(options_.shape, options_.rank);
  receives_ = RingCursor(options_.shape, neighbour(options_.shape.ranks - 1));
  next_send_ = sends_.next();
  next_receive_ = receives_.next();
  sent_ = received_ = reduced_ = 0;
}

Result<void> RingAllReduce::advance() {
  if (messenger_.now() < options_.start || done())
    return {};
  if (!begun_) {
    begun_ = true;
    begin_iteration();
  }
  for (;;) {
    if (auto taken = take_arrivals(); !taken)
      return taken;
    if (auto sent = send_ready(); !sent)
      return sent;
    if (!iteration_complete())
      return {};
    matcher_.on_collective({.job = options_.job,
                            .rank = options_.rank,
                            .iteration = iteration_,
                            .size = options_.shape.size,
                            .started = iteration_start_,
                            .finished = messenger_.now()});
    if (++iteration_ == options_.iterations)
      return {};
    begin_iteration();
  }
}

Result<void> RingAllReduce::take_arrivals() {
  const std::uint64_t queue_pairs = arrived_.size();
  for (; next_receive_ && arrived_[next_arrival_ % queue_pairs] > next_arrival_ / queue_pairs; ++next_arrival_) {
    const RingChunk chunk = *next_receive_;
    next_receive_ = receives_.next();
    ++received_;
    if (!chunk.reduces)
      continue;
    reducing_.push_back(chunk);
    if (!options_.reduce_rate) {
      finish_reduction();
      continue;
    }
    auto asked = messenger_.ports().machine().compute(
        {.gpu = options_.gpu, .work = options_.reduce_rate->transmit_time(chunk.size)});
    if (!asked)
      return asked;
  }
  return {};
}

void RingAllReduce::finish_reduction() {
  const RingChunk chunk = reducing_.pop_front();
  ++reduced_;
  if (options_.reducer != nullptr) {
    const auto scratch = static_cast<std::uint64_t>(options_.shape.size.count());
    options_.reducer->reduce({.data = chunk.offset, .scratch = scratch + chunk.offset, .size = chunk.size});
  }
}

std::uint64_t RingAllReduce::chunks_ready() const {
  // Chunks to be added come before all others, so while one is being added, those already added are the ready ones.
  return sends_.first_step_chunks() + (reducing_.empty() ? received_ : reduced_);
}

Result<void> RingAllReduce::send_ready() {
  const std::uint64_t room = std::uint64_t{options_.connection.max_send_wr} * options_.connection.queue_pairs;
  while (next_send_ && outstanding_ < room && sent_ < chunks_ready()) {
    if (auto sent = send(*next_send_); !sent)
      return sent;
    next_send_ = sends_.next();
    ++sent_;
  }
  return {};
}

Result<void> RingAllReduce::send(const RingChunk& chunk) {
  if (!channel_.is_valid()) {
    auto channel = messenger_.open(
        {.from = options_.rank, .to = neighbour(1), .rail = options_.rail, .remote_rail = options_.remote_rail},
        options_.connection);
    if (!channel)
      return pass_on(channel);
    channel_ = *channel;
  }
  const auto scratch = static_cast<std::uint64_t>(options_.shape.size.count());
  const auto queue_pair = static_cast<std::uint32_t>(next_departure_ % options_.connection.queue_pairs);
  const Message message{.flow = {options_.job, options_.rank, neighbour(1), 0},
                        .number = next_departure_,
                        .size = chunk.size,
                        .operation = Operation::kWriteWithImm,
                        .local_offset = chunk.offset,
                        .remote_offset = chunk.offset + (chunk.reduces ? scratch : 0),
                        .immediate = static_cast<std::uint32_t>(next_departure_)};
  ++next_departure_;
  ++outstanding_;
  bytes_sent_ += chunk.size;
  return messenger_.post(channel_, queue_pair, message);
}

bool RingAllReduce::iteration_complete() const {
  return !next_send_ && !next_receive_ && reducing_.empty() && outstanding_ == 0;
}

}  // namespace weft::workload
