// Groups and REDUCE of one simulated rail: each group is a connection to its first reducer.
//
// A request is a SEND of the vector, and a receive request where the result goes; nothing is split. At most a window of
// requests is under way, the others wait their turn; they complete in their order. A connection that breaks, or a group
// that has failed elsewhere, ends all requests with an error: the first with what happened, the others flushed, as all
// that are posted later. A group's queue pair lives, and keeps its domain in use, until all members have destroyed the
// group.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "base/assert.h"
#include "base/ring.h"
#include "host/probe_timer.h"
#include "host/reduction_actor.h"
#include "host/sim_provider.h"
#include "host/tree_edge.h"
#include "verbs/group.h"
#include "verbs/group_reservation.h"

namespace weft::host {

class AggregationManager;

class SimGroupProvider final : public verbs::GroupProvider,
                               public verbs::GroupReservations,
                               public ReductionActor,
                               public CompletionListener {
 public:
  struct Place {
    sim::Kernel& kernel;
    std::uint32_t index = 0;  // of the actor
    Nic& nic;
    SimProvider& rail;  // of the program: where REDUCE requests complete
    AggregationManager& manager;
    Service service = Service::kRdma;
  };
  /// All of them, and the options, must outlive this.
  SimGroupProvider(const Place& place, const ReductionOptions& options);

  void on_completions(Time at) override { wake_at(at); }

  [[nodiscard]] verbs::ReduceLimits query_reduce() const override { return options_.limits; }
  [[nodiscard]] Result<void> reserve_groups(const verbs::GroupReservation& reservation) override;
  [[nodiscard]] Result<verbs::GroupHandle> create_group(const verbs::GroupAttributes& attributes) override;
  /// Errors also: requests outstanding.
  [[nodiscard]] Result<void> destroy_group(verbs::GroupHandle group) override;
  /// Errors: as check_reduce, an unknown handle, max_reduce_wr requests outstanding.
  [[nodiscard]] Result<void> post_reduce(verbs::GroupHandle group, const verbs::ReduceWr& request) override;

 private:
  struct Group {
    bool open = false;
    bool failed = false;
    verbs::GroupAttributes attributes;
    std::uint32_t tree = 0;
    std::optional<TreeEdge> edge{};
    Ring<verbs::ReduceWr> requests;  // those not retired
    // Counts since the beginning; each is at most the one before it, `answered` at most `started`.
    std::uint64_t posted = 0;
    std::uint64_t started = 0;
    std::uint64_t acknowledged = 0;
    std::uint64_t answered = 0;
    std::uint64_t completed = 0;
    std::uint64_t retired = 0;
    ProbeTimer probe_timer;

    /// The order of the counts; for assertions. In a group that has failed all is completed, started or not.
    [[nodiscard]] bool consistent() const {
      const bool order = acknowledged <= started && answered <= started && started <= posted && completed <= posted;
      return order && retired <= completed && (failed || completed <= started) && requests.size() == posted - retired;
    }
    [[nodiscard]] const verbs::ReduceWr& request(std::uint64_t number) const {
      WEFT_DCHECK(retired <= number && number < posted);
      return requests[static_cast<std::uint32_t>(number - retired)];
    }
    [[nodiscard]] bool receives(const verbs::ReduceWr& request) const {
      return !request.root || *request.root == attributes.self;
    }
    [[nodiscard]] bool brings(const verbs::ReduceWr& request) const {
      return !request.broadcast_from || *request.broadcast_from == attributes.self;
    }
  };

  void work(Time now) override;
  void on_completion(const verbs::WorkCompletion& completion);
  void on_response(Group& group, const verbs::WorkCompletion& completion);
  void advance(Group& group);
  void complete_next(Group& group, verbs::WcStatus status);
  void start_next(Group& group);
  void fail_group(Group& group, verbs::WcStatus status);
  void check_waiting_groups(Time now);
  [[nodiscard]] Result<Group*> find(verbs::GroupHandle handle);

  const ReductionOptions& options_;
  SimProvider provider_;
  SimProvider& rail_;
  AggregationManager& manager_;
  EndpointId endpoint_;
  verbs::CqHandle cq_;
  std::deque<Group> groups_;  // by handle and edge number
  Time next_check_ = Time::never();
};

}  // namespace weft::host
