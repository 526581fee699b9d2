// Prefetches what the next events at NICs will need: their own records, then their queues and engines.
//
// An endpoint's port has the endpoint's own number, and so has its NIC: what comes there, or may leave there, concerns
// that NIC. A hint says where its memory lies and which engines it needed last; an engine may be gone by now, so hints
// are never read through. Decides nothing: with and without, results are the same.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/prefetch.h"
#include "fabric/actors.h"
#include "host/nic.h"
#include "sim/actor.h"

namespace weft::host {

/// Of one NIC; all of a world in a row, by endpoint.
struct NicHint {
  const Nic* nic = nullptr;
  /// The engines that took the last packets: data, and an acknowledgement.
  std::array<const void*, 2> engines{};
  std::array<std::uint32_t, 2> numbers{};  // of those queue pairs
};

/// A view of the hints.
class NicPrefetch {
 public:
  explicit NicPrefetch(std::span<NicHint> hints)
      : hints_(hints.data()), count_(static_cast<std::uint32_t>(hints.size())) {}

  // Three stages, as sim/kernel.h has them; each may read what the one before asked for. `fabric` has next_arrival().
  [[gnu::always_inline]] void prefetch_first(sim::ActorId actor) const {
    if (concerns(actor)) {
      __builtin_prefetch(&hints_[actor.index()]);
    }
  }
  [[gnu::always_inline]] void prefetch_second(sim::ActorId actor) const {
    if (concerns(actor)) {
      hints_[actor.index()].nic->prefetch();
    }
  }
  template <class Fabric>
  [[gnu::always_inline]] void prefetch_third(sim::ActorId actor, const Fabric& fabric) const {
    if (!concerns(actor)) {
      return;
    }
    NicHint& hint = hints_[actor.index()];
    if (actor.kind() == fabric::kTransmit) {
      prefetch_lines<kEngineBytes>(hint.engines[0]);
      prefetch_lines<kEngineBytes>(hint.engines[1]);
      hint.nic->prefetch_queues();
    } else if (const wire::Packet* const packet = fabric.next_arrival(actor.index()); packet != nullptr) {
      const unsigned which = packet->has(wire::kControl) ? 1 : 0;
      // Mostly the same queue pair as last time, which need not be looked up.
      if (hint.numbers[which] != packet->ib.destination_qp) [[unlikely]] {
        find_engine(hint, *packet);
      }
      prefetch_lines<kEngineBytes>(hint.engines[which]);
      hint.nic->prefetch_queues();
    }
  }

  // For a whole window of a partition, port by port: first the NIC, then what it needs.
  [[gnu::always_inline]] void prefetch_port(std::uint32_t port) const {
    if (port < count_) {
      __builtin_prefetch(&hints_[port]);
      hints_[port].nic->prefetch();
    }
  }
  template <class Fabric>
  [[gnu::always_inline]] void prefetch_port_contents(std::uint32_t port, const Fabric& fabric) const {
    if (port >= count_) {
      return;
    }
    NicHint& hint = hints_[port];
    if (hint.engines[0] == nullptr || hint.engines[1] == nullptr) [[unlikely]] {
      if (const wire::Packet* const packet = fabric.next_arrival(port); packet != nullptr) {
        find_engine(hint, *packet);
      }
    }
    prefetch_lines<kEngineBytes>(hint.engines[0]);
    prefetch_lines<kEngineBytes>(hint.engines[1]);
    hint.nic->prefetch_queues();
  }

 private:
  static constexpr std::size_t kEngineBytes = sizeof(transport::RcQueuePair);

  [[nodiscard]] bool concerns(sim::ActorId actor) const {
    return actor.index() < count_ && (actor.kind() == fabric::kArrival || actor.kind() == fabric::kTransmit);
  }
  static void find_engine(NicHint& hint, const wire::Packet& packet);

  NicHint* hints_;
  std::uint32_t count_;
};

}  // namespace weft::host
