#include "workload/collective/edges.h"

#include <algorithm>

namespace weft::workload {
namespace {

/// Numbers of connections: the communicator's, then the slot.
static_assert(kConnectionsEach > kSlotsPerChannel * 2 * kMaxChannels + 1);

std::uint32_t connection_of(const EdgeName& edge) { return edge.communicator.value() * kConnectionsEach + edge.slot; }

/// Immediate data of a message that returns credits; chunks have 0, or, where they may pass one another, their place.
constexpr std::uint32_t kCredits = std::uint32_t{1} << 31;

}  // namespace

EdgeId EdgeTable::find(const EdgeName& name) {
  const EdgeId id(static_cast<std::uint32_t>(edges_.size()));
  const auto [known, is_new] = by_name_.try_emplace(name, id);
  if (is_new) {
    const CommunicatorEntry& entry = communicators_.at(name.communicator);
    const bool scale_up = entry.layout->over_scale_up(*entry.self, name.peer);
    edges_.push_back(
        {.name = name,
         .scale_up = scale_up,
         .credits = options().clear_to_send && !scale_up ? 0 : options().slots(),
         .arrived = std::vector<std::uint64_t>(any_order() ? options().slots() : options().queue_pairs, 0)});
  }
  return known->second;
}

std::uint64_t EdgeTable::buffer_of(const CommunicatorEntry& entry, MemberIndex sender, std::uint32_t slot) const {
  const std::uint64_t index = std::uint64_t{sender.value()} * entry.slots + slot;
  return entry.buffers + index * static_cast<std::uint64_t>(options().buffer.count());
}

ConnectionRequest EdgeTable::connection_of_edge(const EdgeName& name) const {
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
    request.rail = here.rails[rail % here.rails.size()];
    request.remote_rail = there.rails[rail % there.rails.size()];
  }
  return request;
}

// Chunks that nobody has taken, and two messages with credits, since they come half a buffer at a time.
ConnectionOptions EdgeTable::connection_options() const {
  const std::uint32_t receives = options().slots() + 4;
  return {.queue_pairs = options().queue_pairs + 1,
          .max_send_wr = options().slots() + 4,
          .receive_requests = receives,
          .queue_pair_use = any_order() ? QueuePairUse::kLeastOutstanding : QueuePairUse::kRoundRobin,
          .control_queue_pairs = 1};
}

Result<void> EdgeTable::connect(const EdgeName& name) {
  auto channel = messenger_.open(connection_of_edge(name), connection_options());
  return channel ? Result<void>() : pass_on(channel);
}

Result<void> EdgeTable::open(Edge& edge) {
  if (edge.channel.is_valid())
    return {};
  auto channel = messenger_.open(connection_of_edge(edge.name), connection_options());
  if (!channel)
    return pass_on(channel);
  edge.channel = *channel;
  return {};
}

Result<void> EdgeTable::post(Edge& edge, std::uint32_t queue_pair, const Message& message) {
  if (auto opened = open(edge); !opened)
    return opened;
  return messenger_.post(edge.channel, queue_pair, message);
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
    if (auto opened = open(edge); !opened)
      return pass_on(opened);
    if (auto posted = messenger_.post(edge.channel, message); !posted)
      return pass_on(posted);
    return 1;
  }
  if (!split_up) {
    if (auto posted = post(edge, static_cast<std::uint32_t>(number % queue_pairs), message); !posted)
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
    if (auto posted = post(edge, i, message); !posted)
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
  return post(edge, options().queue_pairs,
              {.flow = {job_, entry.rank(*entry.self), entry.rank(edge.name.peer), connection_of(edge.name)},
               .number = edge.returned,
               .size = Bytes::zero(),
               .operation = Operation::kWriteWithImm,
               .remote_offset = buffer_of(entry, *entry.self, edge.name.slot),
               .immediate = kCredits | static_cast<std::uint32_t>(credits),
               .token = kCreditToken,
               .is_control = true});
}

void EdgeTable::on_arrived(const Arrival& arrival) {
  if (by_channel_.size() <= arrival.channel.value())
    by_channel_.resize(arrival.channel.value() + std::size_t{1});
  EdgeId& id = by_channel_[arrival.channel.value()];
  if (!id.is_valid()) {
    const ConnectionRequest& name = messenger_.end(arrival.channel).name;
    const CommunicatorId communicator = communicator_of(name.channel);
    const auto& members = communicators_.definition(communicator).members;
    const auto peer = std::find(members.begin(), members.end(), name.to);
    WEFT_ASSERT(peer != members.end());
    id = find({communicator, MemberIndex(static_cast<std::uint32_t>(peer - members.begin())),
               name.channel % kConnectionsEach});
    edges_[id.value()].channel = arrival.channel;
  }
  Edge& edge = edges_[id.value()];
  if ((arrival.immediate & kCredits) != 0)
    edge.credits += arrival.immediate & ~kCredits;
  else
    ++edge.arrived[any_order() ? arrival.immediate : arrival.queue_pair];
}

}  // namespace weft::workload
