#include "study/world/traffic_controller.h"

#include <algorithm>
#include <set>

#include "base/assert.h"

namespace weft::study::world {
namespace {

using control::ArcIndex;
using control::ArcState;
using fabric::LeafFlow;

constexpr Rate kUnitRate = 1_gbps;  // of flows that are taken to be equal
/// All is placed anew where that fills the fullest link less by more than a twentieth: flows that move overtake
/// themselves, and what counters say varies by a few per cent.
constexpr double kWorthMoving = 0.95;

}  // namespace

TrafficController::TrafficController(fabric::EthernetFabric& fabric, const ControllerOptions& options)
    : fabric_(fabric),
      options_(options),
      network_(fabric.graph()),
      wired_(fabric.graph()),
      read_(network_.view().arcs.size()) {
  WEFT_ASSERT(options.period > Duration::zero() && options.most_paths > 0);
}

void TrafficController::know(std::vector<KnownJob> jobs) {
  for (KnownJob& job : jobs) {
    jobs_.push_back({.job = std::move(job)});
  }
  if (next_start() == Time::zero()) {
    act(Time::zero());
  }
}

Time TrafficController::next_start() const {
  Time first = Time::never();
  for (const JobState& job : jobs_) {
    first = job.begun ? first : earlier(first, job.job.starts);
  }
  return first;
}

void TrafficController::on_job_end(std::size_t job, Time now) {
  WEFT_ASSERT(job < jobs_.size() && options_.algorithm == PlacementAlgorithm::kCommunicators);
  jobs_[job].ended = true;
  plan_jobs(now + std::max(options_.delay, Duration::picoseconds(1)));
  fabric_.wake_controller();
}

Time TrafficController::next() const {
  const Time plan = plans_.empty() ? Time::never() : plans_.front().at;
  return earlier(earlier(collect_at_, plan), next_start());
}

// The next multiple of the period, so that no reading depends on who sent first.
void TrafficController::on_traffic(Time now) {
  if (collect_at_.is_never()) {
    const std::int64_t period = options_.period.picoseconds();
    const std::int64_t passed = (now - Time::zero()).picoseconds() / period;
    collect_at_ = Time::zero() + Duration::picoseconds((passed + 1) * period);
  }
}

void TrafficController::install_due(Time now) {
  while (!plans_.empty() && plans_.front().at <= now) {
    install(plans_.front());
    plans_.pop_front();
  }
}

void TrafficController::act(Time now) {
  install_due(now);
  if (next_start() <= now) {
    for (JobState& job : jobs_) {
      job.begun = job.begun || job.job.starts <= now;
    }
    plans_.clear();  // made without the jobs that begin
    plan_jobs(now);
    install(plans_.back());
    plans_.clear();
  }
  if (collect_at_ <= now) {
    collect_at_ = Time::never();
    collect(now);
    install_due(now);  // without a delay
  }
}

fabric::PortIndex TrafficController::port_of(ArcIndex arc) const {
  const PathHop hop = network_.hop_of(arc);
  return fabric_.port_index({fabric::NodeIndex(fabric_.graph().endpoints + hop.switch_ordinal), hop.port});
}

control::View TrafficController::look() const {
  control::View view = network_.view();
  for (std::uint32_t i = 0; i < view.arcs.size(); ++i) {
    const auto& port = fabric_.port(port_of(ArcIndex(i)));
    view.arcs[i].capacity = port.rate;
    view.arcs[i].state = port.has(fabric::kLinkDown) ? ArcState::kDown : ArcState::kUp;
  }
  return view;
}

std::vector<ArcState> TrafficController::states_of(const control::View& view) const {
  std::vector<ArcState> states;
  for (const control::Arc& arc : view.arcs) {
    states.push_back(arc.state);
  }
  return states;
}

// Bits per second of each link since the last reading, of frames.
std::vector<double> TrafficController::read_ports(Time now) {
  std::vector<double> rates;
  const double seconds = (now - read_at_).seconds();
  for (std::uint32_t i = 0; i < read_.size(); ++i) {
    const fabric::PortIndex port = port_of(ArcIndex(i));
    std::uint64_t bytes = 0;
    for (std::uint32_t lane = 0; lane < fabric::EthernetFabric::lanes(); ++lane) {
      bytes += fabric_.queue(port, lane).tx_bytes;
    }
    rates.push_back(static_cast<double>(bytes - read_[i]) * 8 / seconds);
    read_[i] = bytes;
  }
  read_at_ = now;
  return rates;
}

void TrafficController::collect(Time now) {
  control::View view = look();
  const std::vector<double> loads = read_ports(now);
  double highest = 0;
  for (std::uint32_t i = 0; i < loads.size(); ++i) {
    highest = std::max(highest, loads[i] / static_cast<double>(view.arcs[i].capacity.bits_per_second()));
  }
  counters_.measured += highest;
  ++counters_.readings;
  std::vector<ArcState> states = states_of(view);
  if (options_.algorithm == PlacementAlgorithm::kCommunicators) {
    for (std::uint32_t leaf = 0; leaf < fabric_.graph().switches(); ++leaf) {
      (void)fabric_.take_metered(leaf);  // so that the next packet asks for the next reading
    }
    if (states != known_) {
      plan_jobs(now + options_.delay);
    }
  } else {
    plans_.push_back(
        {.at = now + options_.delay, .placement = place_measured(view), .conflicts = 0, .states = std::move(states)});
  }
}

// Flows too small to be placed are background where their hash puts them.
FlowPlacement TrafficController::place_measured(control::View& view) {
  std::vector<DemandedFlow> large;
  std::vector<LeafFlow> names;
  for (std::uint32_t leaf = 0; leaf < fabric_.graph().switches(); ++leaf) {
    for (const fabric::MeteredFlow& metered : fabric_.take_metered(leaf)) {
      const double rate = static_cast<double>(metered.bytes) * 8 / options_.period.seconds();
      const Rate measured = Rate::bits_per_second(static_cast<std::int64_t>(rate));
      const Rate line = network_.line_of(metered.flow.source);
      if (rate >= options_.threshold * static_cast<double>(line.bits_per_second())) {
        large.push_back({.flow = metered.flow, .rate = measured});
        names.push_back(metered.flow);
      } else {
        add_background(metered.flow, measured, view);
      }
    }
  }
  if (options_.demand == ControllerOptions::Demand::kHostLimited) {
    const std::vector<Rate> rates = host_limited_rates(network_, names);
    for (std::size_t i = 0; i < large.size(); ++i) {
      large[i].rate = rates[i];
    }
  }
  const FlowPlacement anew = place_flows(network_, view, large, options_.algorithm, options_.most_paths);
  FlowPlacement kept = place_around(view, large);
  return anew.highest < kWorthMoving * kept.highest ? anew : kept;
}

void TrafficController::add_background(const LeafFlow& flow, Rate rate, control::View& view) const {
  control::Vertex at = network_.leaf_of(flow.source);
  for (std::uint32_t hops = 0; hops < network_.view().vertices; ++hops) {
    const fabric::NextHops ports = fabric_.ports_taken(at.value(), flow);
    if (ports.empty()) {
      return;
    }
    const std::optional<ArcIndex> arc = network_.arc_of({.switch_ordinal = at.value(), .port = ports[0]});
    if (!arc) {
      return;  // it has arrived
    }
    control::Arc& used = view.arcs[arc->value()];
    used.background = used.background + rate;
    at = used.to;
  }
}

// Flows that have paths whose links are up keep them; the others are placed around them.
FlowPlacement TrafficController::place_around(const control::View& view, const std::vector<DemandedFlow>& flows) const {
  control::View around = view;
  std::vector<DemandedFlow> fresh;
  FlowPlacement kept;
  control::Loads loads(view);
  for (const DemandedFlow& flow : flows) {
    const auto path = paths_.find(any_priority(flow.flow));
    const bool stands = path != paths_.end() && std::ranges::all_of(path->second, [&](ArcIndex arc) {
                          return view.arcs[arc.value()].state == ArcState::kUp;
                        });
    if (!stands) {
      fresh.push_back(flow);
      continue;
    }
    const bool equal = options_.algorithm == PlacementAlgorithm::kCommunicators;
    kept.placed.push_back({.flow = flow.flow, .rate = flow.rate, .path = path->second});
    for (const ArcIndex arc : path->second) {
      control::Arc& used = around.arcs[arc.value()];
      used.background = used.background + (equal ? kUnitRate : flow.rate);
    }
  }
  for (FlowPlacement::Placed& placed :
       place_flows(network_, around, fresh, options_.algorithm, options_.most_paths).placed) {
    kept.placed.push_back(std::move(placed));
  }
  for (const FlowPlacement::Placed& placed : kept.placed) {
    loads.add(placed.path, placed.rate);
  }
  kept.highest = loads.highest();
  return kept;
}

// Phases of one job do not send at the same time; a flow that several have keeps the path of the first.
void TrafficController::plan_jobs(Time at) {
  const control::View view = look();
  Plan plan{.at = at, .placement = {}, .conflicts = 0, .states = states_of(view)};
  std::set<LeafFlow> known;
  for (std::size_t phase = 0;; ++phase) {
    std::vector<LeafFlow> flows;
    bool any = false;
    for (const JobState& job : jobs_) {
      if (!job.begun || job.ended || phase >= job.job.phases.size()) {
        continue;
      }
      any = true;
      for (const LeafFlow& flow : job.job.phases[phase]) {
        if (known.insert(any_priority(flow)).second) {
          flows.push_back(any_priority(flow));
        }
      }
    }
    if (!any) {
      break;
    }
    FlowPlacement placed = place_phase(view, flows);
    plan.conflicts += conflicts_among(placed.placed);
    plan.placement.highest = std::max(plan.placement.highest, placed.highest);
    plan.placement.placed.insert(plan.placement.placed.end(), placed.placed.begin(), placed.placed.end());
  }
  add_answers(plan, known);
  known_ = plan.states;
  plans_.push_back(std::move(plan));
}

// What is a flow of a job itself has its path already.
void TrafficController::add_answers(Plan& plan, const std::set<LeafFlow>& known) const {
  for (const FlowPlacement::Placed& placed : plan.placement.placed) {
    for (const JobState& job : jobs_) {
      const auto answer = job.job.answers.find(placed.flow);
      if (answer != job.job.answers.end() && !known.contains(answer->second)) {
        plan.answers.placed.push_back(
            {.flow = answer->second, .rate = Rate::zero(), .path = NetworkView::reversed(placed.path)});
        break;
      }
    }
  }
}

// Flows that have paths keep them unless all placed anew share fewer links: a flow that moves overtakes itself.
FlowPlacement TrafficController::place_phase(const control::View& view, const std::vector<LeafFlow>& flows) const {
  const std::vector<Rate> rates = host_limited_rates(network_, flows);
  std::vector<DemandedFlow> all;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    all.push_back({.flow = flows[i], .rate = rates[i]});
  }
  FlowPlacement anew = place_flows(network_, view, all, options_.algorithm, options_.most_paths);
  FlowPlacement kept = place_around(view, all);
  return conflicts_among(anew.placed) < conflicts_among(kept.placed) ? anew : kept;
}

void TrafficController::install(const Plan& plan) {
  const control::View now = look();
  bool stale = false;
  std::vector<const FlowPlacement::Placed*> order;
  Paths paths;
  for (const FlowPlacement* const part : {&plan.placement, &plan.answers}) {
    for (const FlowPlacement::Placed& placed : part->placed) {
      order.push_back(&placed);
      paths.emplace(any_priority(placed.flow), placed.path);
      for (const ArcIndex arc : placed.path) {
        stale = stale || (now.arcs[arc.value()].state == ArcState::kDown && plan.states[arc.value()] == ArcState::kUp);
      }
    }
  }
  const std::uint64_t written_before = counters_.entries;
  std::vector<LeafFlow> gone;
  for (const auto& [flow, hops] : entries_) {
    const auto to = paths.find(flow);
    if (to == paths.end() || to->second != paths_.at(flow)) {
      gone.push_back(flow);
      counters_.moved += to == paths.end() ? 0U : 1U;
    }
  }
  for (const LeafFlow& flow : gone) {
    remove_entries(flow);
  }
  // The largest have the first choice of what a table has room for.
  std::ranges::stable_sort(order, std::greater<>(), [](const FlowPlacement::Placed* placed) { return placed->rate; });
  for (const FlowPlacement::Placed* placed : order) {
    if (!entries_.contains(any_priority(placed->flow)) && !add_entries(any_priority(placed->flow), placed->path)) {
      ++counters_.overflows;
    }
  }
  paths_ = std::move(paths);
  if (counters_.entries != written_before) {
    installed_.push_back({.at = plan.at, .entries = counters_.entries - written_before});
  }
  ++counters_.rounds;
  counters_.placed += plan.placement.placed.size();
  counters_.stale += stale ? 1U : 0U;
  counters_.conflicts += plan.conflicts;
  counters_.planned += plan.placement.highest;
}

void TrafficController::remove_entries(const LeafFlow& flow) {
  for (const PathHop& hop : entries_.at(flow)) {
    fabric_.pinned_flows(hop.switch_ordinal).remove(flow);
  }
  entries_.erase(flow);
}

bool TrafficController::add_entries(const LeafFlow& flow, const control::Path& path) {
  const auto table_of = [this](std::uint32_t ordinal) -> fabric::PinnedFlows& { return fabric_.pinned_flows(ordinal); };
  std::optional<FlowHops> written = install_path(flow, network_.hops_of(path), wired_, table_of);
  if (!written) {
    return false;
  }
  counters_.entries += written->size();
  for (const PathHop& hop : *written) {
    counters_.peak_entries = std::max<std::uint64_t>(counters_.peak_entries, table_of(hop.switch_ordinal).size());
  }
  entries_[flow] = *std::move(written);
  return true;
}

}  // namespace weft::study::world
