// A switch's reducer: it combines the vectors of a group's children, and hands the result on.
//
// It sits at endpoints of its own on the switch's internal ports and speaks verbs as any host does. For each group it
// has a connection to every child (a member's NIC, or a reducer below) and to its parent, if it is not the root. The
// n-th vectors of all children belong together; once all are there they are combined, in the order of the children,
// after `latency` the result goes up, or from the root down; what comes from above goes on to all children. With a root
// among the members, only the child towards it gets the result, and the others an empty answer. Of a broadcast one
// child has the vector and the others bring empty ones; it goes up and down as a result does. A child sends at most a
// window ahead of its answers, so that a reducer never takes more than it has room for.
//
// A broken connection, a child that gives up, and vectors that do not belong together end the group: everybody who
// waits is told. A group that waits too long probes its peers, so that no wait is unbounded.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ring.h"
#include "host/probe_timer.h"
#include "host/reduction_actor.h"
#include "host/sim_provider.h"
#include "host/tree_edge.h"

namespace weft::host {

class Reducer final : public ReductionActor {
 public:
  struct Place {
    sim::Kernel& kernel;
    std::uint32_t index = 0;     // of the actor
    std::string name;            // "leaf1/reducer"
    bool carries_bytes = false;  // vectors are really combined
    Service service = Service::kRdma;
  };
  /// The options must outlive this.
  Reducer(const Place& place, const ReductionOptions& options);
  /// In the order of its ports. The NIC must outlive this.
  void add_port(Nic& nic);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::uint32_t ports() const { return static_cast<std::uint32_t>(ports_.size()); }
  [[nodiscard]] std::uint32_t groups() const { return groups_open_; }

  using GroupNumber = std::uint32_t;
  /// A group without edges. Errors: no room for one more, more children than a group may have.
  struct GroupShape {
    std::uint32_t children = 0;
    std::vector<std::vector<std::uint32_t>> members;  // that are behind each child, by rank
  };
  [[nodiscard]] Result<GroupNumber> open_group(const GroupShape& shape);
  /// An edge of a group and the port where it ends; `child` counts in the order of the tree, none: to the parent.
  struct EdgePlace {
    GroupNumber group = 0;
    std::optional<std::uint32_t> child{};
    std::uint32_t port = 0;
    Psn first_psn{};
  };
  /// Errors: what the device refuses.
  [[nodiscard]] Result<EdgeAddress> open_edge(const EdgePlace& edge);
  /// After open_edge. Errors: what the device refuses.
  [[nodiscard]] Result<void> connect_edge(const EdgePlace& edge, const EdgeAddress& peer);
  /// Closes all edges of the group; vectors under way are lost.
  void close_group(GroupNumber group);

  struct Counters {
    std::uint64_t vectors = 0;     // from children
    std::uint64_t bytes = 0;       // of those
    std::uint64_t reductions = 0;  // combined
    std::uint64_t results = 0;     // sent up, or from the root down
    std::uint64_t answers = 0;     // to children
    std::uint64_t failures = 0;    // groups that ended so
    std::uint32_t peak_held = 0;   // vectors of one child that waited for others, at most
  };
  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] std::size_t heap_bytes() const;

 private:
  /// A port's device, and its completion listener.
  struct Port final : CompletionListener {
    Port(Reducer& owner, Nic& nic, std::uint32_t number);
    void on_completions(Time at) override;

    Reducer& reducer;
    std::uint32_t number;
    SimProvider provider;
    verbs::PdHandle pd{};
    verbs::CqHandle cq{};
    bool has_completions = false;
  };
  struct Vector {
    std::uint32_t header = 0;
    std::uint32_t length = 0;
    friend bool operator==(const Vector&, const Vector&) = default;
  };
  struct Edge {
    std::optional<TreeEdge> queue_pair{};
    Port* port = nullptr;
    std::uint32_t number = 0;
    std::uint32_t slots_key = 0;  // of the group's slots, at this port
  };
  struct Child : Edge {
    std::vector<std::uint32_t> members;
    Ring<Vector> waiting;
    std::uint64_t arrived = 0;
    std::uint64_t answered = 0;
    std::uint64_t acknowledged = 0;  // answers
    std::uint32_t room_key = 0;      // of the memory that its vectors come to
    std::unique_ptr<std::byte[]> room{};
  };
  struct Group {
    bool open = false;
    bool failed = false;
    std::vector<Child> children;
    std::optional<Edge> parent{};
    std::uint64_t combined = 0;
    std::uint64_t passed_on = 0;  // of those: up, or down from the root
    std::uint64_t answered = 0;
    std::uint64_t up_acknowledged = 0;
    std::vector<Vector> slots{};  // what was combined last in each
    std::unique_ptr<std::byte[]> memory{};
    ProbeTimer probe_timer;
  };
  struct EdgeName {
    GroupNumber group = 0;
    std::optional<std::uint32_t> child{};
  };
  struct Combined {
    Time at;
    GroupNumber group = 0;
  };

  void work(Time now) override;
  void take_completions(Port& port);
  void on_completion(const verbs::WorkCompletion& completion);
  void on_vector(GroupNumber number, Child& child, const verbs::WorkCompletion& completion);
  void on_result(GroupNumber number, const verbs::WorkCompletion& completion);
  void combine_ready(GroupNumber number);
  [[nodiscard]] bool may_combine(const Group& group) const;
  [[nodiscard]] bool combine_next(Group& group);
  /// What the children's first vectors make together, but for the bytes; none: they do not belong together.
  [[nodiscard]] static std::optional<Vector> matched(const Group& group);
  void combine_bytes(Group& group, const Vector& result) const;
  void pass_on_next(GroupNumber number);
  void respond_next(GroupNumber number, std::uint32_t length);
  void fail_group(GroupNumber number);
  void check_waiting_groups(Time now);
  [[nodiscard]] static bool waits(const Group& group);
  [[nodiscard]] Result<void> register_memory(Group& group, Edge& edge);
  [[nodiscard]] Result<void> allocate_receive_buffer(Child& child);
  [[nodiscard]] Result<void> post_room(Child& child, std::uint64_t sequence);
  [[nodiscard]] verbs::Sge slot_of(const Edge& edge, std::uint64_t sequence, std::uint32_t length) const;
  [[nodiscard]] Edge& edge_of(const EdgeName& name);
  [[nodiscard]] std::size_t stride() const { return static_cast<std::size_t>(options_.limits.max_size.count()); }

  const ReductionOptions& options_;
  std::string name_;
  bool carries_bytes_;
  Service service_;
  std::deque<Port> ports_;
  std::vector<Group> groups_;
  std::uint32_t groups_open_ = 0;
  std::vector<std::optional<EdgeName>> edges_;  // by number; none: closed
  Ring<std::uint32_t> ports_with_completions_;  // ports
  Ring<Combined> latent_;                       // combined, not yet passed on
  Time next_check_ = Time::never();
  Counters counters_;
};

}  // namespace weft::host
