#include "subnet/routing/nue_network.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "subnet/routing/path_heap.h"

namespace weft::subnet {
namespace {

std::uint8_t lids_at(const RoutingView& view, SwitchIndex at) {
  std::uint32_t lids = view[view[at].end_port].lids;
  for (const SwitchPort& port : view[at].ports) {
    lids += port.to_end_port.is_valid() ? view[port.to_end_port].lids : 0;
  }
  return static_cast<std::uint8_t>(lids);
}

std::uint64_t first_weight(const RoutingView& view) {
  std::uint64_t lids = 0;
  for (const EndPort& end : view.end_ports) {
    lids += end.type == NodeType::kRouter ? 0 : end.lids;
  }
  return lids * lids;
}

}  // namespace

NueNetwork::NueNetwork(const RoutingView& view) : by_place_(view.switches.size()) {
  for (std::size_t i = 0; i < view.switches.size(); ++i) {
    places_.push_back(view.switch_at(i));
  }
  std::ranges::sort(places_, {}, [&](SwitchIndex at) { return __builtin_bswap16(view[at].lid); });
  for (NueSwitch at = 0; at < switches(); ++at) {
    by_place_[places_[at].value()] = at;
    lids_.push_back(lids_at(view, places_[at]));
  }
  add_channels(view);
  find_reverses();
}

void NueNetwork::add_channels(const RoutingView& view) {
  const std::uint64_t weight = first_weight(view);
  for (NueSwitch at = 0; at < switches(); ++at) {
    first_.push_back(channels());
    const std::vector<SwitchPort>& ports = view[places_[at]].ports;
    for (std::size_t i = 0; i < ports.size(); ++i) {
      if (ports[i].to_switch.is_valid() && ports[i].to_switch != places_[at]) {
        channels_.push_back({.from = at,
                             .to = by_place_[ports[i].to_switch.value()],
                             .port = static_cast<PortNumber>(i),
                             .egress = ports[i].peer_port,
                             .weight = weight});
      }
    }
  }
  first_.push_back(channels());
}

void NueNetwork::find_reverses() {
  for (NueChannel& channel : channels_) {
    const auto leaving = channels_from(channel.to);
    const auto found = std::ranges::find(leaving, channel.egress, [&](Channel each) { return channels_[each].port; });
    WEFT_ASSERT(found != leaving.end());
    channel.reverse = *found;
  }
}

NueTree NueNetwork::spanning_tree(NueSwitch root) const {
  NueTree tree(switches(), kNoChannel);
  std::vector<std::uint64_t> distance(switches(), kNueUnreached);
  PathHeap heap(switches());
  for (NueSwitch at = 0; at < switches(); ++at) {
    heap.insert({.distance = kNueUnreached, .vertex = at});
  }
  distance[root] = 0;
  heap.change({.distance = 0, .vertex = root});
  while (!heap.is_empty()) {
    const NueSwitch at = heap.take();
    for (const Channel channel : channels_from(at)) {
      const NueSwitch next = channels_[channel].to;
      const std::uint64_t through = distance[at] + channels_[channel].weight;
      if (through < distance[next]) {
        tree[next] = channel;
        distance[next] = through;
        heap.change({.distance = through, .vertex = next});
      }
    }
  }
  return tree;
}

void NueNetwork::turn(NueTree& tree, NueSwitch root) const {
  Channel towards = std::exchange(tree[root], kNoChannel);
  while (towards != kNoChannel) {
    const NueChannel& channel = channels_[towards];
    towards = std::exchange(tree[channel.from], channel.reverse);
  }
}

bool NueNetwork::add_weights(const NueTree& tree) {
  for (NueSwitch start = 0; start < switches(); ++start) {
    NueSwitch hops = 0;
    for (NueSwitch at = start; tree[at] != kNoChannel; at = channels_[tree[at]].from) {
      if (++hops > switches()) {
        return false;
      }
      channels_[tree[at]].weight += lids_[start];
    }
  }
  return true;
}

}  // namespace weft::subnet
