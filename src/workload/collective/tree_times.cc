#include "workload/collective/tree_times.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <queue>
#include <span>
#include <vector>

namespace weft::workload {
namespace {

/// Chunks that are worked out one by one, and how many of them show what a further one takes.
constexpr std::int64_t kWorkedOut = 64;
constexpr std::int64_t kSteady = 16;

/// Picoseconds; parts of them matter where links are shared by three.
using Picoseconds = double;
constexpr Picoseconds kNever = std::numeric_limits<Picoseconds>::infinity();
/// What is left of a message that has been sent, but for rounding.
constexpr Picoseconds kNothing = 1e-3;

/// The messages from one node to a neighbour in one tree and direction, one after the other.
struct Stream {
  std::size_t from = 0;                // its link out
  std::size_t to = 0;                  // the receiver's link in
  std::vector<std::size_t> sources{};  // streams whose chunk it waits for
  std::int64_t sent = 0;
  std::int64_t arrived = 0;
  bool sending = false;
  Picoseconds left = 0;
  double rate = 0;
};

/// What a link has for messages that have no rate yet.
struct Link {
  double left = 1;
  int sharers = 0;
};

struct ChunkArrival {
  Picoseconds at = 0;
  std::size_t stream = 0;
  bool operator>(const ChunkArrival& other) const { return at != other.at ? at > other.at : stream > other.stream; }
};

class Shares {
 public:
  explicit Shares(const TreePipeline& pipeline) : pipeline_(pipeline) {
    for (std::uint32_t tree = 0; tree < pipeline.trees; ++tree)
      add_tree(tree % 2 == 0 ? TreeHalf::kFirst : TreeHalf::kSecond);
  }

  [[nodiscard]] Picoseconds run() {
    Picoseconds now = 0;
    for (;;) {
      start();
      const Picoseconds next = std::min(share(), arrivals_.empty() ? kNever : arrivals_.top().at - now);
      if (next == kNever)
        return now;
      now += next;
      go_on(now, next);
    }
  }

 private:
  void add_tree(TreeHalf half) {
    const std::uint32_t nodes = pipeline_.nodes;
    const std::size_t first = streams_.size();
    // Of node n: 2n goes up, 2n + 1 comes down to it. Those of the root are never used.
    streams_.resize(first + std::size_t{2} * nodes);
    for (std::uint32_t node = 0; node < nodes; ++node) {
      const TreeNode place = tree_node(node, nodes, half);
      std::vector<std::size_t> from_below;
      for (const std::uint32_t child : place.children)
        from_below.push_back(first + std::size_t{2} * child);
      Stream& up = streams_[first + std::size_t{2} * node];
      Stream& down = streams_[first + std::size_t{2} * node + 1];
      const bool root = !place.parent;
      if (root) {
        up.sent = down.sent = pipeline_.chunks;
      } else {
        up.from = down.to = node;
        up.to = down.from = *place.parent;
        up.sources = from_below;
      }
      for (const std::uint32_t child : place.children)
        streams_[first + std::size_t{2} * child + 1].sources =
            root ? from_below : std::vector<std::size_t>{first + std::size_t{2} * node + 1};
    }
  }

  [[nodiscard]] bool is_ready(const Stream& stream) const {
    return !stream.sending && stream.sent < pipeline_.chunks &&
           std::ranges::all_of(stream.sources,
                               [&](std::size_t source) { return streams_[source].arrived > stream.sent; });
  }
  void start() {
    for (Stream& stream : streams_) {
      if (!is_ready(stream))
        continue;
      stream.sending = true;
      const bool is_last = stream.sent + 1 == pipeline_.chunks;
      stream.left = static_cast<Picoseconds>((is_last ? pipeline_.last : pipeline_.chunk).picoseconds());
    }
  }

  /// Gives all messages under way their rates: those on the link that has least for each of them come first. When the
  /// next of them ends.
  [[nodiscard]] Picoseconds share() {
    std::vector<Stream*> waiting;
    std::vector<Link> links(std::size_t{2} * pipeline_.nodes);
    const auto ends = [&](const Stream& stream) {
      return std::array{&links[stream.from], &links[pipeline_.nodes + stream.to]};
    };
    for (Stream& stream : streams_) {
      if (!stream.sending)
        continue;
      waiting.push_back(&stream);
      for (Link* const link : ends(stream))
        ++link->sharers;
    }
    Picoseconds next = kNever;
    while (!waiting.empty()) {
      double least = 1;
      for (const Link& link : links)
        least = link.sharers > 0 ? std::min(least, link.left / link.sharers) : least;
      // By rounding alone can a link of this round have a little more for each.
      const auto narrow = [&](const Stream* stream) {
        return std::ranges::any_of(ends(*stream),
                                   [&](const Link* link) { return link->left <= least * link->sharers * (1 + 1e-9); });
      };
      const auto served =
          std::stable_partition(waiting.begin(), waiting.end(), [&](const Stream* stream) { return !narrow(stream); });
      for (Stream* const stream : std::span(served, waiting.end())) {
        stream->rate = least;
        next = std::min(next, stream->left / least);
        for (Link* const link : ends(*stream)) {
          link->left -= least;
          --link->sharers;
        }
      }
      waiting.erase(served, waiting.end());
    }
    return next;
  }

  void go_on(Picoseconds now, Picoseconds elapsed) {
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      Stream& stream = streams_[i];
      if (!stream.sending)
        continue;
      stream.left -= stream.rate * elapsed;
      if (stream.left > kNothing)
        continue;
      stream.sending = false;
      ++stream.sent;
      arrivals_.push({.at = now + static_cast<Picoseconds>(pipeline_.startup.picoseconds()), .stream = i});
    }
    for (; !arrivals_.empty() && arrivals_.top().at <= now; arrivals_.pop())
      ++streams_[arrivals_.top().stream].arrived;
  }

  const TreePipeline& pipeline_;
  std::vector<Stream> streams_;
  std::priority_queue<ChunkArrival, std::vector<ChunkArrival>, std::greater<>> arrivals_;
};

Duration worked_out(TreePipeline pipeline, std::int64_t chunks) {
  pipeline.chunks = chunks;
  return Duration::picoseconds(static_cast<std::int64_t>(Shares(pipeline).run() + 0.5));
}

}  // namespace

Duration tree_all_reduce_time(const TreePipeline& pipeline) {
  if (pipeline.nodes < 2 || pipeline.chunks == 0)
    return Duration::zero();
  if (pipeline.chunks <= kWorkedOut)
    return worked_out(pipeline, pipeline.chunks);
  const Duration behind = worked_out(pipeline, kWorkedOut);
  const Duration before = worked_out(pipeline, kWorkedOut - kSteady);
  return behind + (behind - before) * (pipeline.chunks - kWorkedOut) / kSteady;
}

}  // namespace weft::workload
