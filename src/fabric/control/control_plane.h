// The distributed control plane of a network: the control of each switch, what joins it to the fabric that carries its
// frames and has its forwarding entries, and what is counted of all together.
//
// The fabric tells it of frames, of links, and of time, for one switch at a time; in return it sends frames, writes
// entries and asks to be woken, all through ControlNetwork. What it does follows from the graph, the options and the
// seed alone.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "fabric/control/as_numbers.h"
#include "fabric/control/control_options.h"
#include "fabric/control/path_table.h"
#include "fabric/control/reach_monitor.h"
#include "fabric/control/switch_control.h"
#include "fabric/link_schedule.h"
#include "fabric/topology/graph.h"

namespace weft::fabric {

/// A port of a switch.
struct SwitchPort {
  std::uint32_t switch_ordinal = 0;
  std::uint16_t port = 0;

  friend bool operator==(const SwitchPort&, const SwitchPort&) = default;
};

/// What the control plane asks of its fabric.
class ControlNetwork {
 public:
  virtual ~ControlNetwork() = default;
  /// Puts a frame into the port's egress queue; it may be lost.
  virtual void send(SwitchPort from, ControlFrame&& frame, Time now) = 0;
  /// The next hops of a switch towards the endpoints of a leaf (another switch ordinal).
  virtual void write_entry(std::uint32_t switch_ordinal, std::uint32_t leaf, std::span<const std::uint16_t> ports) = 0;
  /// Asks for on_timer(switch_ordinal) then, or earlier.
  virtual void wake(std::uint32_t switch_ordinal, Time at) = 0;
};

/// What the control plane cost, and what it ended with.
struct ControlSummary {
  std::uint64_t messages = 0;  // of BGP, sent
  std::uint64_t message_bytes = 0;
  std::uint64_t updates = 0;
  std::uint64_t bfd_packets = 0;
  std::uint64_t lldp_units = 0;
  std::uint64_t frame_bytes = 0;  // of all its frames
  std::uint64_t retransmissions = 0;
  std::uint64_t bad_messages = 0;
  std::uint64_t prefixes_processed = 0;
  Duration cpu_time;          // of all switches
  Duration busiest_cpu_time;  // of one
  std::string busiest_switch{};
  std::uint64_t fib_writes = 0;
  std::array<std::uint64_t, kSessionEnds> session_ends{};
  std::uint32_t sessions = 0;          // cables between switches
  std::uint32_t established_ends = 0;  // of their two ends each
  bool is_quiet = false;               // nothing is under way
};

/// A link event, or those of one instant, and what followed until the next.
struct ControlEventRecord {
  Time at;
  std::uint32_t failed = 0;  // links
  std::uint32_t restored = 0;
  bool is_start = false;            // nothing but a cold start
  std::string link{};               // the first of them: "leaf0/port4 - spine0/port0"
  Time noticed = Time::never();     // the first session that ended or came up
  Time last_write = Time::never();  // of a forwarding entry
};

/// A cable that is not where the plan has it.
struct CablingFault {
  std::string port{};     // "leaf0/port4"
  std::string planned{};  // the port that should be at its other end
  std::string found{};    // the one that is, as LLDP says
};

class ControlPlane {
 public:
  struct Context {
    std::uint64_t seed = 1;
    std::vector<std::uint64_t> name_hash{};  // f(seed, name) per switch ordinal
    std::vector<LinkEvent> events{};         // of the run
  };
  /// The graph, as cabled, outlives it. Errors: too many leaves.
  [[nodiscard]] static Result<std::unique_ptr<ControlPlane>> create(const Graph& graph, const ControlOptions& options,
                                                                    Context context);

  /// At time zero, once. The network outlives it.
  void start(ControlNetwork& network);
  void on_frame(SwitchPort at, const ControlFrame& frame, Time now);
  void on_timer(std::uint32_t switch_ordinal, Time now);
  /// A cable has failed or works again. After all that happened at that time before it.
  void on_cable(LinkIndex link, ReachMonitor::Cable state, Time now);

  [[nodiscard]] const ControlOptions& options() const { return options_; }
  [[nodiscard]] const ControlPlan& plan() const { return plan_; }
  [[nodiscard]] const SwitchControl& at(std::uint32_t switch_ordinal) const { return switches_[switch_ordinal]; }
  [[nodiscard]] ReachMonitor& monitor() { return monitor_; }
  [[nodiscard]] ControlSummary summary() const;
  [[nodiscard]] const std::vector<ControlEventRecord>& events() const { return events_; }
  /// In the order of links, the first end first.
  [[nodiscard]] std::vector<CablingFault> cabling_faults() const;
  [[nodiscard]] bool is_quiet() const;

 private:
  ControlPlane(const Graph& graph, const ControlOptions& options, ControlPlan plan, const Context& context);
  void make_switches(const Context& context);
  void plan_drains(const std::vector<LinkEvent>& events);
  void list_events(const std::vector<LinkEvent>& events);
  void converge();
  void begin_counting(Time now);
  void after(std::uint32_t switch_ordinal, Time now);
  [[nodiscard]] ControlEventRecord* record_at(Time now);

  const Graph& graph_;
  ControlOptions options_;
  ControlPlan plan_;
  PathTable paths_;
  std::vector<SwitchControl> switches_;
  std::vector<std::vector<SwitchPort>> peers_;  // per switch, by port; the switch itself: no switch is there
  ReachMonitor monitor_;
  Time count_from_ = Time::zero();
  bool counts_ = false;
  std::vector<ControlEventRecord> events_;
  std::vector<std::uint64_t> session_changes_;  // per switch, as last seen
  ControlNetwork* network_ = nullptr;
};

}  // namespace weft::fabric
