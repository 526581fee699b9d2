// Where the ranks of a job run: which host, which of its GPUs, which of its rails.
//
// One rank per GPU; a host without GPUs takes one rank, which runs on its CPU. Several jobs share a cluster: each is
// placed on what those before it left free. A random placement ranks the free places by f(seed, job, host, GPU), so a
// host added or renamed moves only the ranks that come to it or leave it.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "verbs/machine.h"
#include "workload/rank.h"

namespace weft::workload {

/// A host's place in the list that the placement was made with.
using HostIndex = Id<struct HostTag>;

struct HostShape {
  std::string name{};
  std::uint32_t gpus = 0;
  std::uint32_t rails = 1;  // at least 1
};

struct RankPlace {
  HostIndex host{};
  verbs::GpuIndex gpu{};               // invalid: the CPU
  std::vector<std::uint32_t> rails{};  // of the host; at least one

  friend bool operator==(const RankPlace&, const RankPlace&) = default;
};

/// Fills one host after the other.
struct PackedPlacement {};
/// One rank per host, then a second one, and so on.
struct SpreadPlacement {};
/// Any of the free places.
struct RandomPlacement {};
/// One place per rank.
struct ListedPlacement {
  struct Place {
    std::string host{};
    std::uint32_t gpu = 0;  // 0 on a host without GPUs
  };
  std::vector<Place> places{};
};

/// kNearest: the rails are shared out among the host's GPUs in order, at least one to each, so that GPUs share rails if
/// there are fewer. kAll: every rank may use every rail of its host.
enum class RailChoice : std::uint8_t { kNearest, kAll };

struct PlacementOptions {
  std::variant<PackedPlacement, SpreadPlacement, RandomPlacement, ListedPlacement> kind{};
  RailChoice rails = RailChoice::kNearest;
};

class Placement {
 public:
  /// Errors: two hosts of one name, a host without a rail.
  [[nodiscard]] static Result<Placement> make(std::vector<HostShape> hosts);

  /// Places the ranks of a job, by rank, and takes their places. Errors, after which nothing is taken: too few free
  /// places, with the numbers; a list of another length than the job; a host or GPU that does not exist or is taken.
  [[nodiscard]] Result<std::vector<RankPlace>> place(const JobOptions& job, const PlacementOptions& options);

  [[nodiscard]] std::size_t free_places() const;

 private:
  struct Slot {
    std::uint32_t host = 0;
    std::uint32_t gpu = 0;
    bool taken = false;
  };
  explicit Placement(std::vector<HostShape> hosts);

  [[nodiscard]] std::vector<std::size_t> free_slots() const;
  [[nodiscard]] Result<std::vector<std::size_t>> choose(const JobOptions& job, const PlacementOptions& options) const;
  [[nodiscard]] Result<std::vector<std::size_t>> choose_listed(const JobOptions& job,
                                                               const ListedPlacement& listed) const;
  [[nodiscard]] Result<std::size_t> find_slot(const ListedPlacement::Place& place) const;
  [[nodiscard]] std::uint64_t random_rank(const JobOptions& job, std::size_t slot) const;
  [[nodiscard]] RankPlace place_of(const Slot& slot, RailChoice rails) const;

  std::vector<HostShape> hosts_;
  std::vector<Slot> slots_;  // by host, then GPU
};

}  // namespace weft::workload
