#include "workload/collective/engine.h"

#include <algorithm>
#include <cstring>

#include "base/format_quantity.h"
#include "workload/collective/choice.h"
#include "workload/collective/combine.h"

namespace weft::workload {
namespace {

/// Tokens of messages, and names of reductions: the operation, its lane, and the reduction's number in the lane.
constexpr std::uint64_t kLaneBits = 16;
constexpr std::uint64_t kNumberBits = 16;

/// Asks the reducers of the own scale-up domain, if any.
constexpr bool works_in_domains(CollectiveAlgorithm algorithm) {
  return algorithm == CollectiveAlgorithm::kHierarchical || algorithm == CollectiveAlgorithm::kNvlsTree;
}

constexpr std::uint64_t token_of(std::uint64_t operation, std::uint32_t lane) { return operation << kLaneBits | lane; }

Bytes bytes_of(std::uint64_t size) { return Bytes(static_cast<std::int64_t>(size)); }

}  // namespace

Result<std::unique_ptr<CollectiveEngine>> CollectiveEngine::make(Messenger& messenger,
                                                                 const CollectiveEngineOptions& options) {
  if (auto right = check_options(options.collectives); !right)
    return pass_on(right);
  if (options.layout == nullptr || options.rank.value() >= options.layout->size())
    return fail("collectives: rank {} is not in the job's layout", options.rank.value());
  if (messenger.ports().memory().bytes != nullptr && !can_combine(options.collectives.data_type))
    return fail("collectives: real bytes of type {} are not added up by ranks",
                to_string(options.collectives.data_type));
  std::unique_ptr<CollectiveEngine> engine(new CollectiveEngine(messenger, options));
  if (auto started = messenger.start(options.job); !started)
    return pass_on(started);
  return engine;
}

CollectiveEngine::CollectiveEngine(Messenger& messenger, const CollectiveEngineOptions& options)
    : messenger_(messenger),
      options_(options),
      communicators_({.rank = options.rank,
                      .layout = options.layout,
                      .collectives = options.collectives,
                      .areas = MemoryAreas::of(messenger.ports().memory().length),
                      .directory = options.directory}),
      edges_(messenger, communicators_, options.job),
      groups_(messenger, communicators_, options.job) {}

Result<CommunicatorId> CollectiveEngine::add(const Communicator& communicator) {
  return communicators_.add(communicator);
}

CollectiveEngine::QueueName CollectiveEngine::queue_of(const CollectiveRequest& request) {
  if (request.kind == CollectiveKind::kSend || request.kind == CollectiveKind::kReceive)
    return {request.communicator, request.kind, request.peer};
  return {request.communicator, CollectiveKind::kAllReduce, MemberIndex(0)};
}

LaneContext CollectiveEngine::context_of(const CollectiveRequest& request) const {
  const CommunicatorEntry& entry = communicators_.at(request.communicator);
  const CollectiveOptions& options = options_.collectives;
  LaneContext context{.request = request,
                      .self = *entry.self,
                      .layout = entry.layout,
                      .options = &options,
                      .channels = channels_of(request.algorithm, *entry.layout, options),
                      .pair_slot = entry.pair_slot(),
                      .chunk = options.chunk};
  const bool in_domain = works_in_domains(request.algorithm);
  const bool in_network = request.algorithm == CollectiveAlgorithm::kHierarchical
                              ? options.domain_reduction == DomainReduction::kInNetwork
                              : in_domain || request.algorithm == CollectiveAlgorithm::kInNetwork;
  if (!in_network)
    return context;
  const auto extent = in_domain ? GroupExtent::kDomain : GroupExtent::kCommunicator;
  if (const auto limits = groups_.limits({request.communicator, extent, 0}); limits) {
    context.reducer = *limits;
    context.chunk = reduction_piece(options, *limits);
  }
  return context;
}

Result<CollectiveRequest> CollectiveEngine::checked(const CollectiveRequest& request) const {
  if (request.communicator.value() >= communicators_.size())
    return fail("{}: no such communicator", to_string(request.kind));
  const std::string where =
      fmt::format("{} on '{}'", to_string(request.kind), communicators_.definition(request.communicator).name);
  if (!communicators_.is_member(request.communicator))
    return fail("{}: rank {} is not a member", where, options_.rank.value());
  const CommunicatorEntry& entry = communicators_.at(request.communicator);
  const bool rooted = request.kind == CollectiveKind::kBroadcast || request.kind == CollectiveKind::kReduce;
  if (rooted && request.root.value() >= entry.size())
    return fail("{}: root {} of {} members", where, request.root.value(), entry.size());
  const bool paired = request.kind == CollectiveKind::kSend || request.kind == CollectiveKind::kReceive;
  if (paired && (request.peer.value() >= entry.size() || request.peer == *entry.self))
    return fail("{}: peer {} of {} members, of which this rank is number {}", where, request.peer.value(), entry.size(),
                entry.self->value());
  if (request.size < Bytes::zero() || static_cast<std::uint64_t>(request.size.count()) > areas().room())
    return fail("{}: {}, where a rank's memory has room for {}", where, request.size, bytes_of(areas().room()));
  const Bytes element = options_.collectives.element;
  if (reduces(request.kind) && request.size % element != Bytes::zero())
    return fail("{}: {}, which is not a whole number of elements of {}", where, request.size, element);
  CollectiveRequest resolved = request;
  if (paired)
    resolved.algorithm = CollectiveAlgorithm::kDirect;
  if (resolved.algorithm == CollectiveAlgorithm::kAutomatic)
    resolved.algorithm = choose(resolved);
  // Between rails that the network does not join, parts go over the scale-up links to the GPU whose rail leads there.
  const bool to_all = request.kind == CollectiveKind::kAllToAll && resolved.algorithm == CollectiveAlgorithm::kDirect;
  if (to_all && entry.layout->reach() == Reach::kSamePlaces)
    resolved.algorithm = CollectiveAlgorithm::kHierarchical;
  if (auto able = check_algorithm(context_of(resolved), resolved.algorithm); !able)
    return fail("{}: {}", where, able.error().message);
  if (auto room = has_groups_left(resolved); !room)
    return fail("{}: in-network reduction: {}", where, room.error().message);
  return resolved;
}

Result<void> CollectiveEngine::has_groups_left(const CollectiveRequest& request) const {
  const CommunicatorEntry& entry = communicators_.at(request.communicator);
  if (request.algorithm != CollectiveAlgorithm::kInNetwork || entry.size() == 1)
    return {};
  return groups_.reserve(request.communicator, channels_of(request.algorithm, *entry.layout, options_.collectives));
}

Result<void> CollectiveEngine::check(const CollectiveRequest& request) const {
  if (auto resolved = checked(request); !resolved)
    return pass_on(resolved);
  return {};
}

CollectiveAlgorithm CollectiveEngine::choose(CollectiveRequest request) const {
  request.algorithm = options_.collectives.algorithm;
  if (request.algorithm != CollectiveAlgorithm::kAutomatic && check_algorithm(context_of(request), request.algorithm) &&
      has_groups_left(request))
    return request.algorithm;
  const TierModels tiers = tier_models(messenger_.ports().machine().rails());
  std::vector<std::pair<Duration, CollectiveAlgorithm>> able;
  for (std::size_t i = 1; i < kCollectiveAlgorithms; ++i) {
    request.algorithm = static_cast<CollectiveAlgorithm>(i);
    const LaneContext context = context_of(request);
    if (is_chosen_by_name(request.kind, request.algorithm) || !check_algorithm(context, request.algorithm))
      continue;
    able.emplace_back(estimate(context, request.algorithm, tiers), request.algorithm);
  }
  // A ring, which has most steps, has to be the faster one by a percent. Reducers are asked for groups when they would
  // be taken, since what they keep is lost to others.
  std::ranges::stable_sort(
      able, {}, [](const auto& one) { return one.first * (one.second == CollectiveAlgorithm::kRing ? 101 : 100); });
  const auto chosen = std::ranges::find_if(able, [&](const auto& one) {
    request.algorithm = one.second;
    return has_groups_left(request).has_value();
  });
  return chosen == able.end() ? CollectiveAlgorithm::kDirect : chosen->second;
}

std::uint32_t CollectiveEngine::ring_steps(const CollectiveRequest& request) const {
  return ring_steps_of(request.kind, request.algorithm, *communicators_.at(request.communicator).layout);
}

Result<void> CollectiveEngine::begin(const CollectiveRequest& request) {
  auto resolved = checked(request);
  if (!resolved)
    return pass_on(resolved);
  const OperationId id = next_id_++;
  operations_[id].request = *resolved;
  Ring<OperationId>& queue = queues_[queue_of(*resolved)];
  queue.push_back(id);
  if (queue.size() > 1)
    return {};
  if (auto launched = launch(id, operations_[id]); !launched)
    return launched;
  return run();
}

Result<void> CollectiveEngine::launch(OperationId id, Operation& operation) {
  operation.launched = true;
  operation.started = messenger_.now();
  operation.first_action = operation.started + options_.collectives.costs.launch;
  Lanes lanes;
  LaneContext context = context_of(operation.request);
  context.rounds_skipped = &operation.rounds_skipped;
  operation.piece = context.chunk;
  operation.lanes_to_switch = operation.request.algorithm == CollectiveAlgorithm::kNvlsTree ? context.channels : 1;
  add_lanes(context, operation.request.algorithm, lanes);
  if (auto made = make_groups(context); !made)
    return made;
  if (options_.collectives.clear_to_send)
    count_incoming(context, operation);
  for (Lane& lane : lanes.take())
    operation.lanes.emplace_back(std::move(lane));
  operation.lanes_left = operation.lanes.size();
  WEFT_ASSERT(operation.lanes.size() < (std::uint64_t{1} << kLaneBits) && id < (std::uint64_t{1} << 30));
  wake_at(operation.first_action);
  return {};
}

// Lanes are made as they run, so others are run through to see what they take.
void CollectiveEngine::count_incoming(const LaneContext& context, Operation& operation) {
  Lanes lanes;
  add_lanes(context, operation.request.algorithm, lanes);
  for (Lane& lane : lanes.take()) {
    while (const std::optional<Action> action = lane.next()) {
      if (action->kind != Action::Kind::kReceive && action->kind != Action::Kind::kReduce)
        continue;
      const EdgeId edge = edges_.find({operation.request.communicator, action->peer, action->slot});
      if (edges_.needs_clearing(edge))
        ++operation.to_clear[edge];
    }
  }
}

Result<void> CollectiveEngine::clear_senders(Operation& operation) {
  for (const auto& [edge, chunks] : operation.to_clear) {
    if (auto cleared = edges_.expect(edge, chunks); !cleared)
      return cleared;
  }
  operation.to_clear.clear();
  return {};
}

// Groups over the same members are told apart by the order in which each creates them, which must not hang on which of
// its lanes gets on first.
Result<void> CollectiveEngine::make_groups(const LaneContext& context) {
  if (context.request.algorithm != CollectiveAlgorithm::kNvlsTree || context.layout->largest_group() == 1)
    return {};
  for (std::uint32_t group = 0; group < 2 * context.channels; ++group) {
    if (auto made = groups_.find({context.request.communicator, GroupExtent::kDomain, group}); !made)
      return pass_on(made);
  }
  return {};
}

void CollectiveEngine::wake_at(Time at) {
  if (at > messenger_.now())
    messenger_.ports().machine().set_timer({.at = at, .token = kCollectiveTokens});
}

// A timer says no more than that it may be time; on_completions looks.
Result<void> CollectiveEngine::on_machine_event(const verbs::MachineEvent&) { return {}; }

Result<void> CollectiveEngine::on_completions() {
  if (auto polled = messenger_.poll(*this); !polled)
    return polled;
  return run();
}

Result<void> CollectiveEngine::run() {
  if (auto posted = post_delayed(); !posted)
    return posted;
  for (bool again = true; again;) {
    again = false;
    for (auto next = operations_.begin(); next != operations_.end();) {
      const auto [id, operation] = std::tie(next->first, next->second);
      ++next;
      if (!operation.launched || operation.first_action > messenger_.now())
        continue;
      if (auto cleared = clear_senders(operation); !cleared)
        return cleared;
      auto progress = run(id, operation);
      if (!progress)
        return pass_on(progress);
      if (operation.lanes_left == 0 && operation.outstanding == 0) {
        if (auto ended = end(id); !ended)
          return ended;
        again = true;
      }
    }
  }
  return {};
}

Result<bool> CollectiveEngine::run(OperationId id, Operation& operation) {
  bool any = false;
  for (bool again = true; again;) {
    again = false;
    for (std::uint32_t lane = 0; lane < operation.lanes.size(); ++lane) {
      auto progress = run(id, operation, lane);
      if (!progress)
        return progress;
      again |= *progress;
    }
    any |= again;
  }
  return any;
}

Result<bool> CollectiveEngine::run(OperationId id, Operation& operation, std::uint32_t index) {
  LaneState& lane = operation.lanes[index];
  bool any = false;
  for (;; any = true) {
    if (lane.ended || lane.busy_until > messenger_.now())
      return any;
    if (!lane.working) {
      if (!lane.current && !load(operation, lane))
        return true;  // the end lets others go on
      if (!may_start(operation, lane))
        return any;
      if (lane.current->kind == Action::Kind::kSend)
        edges_.reserve_credit(lane.edge);
      lane.working = true;
      if (const Duration time = time_of(operation, lane); time > Duration::zero()) {
        lane.busy_until = messenger_.now() + time;
        wake_at(lane.busy_until);
        continue;
      }
    }
    lane.working = false;
    if (auto finished = finish_action(id, operation, index); !finished)
      return pass_on(finished);
  }
}

bool CollectiveEngine::load(Operation& operation, LaneState& lane) {
  lane.current = lane.lane.next();
  if (!lane.current) {
    lane.ended = true;
    --operation.lanes_left;
    return false;
  }
  const std::uint64_t rounds_left = lane.current->rounds_left;
  lane.place = rounds_left == lane.rounds_left ? lane.place + 1 : 0;
  lane.rounds_left = rounds_left;
  const Action::Kind kind = lane.current->kind;
  if (kind == Action::Kind::kSend || kind == Action::Kind::kReceive || kind == Action::Kind::kReduce)
    lane.edge = edges_.hold({operation.request.communicator, lane.current->peer, lane.current->slot});
  return true;
}

bool CollectiveEngine::may_start(const Operation& operation, const LaneState& lane) const {
  for (const Dependency& dependency : lane.current->after) {
    if (dependency.mark == 0)
      continue;
    const LaneState& other = operation.lanes[dependency.lane];
    const bool over = other.ended && other.reductions.empty();
    if (!over && other.progress < dependency.mark)
      return false;
  }
  const CollectiveOptions& options = options_.collectives;
  const bool split = options.queue_pair_use == QueuePairUse::kSplit;
  switch (lane.current->kind) {
    case Action::Kind::kSend:
      return lane.outstanding < options.in_flight * (split ? options.queue_pairs : 1) && edges_.may_send(lane.edge);
    case Action::Kind::kReceive:
    case Action::Kind::kReduce:
      return edges_.has_arrived(lane.edge);
    case Action::Kind::kReduceInNetwork:
    case Action::Kind::kShareInNetwork:
      return lane.outstanding < reductions_in_flight(options, operation.piece);
    case Action::Kind::kCopy:
    case Action::Kind::kMark:
      break;
  }
  return true;
}

const TierCosts& CollectiveEngine::costs(EdgeId edge) const {
  const CollectiveCosts& costs = options_.collectives.costs;
  return edges_.over_scale_up(edge) ? costs.scale_up : costs.scale_out;
}

std::optional<Rate> CollectiveEngine::rate_to_reducers(CollectiveAlgorithm algorithm) const {
  const CollectiveCosts& costs = options_.collectives.costs;
  const bool joins_domains = algorithm == CollectiveAlgorithm::kNvlsTree && costs.in_network_tree_rate;
  return joins_domains ? costs.in_network_tree_rate : costs.in_network.lane_rate;
}

Duration CollectiveEngine::time_of(const Operation& operation, const LaneState& lane) const {
  const Action& action = *lane.current;
  const Bytes size = bytes_of(action.extent.size);
  const auto at = [size](const std::optional<Rate>& rate) {
    return rate ? rate->transmit_time(size) : Duration::zero();
  };
  switch (action.kind) {
    case Action::Kind::kSend:
      return at(costs(lane.edge).lane_rate);
    case Action::Kind::kReduce:
      return at(options_.collectives.reduce_rate);
    case Action::Kind::kShareInNetwork:
      if (action.peer != *communicators_.at(operation.request.communicator).self)
        break;  // another's vector
      [[fallthrough]];
    case Action::Kind::kReduceInNetwork:
      return at(rate_to_reducers(operation.request.algorithm)) * operation.lanes_to_switch;
    case Action::Kind::kReceive:
    case Action::Kind::kCopy:
    case Action::Kind::kMark:
      break;
  }
  return Duration::zero();
}

std::uint64_t CollectiveEngine::place_of(const Action& action) const {
  return areas().offset(action.buffer) + action.extent.offset;
}

Result<void> CollectiveEngine::finish_action(OperationId id, Operation& operation, std::uint32_t index) {
  LaneState& lane = operation.lanes[index];
  Result<void> done{};
  std::uint64_t mark = lane.current->mark;
  switch (lane.current->kind) {
    case Action::Kind::kSend:
      done = send(id, operation, index);
      edges_.release(lane.edge);
      break;
    case Action::Kind::kReceive:
    case Action::Kind::kReduce:
      take_bytes(lane);
      done = edges_.take(lane.edge);
      edges_.release(lane.edge);
      break;
    case Action::Kind::kReduceInNetwork:
    case Action::Kind::kShareInNetwork:
      done = reduce_in_network(id, operation, index);
      mark = 0;  // comes with the completion
      break;
    case Action::Kind::kCopy:
      take_bytes(lane);
      break;
    case Action::Kind::kMark:
      break;
  }
  lane.progress = std::max(lane.progress, mark);
  lane.current.reset();
  return done;
}

void CollectiveEngine::take_bytes(const LaneState& lane) {
  std::byte* const memory = messenger_.ports().memory().bytes;
  if (memory == nullptr)
    return;
  const Action& action = *lane.current;
  const bool copies = action.kind == Action::Kind::kCopy;
  const std::byte* const from = memory + (copies ? areas().data + action.extent.offset : edges_.head(lane.edge));
  std::byte* const to = memory + (copies ? areas().offset(action.buffer) + action.to : place_of(action));
  if (action.kind == Action::Kind::kReduce)
    combine(options_.collectives.data_type, options_.collectives.operation,
            {.target = {to, action.extent.size}, .source = {from, action.extent.size}});
  else if (to != from)
    std::memcpy(to, from, action.extent.size);
}

Result<void> CollectiveEngine::send(OperationId id, Operation& operation, std::uint32_t index) {
  LaneState& lane = operation.lanes[index];
  const CollectiveOptions& options = options_.collectives;
  const std::uint32_t messages = options.queue_pair_use == QueuePairUse::kSplit ? options.queue_pairs : 1;
  lane.outstanding += messages;
  operation.outstanding += messages;
  const EdgeTable::Chunk chunk{
      .offset = place_of(*lane.current), .size = bytes_of(lane.current->extent.size), .token = token_of(id, index)};
  const Duration delay = costs(lane.edge).message;
  if (delay == Duration::zero())
    return post(lane.edge, chunk);
  const Time at = messenger_.now() + delay;
  delayed_[edges_.over_scale_up(lane.edge) ? 1 : 0].push_back({.at = at, .edge = lane.edge, .chunk = chunk});
  wake_at(at);
  return {};
}

Result<void> CollectiveEngine::post(EdgeId edge, const EdgeTable::Chunk& chunk) {
  sent_[edges_.over_scale_up(edge) ? 1 : 0] += chunk.size;
  auto sent = edges_.send(edge, chunk);
  if (!sent)
    return pass_on(sent);
  return {};
}

Result<void> CollectiveEngine::post_delayed() {
  for (Ring<Delayed>& queue : delayed_) {
    while (!queue.empty() && queue.front().at <= messenger_.now()) {
      const Delayed due = queue.pop_front();
      if (auto posted = post(due.edge, due.chunk); !posted)
        return posted;
    }
  }
  return {};
}

Result<void> CollectiveEngine::reduce_in_network(OperationId id, Operation& operation, std::uint32_t index) {
  LaneState& lane = operation.lanes[index];
  const Action& action = *lane.current;
  const bool domain = works_in_domains(operation.request.algorithm);
  auto group = groups_.find({operation.request.communicator, domain ? GroupExtent::kDomain : GroupExtent::kCommunicator,
                             action.slot / kSlotsPerChannel});
  if (!group)
    return pass_on(group);
  const verbs::Sge element{.address = messenger_.ports().memory().address + place_of(action),
                           .length = static_cast<std::uint32_t>(action.extent.size),
                           .lkey = group->key};
  const std::uint64_t number = lane.first_reduction + lane.reductions.size();
  const std::uint64_t name = token_of(id, index) << kNumberBits | (number & ((std::uint64_t{1} << kNumberBits) - 1));
  verbs::ReduceWr request{.wr_id = Messenger::kGroupRequests | name,
                          .source = element,
                          .destination = element,
                          .data_type = options_.collectives.data_type,
                          .operation = options_.collectives.operation};
  const CommunicatorEntry& entry = communicators_.at(operation.request.communicator);
  const bool shares = action.kind == Action::Kind::kShareInNetwork;
  if (action.peer.is_valid())
    (shares ? request.broadcast_from : request.root) =
        verbs::GroupRank(domain ? entry.layout->local_of(action.peer) : action.peer.value());
  if (!shares || action.peer == *entry.self)
    sent_[group->scale_up ? 1 : 0] += bytes_of(action.extent.size);
  lane.reductions.push_back({.mark = action.mark, .done = false});
  ++lane.outstanding;
  ++operation.outstanding;
  return group->provider->post_reduce(group->handle, request);
}

Result<void> CollectiveEngine::on_reduced(std::uint64_t wr_id, verbs::WcStatus status) {
  const std::uint64_t name = wr_id & ~Messenger::kGroupRequests;
  const std::uint64_t token = name >> kNumberBits;
  const auto found = operations_.find(token >> kLaneBits);
  WEFT_ASSERT(found != operations_.end());
  Operation& operation = found->second;
  if (status != verbs::WcStatus::kSuccess)
    return fail("{} on '{}': rank {}: the network's reduction failed: {}", to_string(operation.request.kind),
                communicator(operation.request.communicator).name, options_.rank.value(), verbs::to_string(status));
  LaneState& lane = operation.lanes[token & ((std::uint64_t{1} << kLaneBits) - 1)];
  const std::uint64_t place = (name - lane.first_reduction) & ((std::uint64_t{1} << kNumberBits) - 1);
  lane.reductions[static_cast<std::uint32_t>(place)].done = true;
  while (!lane.reductions.empty() && lane.reductions.front().done) {
    lane.progress = std::max(lane.progress, lane.reductions.pop_front().mark);
    ++lane.first_reduction;
  }
  --lane.outstanding;
  --operation.outstanding;
  return {};
}

Result<void> CollectiveEngine::on_sent(const Message& message, verbs::WcStatus status) {
  if (status != verbs::WcStatus::kSuccess)
    return fail("collectives: rank {}: a message to rank {} failed: {}", options_.rank.value(),
                message.flow.destination.value(), verbs::to_string(status));
  if (message.token == EdgeTable::kCreditToken)
    return {};
  const auto found = operations_.find(message.token >> kLaneBits);
  WEFT_ASSERT(found != operations_.end());
  --found->second.outstanding;
  --found->second.lanes[message.token & ((std::uint64_t{1} << kLaneBits) - 1)].outstanding;
  return {};
}

Result<void> CollectiveEngine::on_arrived(const Arrival& arrival) {
  edges_.on_arrived(arrival);
  return {};
}

Result<void> CollectiveEngine::end(OperationId id) {
  const auto found = operations_.find(id);
  const Operation& operation = found->second;
  finished_.push_back({.token = operation.request.token, .started = operation.started, .finished = messenger_.now()});
  Ring<OperationId>& queue = queues_[queue_of(operation.request)];
  queue.pop_front();
  operations_.erase(found);
  if (queue.empty())
    return {};
  return launch(queue.front(), operations_.at(queue.front()));
}

std::size_t CollectiveEngine::take_finished(std::span<CollectiveFinished> out) {
  std::size_t moved = 0;
  while (moved < out.size() && !finished_.empty())
    out[moved++] = finished_.pop_front();
  return moved;
}

}  // namespace weft::workload
