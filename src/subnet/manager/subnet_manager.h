// A subnet manager: discovers a subnet, gives it LIDs, tables and states, and keeps them right.
//
// Sans I/O. It is handed the MADs that come to its port and the time, gives MADs to send, and says when it wants to be
// called again. Its host has one thread: each MAD that comes in takes `mad_time`, one after another, and the routing
// engine takes `entry_time` per entry; an answer frees its place on the wire when it arrives.
//
// A heavy sweep is that of OpenSM 3.3.23, step by step, each begun when all requests of the one before are answered:
// discovery, reset of PortStateChange, P_Keys, the manager's LID, LIDs, routing, forwarding tables, links, ports Armed,
// ports Active. Blocks are written where they differ from what was written before. Every sweep_interval a light sweep
// reads SwitchInfo of all switches; one whose PortStateChange is set starts a heavy sweep. A trap is repressed, and
// trap 128 or 144 starts a heavy sweep: at once, where it comes during discovery, which then begins anew when it is
// done, else after the sweep that runs. Traps that wait for the thread together start one sweep. Other traps start a
// light one. After a sweep with requests that nobody answered the next interval brings a heavy one.
//
// It is subnet administration for multicast groups and ports (administration.h): MCMemberRecord joins and leaves.
// While no sweep runs, the blocks of multicast tables are written as soon as members have changed; those of requests
// that come meanwhile follow together. A heavy sweep writes them behind the linear tables.
//
// Managers that find each other (IsSM) read SMInfo: a master, then the higher priority, then the lower GUID wins; the
// other stands by, polls, and takes over after `poll_retries` polls in vain. One that stands by behind a lower priority
// says so, then and after each poll (trap 144); the master sweeps, hands over when it has discovered a standby that
// wins, and stands by in its turn. Who becomes the master reads all P_Key tables and writes all forwarding tables and
// ports of switches.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "subnet/manager/administration.h"
#include "subnet/manager/configuration.h"
#include "subnet/manager/discovery.h"
#include "subnet/manager/manager_options.h"
#include "subnet/manager/sweep_report.h"
#include "subnet/multicast/group_records.h"

namespace weft::subnet {

enum class ManagerState : std::uint8_t { kNotActive, kDiscovering, kStandby, kMaster };  // as SMInfo has them

class SubnetManager {
 public:
  explicit SubnetManager(const ManagerOptions& options);

  /// Begins the first sweep.
  void start(Time now);
  /// A MAD for the manager at its port: an answer, a trap, SMInfo.
  void on_mad(const MadPacket& packet, Time now);
  [[nodiscard]] std::optional<MadPacket> poll_transmit(Time now);
  /// When `on_timeout` has something to do; never: only a MAD brings the manager on.
  [[nodiscard]] Time next_timeout() const;
  void on_timeout(Time now);

  [[nodiscard]] ManagerState state() const { return state_; }
  [[nodiscard]] bool is_sweeping() const { return step_.has_value(); }
  /// Sweeps that have ended, in their order.
  [[nodiscard]] const std::vector<SweepReport>& sweeps() const { return sweeps_; }
  [[nodiscard]] const KnownSubnet& known() const { return known_; }
  /// What its engine made in the last sweep.
  [[nodiscard]] const ForwardingTables& tables() const { return tables_; }
  [[nodiscard]] const SmpExchange& exchange() const { return exchange_; }
  /// Multicast groups, and requests of members that were carried out.
  [[nodiscard]] const GroupRecords& groups() const { return groups_; }
  [[nodiscard]] std::uint64_t joins() const { return administration_.counters().joins; }
  [[nodiscard]] const AdministrationCounters& administration() const { return administration_.counters(); }
  [[nodiscard]] std::uint64_t traps() const { return traps_; }
  /// Answers to nothing that was under way.
  [[nodiscard]] std::uint64_t late_answers() const { return late_; }

 private:
  /// What waits for the manager's thread.
  struct Incoming {
    Time ready;
    std::variant<SmpExchange::Answered, MadPacket> what;
  };
  struct Rival {
    wire::SmInfo info;
    PortPlace place;
    DirectedRoute route;
  };

  void take(const SmpExchange::Answered& answered, Time now);
  void take_mad(const MadPacket& packet, Time now);
  void take_set(const SmpExchange::Answered& answered, Time now);
  void take_block(const SmpExchange::Answered& answered, Time now);
  void take_sm_info(const SmpExchange::Answered& answered, Time now);
  void answer_sm_info(const MadPacket& request);
  [[nodiscard]] wire::SmInfo own_info();
  /// Tells a master of lower priority that this manager is there.
  void announce();
  void administrate(const MadPacket& request);
  void repress(const MadPacket& trap);

  // Sweeps (subnet_manager_sweep.cc).
  void begin_sweep(SweepCause cause, Time now);
  void begin_light_sweep(Time now);
  void end_sweep(Time now);
  void fail_sweep(std::string why, Time now);
  void begin_step(SweepStep step, Time now);
  void end_step(Time now);
  void proceed(Time now);
  void next_step(Time now);
  bool after_discovery(Time now);
  void post_all(const std::vector<Smp>& sets);
  void begin_routing(Time now);
  /// No port has trained since tables were written last.
  [[nodiscard]] bool only_lost_links() const;
  [[nodiscard]] std::vector<Smp> group_sets();
  void begin_groups(Time now);
  void ask_rivals();
  [[nodiscard]] bool is_better(const wire::SmInfo& other) const;
  [[nodiscard]] const Rival* winner() const;
  [[nodiscard]] const Rival* successor() const;
  void discover_again(Time now);
  void hand_over(const Rival& successor);
  void begin_mastership();
  void stand_by(const Rival& master, Time now);
  void poll_master(Time now);
  void begin_next(Time now);
  [[nodiscard]] Found found() const { return {.known = known_, .subnet = subnet_, .view = view_}; }

  ManagerOptions options_;
  SmpExchange exchange_;
  std::deque<MadPacket> outgoing_;  // what no answer is expected to
  std::deque<Incoming> incoming_;
  Time thread_free_ = Time::zero();

  ManagerState state_ = ManagerState::kNotActive;
  std::optional<SweepStep> step_{};
  std::unique_ptr<Discovery> discovery_{};  // while its step lasts
  KnownSubnet known_;
  Subnet subnet_;
  RoutingView view_;
  ForwardingTables tables_;
  EngineKind used_ = EngineKind::kMinhop;           // made them
  std::set<std::pair<Guid, PortNumber>> linked_{};  // ports that had a link when tables were written last
  GroupRecords groups_;
  Administration administration_;
  std::map<Guid, std::size_t> group_blocks_;  // per switch, those that it has had entries in
  std::vector<Smp> group_sets_;               // of the step that comes
  ManagerLevels levels_;
  bool is_first_ = false;      // the first sweep as the master
  bool is_to_repeat_ = false;  // requests of the last sweep went without answers, or it failed
  WrittenBlocks written_;
  Time routed_ = Time::never();  // when the engine is done

  std::optional<SweepCause> wanted_{};  // a heavy sweep after the one that runs
  bool light_wanted_ = false;
  Time next_light_ = Time::never();
  SweepReport report_;
  SmpCounts sent_before_;
  std::uint64_t retried_before_ = 0;
  std::uint64_t failed_before_ = 0;
  std::uint64_t sent_at_step_ = 0;
  std::vector<SweepReport> sweeps_;

  std::size_t rivals_asked_ = 0;
  std::vector<Rival> rivals_;
  std::optional<Rival> master_{};
  std::optional<Rival> successor_{};  // has been told to be the master
  Time next_poll_ = Time::never();
  std::uint32_t polls_missed_ = 0;
  std::uint32_t activity_ = 0;
  std::uint64_t announced_ = 0;
  std::uint64_t traps_ = 0;
  std::uint64_t late_ = 0;
};

}  // namespace weft::subnet
