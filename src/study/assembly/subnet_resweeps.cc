#include "study/assembly/subnet_resweeps.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/assert.h"
#include "study/assembly/managed_network.h"
#include "study/scenario/fail_at.h"

namespace weft::study::assembly {
namespace {

using Cables = std::set<fabric::LinkIndex>;
using State = fabric::TableSchedule::State;
using StateNumber = fabric::TableSchedule::StateNumber;

/// What is different between two states that are each told against the same third one; one of them has each place.
std::vector<fabric::ByteChange> between(const std::vector<fabric::ByteChange>& a,
                                        const std::vector<fabric::ByteChange>& b) {
  std::vector<fabric::ByteChange> changes;
  std::ranges::set_symmetric_difference(
      a, b, std::back_inserter(changes), {},
      [](const fabric::ByteChange& one) { return std::pair(one.place, one.value); },
      [](const fabric::ByteChange& one) { return std::pair(one.place, one.value); });
  std::ranges::sort(changes, {}, &fabric::ByteChange::place);
  const auto is_again = [](const fabric::ByteChange& one, const fabric::ByteChange& other) {
    return one.place == other.place;
  };
  changes.erase(std::unique(changes.begin(), changes.end(), is_again), changes.end());
  return changes;
}

class Planner {
 public:
  Planner(const scenario::Scenario& scenario, const fabric::Graph& graph, std::span<const fabric::LinkEvent> events,
          std::uint64_t most)
      : scenario_(scenario), network_(scenario, graph), most_(most) {
    for (const fabric::LinkEvent& event : events) {
      if (event.kind != fabric::LinkEvent::Kind::kDegrade) {
        moments_[event.at].changes.push_back(&event);
        moments_[event.at + event.reroute_delay].news.push_back(event.link);
      }
    }
    last_ = scenario.stop ? Time::zero() + *scenario.stop : Time::never();
  }

  Result<ResweepPlan> plan() {
    if (moments_.empty()) {
      return std::move(plan_);
    }
    Result<ManagedTables> first = network_.route();
    if (!first) {
      return pass_on(first);
    }
    first_ = std::move(*first);
    wanted_ = count_cases();
    held_ = first_.routes.tables;
    states_[{}] = add_state({}, {.paths = first_.paths, .can_block = first_.can_block, .fallback = {}});
    for (const auto& [at, moment] : moments_) {
      if (at > last_) {
        break;
      }
      if (Result<void> done = pass(at, moment); !done) {
        return pass_on(done);
      }
    }
    return std::move(plan_);
  }

 private:
  /// What happens at a time, and cables whose state, as it is then, managers have dealt with.
  struct Moment {
    std::vector<const fabric::LinkEvent*> changes{};
    std::vector<fabric::LinkIndex> news{};
  };
  struct Known {
    std::uint64_t paths = 0;
    bool can_block = false;
    std::string fallback{};
  };

  static constexpr StateNumber kNothingHeld = ~StateNumber{0};
  /// What tables are made for, and from.
  struct Case {
    Cables down{};
    StateNumber from = kNothingHeld;
    friend auto operator<=>(const Case&, const Case&) = default;
  };

  static void set(Cables& cables, fabric::LinkIndex link, bool down) {
    if (down) {
      cables.insert(link);
    } else {
      cables.erase(link);
    }
  }

  /// States of the whole run, but the first, if sweeps that find the same cables down find the same tables.
  std::size_t count_cases() {
    std::set<Cables> cases;
    Cables down;
    Cables learned;
    for (const auto& [at, moment] : moments_) {
      if (at > last_) {
        break;
      }
      take(moment, down, learned);
      cases.insert(learned);
    }
    cases.erase(Cables{});
    return cases.size();
  }

  static void take(const Moment& moment, Cables& down, Cables& learned) {
    for (const fabric::LinkEvent* const event : moment.changes) {
      set(down, event->link, event->kind == fabric::LinkEvent::Kind::kFail);
    }
    for (const fabric::LinkIndex link : moment.news) {
      set(learned, link, down.contains(link));
    }
  }

  // Each state is kept here and in the schedule. What has been seen is the measure of what is still to come.
  Result<void> check_memory(const State& state) {
    taken_ += 2 * sizeof(fabric::ByteChange) * (state.entries.size() + state.levels.size());
    const std::size_t made = changes_.size();
    const std::uint64_t all = taken_ / made * std::max(wanted_, made);
    constexpr double kGigabyte = 1e9;
    return all <= most_ ? Result<void>()
                        : scenario::fail_at(
                              scenario_, "routing.engine",
                              "the tables of {} states of the network (cables that are down together) would need about "
                              "{:.2g} GB, {:.2g} MB each; at most {:.2g} GB. Let fewer links fail at a time, or use an "
                              "engine that keeps entries (minhop, updn, dnup, dor), d-mod-k, or an earlier stop",
                              std::max(wanted_, made), static_cast<double>(all) / kGigabyte,
                              static_cast<double>(taken_ / made) / 1e6, static_cast<double>(most_) / kGigabyte);
  }

  // As LinkSchedule does it: news are of how a cable is when they are taken in.
  Result<void> pass(Time at, const Moment& moment) {
    take(moment, down_, learned_);
    return learned_ == routed_ ? Result<void>() : sweep(at);
  }

  // Of a port that has trained OpenSM sets its switches up anew; after failures alone it keeps what it can, and then
  // what it writes hangs on what was there before.
  Result<void> sweep(Time at) {
    const bool keeps = std::ranges::includes(learned_, routed_);
    const Case now{.down = learned_, .from = keeps ? shown_ : kNothingHeld};
    if (!states_.contains(now)) {
      const std::vector<fabric::LinkIndex> down(learned_.begin(), learned_.end());
      Result<ManagedTables> made =
          network_.route_without({.down = down, .learned = at, .held = keeps ? &held_ : nullptr}, first_.routes);
      if (!made) {
        return pass_on(made);
      }
      State state{.entries = first_.routes.tables.changes_to(made->routes.tables),
                  .levels = first_.routes.levels.changes_to(made->routes.levels)};
      if (Result<void> fits = check_memory(state); !fits) {
        return fits;
      }
      states_.emplace(
          now, add_state(std::move(state),
                         {.paths = made->paths, .can_block = made->can_block, .fallback = std::move(made->fallback)}));
    }
    show(at, states_.at(now));
    return {};
  }

  StateNumber add_state(State state, Known known) {
    changes_.push_back(state);
    known_.push_back(std::move(known));
    return plan_.schedule.add_state(std::move(state));
  }

  void show(Time at, StateNumber number) {
    const std::vector<fabric::ByteChange> entries = between(changes_[shown_].entries, changes_[number].entries);
    std::set<std::uint32_t> switches;
    for (const fabric::ByteChange& entry : entries) {
      switches.insert(first_.routes.tables.switch_of(entry));
    }
    plan_.schedule.add_update(at, number);
    plan_.resweeps.push_back({.at = at,
                              .links_down = static_cast<std::uint32_t>(learned_.size()),
                              .entries = entries.size(),
                              .switches = switches.size(),
                              .levels = between(changes_[shown_].levels, changes_[number].levels).size(),
                              .paths = known_[number].paths,
                              .paths_before = first_.paths,
                              .can_block = known_[number].can_block && !first_.can_block,
                              .fallback = known_[number].fallback});
    routed_ = learned_;
    shown_ = number;
    held_ = first_.routes.tables;
    std::vector<fabric::ByteChange> changes = changes_[number].entries;
    held_.exchange(changes);
  }

  const scenario::Scenario& scenario_;
  ManagedNetwork network_;
  std::uint64_t most_;       // bytes of all states
  std::uint64_t taken_ = 0;  // by those that there are
  std::size_t wanted_ = 0;   // states that the run will have
  std::map<Time, Moment> moments_;
  Time last_;
  ManagedTables first_;
  Cables down_;
  Cables learned_;
  Cables routed_;  // what the last tables were made for
  StateNumber shown_ = 0;
  fabric::LinearTables held_;  // as of that state
  std::map<Case, StateNumber> states_;
  std::vector<State> changes_;  // by their numbers
  std::vector<Known> known_;    // likewise
  ResweepPlan plan_;
};

}  // namespace

Result<ResweepPlan> plan_resweeps(const scenario::Scenario& scenario, const fabric::Graph& graph,
                                  std::span<const fabric::LinkEvent> events, std::uint64_t most) {
  WEFT_ASSERT(scenario::has_manager(scenario.routing));
  return scenario.routing.engine == scenario::RoutingEngine::kFile ? ResweepPlan{}
                                                                   : Planner(scenario, graph, events, most).plan();
}

}  // namespace weft::study::assembly
