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
    for (const SweepFailure& failure : plan_.failures) {
      study_.failures.push_back(after(failure));
    }
    count();
    return std::move(study_);
  }

 private:
  [[nodiscard]] const SubnetManager& manager() const { return world_.manager(0); }
  [[nodiscard]] const std::vector<SweepReport>& sweeps() const { return manager().sweeps(); }

  bool finish_sweeps(std::size_t count) {
    world_.run([&] { return sweeps().size() >= count; }, world_.now() + kLongest);
    return sweeps().size() >= count;
  }

  FailureReport after(const SweepFailure& failure) {
    const std::size_t before = sweeps().size();
    FailureReport report{.name = failure.name, .failed = world_.now() + kCalm};
    const HeldTables held = failure.is_return ? HeldTables{} : tables_of(subnet_, world_.served());
    const auto cable = failure.is_return ? ServedSubnet::Cable::kPlugged : ServedSubnet::Cable::kUnplugged;
    for (const PortPlace& port : failure.ports) {
      world_.set_cable(port, cable, report.failed + plan_.signal);
    }
    const auto heavy = [&] {
      return std::count_if(sweeps().begin() + static_cast<std::ptrdiff_t>(before), sweeps().end(),
                           [&](const SweepReport& sweep) { return !sweep.is_light && sweep.begin >= report.failed; });
    };
    const Time given_up = report.failed + plan_.signal + plan_.options.sweep_interval * 2;
    world_.run([&] { return !manager().is_sweeping() && (heavy() > 0 || world_.now() > given_up); },
               report.failed + kLongest);
    world_.run([] { return false; }, world_.now() + kCalm);  // traps that are repeated
    world_.run([&] { return !manager().is_sweeping(); }, world_.now() + kLongest);
    for (std::size_t i = before; i < sweeps().size(); ++i) {
      add(sweeps()[i], report);
    }
    report.is_routed = is_routed_by(subnet_, world_.served(), plan_.options, held);
    return report;
  }

  static void add(const SweepReport& sweep, FailureReport& report) {
    if (sweep.begin < report.failed) {
      return;
    }
    report.requests += sweep.total_requests();
    if (sweep.is_light) {
      return;
    }
    ++report.heavy_sweeps;
    report.noticed = report.noticed ? report.noticed : sweep.begin - report.failed;
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
    const Duration answering = plan_.times.agent * ((requests + at_once - 1) / at_once);
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
