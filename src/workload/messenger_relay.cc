// Messages that go out by another rank's NIC: first to its GPU over scale-up links, then through the network.
#include "workload/messenger.h"

namespace weft::workload {

Result<void> Messenger::open_hop(ChannelId channel) {
  const ConnectionEnd& end = *channels_[channel.value()].end;
  if (ports_.memory().bytes != nullptr)
    return fail("relays between rails need runs that carry no bytes");
  const RelayPath path = *end.first_port().relay;
  auto hop = open({.from = end.name.from,
                   .to = path.through,
                   .rail = path.rail,
                   .remote_rail = path.remote_rail,
                   .channel = kRelayChannel},
                  {});
  if (!hop)
    return pass_on(hop);
  channels_[channel.value()].hop = *hop;
  return {};
}

// It lands at the same place of the other rank's memory as it has in this one's: lengths alone travel.
Result<void> Messenger::relay(const Relayed& relayed) {
  const ChannelId hop = channels_[relayed.channel.value()].hop;
  const ConnectionRequest& name = channels_[hop.value()].end->name;
  relayed_[hop].push_back(relayed);
  return enqueue(channels_[hop.value()].first_queue, {.message = {.flow = {job_, name.from, name.to, kRelayChannel},
                                                                  .number = relays_++,
                                                                  .size = relayed.message.size,
                                                                  .operation = Operation::kWrite,
                                                                  .local_offset = relayed.message.local_offset,
                                                                  .remote_offset = relayed.message.local_offset,
                                                                  .is_control = true},
                                                      .at = now()});
}

Result<void> Messenger::pass_on_relayed(ChannelId hop, verbs::WcStatus status, MessageHandler& handler) {
  const Relayed next = relayed_.at(hop).pop_front();
  if (status != verbs::WcStatus::kSuccess) {
    outstanding_ -= next.message.is_control ? 0 : 1;
    return handler.on_sent(next.message, status);
  }
  if (!next.queue_pair)
    return enqueue_by_choice(next.channel, next.message, next.at);
  return enqueue(channels_[next.channel.value()].first_queue + *next.queue_pair,
                 {.message = next.message, .at = next.at});
}

}  // namespace weft::workload
