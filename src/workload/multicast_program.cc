#include "workload/multicast_program.h"

#include <array>
#include <utility>

namespace weft::workload {
namespace {

using verbs::QpState;

constexpr std::uint64_t kGrhBytes = 40;  // in front of the data of a receive request
constexpr std::uint64_t kReceive = 1;    // wr_id
constexpr std::uint64_t kSend = 2;

}  // namespace

MulticastProgram::MulticastProgram(const RankPorts& ports, MulticastDeliveries& deliveries,
                                   const MulticastProgramOptions& options)
    : ports_(ports), deliveries_(deliveries), options_(options) {
  deliveries_.on_end([this] { ports_.machine().set_timer({.at = ports_.machine().now()}); });
}

Result<void> MulticastProgram::start() {
  if (auto made = make_queue_pair(); !made)
    return made;
  if (options_.receives) {
    if (auto attached = port().provider->attach_mcast(qpn_, options_.group); !attached)
      return attached;
    for (std::uint32_t i = 0; i < kReceives; ++i) {
      if (auto posted = post_receive(); !posted)
        return posted;
    }
  }
  if (options_.sends) {
    auto address = port().provider->create_ah(port().pd, options_.address);
    if (!address)
      return pass_on(address);
    address_ = *address;
    deliveries_.add_sender({.endpoint = port().endpoint, .qpn = qpn_}, options_.rank);
    // When all ranks have started, for some may be behind the same port.
    set_timer(later(options_.start, ports_.machine().now()));
  }
  return poll();
}

Result<void> MulticastProgram::make_queue_pair() {
  auto qpn = port().provider->create_qp({.type = verbs::QpType::kUd,
                                         .pd = port().pd,
                                         .send_cq = port().cq,
                                         .recv_cq = port().cq,
                                         .max_send_wr = options_.depth,
                                         .max_recv_wr = kReceives,
                                         .max_send_sge = 1,
                                         .max_recv_sge = 1,
                                         .max_inline_data = 0,
                                         .blocks_own_multicast = true});
  if (!qpn)
    return pass_on(qpn);
  qpn_ = *qpn;
  verbs::QpAttributes attributes{.partition_key = options_.partition_key, .queue_key = options_.queue_key};
  const std::pair<QpState, verbs::QpAttributeMask> steps[] = {
      {QpState::kInit, verbs::kQpPkeyIndex | verbs::kQpPort | verbs::kQpQkey},
      {QpState::kRtr, 0},
      {QpState::kRts, verbs::kQpSqPsn}};
  for (const auto& [state, mask] : steps) {
    attributes.state = state;
    if (auto moved = port().provider->modify_qp(qpn_, attributes, mask | verbs::kQpState); !moved)
      return moved;
  }
  return {};
}

Result<void> MulticastProgram::post_receive() {
  const verbs::Sge place{
      .address = ports_.memory().address,
      .length = static_cast<std::uint32_t>(kGrhBytes) + static_cast<std::uint32_t>(options_.size.count()),
      .lkey = port().key};
  return port().provider->post_recv(qpn_, {.wr_id = kReceive, .sg_list = {&place, 1}});
}

Result<void> MulticastProgram::on_event() {
  std::array<verbs::MachineEvent, 8> events;
  while (ports_.machine().poll_events(events) == events.size()) {
    // Timers are all that it asks for, and the present instant says which are due.
  }
  if (ports_.machine().now() >= timer_)
    timer_ = Time::never();
  if (auto polled = poll(); !polled)
    return polled;
  if (auto sent = send_due(); !sent)
    return sent;
  const Time now = ports_.machine().now();
  if (ends_group_ && !deliveries_.has_ended()) {
    if (const Time lost_at = deliveries_.last_activity() + kPatience; now >= lost_at) {
      deliveries_.give_up();
    } else {
      set_timer(lost_at);
    }
  }
  return {};
}

Result<void> MulticastProgram::send_due() {
  const Time now = ports_.machine().now();
  while (wants_more(now) && in_flight_ < options_.depth && next_post() <= now) {
    if (auto posted = post_send(); !posted)
      return posted;
  }
  if (wants_more(now) && in_flight_ < options_.depth) {
    set_timer(earlier(next_post(), options_.stop));
  } else if (!wants_more(now) && in_flight_ == 0) {
    finish_sending(now);
  }
  return {};
}

// Of several senders the last one watches for losses.
void MulticastProgram::finish_sending(Time now) {
  if (!options_.sends || std::exchange(has_sent_, true))
    return;
  deliveries_.on_sender_done(options_.rank, now);
  ends_group_ = deliveries_.all_sent();
}

Result<void> MulticastProgram::post_send() {
  const verbs::Sge data{.address = ports_.memory().address,
                        .length = static_cast<std::uint32_t>(options_.size.count()),
                        .lkey = port().key};
  verbs::SendWr request{.wr_id = kSend, .sg_list = {&data, 1}, .opcode = verbs::WrOpcode::kSendWithImm};
  request.send_flags = verbs::kSendSignaled;
  request.imm_data = posted_;
  request.ud = {.ah = address_, .remote_qpn = Qpn(0xFFFFFF), .remote_qkey = options_.queue_key};
  deliveries_.on_posted(options_.rank, posted_, ports_.machine().now());
  ++posted_;
  ++in_flight_;
  return port().provider->post_send(qpn_, request);
}

Result<void> MulticastProgram::poll() {
  // Armed before emptied: what comes while the queue is emptied raises an event of its own.
  if (auto armed = port().provider->req_notify_cq(port().cq, verbs::CompletionQueue::Notify::kNext); !armed)
    return armed;
  std::array<verbs::WorkCompletion, 32> completions;
  for (;;) {
    auto count = port().provider->poll_cq(port().cq, completions);
    if (!count)
      return pass_on(count);
    for (std::size_t i = 0; i < *count; ++i) {
      if (auto taken = on_completion(completions[i]); !taken)
        return taken;
    }
    if (*count < completions.size())
      return {};
  }
}

Result<void> MulticastProgram::on_completion(const verbs::WorkCompletion& completion) {
  if (completion.status != verbs::WcStatus::kSuccess) {
    return fail("rank {}: a {} request of its datagram queue pair has ended: {}", options_.rank.value(),
                completion.wr_id == kSend ? "send" : "receive", verbs::to_string(completion.status));
  }
  if (completion.wr_id == kSend) {
    --in_flight_;
    return {};
  }
  deliveries_.on_delivered(options_.rank,
                           {.endpoint = EndpointId(completion.source_endpoint), .qpn = completion.src_qp},
                           completion.imm_data, ports_.machine().now());
  return post_receive();
}

void MulticastProgram::set_timer(Time at) {
  if (at < timer_) {
    timer_ = at;
    ports_.machine().set_timer({.at = at});
  }
}

}  // namespace weft::workload
