#include "subnet/manager/sweep_study.h"

#include <algorithm>

#include "subnet/agent/managed_state.h"
#include "subnet/manager/configuration.h"

namespace weft::subnet {
namespace {

constexpr Duration kCalm = Duration::seconds(3);  // longer than a trap that was lost waits to be repeated
constexpr Duration kLongest = Duration::seconds(86'400);

class SweepRun {
 public:
  SweepRun(const Subnet& subnet, const SweepPlan& plan) : subnet_(subnet), plan_(plan), world_(subnet, plan.times) {
    world_.add_manager(plan.manager, plan.options);
    world_.start_manager(0, Time::zero());
  }

  Result<SweepStudy> run() {
    if (!finish_sweeps(1)) {
      return fail(
          "the first sweep did not end within a day of simulated time; take fewer requests at once or a larger "
          "buffer");
    }
    study_.bring_up = sweeps().front();
    study_.adapters = study_.bring_up.nodes - study_.bring_up.switches;
    study_.is_routed = is_routed_by(subnet_, world_.served(), plan_.options);
    for (const KnownNode& node : manager().known().nodes()) {
      for (const KnownPort& port : node.ports) {
        const int last = port.info.lid == 0 ? 0 : port.info.lid + (1 << port.info.lmc) - 1;
        study_.last_lid = std::max(study_.last_lid, static_cast<Lid>(last));
      }
    }
    study_.bound = bound();
    if (plan_.sweeps_lightly) {
      if (!finish_sweeps(2)) {
        return fail("the second sweep did not end within a day of simulated time");
      }
      study_.light = sweeps().back();
    }
    if (plan_.later) {
      study_.later = start_later(*plan_.later);
    }
    for (std::size_t first = 0; first < plan_.failures.size();) {
      first = take_failures(first);
    }
    count();
    return std::move(study_);
  }

 private:
  [[nodiscard]] const SubnetManager& manager() const { return world_.manager(master_); }
  [[nodiscard]] const std::vector<SweepReport>& sweeps() const { return manager().sweeps(); }

  bool finish_sweeps(std::size_t count) {
    world_.run([&] { return sweeps().size() >= count; }, world_.now() + kLongest);
    return sweeps().size() >= count;
  }

  /// Until no manager sweeps, and traps that were lost have come again.
  void settle() {
    const auto rest = [&] {
      return !world_.manager(0).is_sweeping() && (!plan_.later || !world_.manager(1).is_sweeping());
    };
    world_.run(rest, world_.now() + kLongest);
    world_.run([] { return false; }, world_.now() + kCalm);
    world_.run(rest, world_.now() + kLongest);
  }

  HandoverReport start_later(const LaterManager& later) {
    ManagerOptions options = plan_.options;
    options.priority = later.priority;
    const std::size_t index = world_.add_manager(later.at, options);
    const Time start = world_.now() + kCalm;
    const std::size_t before = sweeps().size();
    world_.start_manager(index, start);
    const SubnetManager& own = world_.manager(index);
    world_.run([&] { return !own.sweeps().empty(); }, start + kLongest);
    settle();
    HandoverReport report;
    if (own.sweeps().empty()) {
      return report;
    }
    report.stands_by = own.sweeps().front().end - start;
    report.requests_before = own.sweeps().front().total_requests();
    const auto master = std::ranges::find(own.sweeps(), SweepCause::kHandover, &SweepReport::cause);
    if (own.state() != ManagerState::kMaster || master == own.sweeps().end()) {
      return report;
    }
    report.handed_over = master->begin - start;
    for (std::size_t i = before; i < sweeps().size(); ++i) {
      report.requests_first += sweeps()[i].total_requests();
    }
    report.up = master->end - start;
    report.requests = master->total_requests();
    report.blocks = master->blocks;
    master_ = index;
    report.is_routed = is_routed_by(subnet_, world_.served(), plan_.options);
    return report;
  }

  /// From plan_.failures[first] on as far as they overlap; returns the first that does not.
  std::size_t take_failures(std::size_t first) {
    const std::size_t before = sweeps().size();
    const Time start = world_.now() + kCalm;
    const HeldTables held = plan_.failures[first].is_return ? HeldTables{} : tables_of(subnet_, world_.served());
    std::vector<FailureReport> reports;
    std::size_t next = first;
    for (Time at = start, following; next < plan_.failures.size(); at = following) {
      reports.push_back({.name = plan_.failures[next].name, .failed = at});
      fail_cables(plan_.failures[next], at);
      ++next;
      following = time_of(first, next, start);
      if (is_dealt_with(before, at, following)) {
        break;
      }
    }
    world_.run([] { return false; }, world_.now() + kCalm);  // traps that are repeated
    world_.run([&] { return !manager().is_sweeping(); }, world_.now() + kLongest);
    const bool is_routed =
        reports.size() == 1 ? is_routed_by(subnet_, world_.served(), plan_.options, held) : has_last_tables();
    for (std::size_t i = 0; i < reports.size(); ++i) {
      add_sweeps(before, reports, i);
      reports[i].is_routed = is_routed;
    }
    study_.failures.insert(study_.failures.end(), reports.begin(), reports.end());
    return next;
  }

  /// When the failure comes by its own time; never: it waits for those before.
  [[nodiscard]] Time time_of(std::size_t first, std::size_t index, Time start) const {
    if (index >= plan_.failures.size() || !plan_.failures[index].at || !plan_.failures[first].at) {
      return Time::never();
    }
    return start + (*plan_.failures[index].at - *plan_.failures[first].at);
  }

  void fail_cables(const SweepFailure& failure, Time at) {
    const auto cable = failure.is_return ? ServedSubnet::Cable::kPlugged : ServedSubnet::Cable::kUnplugged;
    for (const PortPlace& port : failure.ports) {
      world_.set_cable(port, cable, at + plan_.signal);
    }
  }

  /// Runs until it is, or the next failure comes; that one overlaps where traps may still be repeated.
  bool is_dealt_with(std::size_t before, Time failed, Time following) {
    const auto is_heard = [&](const SweepReport& sweep) { return !sweep.is_light && seen(sweep) >= failed; };
    const auto first = static_cast<std::ptrdiff_t>(before);
    const Time given_up = failed + plan_.signal + plan_.options.sweep_interval * 2;
    const auto is_done = [&] {
      return !manager().is_sweeping() &&
             (std::any_of(sweeps().begin() + first, sweeps().end(), is_heard) || world_.now() > given_up);
    };
    world_.run(is_done, earlier(failed + kLongest, following));
    return following.is_never() || (is_done() && world_.now() + kCalm < following);
  }

  /// Whether the switches hold what the engine has made in the last sweep.
  [[nodiscard]] bool has_last_tables() const {
    const Result<ManagedState> state = managed_state(subnet_, world_.served());
    return state && state->tables == manager().tables();
  }

  /// What the sweep can know of.
  static Time seen(const SweepReport& sweep) { return later(sweep.begin, sweep.discovered); }

  /// Those of the failure, of reports[i].
  void add_sweeps(std::size_t before, std::vector<FailureReport>& reports, std::size_t i) const {
    bool has_heavy = false;
    for (std::size_t last = i; last < reports.size() && !has_heavy; ++last) {
      const Time end = last + 1 < reports.size() ? reports[last + 1].failed : Time::never();
      const Time begin = reports[last].failed;
      for (std::size_t sweep = before; sweep < sweeps().size(); ++sweep) {
        if (seen(sweeps()[sweep]) >= begin && seen(sweeps()[sweep]) < end) {
          add(sweeps()[sweep], reports[i]);
          has_heavy = has_heavy || !sweeps()[sweep].is_light;
        }
      }
    }
  }

  static void add(const SweepReport& sweep, FailureReport& report) {
    report.requests += sweep.total_requests();
    if (sweep.is_light) {
      return;
    }
    ++report.heavy_sweeps;
    report.noticed = report.noticed ? report.noticed : seen(sweep) - report.failed;
    if (!sweep.last_block.is_never()) {
      report.mended = sweep.last_block - report.failed;
    }
    report.ended = sweep.end - report.failed;
    report.blocks += sweep.blocks;
    report.entries += sweep.entries;
    report.error = sweep.error;
  }

  [[nodiscard]] Duration bound() const {
    const auto requests = static_cast<std::int64_t>(study_.bring_up.total_requests());
    const auto entries = static_cast<std::int64_t>(study_.bring_up.switches) * study_.last_lid;
    const std::int64_t at_once = plan_.options.smps.most_on_wire;
    const Duration agent = std::min(plan_.times.switch_agent, plan_.times.hca_agent);
    const Duration answering = agent * ((requests + at_once - 1) / at_once);
    return std::max(answering, plan_.options.mad_time * requests) + plan_.options.entry_time * entries;
  }

  void count() {
    const SmpExchange& exchange = manager().exchange();
    study_.peak_on_wire = exchange.peak_on_wire();
    study_.peak_waiting = exchange.peak_waiting();
    study_.retried = exchange.retried();
    study_.failed = exchange.failed();
    study_.traps = manager().traps();
    study_.overflowed = world_.overflowed();
    study_.lost = world_.served().lost();
    study_.events = world_.events();
  }

  const Subnet& subnet_;
  const SweepPlan& plan_;
  TimedSubnet world_;
  std::size_t master_ = 0;  // the manager that is
  SweepStudy study_;
};

}  // namespace

HeldTables tables_of(const Subnet& subnet, const ServedSubnet& served) {
  HeldTables held;
  if (const Result<ManagedState> state = managed_state(subnet, served)) {
    for (std::size_t i = 0; i < state->swept.view.switches.size(); ++i) {
      held.emplace(state->swept.view.switches[i].guid, state->tables[i]);
    }
  }
  return held;
}

bool is_routed_by(const Subnet& subnet, const ServedSubnet& served, const ManagerOptions& options,
                  const HeldTables& before) {
  const Result<ManagedState> state = managed_state(subnet, served);
  if (!state) {
    return false;
  }
  if (state->swept.view.switches.empty()) {
    return true;
  }
  EngineOptions routing = options.routing;
  const ForwardingTables held = held_tables(state->swept.view, before);
  routing.held = before.empty() ? nullptr : &held;
  const Result<ManagedRoutes> routes = route_subnet(state->swept.view, options.engine, routing);
  return routes && routes->routes.tables == state->tables;
}

Result<SweepStudy> study_sweeps(const Subnet& subnet, const SweepPlan& plan) { return SweepRun(subnet, plan).run(); }

}  // namespace weft::subnet
