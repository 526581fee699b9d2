#include "workload/local_connector.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "workload/source_port.h"

namespace weft::workload {
namespace {

using verbs::QpState;

constexpr verbs::QpAttributeMask kToInit = verbs::kQpPkeyIndex | verbs::kQpPort | verbs::kQpAccessFlags;
constexpr verbs::QpAttributeMask kToRtr = verbs::kQpAv | verbs::kQpPathMtu | verbs::kQpDestQpn | verbs::kQpRqPsn |
                                          verbs::kQpMaxDestRdAtomic | verbs::kQpMinRnrTimer;
constexpr verbs::QpAttributeMask kToRts =
    verbs::kQpSqPsn | verbs::kQpTimeout | verbs::kQpRetryCnt | verbs::kQpRnrRetry | verbs::kQpMaxQpRdAtomic;

ConnectionRequest reversed(const ConnectionRequest& name) {
  return {
      .from = name.to, .to = name.from, .rail = name.remote_rail, .remote_rail = name.rail, .channel = name.channel};
}

Result<Qpn> create_queue_pair(const ConnectionEnd& end, std::size_t index) {
  const RailPort& port = end.port_of(index);
  return port.provider->create_qp({.type = verbs::QpType::kRc,
                                   .pd = port.pd,
                                   .send_cq = port.cq,
                                   .recv_cq = port.cq,
                                   .max_send_wr = end.options.max_send_wr,
                                   .max_recv_wr = std::max(end.options.receive_requests, 1U),
                                   .max_send_sge = 1,
                                   .max_recv_sge = 1,
                                   .max_inline_data = 0});
}

Result<void> create_queue_pairs(ConnectionEnd& end) {
  for (std::uint32_t i = 0; i < end.options.queue_pairs; ++i) {
    auto qpn = create_queue_pair(end, i);
    if (!qpn)
      return pass_on(qpn);
    end.queue_pairs.push_back(*qpn);
  }
  return {};
}

Result<void> bring_up(verbs::Provider& provider, Qpn qpn, verbs::QpAttributes attributes) {
  const std::pair<QpState, verbs::QpAttributeMask> steps[] = {
      {QpState::kInit, kToInit}, {QpState::kRtr, kToRtr}, {QpState::kRts, kToRts}};
  for (const auto& [state, mask] : steps) {
    attributes.state = state;
    if (auto moved = provider.modify_qp(qpn, attributes, mask | verbs::kQpState); !moved)
      return moved;
  }
  return {};
}

}  // namespace

LocalConnector::LocalConnector(JobOptions job, const ConnectionAttributes& attributes)
    : job_(std::move(job)), attributes_(attributes), reconnections_(attributes.reconnect) {}

void LocalConnector::add_rank(const RankPorts& ports, ConnectionListener& listener) {
  ranks_.push_back({.ports = &ports, .listener = &listener});
}

Result<const ConnectionEnd*> LocalConnector::connect(const ConnectionRequest& request,
                                                     const ConnectionOptions& options) {
  if (auto right = check(request, options); !right)
    return pass_on(right);
  const Key key = key_of(request);
  const bool from_low = key.low == Place{request.from, request.rail};
  if (const auto found = connections_.find(key); found != connections_.end())
    return from_low ? &found->second.from_low : &found->second.from_high;
  if (closed_)
    return fail("job '{}': rank {} connects to rank {} during a run on several threads; run it on one", job_.name,
                request.from.value(), request.to.value());

  const ConnectionRequest low = from_low ? request : reversed(request);
  Ends ends{.from_low = unjoined_end(low, options), .from_high = unjoined_end(reversed(low), options)};
  if (auto joined = join(ends); !joined)
    return pass_on(joined);
  Ends& kept = connections_.emplace(key, std::move(ends)).first->second;
  ++opened_;
  most_ = std::max(most_, connections_.size());
  const ConnectionEnd& other = from_low ? kept.from_high : kept.from_low;
  if (auto told = ranks_[request.to.value()].listener->on_connected(other); !told)
    return pass_on(told);
  return from_low ? &kept.from_low : &kept.from_high;
}

// The ranks are of one process and no packet is under way, so there is nothing to agree on: both ends go at once.
Result<bool> LocalConnector::disconnect(const ConnectionRequest& request) {
  const auto found = connections_.find(key_of(request));
  WEFT_ASSERT(found != connections_.end() && !closed_);
  const Ends& ends = found->second;
  ConnectionListener& low = *ranks_[ends.from_low.name.from.value()].listener;
  ConnectionListener& high = *ranks_[ends.from_high.name.from.value()].listener;
  const std::optional<EndTraffic> of_low = low.idle_traffic(ends.from_low);
  const std::optional<EndTraffic> of_high = of_low ? high.idle_traffic(ends.from_high) : std::nullopt;
  if (!of_high || of_low->sent != of_high->received || of_high->sent != of_low->received)
    return false;
  low.on_disconnected(ends.from_low);
  high.on_disconnected(ends.from_high);
  for (const ConnectionEnd* end : {&ends.from_low, &ends.from_high}) {
    for (std::size_t i = 0; i < end->queue_pairs.size(); ++i) {
      if (auto destroyed = end->port_of(i).provider->destroy_qp(end->queue_pairs[i]); !destroyed)
        return pass_on(destroyed);
    }
  }
  connections_.erase(found);
  return true;
}

// The end's own program is woken when the peer is asked, and when both may be connected.
bool LocalConnector::reconnect(const ConnectionEnd& end, std::uint32_t queue_pair) {
  verbs::Machine& machine = machine_of(end);
  if (machine.rails()[end.name.rail].kind != verbs::RailKind::kScaleOut)
    return false;
  const Reconnections::Exchange* const exchange = reconnections_.begin({end.name, queue_pair}, machine.now());
  if (exchange == nullptr)
    return false;
  machine.set_timer({.at = exchange->request_at, .token = kReconnectToken});
  machine.set_timer({.at = exchange->ready_at, .token = kReconnectToken});
  return true;
}

Result<void> LocalConnector::advance_reconnect(const ConnectionEnd& end, std::uint32_t queue_pair) {
  using Phase = Reconnections::Phase;
  Reconnections::Exchange* const exchange = reconnections_.find({end.name, queue_pair});
  const Time now = machine_of(end).now();
  if (exchange == nullptr || exchange->phase == Phase::kConnected || now < exchange->request_at)
    return {};
  Ends& ends = connections_.find(key_of(end.name))->second;
  if (exchange->phase == Phase::kWaiting) {
    exchange->phase = Phase::kRequested;
    for (const ConnectionEnd* const one : {&ends.from_low, &ends.from_high}) {
      ranks_[one->name.from.value()].listener->on_reconnect_request(*one, queue_pair);
      if (auto failed =
              one->port_of(queue_pair)
                  .provider->modify_qp(one->queue_pairs[queue_pair], {.state = QpState::kErr}, verbs::kQpState);
          !failed)
        return failed;
    }
  }
  if (now < exchange->ready_at)
    return {};
  ConnectionListener& low = *ranks_[ends.from_low.name.from.value()].listener;
  ConnectionListener& high = *ranks_[ends.from_high.name.from.value()].listener;
  const std::optional<std::uint32_t> came_low = low.drained(ends.from_low, queue_pair);
  const std::optional<std::uint32_t> came_high = high.drained(ends.from_high, queue_pair);
  if (!came_low || !came_high)
    return {};
  if (auto replaced = replace(ends, queue_pair); !replaced)
    return replaced;
  reconnections_.on_connected(*exchange);
  if (auto told = low.on_reconnected(ends.from_low, queue_pair, *came_high); !told)
    return told;
  return high.on_reconnected(ends.from_high, queue_pair, *came_low);
}

// A new number on either side: what is still under way to the old one finds nobody. The port may be why it was lost.
Result<void> LocalConnector::replace(Ends& ends, std::uint32_t queue_pair) {
  for (ConnectionEnd* const end : {&ends.from_low, &ends.from_high}) {
    verbs::Provider& before = *end->port_of(queue_pair).provider;
    end->moves.resize(end->queue_pairs.size(), 0);
    ++end->moves[queue_pair];
    auto made = create_queue_pair(*end, queue_pair);
    if (!made)
      return pass_on(made);
    if (auto destroyed = before.destroy_qp(std::exchange(end->queue_pairs[queue_pair], *made)); !destroyed)
      return destroyed;
  }
  return join(ends, queue_pair);
}

void LocalConnector::on_recovered(const ConnectionEnd& end, std::uint32_t queue_pair) {
  reconnections_.on_recovered({end.name, queue_pair}, machine_of(end).now());
}

void LocalConnector::on_nothing_left(const ConnectionEnd& end, std::uint32_t queue_pair) {
  reconnections_.on_nothing_left({end.name, queue_pair}, machine_of(end).now());
}

LocalConnector::Key LocalConnector::key_of(const ConnectionRequest& request) {
  const Place here{request.from, request.rail};
  const Place there{request.to, request.remote_rail};
  return {.low = std::min(here, there), .high = std::max(here, there), .channel = request.channel};
}

Result<void> LocalConnector::check_rail(RankId rank, std::uint16_t rail) const {
  if (rank.value() >= ranks_.size())
    return fail("job '{}' has no rank {}; it has {} ranks", job_.name, rank.value(), ranks_.size());
  const std::size_t rails = ranks_[rank.value()].ports->rails().size();
  if (rail >= rails)
    return fail("job '{}': rank {} has no rail {}; it has {}", job_.name, rank.value(), rail, rails);
  return {};
}

Result<EndpointId> LocalConnector::endpoint_of(RankId rank, std::uint16_t rail) const {
  if (auto known = check_rail(rank, rail); !known)
    return pass_on(known);
  return ranks_[rank.value()].ports->rails()[rail].endpoint;
}

Result<void> LocalConnector::check(const ConnectionRequest& request, const ConnectionOptions& options) const {
  for (const auto& [rank, rail] : {std::pair{request.from, request.rail}, {request.to, request.remote_rail}}) {
    if (auto known = check_rail(rank, rail); !known)
      return known;
  }
  if (request.from == request.to)
    return fail("job '{}': rank {} cannot connect to itself", job_.name, request.from.value());
  if (options.queue_pairs <= options.control_queue_pairs || options.max_send_wr == 0)
    return fail("job '{}': a connection needs at least one queue pair for data and one send request", job_.name);
  return {};
}

ConnectionEnd LocalConnector::unjoined_end(const ConnectionRequest& name, const ConnectionOptions& options) const {
  const RankPorts& here = *ranks_[name.from.value()].ports;
  const RankPorts& there = *ranks_[name.to.value()].ports;
  const std::span<const RailPort> own = here.ports_of(name.rail);
  const std::span<const RailPort> peer = there.ports_of(name.remote_rail);
  const std::size_t common = std::min(own.size(), peer.size());
  return {.name = name,
          .options = options,
          .ports = own.first(common),
          .peer_ports = peer.first(common),
          .remote_address = there.memory().address,
          .remote_length = static_cast<std::uint64_t>(there.memory().length.count())};
}

Result<void> LocalConnector::join(Ends& ends) const {
  for (ConnectionEnd* end : {&ends.from_low, &ends.from_high}) {
    if (auto created = create_queue_pairs(*end); !created)
      return created;
  }
  for (std::size_t i = 0; i < ends.from_low.queue_pairs.size(); ++i) {
    if (auto joined = join(ends, i); !joined)
      return joined;
  }
  return {};
}

Result<void> LocalConnector::join(Ends& ends, std::size_t index) const {
  for (const auto& [end, peer] : {std::pair{&ends.from_low, &ends.from_high}, {&ends.from_high, &ends.from_low}}) {
    verbs::Provider& provider = *end->port_of(index).provider;
    if (auto up = bring_up(provider, end->queue_pairs[index], attributes_of(*end, *peer, index)); !up)
      return up;
  }
  return {};
}

verbs::QpAttributes LocalConnector::attributes_of(const ConnectionEnd& end, const ConnectionEnd& peer,
                                                  std::size_t index) const {
  const RailPort& own_port = end.port_of(index);
  const RailPort& peer_port = end.peer_port_of(index);
  const verbs::DeviceAttributes here = own_port.provider->query_device();
  const verbs::DeviceAttributes there = peer_port.provider->query_device();
  const std::uint8_t reads = std::min({attributes_.max_rd_atomic, here.max_qp_rd_atom, there.max_qp_rd_atom});
  const std::uint64_t lids = (1U << attributes_.lid_mask_control) - 1;
  const std::uint16_t port = source_port(job_, attributes_, end.name, index);
  const PathEnds path{.source = own_port.endpoint,
                      .destination = peer_port.endpoint,
                      .offset = static_cast<std::uint32_t>(port & lids)};
  return {
      .access_flags = verbs::kAccessAll,
      .partition_key = attributes_.partition_of_path ? attributes_.partition_of_path(path) : attributes_.partition_key,
      .address = {.destination = peer_port.endpoint,
                  .service_level =
                      attributes_.level_of_path ? attributes_.level_of_path(path) : attributes_.service_level,
                  .traffic_class = attributes_.traffic_class,
                  .hop_limit = attributes_.hop_limit,
                  .source_port = port},
      .path_mtu = std::min({attributes_.path_mtu, here.active_mtu, there.active_mtu}),
      .timeout = attributes_.timeout,
      .retry_count = attributes_.retry_count,
      .rnr_retry = attributes_.rnr_retry,
      .min_rnr_timer = attributes_.min_rnr_timer,
      .max_rd_atomic = reads,
      .max_dest_rd_atomic = reads,
      .rq_psn = Psn(static_cast<std::uint32_t>(hash_of(peer.name, index, "psn") & 0xFFFFFF)),
      .sq_psn = Psn(static_cast<std::uint32_t>(hash_of(end.name, index, "psn") & 0xFFFFFF)),
      .destination_qpn = peer.queue_pairs[index]};
}

std::uint64_t LocalConnector::hash_of(const ConnectionRequest& name, std::size_t index, std::string_view what) const {
  return connection_hash(job_, name, index, what);
}

}  // namespace weft::workload
