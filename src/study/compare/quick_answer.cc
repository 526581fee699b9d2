#include "study/compare/quick_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "study/scenario/family.h"

namespace weft::study::compare {
namespace {

/// Of the step: ranks that are slower by the seed.
constexpr double kStragglers = 0.01;
/// Of operations whose flows share no links, and of those whose flows do: there, slices too short to settle, and other
/// seeds that hash flows elsewhere.
constexpr double kAlone = 0.02;
constexpr double kShared = 0.25;
/// An operation that may take less than so many times what its paths allow stands at that bound.
constexpr double kAtBound = 1.05;

/// The most that settled operations took beyond their paths' bound: where each packet takes another path or credits
/// hold senders back, where flows stay on the path that their hash gives them or share it with other traffic, and of
/// Ultra Ethernet.
constexpr double kEvenExcess = 0.25;
constexpr double kHashedExcess = 0.7;
constexpr double kUetExcess = 0.8;

bool places_each_packet(scenario::RoutingPolicy policy) {
  using scenario::RoutingPolicy;
  return policy == RoutingPolicy::kSpray || policy == RoutingPolicy::kAdaptive || policy == RoutingPolicy::kDrill;
}

/// Flows share links, slices are too short, and what they took is the paths' bound as far as it is known. One slice
/// alone has no interval.
bool stands_at_bound(const report::StepCollective& own) {
  return own.shares_links && !own.settled &&
         (!own.interval || own.time * (1 - *own.interval) <= kAtBound * own.paths_allow);
}

/// By how much longer it may take than it did.
double growth_of(const report::StepCollective& own, double excess) {
  const bool may_grow = stands_at_bound(own) && own.time > 0;
  return may_grow ? std::max((1 + excess) * own.paths_allow / own.time - 1, 0.0) : 0;
}

/// By what part of its time it may take less than it did: continued from a slice in which its stages do not overlap as
/// they do in the whole.
double shrinkage_of(const report::StepCollective& own) {
  const bool continued = !own.shares_links && own.sample_bytes < own.bytes && own.time > 0;
  return continued ? std::max(1 - own.paths_allow / own.time, 0.0) : 0;
}

std::string caution_of(const std::vector<std::string>& operations, double excess) {
  return fmt::format(
      "slices of {} operations are too short to show what sharing links costs: steps that had settled took up to "
      "{:.0f} % more than their paths allow, so the interval reaches up to that",
      fmt::join(operations, " and "), excess * 100);
}

}  // namespace

double settled_excess(const scenario::Scenario& scenario) {
  const scenario::Family family = scenario.fabric.family;
  if (family == scenario::Family::kUet) {
    return kUetExcess;
  }
  const bool even = scenario::is_infiniband(family) || places_each_packet(scenario.routing.policy);
  return even && scenario.traffic.empty() ? kEvenExcess : kHashedExcess;
}

QuickInterval quick_interval(const report::RunFigures& run, double seconds, double excess) {
  const std::vector<report::StepCollective> operations =
      run.collectives.value_or(std::vector<report::StepCollective>());
  double below = kStragglers * seconds;
  double above = below;
  std::vector<std::string> at_bound;
  for (const report::StepPart& part : run.parts.value_or(std::vector<report::StepPart>())) {
    if (!part.communication) {
      continue;
    }
    bool shares = false;
    double growth = 0;
    double shrinkage = 0;
    for (const report::StepCollective& own : operations) {
      if (own.purpose == part.name) {
        shares = shares || own.shares_links;
        growth = std::max(growth, growth_of(own, excess));
        shrinkage = std::max(shrinkage, shrinkage_of(own));
      }
    }
    const double usual = (shares ? kShared : kAlone) * part.exposed;
    below += std::max(shrinkage * part.exposed, usual);
    above += std::max(growth * part.busy, usual);
    if (growth * part.busy > usual) {
      at_bound.push_back(part.name);
    }
  }
  const double measured = run.interval.value_or(0) * seconds;
  return {.low = std::max(seconds - std::hypot(measured, below), 0.0),
          .high = seconds + std::hypot(measured, above),
          .caution = at_bound.empty() ? std::string() : caution_of(at_bound, excess)};
}

}  // namespace weft::study::compare
