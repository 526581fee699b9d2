// A subnet as nue routes it: switches, directed cables between them (channels) with weights, and trees over them.
//
// Switches are in the order of their LIDs with the two bytes exchanged, as OpenSM compares LIDs in network byte order;
// channels in that of the switches which they leave, then of ports. All channels begin with the same weight, the square
// of the number of LIDs, so that fewer hops win as long as no channel is much heavier than the others.
#pragma once

#include <cstdint>
#include <vector>

#include "subnet/routing/number_range.h"
#include "subnet/routing_view.h"

namespace weft::subnet {

using NueSwitch = std::uint32_t;  // index; order: see above
using Channel = std::uint32_t;    // index

inline constexpr Channel kNoChannel = ~Channel{0};
inline constexpr std::uint64_t kNueUnreached = 0x7FFFFFFF;  // paths are not longer than that in OpenSM either

struct NueChannel {
  NueSwitch from = 0;  // nearer to the destination: trees grow away from it
  NueSwitch to = 0;
  PortNumber port = 0;    // of `from`
  PortNumber egress = 0;  // of `to`, towards `from`
  Channel reverse = kNoChannel;
  std::uint64_t weight = 0;
};

/// Per switch the channel by which it is reached; kNoChannel: the root, or not reached.
using NueTree = std::vector<Channel>;

class NueNetwork {
 public:
  explicit NueNetwork(const RoutingView& view);

  [[nodiscard]] NueSwitch switches() const { return static_cast<NueSwitch>(places_.size()); }
  [[nodiscard]] Channel channels() const { return static_cast<Channel>(channels_.size()); }
  [[nodiscard]] const NueChannel& operator[](Channel channel) const { return channels_[channel]; }
  [[nodiscard]] NumberRange channels_from(NueSwitch at) const { return {first_[at], first_[at + 1]}; }
  [[nodiscard]] SwitchIndex place(NueSwitch at) const { return places_[at]; }
  [[nodiscard]] NueSwitch at(SwitchIndex place) const { return by_place_[place.value()]; }

  /// Of the shortest paths by weight; ties by the heap.
  [[nodiscard]] NueTree spanning_tree(NueSwitch root) const;
  /// The same cables with another root.
  void turn(NueTree& tree, NueSwitch root) const;
  /// Channels become heavier by the LIDs of each switch whose path takes them. False: the paths go round in a loop.
  [[nodiscard]] bool add_weights(const NueTree& tree);

 private:
  void add_channels(const RoutingView& view);
  void find_reverses();

  std::vector<SwitchIndex> places_;  // per switch
  std::vector<NueSwitch> by_place_;
  std::vector<std::uint8_t> lids_;  // per switch: its own and those of adapters; OpenSM counts in eight bits
  std::vector<Channel> first_;      // per switch, and one more
  std::vector<NueChannel> channels_;
};

}  // namespace weft::subnet
