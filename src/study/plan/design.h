// One way to build the cluster: which devices, in which shape, how they are run; and the keys of a scenario that say
// so.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/rate.h"
#include "study/compare/fabric_choice.h"
#include "study/plan/wiring.h"
#include "study/scenario/quantities.h"

namespace weft::study::plan {

enum class Shape : std::uint8_t { kSingleSwitch, kLeafSpine, kRailOptimised, kFatTree, kDragonflyPlus, kTorus };
inline constexpr std::array kShapes = {Shape::kSingleSwitch, Shape::kLeafSpine,     Shape::kRailOptimised,
                                       Shape::kFatTree,      Shape::kDragonflyPlus, Shape::kTorus};
/// "single-switch", "leaf-spine", "rail-optimised", "fat-tree", "dragonfly-plus", "torus": the words of topology.kind.
[[nodiscard]] std::string_view to_string(Shape shape);

/// A device of the catalogue, as far as a design depends on it.
struct Device {
  std::string name;
  std::int64_t ports = 0;  // as they are used
  Rate rate{};
  std::int64_t breakout = 1;  // of a switch: ports that one of the box's is split into, by breakout cables
};

struct Design {
  compare::FabricChoice network;  // family, tuning and scheme: "rocev2-spray"
  Device switch_;
  Device nic;
  Shape shape = Shape::kLeafSpine;
  scenario::Oversubscription oversubscription{};
  std::int64_t hosts = 1;   // with the spares
  std::int64_t spares = 0;  // hosts
  std::int64_t rails = 1;   // NICs of a host
  std::int64_t planes = 1;  // ports of a NIC, each into a fabric of its own
  std::int64_t tors = 1;    // ports of a NIC, each to a leaf of its own of one fabric; planes or tors are 1
  std::int64_t domain = 0;  // GPUs of a scale-up domain; 0: as the file says
  Wiring wiring{};          // of two tiers, of a group of a dragonfly+, and of the switches of a torus
  std::int64_t groups = 0;  // of a dragonfly+
  std::int64_t global_links = 0;
  std::vector<std::int64_t> sizes{};  // of a torus: its rings
  TreeWiring tree{};                  // of a fat-tree
  /// What the job changes: "job[0].tp=4", "job[0].placement=spread"; later ones win.
  std::vector<std::string> job{};
};

/// Ports of a NIC that are wired.
[[nodiscard]] constexpr std::int64_t ports_of_nic(const Design& design) { return design.planes * design.tors; }
/// Whether NICs of several ports may be wired so.
[[nodiscard]] constexpr bool takes_ports(Shape shape) {
  return shape == Shape::kLeafSpine || shape == Shape::kRailOptimised || shape == Shape::kFatTree;
}
/// "rocev2-spray, tomahawk-5, connectx-7, rail-optimised 2:1, 8 rails". Designs of one plan have different names.
[[nodiscard]] std::string name_of(const Design& design);
/// "key=value", as --set takes them.
[[nodiscard]] std::vector<std::string> settings_of(const Design& design);
/// A topology is named after what may be above leaves; here nothing is.
[[nodiscard]] constexpr bool has_leaves_only(const Design& design) {
  return design.wiring.uplinks == 0 && design.tree.cables == 0;
}
/// Tiers of switches.
[[nodiscard]] int tiers_of(const Design& design);

}  // namespace weft::study::plan
