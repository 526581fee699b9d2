// What a rank opens on each of its rails before anything else: a protection domain, one completion queue for
// everything, and one memory region that its peers may read and write.
//
// The runner asks the provider of each rail for the event of that rail's queue (`get_cq_event`) to know whose program
// has news; a program arms the queue before it empties it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/data_size.h"
#include "base/result.h"
#include "verbs/machine.h"
#include "verbs/provider.h"
#include "workload/rank.h"

namespace weft::workload {

/// The memory of a rank, the same range on every rail. Without bytes only lengths travel.
struct RankMemory {
  std::uint64_t address = std::uint64_t{1} << 44;
  Bytes length = Bytes(std::int64_t{1} << 40);
  std::byte* bytes = nullptr;  // the owner's; must outlive the rank
  verbs::MemoryPlace place{};  // where it lies
};

/// Of a rail that is another rank's NIC: over which of the own rails that rank gets the data first, and at which of
/// its.
struct RelayPath {
  RankId through{};
  std::uint16_t rail = 0;
  std::uint16_t remote_rail = 0;
};

struct RailPort {
  verbs::Provider* provider = nullptr;  // the machine's
  EndpointId endpoint{};
  Rate rate{};
  verbs::PdHandle pd{};
  verbs::CqHandle cq{};
  std::uint32_t key = 0;             // of the memory
  std::optional<RelayPath> relay{};  // none: the rank's own
};

class RankPorts {
 public:
  /// Errors: the machine has no rail; what a provider refuses.
  [[nodiscard]] static Result<RankPorts> open(verbs::Machine& machine, const RankMemory& memory);

  [[nodiscard]] std::span<const RailPort> rails() const { return rails_; }
  /// Both before any connection is made.
  void set_relay(std::uint16_t rail, const RelayPath& path) { rails_[rail].relay = path; }
  /// The first `count` rails, at least one, are ports of one NIC that share the queue pairs of a connection of rail 0.
  void share_first(std::uint16_t count) { shared_ = count; }
  /// The ports that take the queue pairs of a connection of this rail, in turn.
  [[nodiscard]] std::span<const RailPort> ports_of(std::uint16_t rail) const {
    return rails().subspan(rail, rail == 0 ? shared_ : 1);
  }
  [[nodiscard]] const RankMemory& memory() const { return memory_; }
  [[nodiscard]] verbs::Machine& machine() const { return *machine_; }

 private:
  RankPorts(verbs::Machine& machine, const RankMemory& memory) : machine_(&machine), memory_(memory) {}

  verbs::Machine* machine_;
  RankMemory memory_;
  std::vector<RailPort> rails_;
  std::uint16_t shared_ = 1;
};

}  // namespace weft::workload
