// The steps of a sweep, and who is master.
#include <algorithm>
#include <utility>

#include "subnet/lids.h"
#include "subnet/manager/subnet_manager.h"

namespace weft::subnet {
namespace {

SmpCounts counted_since(const SmpCounts& before, const SmpCounts& now) {
  SmpCounts difference;
  for (const auto& [key, count] : now) {
    const auto earlier = before.find(key);
    const std::uint64_t added = count - (earlier == before.end() ? 0 : earlier->second);
    if (added > 0) {
      difference[key] = added;
    }
  }
  return difference;
}

std::uint64_t sum_of(const SmpCounts& counts) {
  std::uint64_t sum = 0;
  for (const auto& [key, count] : counts) {
    sum += count;
  }
  return sum;
}

std::set<std::pair<Guid, PortNumber>> linked_ports_of(const Subnet& subnet) {
  std::set<std::pair<Guid, PortNumber>> linked;
  for (const Node& node : subnet.nodes) {
    for (std::size_t port = 0; port < node.ports.size(); ++port) {
      if (node.ports[port].peer) {
        linked.emplace(node.guid, static_cast<PortNumber>(port));
      }
    }
  }
  return linked;
}

}  // namespace

void SubnetManager::begin_sweep(SweepCause cause, Time now) {
  report_ = {.cause = cause, .begin = now, .end = {}};
  sent_before_ = exchange_.sent();
  retried_before_ = exchange_.retried();
  failed_before_ = exchange_.failed();
  is_first_ = is_first_ || state_ != ManagerState::kMaster || cause == SweepCause::kHandover;
  if (state_ != ManagerState::kMaster) {
    state_ = ManagerState::kDiscovering;
  }
  next_light_ = next_poll_ = Time::never();
  begin_step(SweepStep::kDiscovery, now);
  discover_again(now);
  proceed(now);
}

void SubnetManager::discover_again(Time now) {
  report_.discovered = now;
  rivals_.clear();
  rivals_asked_ = 0;
  discovery_ =
      std::make_unique<Discovery>(known_, exchange_, is_first_ ? Discovery::Tables::kAll : Discovery::Tables::kChanged);
}

void SubnetManager::begin_light_sweep(Time now) {
  report_ = {.cause = SweepCause::kInterval, .is_light = true, .begin = now, .end = {}};
  sent_before_ = exchange_.sent();
  retried_before_ = exchange_.retried();
  failed_before_ = exchange_.failed();
  next_light_ = Time::never();
  light_wanted_ = false;
  begin_step(SweepStep::kLight, now);
  for (const NodeIndex node : known_.switches()) {
    exchange_.post({.attribute = wire::kAttributeSwitchInfo, .route = known_[node].route, .node = node});
  }
  proceed(now);
}

void SubnetManager::begin_step(SweepStep step, Time now) {
  step_ = step;
  sent_at_step_ = sum_of(exchange_.sent());
  report_.steps.push_back({.step = step, .begin = now, .end = now});
}

void SubnetManager::end_step(Time now) {
  report_.steps.back().end = now;
  report_.steps.back().requests = sum_of(exchange_.sent()) - sent_at_step_;
}

void SubnetManager::end_sweep(Time now) {
  end_step(now);
  step_.reset();
  report_.end = now;
  report_.requests = counted_since(sent_before_, exchange_.sent());
  report_.retried = exchange_.retried() - retried_before_;
  report_.failed = exchange_.failed() - failed_before_;
  report_.nodes = known_.nodes().size();
  report_.switches = known_.switches().size();
  sweeps_.push_back(report_);
  const bool failed = report_.failed > 0 || !report_.error.empty();
  // What tables of groups could not be written stays to be done, and they mend nothing that a sweep left.
  is_to_repeat_ = failed || (is_to_repeat_ && report_.cause == SweepCause::kGroups);
  if (state_ == ManagerState::kMaster && (report_.cause != SweepCause::kGroups || next_light_.is_never())) {
    next_light_ = now + options_.sweep_interval;
  }
}

void SubnetManager::fail_sweep(std::string why, Time now) {
  report_.error = std::move(why);
  state_ = state_ == ManagerState::kDiscovering ? ManagerState::kMaster : state_;  // tries again each interval
  end_sweep(now);
}

/// As far as nothing is under way: one step after another.
void SubnetManager::proceed(Time now) {
  while (step_ && exchange_.is_idle() && incoming_.empty() && (routed_.is_never() || routed_ <= now)) {
    routed_ = Time::never();
    if (discovery_ && discovery_->proceed()) {
      continue;
    }
    next_step(now);
  }
}

void SubnetManager::post_all(const std::vector<Smp>& sets) {
  for (const Smp& smp : sets) {
    exchange_.post(smp);
  }
}

void SubnetManager::next_step(Time now) {
  const SweepStep done = *step_;
  const bool is_last = done == SweepStep::kLight || done == SweepStep::kActive;
  if (is_last || report_.cause == SweepCause::kGroups) {
    end_sweep(now);
    return;
  }
  if (done == SweepStep::kDiscovery && !after_discovery(now)) {
    return;
  }
  if (done == SweepStep::kLinks) {
    is_first_ = false;
  }
  if (done == SweepStep::kTables) {
    linked_ = linked_ports_of(subnet_);
  }
  end_step(now);
  auto next = static_cast<SweepStep>(static_cast<std::uint8_t>(done) + 1);
  if (next == SweepStep::kMulticast) {
    group_sets_ = group_sets();
    next = group_sets_.empty() ? SweepStep::kLinks : next;
  }
  begin_step(next, now);
  switch (next) {
    case SweepStep::kLight:
    case SweepStep::kDiscovery:
      break;
    case SweepStep::kChanges:
      post_all(change_resets(known_));
      break;
    case SweepStep::kPartitions: {
      const Result<std::vector<Smp>> sets = partition_sets(found(), options_);
      if (!sets) {
        fail_sweep(sets.error().message, now);
        return;
      }
      post_all(*sets);
      post_all(lane_sets(known_, options_, written_));
      break;
    }
    case SweepStep::kOwnLid:
      post_all(lid_sets(found(), options_, LidStep::kOwn));
      break;
    case SweepStep::kLids:
      post_all(lid_sets(found(), options_, LidStep::kOthers));
      break;
    case SweepStep::kRouting:
      begin_routing(now);
      break;
    case SweepStep::kTables:
      post_all(table_sets(found(), tables_, written_));
      break;
    case SweepStep::kMulticast:
      post_all(group_sets_);
      break;
    case SweepStep::kLinks:
      post_all(link_sets(found(), levels_, is_first_ ? LinkScope::kAll : LinkScope::kChanged));
      break;
    case SweepStep::kArmed:
      post_all(state_sets(known_, wire::PortState::kArmed));
      break;
    case SweepStep::kActive:
      post_all(state_sets(known_, wire::PortState::kActive));
      break;
  }
}

/// Elects the master, and gives LIDs to what was found. False: the sweep has ended, or goes on with discovery.
bool SubnetManager::after_discovery(Time now) {
  if (successor_) {
    stand_by(*std::exchange(successor_, std::nullopt), now);
    return false;
  }
  known_ = discovery_->take();
  discovery_.reset();
  if (const Rival* const rival = winner()) {
    view_ = {};
    stand_by(*rival, now);
    return false;
  }
  if (wanted_) {  // a trap came meanwhile: what it tells of may have been passed already
    wanted_.reset();
    ++report_.discoveries;
    discover_again(now);
    return false;
  }
  view_ = {};  // of the nodes that were known before
  if (const Rival* const better = successor()) {
    hand_over(*better);
    return false;
  }
  if (is_first_) {
    begin_mastership();
  }
  // A switch that was away may have come back without its tables.
  std::erase_if(written_.linear, [&](const auto& table) { return !known_.find(table.first); });
  std::erase_if(written_.others, [&](const auto& block) { return !known_.find(std::get<0>(block.first)); });
  subnet_ = known_.subnet();
  if (!subnet_.manager || (!known_.nodes().front().is_switch() && !subnet_.port(*subnet_.manager).peer)) {
    fail_sweep("the link of the manager's own port is down, or what is behind it does not answer", now);
    return false;
  }
  if (const Result<void> assigned = assign_lids(subnet_, {.lmc = options_.lmc}); !assigned) {
    fail_sweep(assigned.error().message, now);
    return false;
  }
  Result<RoutingView> view = routing_view(subnet_, options_.lmc);
  if (!view) {
    fail_sweep(view.error().message, now);
    return false;
  }
  view_ = std::move(*view);
  std::vector<Guid> present;
  for (const EndPort& end : view_.end_ports) {
    present.push_back(end.guid);
  }
  groups_.keep_ports(present);
  for (std::size_t most = kLastMulticastLid - kFirstMulticastLid + 1; const NodeIndex node : known_.switches()) {
    most = std::min<std::size_t>(most, known_[node].switch_info.multicast_cap);
    groups_.limit(most);
  }
  std::erase_if(group_blocks_, [&](const auto& blocks) { return !known_.find(blocks.first); });
  return true;
}

/// Nothing is known of what switches hold.
void SubnetManager::begin_mastership() {
  state_ = ManagerState::kMaster;
  written_ = {};
  group_blocks_.clear();
  linked_.clear();
}

/// A port that is to be made active has trained, even if it had a link before.
bool SubnetManager::only_lost_links() const {
  const auto has_trained = [](const KnownPort& port) {
    return port.peer.has_value() && port.state() == wire::PortState::kInitialize;
  };
  const bool trained = std::ranges::any_of(
      known_.nodes(), [&](const KnownNode& node) { return std::ranges::any_of(node.ports, has_trained); });
  return !trained && std::ranges::includes(linked_, linked_ports_of(subnet_));
}

/// The tables are there when the engine's time has passed. As in OpenSM, engines that balance keep what switches hold,
/// unless a port has trained.
void SubnetManager::begin_routing(Time now) {
  tables_.clear();
  levels_.clear();
  if (view_.switches.empty()) {
    return;
  }
  EngineOptions routing = options_.routing;
  ForwardingTables held;
  if (only_lost_links()) {
    held = held_tables(view_, written_.linear);
    routing.held = &held;
  }
  Result<ManagedRoutes> routes = route_subnet(view_, options_.engine, routing);
  if (!routes) {
    fail_sweep(routes.error().message, now);
    return;
  }
  report_.fallback = routes->fallback;
  used_ = routes->used;
  tables_ = std::move(routes->routes.tables);
  if (!routes->routes.plan.lanes.empty()) {
    const Lid own = view_[view_.manager].lid;
    for (const EndPort& end : view_.end_ports) {
      levels_.push_back(routes->routes.plan.lane(end.lid, own));
    }
  }
  const auto entries = static_cast<std::int64_t>(view_.switches.size() * view_.last_lid());
  routed_ = later(now, thread_free_) + options_.entry_time * entries;
  thread_free_ = routed_;
}

/// By the trees of the groups as they are now.
std::vector<Smp> SubnetManager::group_sets() {
  (void)groups_.take_change();
  if (view_.switches.empty()) {
    return {};
  }
  const Result<MulticastRoutes> routes =
      route_multicast(view_, {.used = used_, .options = options_.routing}, groups_.groups(view_));
  if (!routes) {
    report_.error = routes.error().message;
    return {};
  }
  return multicast_sets(found(), routes->tables, group_blocks_);
}

/// Members have changed while no sweep runs.
void SubnetManager::begin_groups(Time now) {
  report_ = {.cause = SweepCause::kGroups, .begin = now, .end = {}};
  sent_before_ = exchange_.sent();
  retried_before_ = exchange_.retried();
  failed_before_ = exchange_.failed();
  begin_step(SweepStep::kMulticast, now);
  post_all(group_sets());
  proceed(now);
}

/// Asks each manager that discovery has come across who it is.
void SubnetManager::ask_rivals() {
  for (; rivals_asked_ < discovery_->managers().size(); ++rivals_asked_) {
    const PortPlace place = discovery_->managers()[rivals_asked_];
    exchange_.post({.attribute = wire::kAttributeSmInfo,
                    .route = discovery_->found().route(place),
                    .node = place.node,
                    .port = place.port});
  }
}

/// By priority, then by GUID.
//= ibta-1.7 14.4.1
bool SubnetManager::is_better(const wire::SmInfo& other) const {
  const std::uint64_t own_guid = known_.nodes().front().info.port_guid;
  return other.priority > options_.priority || (other.priority == options_.priority && other.guid < own_guid);
}

/// Another manager that is to be the master; none: this one.
const SubnetManager::Rival* SubnetManager::winner() const {
  if (state_ == ManagerState::kMaster || known_.nodes().empty()) {
    return nullptr;
  }
  const auto wins = [&](const Rival& rival) {
    return rival.info.state == static_cast<std::uint8_t>(ManagerState::kMaster) || is_better(rival.info);
  };
  const auto found = std::ranges::find_if(rivals_, wins);
  return found == rivals_.end() ? nullptr : &*found;
}

/// The best of those that stand by, if it is better than this master.
const SubnetManager::Rival* SubnetManager::successor() const {
  if (state_ != ManagerState::kMaster || known_.nodes().empty()) {
    return nullptr;
  }
  const Rival* best = nullptr;
  for (const Rival& rival : rivals_) {
    const bool stands_by = rival.info.state == static_cast<std::uint8_t>(ManagerState::kStandby);
    const bool leads = best == nullptr || rival.info.priority > best->info.priority ||
                       (rival.info.priority == best->info.priority && rival.info.guid < best->info.guid);
    best = stands_by && leads && is_better(rival.info) ? &rival : best;
  }
  return best;
}

/// The sweep ends with the answer.
//= ibta-1.7 14.4.1
void SubnetManager::hand_over(const Rival& successor) {
  successor_ = successor;
  Smp told{.method = wire::kMethodSet,
           .attribute = wire::kAttributeSmInfo,
           .modifier = wire::SmInfo::kHandover,
           .route = successor.route,
           .node = successor.place.node,
           .port = successor.place.port};
  own_info().emit(told.data);
  exchange_.post(told);
}

void SubnetManager::stand_by(const Rival& master, Time now) {
  master_ = master;
  state_ = ManagerState::kStandby;
  polls_missed_ = 0;
  announce();
  end_sweep(now);
  next_poll_ = now;
}

void SubnetManager::poll_master(Time now) {
  next_poll_ = now + options_.poll_interval;
  exchange_.post({.attribute = wire::kAttributeSmInfo,
                  .route = master_->route,
                  .node = master_->place.node,
                  .port = master_->place.port});
}

/// What is due when no sweep runs.
void SubnetManager::begin_next(Time now) {
  if (step_) {
    return;
  }
  if (state_ == ManagerState::kStandby) {
    if (polls_missed_ >= options_.poll_retries) {
      exchange_.clear();
      polls_missed_ = 0;
      begin_sweep(SweepCause::kTakeover, now);
    } else if (next_poll_ <= now) {
      poll_master(now);
    }
    return;
  }
  if (wanted_) {
    if (!incoming_.empty()) {
      return;  // traps that have come already are told by the same sweep
    }
    const SweepCause cause = *wanted_;
    wanted_.reset();
    begin_sweep(cause, now);
  } else if (state_ == ManagerState::kMaster && groups_.take_change()) {
    begin_groups(now);
  } else if (next_light_ <= now || light_wanted_) {
    if (is_to_repeat_) {
      begin_sweep(SweepCause::kFailure, now);
    } else {
      begin_light_sweep(now);
    }
  }
}

}  // namespace weft::subnet
