// The queue pairs of a network at the flow level.
#include <algorithm>

#include "base/assert.h"
#include "flow/flow_device.h"
#include "flow/flow_machine.h"
#include "flow/flow_network.h"

namespace weft::flow {
namespace {

using verbs::WrOpcode;

constexpr std::uint32_t kFirstNumber = 0x100;
constexpr std::uint64_t kMaxMessage = std::uint64_t{1} << 31;
/// Sizes of messages whose times are kept, of those that come again.
constexpr std::size_t kTimingsKept = 1U << 16;
/// Acknowledgements that take less of a link are left out.
constexpr double kLeastAnswers = 1e-3;

[[nodiscard]] double bits_of(Bytes bytes) { return static_cast<double>(bytes.count()) * 8; }

[[nodiscard]] bool takes_receive(WrOpcode opcode) {
  return opcode != WrOpcode::kRdmaWrite && opcode != WrOpcode::kRdmaRead;
}

[[nodiscard]] bool has_immediate(WrOpcode opcode) {
  return opcode == WrOpcode::kSendWithImm || opcode == WrOpcode::kRdmaWriteWithImm;
}

[[nodiscard]] verbs::WcOpcode completed(WrOpcode opcode) {
  switch (opcode) {
    case WrOpcode::kRdmaWrite:
    case WrOpcode::kRdmaWriteWithImm:
      return verbs::WcOpcode::kRdmaWrite;
    case WrOpcode::kRdmaRead:
      return verbs::WcOpcode::kRdmaRead;
    case WrOpcode::kSend:
    case WrOpcode::kSendWithImm:
    case WrOpcode::kSendWithInv:
    case WrOpcode::kAtomicCmpAndSwp:
    case WrOpcode::kAtomicFetchAndAdd:
      break;
  }
  return verbs::WcOpcode::kSend;
}

}  // namespace

Qpn FlowNetwork::create(FlowDevice& device, const verbs::QpInitAttributes& init) {
  const std::size_t endpoint = device.endpoint().value();
  by_endpoint_.resize(std::max(by_endpoint_.size(), endpoint + 1));
  std::vector<PairIndex>& own = by_endpoint_[endpoint];
  const Qpn number(kFirstNumber + static_cast<std::uint32_t>(own.size()));
  own.push_back(static_cast<PairIndex>(pairs_.size()));
  Pair& pair = pairs_.emplace_back();
  pair.init = init;
  pair.device = &device;
  pair.number = number;
  return number;
}

PairIndex FlowNetwork::find(EndpointId endpoint, Qpn number) const {
  if (endpoint.value() >= by_endpoint_.size() || number.value() < kFirstNumber) {
    return kNoPair;
  }
  const std::vector<PairIndex>& own = by_endpoint_[endpoint.value()];
  const std::uint32_t place = number.value() - kFirstNumber;
  return place < own.size() ? own[place] : kNoPair;
}

Result<Route> FlowNetwork::route_of(const Pair& pair) {
  return medium_.route({.from = pair.device->endpoint(),
                        .to = pair.attributes.address.destination,
                        .queue_pair = pair.number,
                        .remote_queue_pair = pair.attributes.destination_qpn,
                        .address = pair.attributes.address,
                        .path_mtu = pair.attributes.path_mtu});
}

std::uint32_t FlowNetwork::shape_of(const std::vector<Hop>& hops) {
  const auto [found, is_new] = shape_numbers_.try_emplace(hops, static_cast<std::uint32_t>(shapes_.size()));
  if (is_new) {
    shapes_.push_back(&found->first);
  }
  return found->second;
}

Result<void> FlowNetwork::learn(PairIndex index, Use use) {
  Pair& pair = pairs_[index];
  const bool knows = pair.flow.is_valid() && pair.paths == paths_;
  if (pair.shape != kUnknown && (use == Use::kAnswers || knows || pair.streaming)) {
    return {};
  }
  if (pair.peer == kNoPair) {
    pair.peer = find(pair.attributes.address.destination, pair.attributes.destination_qpn);
    if (pair.peer == kNoPair) {
      return fail("queue pair {:#x}: its peer {:#x} does not exist", pair.number.value(),
                  pair.attributes.destination_qpn.value());
    }
  }
  Result<Route> route = route_of(pair);
  if (!route) {
    return pass_on(route);
  }
  pair.shape = shape_of(route->hops);
  pair.kind = route->kind;
  if (corrections_.flow_backlog > Bytes::zero()) {
    pair.links.assign(route->links.begin(), route->links.begin() + static_cast<std::ptrdiff_t>(route->queues));
  }
  if (use == Use::kCarries) {
    std::vector<LinkUse> answers;
    if (route->answer_share > kLeastAnswers) {
      Result<Route> back = route_of(pairs_[pair.peer]);
      if (!back) {
        return pass_on(back);
      }
      answers = std::move(back->links);
      for (LinkUse& use_of : answers) {
        use_of.part *= static_cast<float>(route->answer_share);
      }
    }
    pair.paths = paths_;
    if (pair.flow.is_valid()) {
      transfers_.set_path(pair.flow, route->links, answers);
    } else {
      pair.flow = transfers_.add_class(route->links, {.cap = route->cap}, answers);
    }
    if (corrections_.start_window > Bytes::zero() && route->round_trip > Duration::zero()) {
      pair.round_trip = route->round_trip;
      pair.fastest = route->cap;
      for (const LinkUse& link : route->links) {
        pair.fastest =
            std::min(pair.fastest, transfers_.shares().capacities()[link.link] / static_cast<double>(link.part));
      }
    }
  }
  return {};
}

std::uint32_t FlowNetwork::profile_of(const Pair& pair) {
  const Pair& peer = pairs_[pair.peer];
  const std::array<std::uint32_t, 5> name{pair.shape, peer.shape, pair.kind, peer.kind,
                                          static_cast<std::uint32_t>(pair.attributes.path_mtu)};
  return profiles_.try_emplace(name, static_cast<std::uint32_t>(profiles_.size())).first->second;
}

FlowNetwork::Timing FlowNetwork::make_timing(const Pair& pair, WrOpcode opcode, std::uint32_t bytes) {
  const MessageQuery query{.from = pair.device->endpoint(),
                           .to = pair.attributes.address.destination,
                           .opcode = opcode,
                           .size = Bytes(bytes),
                           .path_mtu = pair.attributes.path_mtu};
  const MessagePackets packets = medium_.packets_of(query);
  const HostStages stages = medium_.stages_of(query);
  const bool reads = opcode == WrOpcode::kRdmaRead;
  const std::vector<Hop>& there = *shapes_[pair.shape];
  const std::vector<Hop>& back = *shapes_[pairs_[pair.peer].shape];
  const std::vector<Hop>& data = reads ? back : there;
  return {.bits = static_cast<double>(packets.data.count()) * 8,
          .before_wire = stages.before_wire,
          // What has no payload takes no share of a link.
          .tail = bytes == 0 ? packet_time(data, packets.last) : tail_time(data, packets),
          .back = packet_time(reads ? there : back, packets.other),
          .completion = stages.completion,
          .arrival = stages.arrival};
}

FlowNetwork::Timing FlowNetwork::timing_of(PairIndex index, WrOpcode opcode, std::uint32_t bytes) {
  Pair& pair = pairs_[index];
  if (pair.profile == kUnknown) {
    pair.profile = profile_of(pair);
  }
  constexpr int kOpcodeBits = 4;
  constexpr int kSizeBits = 32;
  const std::uint64_t key = (std::uint64_t{pair.profile} << (kOpcodeBits + kSizeBits)) |
                            (static_cast<std::uint64_t>(opcode) << kSizeBits) | bytes;
  if (const auto known = timings_.find(key); known != timings_.end()) {
    return known->second;
  }
  const Timing made = make_timing(pair, opcode, bytes);
  if (timings_.size() < kTimingsKept) {
    timings_.emplace(key, made);
  }
  return made;
}

Result<void> FlowNetwork::post_send(PairIndex index, const verbs::SendWr& request) {
  Pair& pair = pairs_[index];
  if (pair.attributes.state != verbs::QpState::kRts) {
    return fail("post_send: the queue pair is in {}; it must be in RTS", verbs::to_string(pair.attributes.state));
  }
  if (pair.requests.size() >= pair.init.max_send_wr) {
    return fail("post_send: the send queue is full: it holds max_send_wr = {} requests", pair.init.max_send_wr);
  }
  if ((pair.device->query_device().rc_opcodes & verbs::mask_of(request.opcode)) == 0) {
    return fail("post_send: the queue pair does not offer this operation");
  }
  std::uint64_t total = 0;
  for (const verbs::Sge& element : request.sg_list) {
    total += element.length;
  }
  if (total > kMaxMessage) {
    return fail("post_send: a message of {} bytes; at most 2^31", total);
  }
  const bool reads = request.opcode == WrOpcode::kRdmaRead;
  if (Result<void> known = learn(index, reads ? Use::kAnswers : Use::kCarries); !known) {
    return known;
  }
  if (Result<void> known = learn(pair.peer, reads ? Use::kCarries : Use::kAnswers); !known) {
    return known;
  }
  const auto bytes = static_cast<std::uint32_t>(total);
  const bool signalled = pair.init.sq_sig_all || (request.send_flags & verbs::kSendSignaled) != 0;
  pair.requests.push_back({.wr_id = request.wr_id,
                           .bytes = bytes,
                           .immediate = request.imm_data,
                           .opcode = request.opcode,
                           .signalled = signalled});
  const Duration before = timing_of(index, request.opcode, bytes).before_wire;
  const Time at = later(now_ + before, pair.last_ready);
  pair.last_ready = at;
  if (at > now_) {
    schedule(at, EventKind::kReady, index);
    return {};
  }
  ++pair.ready;
  pump(index);
  return {};
}

Result<void> FlowNetwork::post_recv(PairIndex index, const verbs::RecvWr& request) {
  Pair& pair = pairs_[index];
  if (pair.attributes.state == verbs::QpState::kReset) {
    return fail("post_recv: the queue pair is in RESET");
  }
  if (pair.receives.size() >= pair.init.max_recv_wr) {
    return fail("post_recv: the receive queue is full: it holds max_recv_wr = {} requests", pair.init.max_recv_wr);
  }
  pair.receives.push_back(request.wr_id);
  take_arrival(index);
  return {};
}

void FlowNetwork::stream(PairIndex index, double bits, const Transfers::Finished* before) {
  Pair& pair = pairs_[index];
  pair.streaming = true;
  if (const Duration idle = start_wait(pair, bits); idle > Duration::zero()) {
    pair.waiting = bits;
    schedule(now_ + idle, EventKind::kBegin, index);
  } else if (before != nullptr) {
    transfers_.follow(*before, bits);
  } else {
    begin(index, bits);
  }
}

void FlowNetwork::begin(PairIndex index, double bits) {
  const Pair& pair = pairs_[index];
  const QueueWait queued = queue_wait(pair);
  if (queued.time <= Duration::zero()) {
    return transfers_.begin(pair.flow, index, bits, now_);
  }
  transfers_.wait({.flows = pair.flow, .link = queued.link, .bits = bits, .since = now_});
  schedule(now_ + queued.time, EventKind::kQueued, index);
}

FlowNetwork::QueueWait FlowNetwork::queue_wait(const Pair& pair) {
  double seconds = 0;
  double longest = 0;
  QueueWait wait;
  for (const LinkUse& use : pair.links) {
    const double capacity = transfers_.shares().capacities()[use.link];
    if (capacity <= 0) {
      continue;
    }
    // A packet takes one of the links that its flow loads in parts.
    const double part = std::min(1.0, static_cast<double>(use.part));
    const double here = part * transfers_.queued_at(use.link, now_) / capacity;
    seconds += here;
    if (here > longest) {
      longest = here;
      wait.link = use.link;
    }
  }
  wait.time = duration_of(seconds);
  return wait;
}

Duration FlowNetwork::start_wait(Pair& pair, double bits) const {
  if (pair.round_trip <= Duration::zero()) {
    return {};
  }
  const double growth = corrections_.window_growth;
  const double window = bits_of(corrections_.start_window) + (growth - 1) * pair.put_out;
  pair.put_out += bits;
  return window_wait({.window = window, .growth = growth, .rate = pair.fastest, .round_trip = pair.round_trip}, bits);
}

void FlowNetwork::pump(PairIndex index, const Transfers::Finished* before) {
  Pair& pair = pairs_[index];
  while (!pair.streaming) {
    if (!pair.answers_due.empty()) {
      pair.answer = pair.answers_due.pop_front();
      pair.answers = true;
      return stream(index, timing_of(pair.peer, WrOpcode::kRdmaRead, pair.answer).bits, before);
    }
    if (pair.sent == pair.ready) {
      return;
    }
    const Request& request = pair.requests[pair.sent];
    if (request.opcode == WrOpcode::kRdmaRead) {
      if (pair.reads >= pair.attributes.max_rd_atomic) {
        return;
      }
      ++pair.reads;
      ++pair.sent;
      pairs_[pair.peer].reads_coming.push_back(request.bytes);
      schedule(now_ + timing_of(index, request.opcode, request.bytes).back, EventKind::kReadRequest, pair.peer);
      continue;
    }
    const Timing timing = timing_of(index, request.opcode, request.bytes);
    if (request.bytes == 0) {
      ++pair.sent;
      deliver(index, request, timing);
      continue;
    }
    pair.answers = false;
    return stream(index, timing.bits, before);
  }
}

void FlowNetwork::on_drained(const Transfers::Finished& finished) {
  const PairIndex index = finished.owner;
  Pair& pair = pairs_[index];
  pair.streaming = false;
  if (pair.answers) {
    const Timing timing = timing_of(pair.peer, WrOpcode::kRdmaRead, pair.answer);
    pair.last_arrival = later(now_ + timing.tail, pair.last_arrival);
    schedule(pair.last_arrival + timing.completion, EventKind::kReadCompletion, pair.peer);
  } else {
    const Request request = pair.requests[pair.sent];
    ++pair.sent;
    deliver(index, request, timing_of(index, request.opcode, request.bytes));
  }
  pump(index, &finished);
}

void FlowNetwork::deliver(PairIndex index, const Request& request, const Timing& timing) {
  Pair& pair = pairs_[index];
  pair.last_arrival = later(now_ + timing.tail, pair.last_arrival);
  // It is still on its way; what stands before its acknowledgement then is not known yet.
  const Duration queued = corrections_.answer_wait > 0
                              ? duration_of(queue_wait(pairs_[pair.peer]).time.seconds() * corrections_.answer_wait)
                              : Duration::zero();
  const Duration to_completion = timing.back + timing.completion + queued;
  if (!takes_receive(request.opcode)) {
    return complete_at(index, pair.last_arrival + to_completion);
  }
  pairs_[pair.peer].arrivals.push_back({.bytes = request.bytes,
                                        .immediate = request.immediate,
                                        .opcode = request.opcode,
                                        .to_completion = to_completion - timing.arrival});
  schedule(pair.last_arrival + timing.arrival, EventKind::kArrival, pair.peer);
}

void FlowNetwork::take_arrival(PairIndex index) {
  Pair& pair = pairs_[index];
  while (pair.early > 0 && !pair.receives.empty()) {
    --pair.early;
    const Arrival arrival = pair.arrivals.pop_front();
    const bool writes = arrival.opcode == WrOpcode::kRdmaWriteWithImm;
    push(pair, pair.init.recv_cq,
         {.wr_id = pair.receives.pop_front(),
          .qp_num = pair.number,
          .byte_len = arrival.bytes,
          .imm_data = arrival.immediate,
          .opcode = writes ? verbs::WcOpcode::kRecvRdmaWithImm : verbs::WcOpcode::kRecv,
          .wc_flags = static_cast<std::uint8_t>(has_immediate(arrival.opcode) ? verbs::kWcWithImm : 0)});
    complete_at(pair.peer, now_ + std::max(arrival.to_completion, Duration::zero()));
  }
}

void FlowNetwork::complete_at(PairIndex index, Time at) {
  Pair& pair = pairs_[index];
  pair.last_completion = later(at, pair.last_completion);
  schedule(pair.last_completion, EventKind::kCompletion, index);
}

// Requests complete in order: what has been acknowledged behind a READ waits for it.
void FlowNetwork::on_completion(PairIndex index, bool of_read) {
  Pair& pair = pairs_[index];
  for (std::uint32_t i = 0;; ++i) {
    WEFT_ASSERT(i < pair.sent);
    Request& request = pair.requests[i];
    if (!request.done && (request.opcode == WrOpcode::kRdmaRead) == of_read) {
      request.done = true;
      break;
    }
  }
  while (!pair.requests.empty() && pair.requests[0].done) {
    const Request request = pair.requests.pop_front();
    --pair.sent;
    --pair.ready;
    if (request.signalled) {
      push(pair, pair.init.send_cq,
           {.wr_id = request.wr_id,
            .qp_num = pair.number,
            .byte_len = request.opcode == WrOpcode::kRdmaRead ? request.bytes : 0,
            .opcode = completed(request.opcode)});
    }
  }
  if (of_read) {
    --pair.reads;
    pump(index);
  }
}

void FlowNetwork::push(Pair& pair, verbs::CqHandle cq, const verbs::WorkCompletion& completion) {
  verbs::CompletionQueue* const queue = pair.device->context().find_cq(cq);
  if (queue == nullptr || !queue->push(completion)) {
    return fail_with(Error{.message = "a completion queue has overflowed"});
  }
  mark(pair.device->machine());
}

}  // namespace weft::flow
