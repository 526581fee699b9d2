#include "workload/flow_program.h"

#include <algorithm>
#include <array>

namespace weft::workload {

FlowProgram::FlowProgram(Messenger& messenger, std::unique_ptr<FlowSource> source, const FlowProgramOptions& options)
    : messenger_(messenger), source_(std::move(source)), options_(options), next_(take()) {}

std::optional<Flow> FlowProgram::take() {
  std::optional<Flow> flow = source_->next();
  if (flow)
    flow->shape.start = flow->shape.start + options_.start_delay;
  return flow;
}

Result<void> FlowProgram::start() {
  if (auto started = messenger_.start(options_.job); !started)
    return started;
  return open_due_flows();
}

Result<void> FlowProgram::on_event() {
  std::array<verbs::MachineEvent, 8> events;
  while (messenger_.ports().machine().poll_events(events) == events.size()) {
    // Timers are all that it asks for, and the present instant says which are due.
  }
  if (messenger_.now() >= timer_)
    timer_ = Time::never();
  if (auto polled = messenger_.poll(*this); !polled)
    return polled;
  return open_due_flows();
}

Result<void> FlowProgram::open_due_flows() {
  const Time now = messenger_.now();
  while (next_ && next_->shape.start <= now && open_.live_count() < options_.max_open_flows) {
    const Flow flow = *next_;
    next_ = take();
    if (flow.shape.stop <= now)
      continue;  // a limit on open flows held it back for too long
    if (options_.is_quiet && options_.is_quiet(now))
      continue;
    if (auto opened = open(flow); !opened)
      return opened;
  }
  if (next_ && next_->shape.start > now && timer_.is_never()) {
    timer_ = next_->shape.start;
    messenger_.ports().machine().set_timer({.at = timer_});
  }
  return {};
}

Result<void> FlowProgram::open(const Flow& flow) {
  auto channel = messenger_.open({.from = flow.id.source,
                                  .to = flow.id.destination,
                                  .rail = flow.shape.rail,
                                  .remote_rail = flow.shape.remote_rail,
                                  .channel = flow.channel},
                                 options_.connection);
  if (!channel)
    return pass_on(channel);
  const ConnectionEnd& end = messenger_.end(*channel);
  if (auto offered = check_operation(flow.shape.operation, end.port.provider->query_device()); !offered)
    return offered;
  const std::uint64_t room = std::uint64_t{end.options.max_send_wr} * end.options.queue_pairs;
  const auto window = static_cast<std::uint32_t>(std::min<std::uint64_t>(flow.shape.window, room));
  return pump(open_.allocate(OpenFlow{.flow = flow, .channel = *channel, .window = window}));
}

bool FlowProgram::wants_more(const OpenFlow& open) const {
  return !open.failed && open.posted < open.flow.shape.messages && messenger_.now() < open.flow.shape.stop;
}

Result<void> FlowProgram::pump(Handle handle) {
  OpenFlow& open = open_[handle];
  const FlowShape& shape = open.flow.shape;
  const std::uint32_t queue_pairs = messenger_.end(open.channel).options.queue_pairs;
  while (open.outstanding < open.window && wants_more(open)) {
    const Message message{.flow = open.flow.id,
                          .number = open.posted,
                          .size = shape.size,
                          .operation = shape.operation,
                          .immediate = static_cast<std::uint32_t>(open.posted),
                          .token = handle.value()};
    if (auto posted = messenger_.post(open.channel, static_cast<std::uint32_t>(open.posted % queue_pairs), message);
        !posted)
      return posted;
    ++open.posted;
    ++open.outstanding;
  }
  if (open.outstanding == 0) {
    failed_flows_ += open.failed ? 1 : 0;
    open_.release(handle);
  }
  return {};
}

Result<void> FlowProgram::on_sent(const Message& message, verbs::WcStatus status) {
  const Handle handle(static_cast<std::uint32_t>(message.token));
  OpenFlow& open = open_[handle];
  --open.outstanding;
  open.failed |= status != verbs::WcStatus::kSuccess;
  return pump(handle);
}

}  // namespace weft::workload
