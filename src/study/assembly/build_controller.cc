#include "study/assembly/build_controller.h"

namespace weft::study::assembly {
namespace {

world::PlacementAlgorithm algorithm_of(scenario::ControllerAlgorithm algorithm) {
  switch (algorithm) {
    case scenario::ControllerAlgorithm::kCspf:
      return world::PlacementAlgorithm::kCspf;
    case scenario::ControllerAlgorithm::kGreedy:
      return world::PlacementAlgorithm::kGreedy;
    case scenario::ControllerAlgorithm::kMinMax:
      return world::PlacementAlgorithm::kMinMax;
    case scenario::ControllerAlgorithm::kCommunicators:
      break;
  }
  return world::PlacementAlgorithm::kCommunicators;
}

}  // namespace

world::ControllerOptions controller_options(const scenario::RoutingSettings& routing) {
  return {.algorithm = algorithm_of(routing.controller_algorithm),
          .period = routing.controller_period,
          .delay = routing.controller_delay,
          .threshold = static_cast<double>(routing.controller_threshold.raw()) / static_cast<double>(Probability::kOne),
          .demand = routing.controller_demand == scenario::ControllerDemand::kMeasured
                        ? world::ControllerOptions::Demand::kMeasured
                        : world::ControllerOptions::Demand::kHostLimited,
          .most_paths = static_cast<std::uint32_t>(routing.controller_paths)};
}

}  // namespace weft::study::assembly
