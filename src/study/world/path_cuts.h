// Cuts of a network, and what they leave flows that choose their paths: an upper bound, whatever they choose.
//
// Every packet of a flow takes one of the links that each hop of its paths offers, so all flows whose hops lie within a
// set of links get at most what these carry together. Max-min rates over such sets as if each were one link are never
// below what a choice can give to the flow with least. The sets are the hops of all flows; where hops overlap, what
// they have in common as well: all links, out of or into one switch, of hops there, and all links of hops that overlap.
// A bottleneck that shows in no such set is overlooked; of more than 20,000 sets each is looked at by itself. Without
// overlaps and with links of one rate in each hop equal parts are as good as any choice, and no cuts are needed.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "study/world/max_min.h"

namespace weft::study::world {

/// One direction of a link.
struct CutLink {
  double capacity = 0;
  std::uint32_t from = 0;  // what it begins at, and ends at: any numbers that tell these apart
  std::uint32_t to = 0;
};

class PathCuts {
 public:
  /// The number of a set of links; an equal spread would put so much on each of them. They are one hop of a flow that
  /// chooses, or one link of one that does not. `links` has one entry or more, each link once.
  std::uint32_t number_of(FlowLinks links, std::span<const CutLink> all);

  /// Completes the sets; number_of() must not be called afterwards. `all` as in number_of().
  void complete(std::span<const CutLink> all);
  /// After complete(): whether some choice is better than equal parts.
  [[nodiscard]] bool are_needed() const { return are_needed_; }
  /// After complete(): by cut.
  [[nodiscard]] const std::vector<double>& capacities() const { return capacities_; }
  /// After complete(): what a flow puts on each cut, from what it puts on its own sets.
  [[nodiscard]] FlowLinks cuts_of(const FlowLinks& sets) const;

 private:
  using Set = std::vector<std::uint32_t>;  // of links, ascending

  std::uint32_t keep(Set set);
  [[nodiscard]] bool overlap() const;
  void add_unions(std::span<const CutLink> all);
  void find_supersets();

  std::map<Set, std::uint32_t> numbers_;
  std::vector<const Set*> sets_;                       // by number
  std::vector<std::vector<std::uint32_t>> supersets_;  // by number, the set itself among them
  std::vector<double> capacities_;
  bool are_needed_ = false;
};

}  // namespace weft::study::world
