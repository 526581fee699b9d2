// Actors: everything that receives events. An actor is named by its kind and its place in the table of that kind, and
// has at most one wake-up pending.
//
// Events of one instant are ordered by the rank of their actors: the order of f(seed, stable name), assigned once at
// assembly (sim/actor_order.h). Indices locate records; they never break ties.
#pragma once

#include <cstdint>

#include "base/assert.h"
#include "base/int128.h"
#include "base/time.h"

namespace weft::sim {

/// Kinds are numbered by whoever assembles the world: 0 to 15.
using ActorKind = std::uint8_t;

/// A part of the simulated network whose events run in a window of their own (sim/kernel.h).
using PartitionIndex = std::uint32_t;

/// 4 bits of kind, 28 of index.
class ActorId {
 public:
  static constexpr std::uint32_t kMaxIndex = (1U << 28) - 1;

  constexpr ActorId() = default;
  constexpr ActorId(ActorKind kind, std::uint32_t index) : value_(std::uint32_t{kind} << 28 | index) {
    WEFT_DCHECK(kind < 16 && index <= kMaxIndex);
  }
  static constexpr ActorId from_value(std::uint32_t value) {
    ActorId id;
    id.value_ = value;
    return id;
  }

  [[nodiscard]] constexpr ActorKind kind() const { return static_cast<ActorKind>(value_ >> 28); }
  [[nodiscard]] constexpr std::uint32_t index() const { return value_ & kMaxIndex; }
  [[nodiscard]] constexpr std::uint32_t value() const { return value_; }

  friend constexpr bool operator==(ActorId, ActorId) = default;

 private:
  std::uint32_t value_ = 0;
};

/// The wake-up of one actor, kept in the actor's own record. Only the kernel changes it.
class Wake {
 public:
  [[nodiscard]] Time pending() const { return pending_; }
  [[nodiscard]] std::uint32_t rank() const { return rank_; }
  void set_rank(std::uint32_t rank) { rank_ = rank; }
  [[nodiscard]] PartitionIndex partition() const { return partition_; }
  /// Before the first wake-up.
  void set_partition(PartitionIndex partition) { partition_ = partition; }

  /// Call first when an event of the actor comes: false if the event is stale, because an earlier wake-up has replaced
  /// it.
  [[nodiscard]] bool fires(Time now) {
    if (pending_ != now) {
      return false;
    }
    pending_ = Time::never();
    return true;
  }
  /// Cancels: the pending event, if any, becomes stale.
  void cancel() { pending_ = Time::never(); }

 private:
  friend class WakeAccess;
  Time pending_ = Time::never();
  std::uint32_t rank_ = 0;
  PartitionIndex partition_ = 0;
};
static_assert(sizeof(Wake) == 16);

/// Gives the kernel alone access to a wake-up's time.
class WakeAccess {
 public:
  static void set(Wake& wake, Time at) { wake.pending_ = at; }
};

/// A wake-up in the event set. Order: time, then rank.
struct Event {
  Time time;
  std::uint64_t order = 0;  // rank above, actor below

  Event() = default;
  Event(Time at, std::uint32_t rank, ActorId actor) : time(at), order(std::uint64_t{rank} << 32 | actor.value()) {}

  [[nodiscard]] ActorId actor() const { return ActorId::from_value(static_cast<std::uint32_t>(order)); }
  [[nodiscard]] std::uint32_t rank() const { return static_cast<std::uint32_t>(order >> 32); }
  [[nodiscard]] bool before(const Event& other) const { return key() < other.key(); }
  friend bool operator==(const Event&, const Event&) = default;

 private:
  /// One comparison without a branch; times of events are not negative.
  [[nodiscard]] Uint128 key() const {
    return static_cast<Uint128>(static_cast<std::uint64_t>(time.picoseconds())) << 64 | order;
  }
};
static_assert(sizeof(Event) == 16);

}  // namespace weft::sim
