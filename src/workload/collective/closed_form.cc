#include "workload/collective/closed_form.h"

#include <algorithm>
#include <bit>

#include "workload/collective/extents.h"
#include "workload/collective/tree.h"
#include "workload/collective/tree_times.h"

namespace weft::workload {
namespace {

Bytes bytes_of(const Extent& extent) { return Bytes(static_cast<std::int64_t>(extent.size)); }

/// A vector, or a part of it, as messages: all but the last of one size.
struct Train {
  std::int64_t chunks = 0;
  Duration first{};  // the longest of its messages
  Duration last{};
  Duration all{};
};

class Sums {
 public:
  explicit Sums(const CollectiveForm& form)
      : form_(form),
        chunker_({.element = form.size % form.element == Bytes::zero() ? form.element : Bytes(1), .chunk = form.chunk}),
        whole_{0, static_cast<std::uint64_t>(form.size.count())},
        startup_(form.scale_out.startup),
        ack_latency_(form.scale_out.ack_latency) {}

  [[nodiscard]] Train train(const LinkCost& link, const Extent& extent) const {
    Train made{.chunks = static_cast<std::int64_t>(chunker_.chunks(extent))};
    if (made.chunks == 0)
      return made;
    made.first = link.wire_time(bytes_of(chunker_.chunk(extent, 0)));
    made.last = link.wire_time(bytes_of(chunker_.chunk(extent, static_cast<std::uint64_t>(made.chunks) - 1)));
    made.all = made.first * (made.chunks - 1) + made.last;
    return made;
  }
  [[nodiscard]] Train whole() const { return train(form_.scale_out, whole_); }
  /// The longest of one rank's parts.
  [[nodiscard]] Train part() const { return train(form_.scale_out, chunker_.part(whole_, 0, form_.ranks)); }

  // A step may send its first chunk once that of the step before has come, and once the link has sent all of that step:
  // each step but the last lasts as long as the slower of the two.
  [[nodiscard]] Duration ring(std::int64_t steps) const { return ring_from(part(), steps) + ack_latency_; }
  [[nodiscard]] Duration ring_from(const Train& segment, std::int64_t steps) const {
    return std::max(segment.all, segment.first + startup_) * (steps - 1) + segment.all + startup_;
  }

  // The whole train over the first link, and its last chunk over each further one.
  [[nodiscard]] Duration chain() const {
    const Train train = whole();
    return train.all + startup_ + (train.first + startup_) * (form_.ranks - 2) + ack_latency_;
  }

  // Every step waits for the whole of the one before. Halves of halves, one way or there and back.
  [[nodiscard]] Duration halvings(std::int64_t passes) const {
    Duration sum = ack_latency_;
    for (std::uint32_t block = form_.ranks / 2; block > 0; block /= 2) {
      const Extent half = chunker_.part(whole_, 0, form_.ranks / block);
      sum += (train(form_.scale_out, half).all + startup_) * passes;
    }
    return sum;
  }

  // Messages to all others, at most `in_flight` of them on their way. A message takes the place of the one `in_flight`
  // before it when the answer to that has come, unless the link has not even sent those in between. Between its own
  // messages a rank acknowledges those of others that have come by then.
  [[nodiscard]] Duration exchange() const {
    const Train each = part();
    const std::int64_t messages = each.chunks * (form_.ranks - 1);
    const std::int64_t window = form_.in_flight;
    const Duration data = each.all * (form_.ranks - 1);
    const std::int64_t come = data > startup_ ? (data - startup_).picoseconds() * messages / data.picoseconds() : 0;
    const Duration link = data + form_.scale_out.acknowledgement * come;
    if (messages <= window)
      return link + startup_;
    const Duration mean = link / messages;
    const Duration turn = std::max(mean * window, mean + startup_ + ack_latency_);
    const std::int64_t turns = (messages - 1) / window;
    return std::max(link, turn * turns + mean * (messages - turns * window)) + startup_;
  }
  // The second exchange begins with the first sums; the link idles between the two only if it has nothing left to send
  // of the first.
  [[nodiscard]] Duration direct_all_reduce() const {
    const Train each = part();
    const Duration behind = (each.all - each.first) * (form_.ranks - 1);
    const Duration gap = startup_ > behind ? startup_ - behind : Duration::zero();
    return exchange() * 2 - startup_ + gap + ack_latency_;
  }

  [[nodiscard]] Duration barrier() const {
    return (startup_ + form_.scale_out.wire_time(Bytes::zero())) * std::bit_width(form_.ranks - 1) + ack_latency_;
  }

  [[nodiscard]] Duration tree_broadcast() const;
  [[nodiscard]] Duration tree_all_reduce() const;
  [[nodiscard]] Duration hierarchical() const;
  [[nodiscard]] Duration nvls_tree() const;

 private:
  const CollectiveForm& form_;
  Chunker chunker_;
  Extent whole_;
  Duration startup_;
  Duration ack_latency_;
};

/// How a message gets down the first tree over `count` nodes. A node sends to its children at once, packet by packet in
/// turns: to the last of them it is through after all their bytes, to the one before it a packet earlier.
class Descent {
 public:
  Descent(const LinkCost& link, Duration message, std::uint32_t count)
      : message_(message), packet_(std::min(message, link.packet)), startup_(link.startup), count_(count) {}

  /// From its arrival at a node until the last one below has it.
  [[nodiscard]] Duration from(std::uint32_t node) {
    const TreeNode place = tree_node(node, count_, TreeHalf::kFirst);
    const auto children = static_cast<std::int64_t>(place.children.size());
    most_children_ = std::max(most_children_, children);
    Duration longest;
    for (std::int64_t i = 0; i < children; ++i) {
      const Duration served = message_ * children - packet_ * (children - 1 - i);
      longest = std::max(longest, served + startup_ + from(place.children[static_cast<std::size_t>(i)]));
    }
    return longest;
  }
  /// Of the nodes that were come by.
  [[nodiscard]] std::int64_t most_children() const { return most_children_; }

 private:
  Duration message_;
  Duration packet_;
  Duration startup_;
  std::uint32_t count_;
  std::int64_t most_children_ = 0;
};

// The first chunk goes all the way, and each further one follows after a turn of the node with most children. The root
// stands above a tree of all others and sends to one of them.
Duration Sums::tree_broadcast() const {
  const Train train = whole();
  Descent below(form_.scale_out, train.first, form_.ranks - 1);
  const Duration down = form_.ranks > 2 ? below.from(0) : Duration::zero();
  const std::int64_t turns = std::max<std::int64_t>(below.most_children(), 1);
  return train.first + startup_ + down + train.first * turns * (train.chunks - 1) + ack_latency_;
}

// Trees of all channels share the nodes' links. The first one's part is the longest.
Duration Sums::tree_all_reduce() const {
  const Train each = train(form_.scale_out, chunker_.part(whole_, 0, form_.channels));
  return tree_all_reduce_time({.nodes = form_.ranks,
                               .trees = form_.channels,
                               .chunks = each.chunks,
                               .chunk = each.first,
                               .last = each.last,
                               .startup = startup_}) +
         ack_latency_;
}

// The ring of each rail carries what the rank's own number owns of every group: it begins when the first chunk has been
// summed up in the domain, and the last chunk that comes out of it still goes to the domain's other members. All else
// happens in the domains meanwhile, if their links are fast enough.
Duration Sums::hierarchical() const {
  const std::uint32_t groups = form_.ranks / form_.locals;
  const Extent share = chunker_.part(whole_, 0, form_.ranks);
  const Train inside = train(form_.scale_up, share);
  const bool reduces = form_.kind != CollectiveKind::kAllGather;
  const bool gathers = form_.kind != CollectiveKind::kReduceScatter;
  const std::int64_t others = form_.locals - 1;
  const std::int64_t steps = std::int64_t{groups - 1} * ((reduces ? 1 : 0) + (gathers ? 1 : 0));
  Duration sum = ring_from(train(form_.scale_out, share), steps);
  if (others == 0)
    return sum + ack_latency_;
  if (reduces)
    sum += inside.first * others + form_.scale_up.startup;
  if (gathers)
    sum += inside.last * others + form_.scale_up.startup;
  return sum + (gathers ? form_.scale_up.ack_latency : ack_latency_);
}

// The trees of the last owner's rail, behind the domain's sum of everybody's first chunks and before its sharing of the
// own last one. Both take the way to the switch and back for the first piece; other pieces follow without a gap.
Duration Sums::nvls_tree() const {
  const std::uint32_t locals = std::max<std::uint32_t>(form_.locals, 1);
  const Extent share = chunker_.part(chunker_.part(whole_, 0, locals), 0, form_.channels);
  const Train each = train(form_.scale_out, share);
  const Duration trees = tree_all_reduce_time({.nodes = form_.ranks / locals,
                                               .trees = form_.channels,
                                               .chunks = each.chunks,
                                               .chunk = each.first,
                                               .last = each.last,
                                               .startup = startup_});
  if (locals == 1 || each.chunks == 0)
    return trees + ack_latency_;
  const auto in_domain = [&](std::int64_t index, std::int64_t owners) {
    const Bytes chunk = bytes_of(chunker_.chunk(share, static_cast<std::uint64_t>(index)));
    return form_.reducer.startup + form_.reducer.wire_time(chunk * owners * form_.channels);
  };
  return in_domain(0, locals) + trees + in_domain(each.chunks - 1, 1);
}

std::optional<Duration> of_exchange(const CollectiveForm& form, const Sums& sums) {
  switch (form.kind) {
    case CollectiveKind::kAllReduce:
      return sums.direct_all_reduce();
    case CollectiveKind::kReduceScatter:
    case CollectiveKind::kAllGather:
    case CollectiveKind::kAllToAll:
      return sums.exchange() + form.scale_out.ack_latency;
    case CollectiveKind::kBarrier:
      return sums.barrier();
    case CollectiveKind::kSend:
    case CollectiveKind::kReceive:
      return sums.whole().all + form.scale_out.startup + form.scale_out.ack_latency;
    case CollectiveKind::kBroadcast:
    case CollectiveKind::kReduce:
      break;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Duration> closed_form(const CollectiveForm& form) {
  const Sums sums(form);
  const bool rooted = form.kind == CollectiveKind::kBroadcast || form.kind == CollectiveKind::kReduce;
  const bool twice = form.kind == CollectiveKind::kAllReduce;
  if (form.ranks < 2)
    return Duration::zero();
  switch (form.algorithm) {
    case CollectiveAlgorithm::kRing:
      return rooted ? sums.chain() : sums.ring(std::int64_t{form.ranks - 1} * (twice ? 2 : 1));
    case CollectiveAlgorithm::kTree:
      return rooted ? sums.tree_broadcast() : sums.tree_all_reduce();
    case CollectiveAlgorithm::kHalvingDoubling:
      return sums.halvings(2);
    case CollectiveAlgorithm::kRecursiveDoubling:
      return sums.halvings(1);
    case CollectiveAlgorithm::kDirect:
      return of_exchange(form, sums);
    case CollectiveAlgorithm::kHierarchical:
      if (form.kind == CollectiveKind::kAllToAll || form.ranks <= form.locals)
        break;
      return sums.hierarchical();
    case CollectiveAlgorithm::kNvlsTree:
      return sums.nvls_tree();
    case CollectiveAlgorithm::kAutomatic:
    case CollectiveAlgorithm::kInNetwork:
      break;
  }
  return std::nullopt;
}

}  // namespace weft::workload
