#include "fabric/control/control_plane.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <utility>

#include "base/assert.h"
#include "fabric/fabric.h"

namespace weft::fabric {

Result<std::unique_ptr<ControlPlane>> ControlPlane::create(const Graph& graph, const ControlOptions& options,
                                                           Context context) {
  Result<ControlPlan> plan = plan_control(graph, options, context.name_hash);
  if (!plan) {
    return pass_on(plan);
  }
  return std::unique_ptr<ControlPlane>(new ControlPlane(graph, options, std::move(*plan), context));
}

ControlPlane::ControlPlane(const Graph& graph, const ControlOptions& options, ControlPlan plan, const Context& context)
    : graph_(graph),
      options_(options),
      plan_(std::move(plan)),
      peers_(graph.switches()),
      monitor_(graph, plan_.leaf_of),
      session_changes_(graph.switches(), 0) {
  for (std::uint32_t i = 0; i < graph.switches(); ++i) {
    peers_[i].assign(graph.nodes[graph.endpoints + i].ports, {.switch_ordinal = i});
  }
  for (const Link& link : graph.links) {
    if (link.a.node.value() >= graph.endpoints && link.b.node.value() >= graph.endpoints) {
      const SwitchPort a{.switch_ordinal = link.a.node.value() - graph.endpoints, .port = link.a.port};
      const SwitchPort b{.switch_ordinal = link.b.node.value() - graph.endpoints, .port = link.b.port};
      peers_[a.switch_ordinal][a.port] = b;
      peers_[b.switch_ordinal][b.port] = a;
    }
  }
  make_switches(context);
  list_events(context.events);
  plan_drains(context.events);
}

void ControlPlane::make_switches(const Context& context) {
  const auto discriminator = [](std::uint16_t port) { return std::uint32_t{port} + 1; };
  switches_.reserve(graph_.switches());
  for (std::uint32_t i = 0; i < graph_.switches(); ++i) {
    SwitchControl::Options own{.name = graph_.nodes[graph_.endpoints + i].name,
                               .seed = context.seed,
                               .as_number = plan_.as_numbers[i],
                               .identifier = plan_.identifiers[i],
                               .prefixes = static_cast<std::uint32_t>(plan_.leaf_of.size()),
                               .own_prefix = plan_.prefix_of[i],
                               .neighbours = {}};
    for (std::size_t port = 0; port < peers_[i].size(); ++port) {
      const SwitchPort& peer = peers_[i][port];
      if (peer.switch_ordinal == i) {
        own.neighbours.emplace_back();
        continue;
      }
      own.neighbours.push_back({.identifier = plan_.identifiers[peer.switch_ordinal],
                                .as_number = plan_.as_numbers[peer.switch_ordinal],
                                .discriminator = discriminator(peer.port),
                                .own_discriminator = discriminator(static_cast<std::uint16_t>(port))});
    }
    switches_.emplace_back(own, options_, paths_);
  }
}

void ControlPlane::list_events(const std::vector<LinkEvent>& events) {
  std::vector<LinkEvent> sorted;
  std::ranges::copy_if(events, std::back_inserter(sorted),
                       [](const LinkEvent& event) { return event.kind != LinkEvent::Kind::kDegrade; });
  std::ranges::stable_sort(sorted, {}, &LinkEvent::at);
  if (options_.start == ControlStart::kCold) {
    events_.push_back({.at = Time::zero(), .is_start = true});
  }
  for (const LinkEvent& event : sorted) {
    if (events_.empty() || events_.back().is_start || events_.back().at != event.at) {
      const Link& link = graph_.links[event.link.value()];
      events_.push_back({.at = event.at, .link = port_name(graph_, link.a) + " - " + port_name(graph_, link.b)});
    }
    ++(event.kind == LinkEvent::Kind::kFail ? events_.back().failed : events_.back().restored);
  }
  // A cold start is no outage: counting begins with what happens first after it.
  if (options_.start == ControlStart::kCold) {
    count_from_ = sorted.empty() ? Time::never() : sorted.front().at;
    if (!count_from_.is_never()) {
      count_from_ = count_from_ - std::min(options_.drain_lead, count_from_.since_start());
    }
  }
}

void ControlPlane::plan_drains(const std::vector<LinkEvent>& events) {
  if (options_.drain_lead == Duration::zero()) {
    return;
  }
  for (const LinkEvent& event : events) {
    if (event.kind != LinkEvent::Kind::kFail) {
      continue;
    }
    const Time at = event.at - std::min(options_.drain_lead, event.at.since_start());
    const Link& link = graph_.links[event.link.value()];
    for (const LinkEnd end : {link.a, link.b}) {
      if (end.node.value() >= graph_.endpoints) {
        switches_[end.node.value() - graph_.endpoints].drain_at(end.port, at);
      }
    }
  }
}

// What messages would bring about, in the order in which they were sent, without their times: the state that they end
// in depends on neither.
void ControlPlane::converge() {
  std::deque<std::uint32_t> waiting;
  std::vector<bool> waits(switches_.size(), true);
  for (std::uint32_t i = 0; i < switches_.size(); ++i) {
    for (std::size_t port = 0; port < peers_[i].size(); ++port) {
      if (peers_[i][port].switch_ordinal != i) {
        switches_[i].speaker().peer_up(static_cast<std::uint16_t>(port));
      }
    }
    waiting.push_back(i);
  }
  while (!waiting.empty()) {
    const std::uint32_t from = waiting.front();
    waiting.pop_front();
    waits[from] = false;
    for (std::size_t port = 0; port < peers_[from].size(); ++port) {
      const SwitchPort& to = peers_[from][port];
      if (to.switch_ordinal == from) {
        continue;
      }
      BgpSpeaker& speaker = switches_[to.switch_ordinal].speaker();
      for (const RouteUpdate& update : switches_[from].speaker().take_updates(static_cast<std::uint16_t>(port))) {
        for (const PrefixId prefix : update.prefixes) {
          speaker.on_route(to.port, prefix, update.path);
        }
      }
      if (speaker.take_marked() && !waits[to.switch_ordinal]) {
        waits[to.switch_ordinal] = true;
        waiting.push_back(to.switch_ordinal);
      }
    }
  }
}

void ControlPlane::start(ControlNetwork& network) {
  network_ = &network;
  const bool is_cold = options_.start == ControlStart::kCold;
  if (!is_cold) {
    converge();
  }
  for (std::uint32_t i = 0; i < switches_.size(); ++i) {
    if (is_cold) {
      switches_[i].start_cold(Time::zero());
    } else {
      switches_[i].preset_entries();
      switches_[i].start_converged(Time::zero());
    }
    for (std::uint32_t prefix = 0; prefix < plan_.leaf_of.size(); ++prefix) {
      if (plan_.leaf_of[prefix] != i) {
        const FibInstaller::Ports& entry = switches_[i].fib().entry(static_cast<PrefixId>(prefix));
        monitor_.set_entry(i, static_cast<PrefixId>(prefix), entry, Time::zero());
        network_->write_entry(i, plan_.leaf_of[prefix], entry);
      }
    }
  }
  if (!is_cold) {
    begin_counting(Time::zero());
  }
  for (std::uint32_t i = 0; i < switches_.size(); ++i) {
    after(i, Time::zero());
  }
}

void ControlPlane::begin_counting(Time now) {
  if (!counts_ && now >= count_from_) {
    counts_ = true;
    monitor_.begin(now);
  }
}

ControlEventRecord* ControlPlane::record_at(Time now) {
  const auto later_one = std::ranges::upper_bound(events_, now, {}, &ControlEventRecord::at);
  return later_one == events_.begin() ? nullptr : &*std::prev(later_one);
}

// Everything that the control of a switch wants done.
void ControlPlane::after(std::uint32_t switch_ordinal, Time now) {
  SwitchControl& own = switches_[switch_ordinal];
  while (std::optional<SwitchControl::Outgoing> out = own.poll()) {
    network_->send({.switch_ordinal = switch_ordinal, .port = out->port}, std::move(out->frame), now);
  }
  const std::vector<PrefixId> written = own.take_written();
  const std::uint64_t changes = own.session_changes();
  if (!written.empty() || changes != session_changes_[switch_ordinal]) {
    if (ControlEventRecord* const record = record_at(now)) {
      record->last_write = written.empty() ? record->last_write : now;
      if (changes != session_changes_[switch_ordinal]) {
        record->noticed = earlier(record->noticed, now);
      }
    }
    session_changes_[switch_ordinal] = changes;
  }
  for (const PrefixId prefix : written) {
    const FibInstaller::Ports& entry = own.fib().entry(prefix);
    monitor_.set_entry(switch_ordinal, prefix, entry, now);
    network_->write_entry(switch_ordinal, plan_.leaf_of[prefix], entry);
  }
  if (const Time next = own.next_timeout(); !next.is_never()) {
    network_->wake(switch_ordinal, later(next, now));
  }
}

void ControlPlane::on_frame(SwitchPort at, const ControlFrame& frame, Time now) {
  begin_counting(now);
  switches_[at.switch_ordinal].on_frame(at.port, frame, now);
  after(at.switch_ordinal, now);
}

void ControlPlane::on_timer(std::uint32_t switch_ordinal, Time now) {
  begin_counting(now);
  if (switches_[switch_ordinal].next_timeout() <= now) {
    switches_[switch_ordinal].on_timeout(now);
  }
  after(switch_ordinal, now);
}

void ControlPlane::on_cable(LinkIndex link, ReachMonitor::Cable state, Time now) {
  begin_counting(now);
  monitor_.set_cable(link, state, now);
  const auto signal = state == ReachMonitor::Cable::kUp ? SwitchControl::Signal::kBack : SwitchControl::Signal::kLost;
  for (const LinkEnd end : {graph_.links[link.value()].a, graph_.links[link.value()].b}) {
    if (end.node.value() >= graph_.endpoints) {
      const std::uint32_t ordinal = end.node.value() - graph_.endpoints;
      switches_[ordinal].on_signal(end.port, signal, now);
      after(ordinal, now);
    }
  }
}

ControlSummary ControlPlane::summary() const {
  ControlSummary sum;
  for (const SwitchControl& own : switches_) {
    const BgpSession::Counters sessions = own.session_counters();
    const SwitchControl::Counters& counters = own.counters();
    sum.messages += sessions.messages;
    sum.message_bytes += sessions.bytes;
    sum.updates += sessions.updates;
    sum.bfd_packets += counters.bfd_packets;
    sum.lldp_units += counters.lldp_units;
    sum.frame_bytes += counters.frame_bytes;
    sum.retransmissions += own.retransmissions();
    sum.bad_messages += sessions.faults + counters.bad_frames;
    sum.prefixes_processed += counters.prefixes_processed;
    sum.cpu_time += counters.cpu_time;
    if (sum.busiest_switch.empty() || counters.cpu_time > sum.busiest_cpu_time) {
      sum.busiest_cpu_time = counters.cpu_time;
      sum.busiest_switch = own.name();
    }
    sum.fib_writes += own.fib().writes();
    for (std::size_t end = 0; end < kSessionEnds; ++end) {
      sum.session_ends[end] += counters.ends[end];
    }
    sum.established_ends += own.established();
  }
  sum.sessions = static_cast<std::uint32_t>(std::ranges::count_if(graph_.links, [&](const Link& link) {
    return link.a.node.value() >= graph_.endpoints && link.b.node.value() >= graph_.endpoints;
  }));
  sum.is_quiet = is_quiet();
  return sum;
}

bool ControlPlane::is_quiet() const { return std::ranges::all_of(switches_, &SwitchControl::is_quiet); }

std::vector<CablingFault> ControlPlane::cabling_faults() const {
  std::vector<CablingFault> faults;
  std::vector<LinkEnd> planned_end;  // of Link::b
  for (const Link& link : graph_.links) {
    planned_end.push_back(link.b);
  }
  for (const CableSwap& swap : options_.swaps) {
    std::swap(planned_end[swap.first.value()], planned_end[swap.second.value()]);
  }
  std::vector<std::pair<LinkEnd, LinkEnd>> planned;  // a port, and what should be at its other end
  for (std::size_t i = 0; i < graph_.links.size(); ++i) {
    planned.emplace_back(graph_.links[i].a, planned_end[i]);
    planned.emplace_back(planned_end[i], graph_.links[i].a);
  }
  for (const auto& [own, other] : planned) {
    if (own.node.value() < graph_.endpoints || other.node.value() < graph_.endpoints) {
      continue;
    }
    const std::optional<wire::LldpUnit>& heard = switches_[own.node.value() - graph_.endpoints].heard(own.port);
    const std::string should = port_name(graph_, other);
    if (heard && heard->chassis + "/" + heard->port != should) {
      faults.push_back(
          {.port = port_name(graph_, own), .planned = should, .found = heard->chassis + "/" + heard->port});
    }
  }
  return faults;
}

}  // namespace weft::fabric
