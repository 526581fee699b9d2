#include "workload/collective/edges.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/assert.h"
#include "workload/relay_rails.h"

namespace weft::workload {
namespace {

/// Numbers of connections: the communicator's, then the slot.
static_assert(kConnectionsEach > kSlotsPerChannel * 2 * kMaxChannels + 1);

std::uint32_t connection_of(const EdgeName& edge) { return edge.communicator.value() * kConnectionsEach + edge.slot; }

/// Immediate data of a message that returns credits; chunks have 0, or, where they may pass one another, their place.
constexpr std::uint32_t kCredits = std::uint32_t{1} << 31;

/// In a communicator of the whole job a rank's number is that of the member.
MemberIndex member_of(const Communicator& communicator, RankId rank) {
  const auto& members = communicator.members;
  if (rank.value() < members.size() && members[rank.value()] == rank)
    return MemberIndex(rank.value());
  const auto peer = std::find(members.begin(), members.end(), rank);
  WEFT_ASSERT(peer != members.end());
  return MemberIndex(static_cast<std::uint32_t>(peer - members.begin()));
}

}  // namespace

EdgeId EdgeTable::find(const EdgeName& name) {
  const auto [known, is_new] = by_name_.try_emplace(name, EdgeId{});
  if (!is_new)
    return known->second;
  Edge edge = made(name);
  if (const auto idle = idle_.take({name.communicator, name.slot, name.peer})) {
    edge.credits_reserved = edge.sent = idle->sent;
    edge.credits = idle->credits;
    edge.taken = edge.expected = idle->taken;
    edge.returned = idle->returned;
    for (std::uint64_t i = 0; i < edge.arrived.size(); ++i)
      edge.arrived[i] = share_of(idle->taken, i);
  }
  if (free_.empty()) {
    known->second = EdgeId(static_cast<std::uint32_t>(edges_.size()));
    edges_.push_back(std::move(edge));
  } else {
    known->second = free_.back();
    free_.pop_back();
    edges_[known->second.value()] = std::move(edge);
  }
  return known->second;
}

EdgeTable::Edge EdgeTable::made(const EdgeName& name) const {
  const CommunicatorEntry& entry = communicators_.at(name.communicator);
  const bool scale_up = entry.layout->over_scale_up(*entry.self, name.peer);
  return {.name = name,
          .scale_up = scale_up,
          .relayed = is_relayed(name),
          .credits = options().clear_to_send && !scale_up ? 0 : options().slots(),
          .arrived = std::vector<std::uint64_t>(any_order() ? options().slots() : options().queue_pairs, 0)};
}

std::uint64_t EdgeTable::share_of(std::uint64_t taken, std::uint64_t index) const {
  if (options().queue_pair_use == QueuePairUse::kSplit)
    return taken;  // a part of each
  const std::uint64_t all = options().queue_pairs;
  return (taken + all - 1 - index) / all;
}

// Nobody holds the edge, no chunk waits to be sent or taken.
bool EdgeTable::can_close(ChannelId channel) const {
  if (channel.value() >= by_channel_.size() || !by_channel_[channel.value()].is_valid())
    return true;
  const Edge& edge = edges_[by_channel_[channel.value()].value()];
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (edge.holders > 0 || edge.credits_reserved != edge.sent ||
      std::max({edge.sent, edge.credits, edge.taken, edge.returned}) > kMost)
    return false;
  for (std::uint64_t i = 0; i < edge.arrived.size(); ++i) {
    if (edge.arrived[i] != share_of(edge.taken, i))
      return false;
  }
  return true;
}

void EdgeTable::on_closed(ChannelId channel) {
  if (channel.value() >= by_channel_.size() || !by_channel_[channel.value()].is_valid())
    return;
  const EdgeId id = std::exchange(by_channel_[channel.value()], EdgeId{});
  Edge& edge = edges_[id.value()];
  idle_.put({edge.name.communicator, edge.name.slot, edge.name.peer}, communicators_.at(edge.name.communicator).size(),
            {.sent = static_cast<std::uint32_t>(edge.sent),
             .credits = static_cast<std::uint32_t>(edge.credits),
             .taken = static_cast<std::uint32_t>(edge.taken),
             .returned = static_cast<std::uint32_t>(edge.returned)});
  by_name_.erase(edge.name);
  edge = {};
  free_.push_back(id);
}

EdgeId& EdgeTable::edge_of(ChannelId channel) {
  if (by_channel_.size() <= channel.value())
    by_channel_.resize(channel.value() + std::size_t{1});
  return by_channel_[channel.value()];
}

std::uint64_t EdgeTable::buffer_of(const CommunicatorEntry& entry, MemberIndex sender, std::uint32_t slot) const {
  const std::uint64_t index = std::uint64_t{sender.value()} * entry.slots + slot;
  return entry.buffers + index * static_cast<std::uint64_t>(options().buffer.count());
}

ConnectionRequest EdgeTable::connection_of_edge(const EdgeName& name, Way way) const {
  const CommunicatorEntry& entry = communicators_.at(name.communicator);
  const RankId self = entry.rank(*entry.self);
  const RankId peer = entry.rank(name.peer);
  const RankSite& here = (*communicators_.options().layout)[self.value()];
  const RankSite& there = (*communicators_.options().layout)[peer.value()];
  ConnectionRequest request{.from = self, .to = peer, .channel = connection_of(name)};
  if (entry.layout->over_scale_up(*entry.self, name.peer)) {
    request.rail = *here.scale_up;
    request.remote_rail = *there.scale_up;
  } else {
    const std::uint32_t rail = entry.layout->rail_of(name.slot / kSlotsPerChannel);
    const RailPair own{here.rails[rail % here.rails.size()], there.rails[rail % there.rails.size()]};
    const RailPair out = relayed(here, there, own);
    const RailPair in = relayed(there, here, {own.remote_rail, own.rail});
    request.rail = way == Way::kOut ? out.rail : in.remote_rail;
    request.remote_rail = way == Way::kOut ? out.remote_rail : in.rail;
  }
  return request;
}

// Chunks that nobody has taken, and two messages with credits, since they come half a buffer at a time.
ConnectionOptions EdgeTable::connection_options(const EdgeName& name) const {
  const std::uint32_t receives = options().slots() + 4;
  const CommunicatorEntry& entry = communicators_.at(name.communicator);
  return {.queue_pairs = options().queue_pairs + 1,
          .max_send_wr = options().slots() + 4,
          .receive_requests = receives,
          .queue_pair_use = any_order() ? QueuePairUse::kLeastOutstanding : QueuePairUse::kRoundRobin,
          .control_queue_pairs = 1,
          .closes_when_idle = options().closes_connections() && !entry.layout->over_scale_up(*entry.self, name.peer) &&
                              !is_relayed(name)};
}

Result<void> EdgeTable::connect(const EdgeName& name) {
  auto channel = messenger_.open(connection_of_edge(name), connection_options(name));
  return channel ? Result<void>() : pass_on(channel);
}

Result<void> EdgeTable::open(Edge& edge, Way way) {
  if (channel_of(edge, way).is_valid())
    return {};
  const ConnectionOptions how = connection_options(edge.name);
  if (how.closes_when_idle) {
    if (auto made = messenger_.make_room(options().connections); !made)
      return made;
  }
  auto channel = messenger_.open(connection_of_edge(edge.name, way), how);
  if (!channel)
    return pass_on(channel);
  channel_of(edge, way) = *channel;
  edge_of(*channel) = by_name_.at(edge.name);
  return {};
}

Result<void> EdgeTable::post(Edge& edge, Way way, std::uint32_t queue_pair, const Message& message) {
  if (auto opened = open(edge, way); !opened)
    return opened;
  return messenger_.post(channel_of(edge, way), queue_pair, message);
}

Result<std::uint32_t> EdgeTable::send(EdgeId id, const Chunk& chunk) {
  Edge& edge = edges_[id.value()];
  const CommunicatorEntry& entry = communicators_.at(edge.name.communicator);
  const RankId self = entry.rank(*entry.self);
  const std::uint64_t place = edge.sent % options().slots() * static_cast<std::uint64_t>(options().chunk.count());
  const std::uint32_t queue_pairs = options().queue_pairs;
  const bool split_up = options().queue_pair_use == QueuePairUse::kSplit && queue_pairs > 1;
  Message message{.flow = {job_, self, entry.rank(edge.name.peer), connection_of(edge.name)},
                  .number = edge.sent * (split_up ? queue_pairs : 1),
                  .size = chunk.size,
                  .operation = Operation::kWriteWithImm,
                  .local_offset = chunk.offset,
                  .remote_offset = buffer_of(entry, *entry.self, edge.name.slot) + place,
                  .token = chunk.token};
  const std::uint64_t number = edge.sent++;
  if (any_order()) {
    message.immediate = static_cast<std::uint32_t>(number % options().slots());
    if (auto opened = open(edge, Way::kOut); !opened)
      return pass_on(opened);
    if (auto posted = messenger_.post(channel_of(edge, Way::kOut), message); !posted)
      return pass_on(posted);
    return 1;
  }
  if (!split_up) {
    if (auto posted = post(edge, Way::kOut, static_cast<std::uint32_t>(number % queue_pairs), message); !posted)
      return pass_on(posted);
    return 1;
  }
  const Message all = message;
  for (std::uint32_t i = 0; i < queue_pairs; ++i) {
    const MessagePart part = part_of(chunk.size, i, queue_pairs);
    message.size = part.size;
    message.local_offset = all.local_offset + part.offset;
    message.remote_offset = all.remote_offset + part.offset;
    message.number = all.number + i;
    if (auto posted = post(edge, Way::kOut, i, message); !posted)
      return pass_on(posted);
  }
  return queue_pairs;
}

bool EdgeTable::has_arrived(EdgeId id) const {
  const Edge& edge = edges_[id.value()];
  if (any_order())
    return edge.arrived[edge.taken % options().slots()] > edge.taken / options().slots();
  if (options().queue_pair_use == QueuePairUse::kSplit)
    return *std::min_element(edge.arrived.begin(), edge.arrived.end()) > edge.taken;
  const std::uint64_t queue_pairs = edge.arrived.size();
  return edge.arrived[edge.taken % queue_pairs] > edge.taken / queue_pairs;
}

std::uint64_t EdgeTable::head(EdgeId id) const {
  const Edge& edge = edges_[id.value()];
  const CommunicatorEntry& entry = communicators_.at(edge.name.communicator);
  return buffer_of(entry, edge.name.peer, edge.name.slot) +
         edge.taken % options().slots() * static_cast<std::uint64_t>(options().chunk.count());
}

Result<void> EdgeTable::take(EdgeId id) {
  Edge& edge = edges_[id.value()];
  ++edge.taken;
  if (needs_clearing(id))
    return clear(edge);
  const std::uint64_t owed = edge.taken - edge.returned;
  return owed < (options().slots() + 1) / 2 ? Result<void>{} : return_credits(edge, owed);
}

Result<void> EdgeTable::expect(EdgeId id, std::uint64_t chunks) {
  Edge& edge = edges_[id.value()];
  edge.expected += chunks;
  return clear(edge);
}

// One message for each chunk.
Result<void> EdgeTable::clear(Edge& edge) {
  while (edge.returned < edge.expected && edge.returned - edge.taken < *options().clear_to_send) {
    if (auto given = return_credits(edge, 1); !given)
      return given;
  }
  return {};
}

Result<void> EdgeTable::return_credits(Edge& edge, std::uint64_t credits) {
  edge.returned += credits;
  const CommunicatorEntry& entry = communicators_.at(edge.name.communicator);
  return post(edge, Way::kIn, options().queue_pairs,
              {.flow = {job_, entry.rank(*entry.self), entry.rank(edge.name.peer), connection_of(edge.name)},
               .number = edge.returned,
               .size = Bytes::zero(),
               .operation = Operation::kWriteWithImm,
               .remote_offset = buffer_of(entry, *entry.self, edge.name.slot),
               .immediate = kCredits | static_cast<std::uint32_t>(credits),
               .token = kCreditToken,
               .is_control = true});
}

// Which place of a buffer a chunk takes changes nothing, only which queue pair. Without clear-to-sends.
void EdgeTable::record(StateRecord& state) const {
  const bool in_turn = options().queue_pair_use != QueuePairUse::kSplit && options().queue_pairs > 1;
  for (const Edge& edge : edges_) {
    state.count(edge.credits - edge.credits_reserved);
    state.count(edge.credits_reserved - edge.sent);
    state.count(edge.taken - edge.returned);
    if (in_turn) {
      state.count(edge.sent % options().queue_pairs);
      state.count(edge.taken % options().queue_pairs);
    }
    for (std::uint64_t i = 0; i < edge.arrived.size(); ++i)
      state.count(edge.arrived[i] - share_of(edge.taken, i));
  }
}

void EdgeTable::on_arrived(const Arrival& arrival) {
  EdgeId& id = edge_of(arrival.channel);
  if (!id.is_valid()) {
    const ConnectionRequest& name = messenger_.end(arrival.channel).name;
    const CommunicatorId communicator = communicator_of(name.channel);
    id = find(
        {communicator, member_of(communicators_.definition(communicator), name.to), name.channel % kConnectionsEach});
    Edge& edge = edges_[id.value()];
    const Way way = name == connection_of_edge(edge.name, Way::kOut) ? Way::kOut : Way::kIn;
    channel_of(edge, way) = arrival.channel;
  }
  Edge& edge = edges_[id.value()];
  if ((arrival.immediate & kCredits) != 0)
    edge.credits += arrival.immediate & ~kCredits;
  else
    ++edge.arrived[any_order() ? arrival.immediate : arrival.queue_pair];
}

}  // namespace weft::workload
