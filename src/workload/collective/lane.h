// Lanes: what algorithms are written in. A lane is a sequence of actions of one rank, made one by one while it runs;
// the lanes of an operation run side by side, and wait for each other where an action says so.
//
// Compare MSCCL's thread blocks and NCCL's channels. An action sends a chunk to a peer, takes the next chunk from a
// peer (in place of its own bytes or added to them), or hands one to the network's reducers. A sent chunk lands in the
// receiver's buffer of that edge and stays there until the receiver's lane has taken it, so the two ends of an edge
// must agree on the order and sizes of its chunks, and on nothing else. An edge is (sender, receiver, slot).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/generator.h"
#include "workload/collective/collective_options.h"
#include "workload/collective/collectives.h"
#include "workload/collective/extents.h"
#include "workload/collective/member_layout.h"

namespace weft::workload {

/// A rank's own memory, as lanes see it: `kData` holds the input and, but for all-to-all, the result; all-to-all leaves
/// its result in `kResult`; `kStaging` is for what is passed on.
enum class BufferKind : std::uint8_t { kData, kResult, kStaging };

/// Waits until a lane of the same operation has come to this mark. A lane that has ended has come to every mark.
struct Dependency {
  std::uint32_t lane = 0;
  std::uint64_t mark = 0;  // 0: no dependency
};

struct Action {
  enum class Kind : std::uint8_t {
    kSend,             // `extent` of `buffer` to `peer`
    kReceive,          // the next chunk of `peer` replaces it
    kReduce,           // the next chunk of `peer` is added to it
    kReduceInNetwork,  // to all members' reducer; the result replaces it (at `peer` alone, if that is valid)
    kShareInNetwork,   // `peer`'s is given to all members by their reducer, and replaces it
    kCopy,             // from the same place of kData
    kMark,             // nothing but the mark
  };
  Kind kind = Kind::kMark;
  BufferKind buffer = BufferKind::kData;
  std::uint32_t slot = 0;
  MemberIndex peer{};
  Extent extent{};
  std::uint64_t to = 0;    // kCopy: where in `buffer`
  std::uint64_t mark = 0;  // the lane's once the action is done; 0: as before
  /// Of a lane that does the same again and again: how often it will after this time, with the same peers, sizes and
  /// times; 0: perhaps not again.
  std::uint64_t rounds_left = 0;
  std::array<Dependency, 3> after{};
};

using Lane = Generator<Action>;

/// Slots of one channel: an algorithm gives each of its sequences between two ranks one of its own.
inline constexpr std::uint32_t kSlotsPerChannel = 4;
[[nodiscard]] constexpr std::uint32_t slot_of(std::uint32_t channel, std::uint32_t phase) {
  return channel * kSlotsPerChannel + phase;
}

/// Whether operations of this kind add up what the ranks have.
[[nodiscard]] constexpr bool reduces(CollectiveKind kind) {
  return kind == CollectiveKind::kAllReduce || kind == CollectiveKind::kReduceScatter ||
         kind == CollectiveKind::kReduce;
}

/// What a generator of lanes is given. Everything outlives the lanes.
struct LaneContext {
  CollectiveRequest request{};
  MemberIndex self{};
  const MemberLayout* layout = nullptr;
  const CollectiveOptions* options = nullptr;
  std::uint32_t channels = 1;                    // resolved
  std::uint32_t pair_slot = 0;                   // of sends and receives
  Bytes chunk{};                                 // as the options say, or less where a reducer takes less
  std::optional<verbs::ReduceLimits> reducer{};  // of the network, for those whom this operation asks
  /// Rounds that lanes leave out, as far as they say that they have them (Action::rounds_left); it grows while they
  /// run. Null: none.
  const std::uint64_t* rounds_skipped = nullptr;

  [[nodiscard]] std::uint64_t skipped() const { return rounds_skipped == nullptr ? 0 : *rounds_skipped; }
  [[nodiscard]] std::uint32_t size() const { return layout->size(); }
  /// What is only moved need not consist of whole elements.
  [[nodiscard]] Chunker chunker() const { return chunker_of(chunk); }
  /// Of what goes over edges where a reducer takes less than a chunk at a time: as edges have room for it.
  [[nodiscard]] Chunker edge_chunker() const { return chunker_of(options->chunk); }
  /// Slots of exchanges in which every member uses its own rails, one after the other.
  [[nodiscard]] std::uint32_t rail_slot(std::uint32_t channel, std::uint32_t phase) const {
    return slot_of(layout->rail_channel(channel), phase);
  }
  [[nodiscard]] Extent whole() const { return {0, static_cast<std::uint64_t>(request.size.count())}; }
  /// Steps of one pass around a ring of so many: one less, or what the request asks for.
  [[nodiscard]] std::uint32_t steps_around(std::uint32_t ring) const {
    const std::uint32_t all = ring > 0 ? ring - 1 : 0;
    return request.ring_steps == 0 ? all : std::min(all, request.ring_steps);
  }
  /// The part of the buffer that belongs to a member, in reduce-scatter, all-gather and all-to-all.
  [[nodiscard]] Extent part_of(MemberIndex member) const { return chunker().part(whole(), member.value(), size()); }

 private:
  [[nodiscard]] Chunker chunker_of(Bytes size) const {
    const bool whole_elements = request.size % options->element == Bytes::zero();
    return Chunker({.element = whole_elements ? options->element : Bytes(1), .chunk = size});
  }
};

/// Copies the part that the member keeps of what it exchanges.
[[nodiscard]] Lane copy_own(LaneContext context);

/// The lanes of an operation; `add` gives the number that dependencies name.
class Lanes {
 public:
  std::uint32_t add(Lane lane) {
    lanes_.push_back(std::move(lane));
    return static_cast<std::uint32_t>(lanes_.size() - 1);
  }
  /// The number that the next lane will have.
  [[nodiscard]] std::uint32_t next() const { return static_cast<std::uint32_t>(lanes_.size()); }
  /// The `count` lanes from `first` on, some of which are still to be added, but for the next one itself.
  [[nodiscard]] std::vector<std::uint32_t> next_to(std::uint32_t first, std::size_t count) const {
    std::vector<std::uint32_t> made;
    for (std::uint32_t lane = first; lane < first + count; ++lane) {
      if (lane != next())
        made.push_back(lane);
    }
    return made;
  }
  [[nodiscard]] std::vector<Lane> take() { return std::move(lanes_); }

 private:
  std::vector<Lane> lanes_;
};

}  // namespace weft::workload
