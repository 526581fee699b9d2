#include "study/run/settled_excess.h"

#include <algorithm>

#include "study/scenario/family.h"

namespace weft::study::run {
namespace {

/// Where each packet takes another path or credits hold senders back, where flows stay on the path that their hash
/// gives them or share it with other traffic, and of Ultra Ethernet.
constexpr double kEvenExcess = 0.25;
constexpr double kHashedExcess = 0.7;
constexpr double kUetExcess = 0.8;

/// As much as put steps of operations off that had not converged.
constexpr double kUnsettled = 0.15;

bool places_each_packet(scenario::RoutingPolicy policy) {
  using scenario::RoutingPolicy;
  return policy == RoutingPolicy::kSpray || policy == RoutingPolicy::kAdaptive || policy == RoutingPolicy::kDrill;
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

double unsettled_doubt(double bound, std::optional<double> interval, double excess) {
  const double reach = std::max({kUnsettled, 1 - bound, (1 + excess) * bound - 1});
  return interval ? std::clamp(*interval, kUnsettled, reach) : reach;
}

}  // namespace weft::study::run
