#include "workload/flow_program.h"

#include <algorithm>
#include <array>
#include <limits>

#include "workload/relay_rails.h"

namespace weft::workload {
namespace {

// No pair of ranks has so many flows of a list.
constexpr std::uint32_t kTriggerChannel = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kNoticeToken = std::numeric_limits<std::uint64_t>::max();
constexpr ConnectionOptions kTriggerConnection{.queue_pairs = 1, .max_send_wr = 64, .receive_requests = 128};

}  // namespace

ConnectionRequest connection_of(const Flow& flow, const JobLayout* layout) {
  RailPair rails{flow.shape.rail, flow.shape.remote_rail};
  if (layout != nullptr && flow.shape.operation != Operation::kRead)
    rails = relayed((*layout)[flow.id.source.value()], (*layout)[flow.id.destination.value()], rails);
  return {.from = flow.id.source,
          .to = flow.id.destination,
          .rail = rails.rail,
          .remote_rail = rails.remote_rail,
          .channel = flow.channel};
}

FlowProgram::FlowProgram(Messenger& messenger, std::unique_ptr<FlowSource> source, const FlowProgramOptions& options)
    : messenger_(messenger), source_(std::move(source)), options_(options), next_(take()) {
  if (options_.triggers != nullptr)
    board_.emplace(*options_.triggers, options_.rank);
}

std::optional<Flow> FlowProgram::take() {
  std::optional<Flow> flow = source_->next();
  if (flow)
    flow->shape.start = flow->shape.start + options_.start_delay;
  return flow;
}

Result<void> FlowProgram::start() {
  if (auto started = messenger_.start(options_.job); !started)
    return started;
  if (const std::unique_ptr<FlowSource> flows = std::move(connected_first_)) {
    while (const std::optional<Flow> flow = flows->next()) {
      if (auto connected = connect(*flow); !connected)
        return pass_on(connected);
    }
  }
  return open_due_flows();
}

Result<void> FlowProgram::on_event() {
  std::array<verbs::MachineEvent, 8> events;
  while (messenger_.ports().machine().poll_events(events) == events.size()) {
    // Timers are all that it asks for, and the present instant says which are due.
  }
  for (Time* const timer : {&timer_, &waiting_timer_}) {
    if (messenger_.now() >= *timer)
      *timer = Time::never();
  }
  if (auto polled = messenger_.poll(*this); !polled)
    return polled;
  if (auto resumed = resume_waiting(); !resumed)
    return resumed;
  return open_due_flows();
}

std::optional<Time> FlowProgram::quiet_until() const {
  return options_.quiet_until ? options_.quiet_until(messenger_.now()) : std::nullopt;
}

// A timer that is set already may be too late for what has been released meanwhile.
void FlowProgram::set_timer(Time at, Time& timer) {
  if (at > messenger_.now() && at < timer) {
    timer = at;
    messenger_.ports().machine().set_timer({.at = at});
  }
}

Result<void> FlowProgram::resume_waiting() {
  if (waiting_.empty())
    return {};
  if (const std::optional<Time> until = quiet_until()) {
    set_timer(*until, waiting_timer_);
    return {};
  }
  for (const Handle handle : std::exchange(waiting_, {})) {
    if (auto pumped = pump(handle); !pumped)
      return pumped;
  }
  return {};
}

Time FlowProgram::next_start() const {
  const Time listed = next_ ? next_->shape.start : Time::never();
  return released_.empty() ? listed : earlier(listed, released_.begin()->first);
}

std::optional<Flow> FlowProgram::take_due(Time now) {
  if (next_start() > now || open_.live_count() >= options_.max_open_flows)
    return std::nullopt;
  if (next_ && next_->shape.start == next_start()) {
    const Flow flow = *next_;
    next_ = take();
    return flow;
  }
  const Flow flow = released_.begin()->second;
  released_.erase(released_.begin());
  return flow;
}

Result<void> FlowProgram::open_due_flows() {
  const Time now = messenger_.now();
  while (const std::optional<Flow> flow = take_due(now)) {
    if (flow->shape.stop <= now)
      continue;  // a limit on open flows held it back for too long
    if (flow->shape.messages != FlowShape::kUntilStop && quiet_until())
      continue;
    if (auto opened = open(*flow); !opened)
      return opened;
  }
  set_timer(next_start(), timer_);
  return {};
}

Result<ChannelId> FlowProgram::connect(const Flow& flow) {
  return messenger_.open(connection_of(flow, options_.layout), options_.connection);
}

Result<void> FlowProgram::open(const Flow& flow) {
  auto channel = connect(flow);
  if (!channel)
    return pass_on(channel);
  const ConnectionEnd& end = messenger_.end(*channel);
  if (auto offered = check_operation(flow.shape.operation, end.first_port().provider->query_device()); !offered)
    return offered;
  const bool split = end.options.queue_pair_use == QueuePairUse::kSplit;
  const std::uint64_t room = std::uint64_t{end.options.max_send_wr} * (split ? 1 : end.options.data_queue_pairs());
  const auto window = static_cast<std::uint32_t>(std::min<std::uint64_t>(flow.shape.window, room));
  return pump(open_.allocate(OpenFlow{.flow = flow, .channel = *channel, .window = window}));
}

bool FlowProgram::wants_more(const OpenFlow& open) const {
  return !open.failed && open.posted < open.flow.shape.messages && messenger_.now() < open.flow.shape.stop;
}

bool FlowProgram::rests(Handle handle) {
  const OpenFlow& open = open_[handle];
  const bool is_loop = open.flow.shape.messages == FlowShape::kUntilStop;
  const std::optional<Time> quiet = is_loop && wants_more(open) ? quiet_until() : std::nullopt;
  if (quiet && open.outstanding == 0) {
    waiting_.push_back(handle);
    set_timer(*quiet, waiting_timer_);
  }
  return quiet.has_value();
}

Result<void> FlowProgram::pump(Handle handle) {
  if (rests(handle))
    return {};
  OpenFlow& open = open_[handle];
  const FlowShape& shape = open.flow.shape;
  while (open.outstanding < open.window && wants_more(open)) {
    const Message message{.flow = open.flow.id,
                          .number = open.posted,
                          .size = shape.size,
                          .operation = shape.operation,
                          .immediate = static_cast<std::uint32_t>(open.posted),
                          .token = handle.value()};
    if (auto posted = messenger_.post(open.channel, message); !posted)
      return posted;
    ++open.posted;
    ++open.outstanding;
  }
  return open.outstanding > 0 ? Result<void>() : close(handle);
}

Result<void> FlowProgram::close(Handle handle) {
  const OpenFlow& open = open_[handle];
  failed_flows_ += open.failed ? 1 : 0;
  const FlowId ended = open.flow.id;
  const bool fires = board_.has_value() && !open.failed;
  open_.release(handle);
  if (!fires)
    return {};
  TriggerBoard::Effects effects;
  board_->on_sent(ended, effects);
  return follow(effects);
}

Result<void> FlowProgram::on_sent(const Message& message, verbs::WcStatus status) {
  if (message.token == kNoticeToken)
    return {};
  const Handle handle(static_cast<std::uint32_t>(message.token));
  OpenFlow& open = open_[handle];
  --open.outstanding;
  open.failed |= status != verbs::WcStatus::kSuccess;
  return pump(handle);
}

Result<void> FlowProgram::on_arrived(const Arrival& arrival) {
  if (!board_)
    return {};
  TriggerBoard::Effects effects;
  const std::uint32_t channel = messenger_.end(arrival.channel).name.channel;
  if (channel == kTriggerChannel) {
    if (auto taken = board_->on_notice(arrival.immediate, effects); !taken)
      return taken;
  } else {
    board_->on_arrived({options_.job, arrival.source, options_.rank, channel}, effects);
  }
  return follow(effects);
}

// Released flows are opened by the event that released them, after all its completions.
Result<void> FlowProgram::follow(const TriggerBoard::Effects& effects) {
  for (const TriggerBoard::Ready& ready : effects.ready) {
    Flow flow = ready.flow;
    flow.shape.start = later(messenger_.now() + ready.delay, flow.shape.start + options_.start_delay);
    released_.emplace(flow.shape.start, flow);
  }
  for (const TriggerNotice& notice : effects.notices) {
    if (auto sent = notify(notice); !sent)
      return sent;
  }
  return {};
}

Result<void> FlowProgram::notify(const TriggerNotice& notice) {
  const Flow stream{.id = {options_.job, options_.rank, notice.to, kTriggerChannel}, .channel = kTriggerChannel};
  auto channel = messenger_.open(connection_of(stream, options_.layout), kTriggerConnection);
  if (!channel)
    return pass_on(channel);
  const ConnectionEnd& end = messenger_.end(*channel);
  if (auto offered = check_operation(Operation::kWriteWithImm, end.first_port().provider->query_device()); !offered)
    return fail("triggers between ranks: {}", offered.error().message);
  return messenger_.post(*channel, 0,
                         {.flow = {options_.job, options_.rank, notice.to, kTriggerChannel},
                          .number = notices_++,
                          .size = Bytes::zero(),
                          .operation = Operation::kWriteWithImm,
                          .immediate = notice.word,
                          .token = kNoticeToken,
                          .is_control = true});
}

}  // namespace weft::workload
