#include "workload/collective/algorithms.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/format_quantity.h"
#include "workload/collective/direct.h"
#include "workload/collective/halving_doubling.h"
#include "workload/collective/hierarchical.h"
#include "workload/collective/in_network.h"
#include "workload/collective/nvls_tree.h"
#include "workload/collective/pair.h"
#include "workload/collective/recursive_doubling.h"
#include "workload/collective/relay.h"
#include "workload/collective/ring.h"
#include "workload/collective/tree.h"

namespace weft::workload {
namespace {

using Check = Result<void> (*)(const LaneContext&);

/// Between whom an algorithm sends, beside members of one group: any two, those with the same place in their groups,
/// neighbours in rings, or the two of the request.
enum class Edges : std::uint8_t { kAnyTwo, kSamePlaces, kRings, kPair };

/// Whether an operation that names no algorithm may get this one.
enum class Choice : std::uint8_t { kAutomatic, kByName };

struct Entry {
  CollectiveKind kind;
  CollectiveAlgorithm algorithm;
  Edges edges;
  void (*add)(const LaneContext&, Lanes&);
  Check check = nullptr;  // null: any members do
  Choice choice = Choice::kAutomatic;
};

/// Rails that are not joined.
Result<void> check_edges(const LaneContext& context, const Entry& entry) {
  const MemberLayout& layout = *context.layout;
  if (entry.edges == Edges::kPair) {
    if (layout.reaches(context.self, context.request.peer))
      return {};
    return fail("members {} and {} are in disconnected parts of the network", context.self.value(),
                context.request.peer.value());
  }
  if (layout.reach() == Reach::kAnyTwo)
    return {};
  if (layout.reach() == Reach::kNotAll)
    return fail(
        "the members' rails are in disconnected parts of the network, and scale-up links do not connect all of them");
  if (entry.edges == Edges::kSamePlaces || (entry.edges == Edges::kRings && layout.rings_close()))
    return {};
  return fail("'{}' sends from rail to rail{}, but the network does not join the rails", to_string(entry.algorithm),
              entry.edges == Edges::kRings ? " around an odd number of hosts" : "");
}

Result<void> power_of_two(const LaneContext& context) {
  if (std::has_single_bit(context.size()))
    return {};
  return fail("{} needs a power of two of ranks, not {}",
              context.request.kind == CollectiveKind::kAllGather ? "recursive-doubling" : "halving-doubling",
              context.size());
}

Result<void> equal_groups(const LaneContext& context) {
  const MemberLayout& layout = *context.layout;
  if (layout.is_regular())
    return {};
  return fail("{} needs as many ranks of each host or domain, not {} to {}", to_string(context.request.algorithm),
              layout.smallest_group(), layout.largest_group());
}

/// Says which switches would have to, and what else would do.
Result<void> no_reducer(const LaneContext& context) {
  const MemberLayout& layout = *context.layout;
  const std::string_view algorithm = to_string(context.request.algorithm);
  const bool in_network = context.request.algorithm == CollectiveAlgorithm::kInNetwork;
  if (layout.has_scale_up() && (!in_network || layout.groups() == 1))
    return fail(
        "{} needs scale-up switches that reduce, as those of NVLink 4 and 5 do; set scale_up.reduction = true with "
        "scale_up.kind = \"switch\", or take {}",
        algorithm, in_network ? "ring" : "tree, or hierarchical with collectives.domain_reduction = \"direct\"");
  return fail("{} needs switches of the network that reduce; set reduction.enabled = true on InfiniBand, or take {}",
              algorithm, in_network ? "ring" : "it with collectives.domain_reduction = \"direct\"");
}

/// `members` meet in one reducer.
Result<void> reducer_for(const LaneContext& context, std::uint32_t members) {
  if (!context.reducer)
    return no_reducer(context);
  const verbs::ReduceLimits& limits = *context.reducer;
  if (members > limits.max_members)
    return fail("in-network reduction over {} ranks; the network's reducers take at most {}", members,
                limits.max_members);
  const CollectiveOptions& options = *context.options;
  if ((limits.data_types >> static_cast<unsigned>(options.data_type) & 1U) == 0)
    return fail("in-network reduction of {}, which the network's reducers do not know", to_string(options.data_type));
  if ((limits.operations >> static_cast<unsigned>(options.operation) & 1U) == 0)
    return fail("in-network reduction by {}, which the network's reducers do not know", to_string(options.operation));
  if (limits.max_size < options.element)
    return fail("in-network reduction: the reducers' limit of {} is less than one element", limits.max_size);
  return {};
}

Result<void> group_reducer(const LaneContext& context) {
  return context.size() == 1 ? Result<void>{} : reducer_for(context, context.size());
}

Result<void> domain_reducer(const LaneContext& context) {
  if (auto equal = equal_groups(context); !equal)
    return equal;
  if (context.options->domain_reduction == DomainReduction::kDirect || context.layout->largest_group() == 1)
    return {};
  return reducer_for(context, context.layout->largest_group());
}

Result<void> domain_switch(const LaneContext& context) {
  if (auto equal = equal_groups(context); !equal)
    return equal;
  if (context.layout->largest_group() == 1)
    return {};
  if (!context.layout->has_scale_up())
    return fail("nvls-tree needs scale-up links between the ranks of a host");
  return reducer_for(context, context.layout->largest_group());
}

Result<void> equal_parts(const LaneContext& context) {
  if (context.request.size % Bytes(context.size()) == Bytes::zero())
    return {};
  return fail("{} do not divide into {} equal parts", context.request.size, context.size());
}

Result<void> equal_groups_and_parts(const LaneContext& context) {
  auto groups = equal_groups(context);
  return groups ? equal_parts(context) : groups;
}

using Kind = CollectiveKind;
using Algorithm = CollectiveAlgorithm;

constexpr std::array kEntries = {
    Entry{Kind::kAllReduce, Algorithm::kRing, Edges::kRings, add_ring_all_reduce},
    Entry{Kind::kAllReduce, Algorithm::kTree, Edges::kSamePlaces, add_tree_all_reduce},
    Entry{Kind::kAllReduce, Algorithm::kHalvingDoubling, Edges::kAnyTwo, add_halving_doubling, power_of_two},
    Entry{Kind::kAllReduce, Algorithm::kDirect, Edges::kAnyTwo, add_direct_all_reduce},
    Entry{Kind::kAllReduce, Algorithm::kHierarchical, Edges::kSamePlaces, add_hierarchical_all_reduce, domain_reducer},
    Entry{Kind::kAllReduce, Algorithm::kInNetwork, Edges::kAnyTwo, add_in_network_all_reduce, group_reducer},
    Entry{Kind::kAllReduce, Algorithm::kNvlsTree, Edges::kSamePlaces, add_nvls_tree_all_reduce, domain_switch},
    Entry{Kind::kReduceScatter, Algorithm::kRing, Edges::kRings, add_ring_reduce_scatter},
    Entry{Kind::kReduceScatter, Algorithm::kDirect, Edges::kAnyTwo, add_direct_reduce_scatter},
    Entry{Kind::kReduceScatter, Algorithm::kHierarchical, Edges::kSamePlaces, add_hierarchical_reduce_scatter,
          domain_reducer},
    Entry{Kind::kReduceScatter, Algorithm::kInNetwork, Edges::kAnyTwo, add_in_network_reduce_scatter, group_reducer},
    Entry{Kind::kAllGather, Algorithm::kRing, Edges::kRings, add_ring_all_gather},
    Entry{Kind::kAllGather, Algorithm::kDirect, Edges::kAnyTwo, add_direct_all_gather},
    Entry{Kind::kAllGather, Algorithm::kHierarchical, Edges::kSamePlaces, add_hierarchical_all_gather, equal_groups},
    Entry{Kind::kAllGather, Algorithm::kRecursiveDoubling, Edges::kAnyTwo, add_recursive_doubling, power_of_two,
          Choice::kByName},
    Entry{Kind::kBroadcast, Algorithm::kRing, Edges::kRings, add_chain_broadcast},
    Entry{Kind::kBroadcast, Algorithm::kTree, Edges::kAnyTwo, add_tree_broadcast},
    Entry{Kind::kReduce, Algorithm::kRing, Edges::kRings, add_chain_reduce},
    Entry{Kind::kReduce, Algorithm::kTree, Edges::kAnyTwo, add_tree_reduce},
    Entry{Kind::kReduce, Algorithm::kInNetwork, Edges::kAnyTwo, add_in_network_reduce, group_reducer},
    Entry{Kind::kAllToAll, Algorithm::kDirect, Edges::kAnyTwo, add_pairwise_all_to_all, equal_parts},
    Entry{Kind::kAllToAll, Algorithm::kHierarchical, Edges::kSamePlaces, add_relayed_all_to_all,
          equal_groups_and_parts},
    Entry{Kind::kBarrier, Algorithm::kDirect, Edges::kSamePlaces, add_barrier},
    Entry{Kind::kSend, Algorithm::kDirect, Edges::kPair, add_send},
    Entry{Kind::kReceive, Algorithm::kDirect, Edges::kPair, add_receive},
};

const Entry* find(CollectiveKind kind, CollectiveAlgorithm algorithm) {
  const auto entry = std::find_if(kEntries.begin(), kEntries.end(), [&](const Entry& candidate) {
    return candidate.kind == kind && candidate.algorithm == algorithm;
  });
  return entry == kEntries.end() ? nullptr : &*entry;
}

/// "ring, tree".
std::string algorithms_for(CollectiveKind kind) {
  std::string list;
  for (const Entry& entry : kEntries) {
    if (entry.kind == kind)
      list += (list.empty() ? "" : ", ") + std::string(to_string(entry.algorithm));
  }
  return list;
}

}  // namespace

Result<void> check_algorithm(const LaneContext& context, CollectiveAlgorithm algorithm) {
  const Entry* const entry = find(context.request.kind, algorithm);
  if (entry == nullptr)
    return fail("no algorithm '{}'; there are {}", to_string(algorithm), algorithms_for(context.request.kind));
  if (auto reached = check_edges(context, *entry); !reached)
    return reached;
  return entry->check == nullptr ? Result<void>{} : entry->check(context);
}

std::uint32_t channels_of(CollectiveAlgorithm algorithm, const MemberLayout& layout, const CollectiveOptions& options) {
  if (options.channels > 0)
    return options.channels;
  switch (algorithm) {
    case CollectiveAlgorithm::kRing:
      return layout.default_channels();
    case CollectiveAlgorithm::kTree:
      return 2 * layout.default_channels();
    case CollectiveAlgorithm::kNvlsTree:
      return 2 * layout.rails();
    case CollectiveAlgorithm::kInNetwork:
    case CollectiveAlgorithm::kDirect:
      if (layout.groups() == 1 && layout.has_scale_up())
        return 1;
      break;
    case CollectiveAlgorithm::kAutomatic:
    case CollectiveAlgorithm::kHalvingDoubling:
    case CollectiveAlgorithm::kHierarchical:
    case CollectiveAlgorithm::kRecursiveDoubling:
      break;
  }
  return layout.rails();
}

bool is_chosen_by_name(CollectiveKind kind, CollectiveAlgorithm algorithm) {
  const Entry* const entry = find(kind, algorithm);
  return entry != nullptr && entry->choice == Choice::kByName;
}

std::uint32_t max_channels(const MemberLayout& layout, const CollectiveOptions& options) {
  const std::uint32_t pairs = 2 * layout.default_channels();
  return std::max({pairs, (options.channels + pairs - 1) / pairs * pairs, 2 * layout.rails()});
}

std::uint32_t ring_steps_of(CollectiveKind kind, CollectiveAlgorithm algorithm, const MemberLayout& layout) {
  if (kind != CollectiveKind::kAllReduce && kind != CollectiveKind::kReduceScatter &&
      kind != CollectiveKind::kAllGather)
    return 0;
  if (algorithm == CollectiveAlgorithm::kRing)
    return layout.size() - 1;
  return algorithm == CollectiveAlgorithm::kHierarchical ? layout.groups() - 1 : 0;
}

void add_lanes(const LaneContext& context, CollectiveAlgorithm algorithm, Lanes& lanes) {
  const Entry* const entry = find(context.request.kind, algorithm);
  WEFT_ASSERT(entry != nullptr);
  if (context.size() > 1 || context.request.kind == CollectiveKind::kAllToAll)
    entry->add(context, lanes);
}

}  // namespace weft::workload
