// The program of one rank that sends the flows of a source and answers those of its peers.
//
// A flow opens at its start, or, with a limit on open flows, when an earlier one has ended. It ends when its last
// message has finished, or at the first that fails. Memory grows with the open flows. While nobody looks at the
// network, arrivals are left out and closed loops wait. Flows that wait for triggers open when these have released
// them; what concerns other ranks are control messages of no length with immediate data.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/slab.h"
#include "workload/collective/collectives.h"
#include "workload/flow.h"
#include "workload/messenger.h"
#include "workload/program.h"
#include "workload/trigger_board.h"

namespace weft::workload {

struct FlowProgramOptions {
  static constexpr std::uint32_t kNoLimit = std::numeric_limits<std::uint32_t>::max();

  JobId job{};
  ConnectionOptions connection{};  // receive_requests above 0 if any flow of the job needs them
  std::uint32_t max_open_flows = kNoLimit;
  Duration start_delay{};  // of this rank: every flow starts so much later
  /// Until when nobody looks at the network, so that nothing is sent; none: somebody looks now. Null: always.
  std::function<std::optional<Time>(Time)> quiet_until{};
  /// Flows that wait for others, and the rank whose they are; null: none do. The plan must outlive the program.
  const TriggerPlan* triggers = nullptr;
  RankId rank{};
  /// Of the job's ranks, where some relay for others; must outlive the program. Null: flows take the rails they name.
  const JobLayout* layout = nullptr;
};

/// The connection of a flow: READs, whose data come back, are not relayed.
[[nodiscard]] ConnectionRequest connection_of(const Flow& flow, const JobLayout* layout);

class FlowProgram final : public Program, private MessageHandler {
 public:
  /// The messenger must outlive this.
  FlowProgram(Messenger& messenger, std::unique_ptr<FlowSource> source, const FlowProgramOptions& options);

  /// Before start(): the rank's flows once more, whose connections start() opens before any of them begins. Without
  /// this each is opened when its flow begins, which concerns another rank's host.
  void connect_first(std::unique_ptr<FlowSource> flows) { connected_first_ = std::move(flows); }

  [[nodiscard]] Result<void> start() override;
  [[nodiscard]] Result<void> on_event() override;
  [[nodiscard]] bool done() const override {
    return !next_.has_value() && open_.live_count() == 0 && released_.empty() && (!board_ || board_->waiting() == 0);
  }

  [[nodiscard]] std::uint64_t failed_flows() const { return failed_flows_; }

 private:
  [[nodiscard]] std::optional<Flow> take();

  struct OpenFlow {
    Flow flow;
    ChannelId channel{};
    std::uint32_t window = 0;
    std::uint32_t outstanding = 0;
    std::uint64_t posted = 0;
    bool failed = false;
  };
  using Handle = Slab<OpenFlow>::Handle;

  Result<void> on_sent(const Message& message, verbs::WcStatus status) override;
  Result<void> on_arrived(const Arrival& arrival) override;
  [[nodiscard]] Result<void> follow(const TriggerBoard::Effects& effects);
  [[nodiscard]] Result<void> notify(const TriggerNotice& notice);
  [[nodiscard]] Result<void> open_due_flows();
  /// The flow that is to open next and may: of the source, or one that triggers have released.
  [[nodiscard]] std::optional<Flow> take_due(Time now);
  [[nodiscard]] Time next_start() const;
  [[nodiscard]] Result<ChannelId> connect(const Flow& flow);
  [[nodiscard]] Result<void> open(const Flow& flow);
  [[nodiscard]] Result<void> pump(Handle handle);
  [[nodiscard]] std::optional<Time> quiet_until() const;
  [[nodiscard]] Result<void> resume_waiting();
  /// A closed loop sends nothing now; it goes on when somebody looks.
  [[nodiscard]] bool rests(Handle handle);
  [[nodiscard]] Result<void> close(Handle handle);
  void set_timer(Time at, Time& timer);
  [[nodiscard]] bool wants_more(const OpenFlow& open) const;

  Messenger& messenger_;
  std::unique_ptr<FlowSource> source_;
  std::unique_ptr<FlowSource> connected_first_;
  FlowProgramOptions options_;
  std::optional<Flow> next_;  // with the rank's delay in its start
  Slab<OpenFlow> open_;
  std::optional<TriggerBoard> board_;
  std::multimap<Time, Flow> released_;  // by start
  std::uint64_t notices_ = 0;
  std::vector<Handle> waiting_;         // closed loops, while nobody looks
  Time timer_ = Time::never();          // for the next flow; the one that is set and has not fired
  Time waiting_timer_ = Time::never();  // for those that wait
  std::uint64_t failed_flows_ = 0;
};

}  // namespace weft::workload
