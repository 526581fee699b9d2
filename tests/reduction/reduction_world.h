// Ranks on a simulated InfiniBand network with reducers, each with one rail: groups, REDUCE requests, and real bytes.
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "study/world/world.h"
#include "verbs/group.h"

namespace weft::testing {

struct ReductionWorldOptions {
  fabric::Graph graph;  // without reducers
  fabric::InfiniBandOptions fabric;
  host::NicOptions nic;
  host::ReductionOptions reduction;
  std::optional<std::vector<fabric::NodeIndex>> reducers{};  // none: in every switch
  std::uint64_t seed = 1;
  bool carries_bytes = true;
};

/// Hosts on leaves and spines, 400 Gb/s, short cables.
[[nodiscard]] fabric::Graph leaves_and_spines(std::uint32_t leaves, std::uint32_t hosts_per_leaf, std::uint32_t spines);
/// Lossless, cut-through, no latency of switches; every header checked.
[[nodiscard]] ReductionWorldOptions reduction_world(fabric::Graph graph);

struct Completed {
  verbs::WorkCompletion completion;
  Time at;
};

/// One group as its ranks post to it, from the start of the run: everybody's requests, in order.
struct GroupPlan {
  std::vector<std::uint32_t> ranks;  // hosts, in the order of the group's ranks
  std::uint32_t max_reduce_wr = 1U << 16;
};
struct ReducePlan {
  std::uint32_t group = 0;
  std::uint32_t count = 1;  // of elements
  verbs::DataType data_type = verbs::DataType::kFloat32;
  verbs::ReduceOperation operation = verbs::ReduceOperation::kSum;
  std::optional<std::uint32_t> root{};
  bool in_place = false;
  std::optional<std::uint32_t> broadcast_from{};
};

class ReductionWorld {
 public:
  explicit ReductionWorld(ReductionWorldOptions options);

  /// Every member creates the group when the run starts; its number.
  std::uint32_t add_group(GroupPlan plan);
  /// Every member posts it at its start; the number of the request. `fill(group rank, bytes)` writes its vector.
  using Fill = std::function<void(std::uint32_t rank, std::span<std::byte> bytes)>;
  std::uint32_t add(const ReducePlan& plan, const Fill& fill = {});
  /// A rank posts nothing before that.
  void start_late(std::uint32_t host, Time at) { hosts_[host].start = at; }
  /// A rank posts nothing at all.
  void silence(std::uint32_t host) { hosts_[host].start = Time::never(); }

  study::world::World::Stop run(Time limit = Time::never());
  /// The same, with checks along the way; the first sum that does not add up, or nothing.
  [[nodiscard]] std::string run_checked(Time limit = Time::never());

  [[nodiscard]] study::world::World& world() { return *world_; }
  /// What a request of a host ended in; none: it did not.
  [[nodiscard]] std::optional<Completed> completed(std::uint32_t host, std::uint32_t request) const;
  [[nodiscard]] std::span<const std::byte> destination(std::uint32_t host, std::uint32_t request) const;
  /// Every request of every member has succeeded, once and in order.
  [[nodiscard]] std::string check_all_succeeded() const;
  [[nodiscard]] Time last_completion() const;
  [[nodiscard]] verbs::GroupProvider& groups(std::uint32_t host) { return *world_->machine(host).rails()[0].groups; }
  [[nodiscard]] verbs::Provider& provider(std::uint32_t host) { return *world_->machine(host).rails()[0].provider; }
  [[nodiscard]] host::Reducer::Counters reducer_totals() const;

 private:
  struct Request {
    ReducePlan plan;
    std::uint32_t rank = 0;  // in the group
    std::uint64_t source = 0;
    std::uint64_t destination = 0;
  };
  struct Host {
    std::vector<std::byte> memory;
    std::uint64_t next = 0;  // free place in it
    std::vector<std::pair<std::uint32_t, Request>> requests;
    std::vector<std::optional<verbs::GroupHandle>> groups;
    std::vector<Completed> completions;
    verbs::PdHandle pd{};
    verbs::CqHandle cq{};
    std::uint32_t key = 0;
    Time start;
    bool started = false;
  };
  [[nodiscard]] Result<void> on_program(std::uint32_t host);
  [[nodiscard]] Result<void> post_all(std::uint32_t host);

  bool carries_bytes_;
  std::unique_ptr<study::world::World> world_;
  std::vector<GroupPlan> groups_;
  std::uint32_t requests_ = 0;
  std::deque<Host> hosts_;
};

}  // namespace weft::testing
