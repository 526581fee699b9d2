#include "subnet/routing/engine.h"

#include "base/nearest_word.h"
#include "subnet/routing/dfsssp.h"
#include "subnet/routing/dnup.h"
#include "subnet/routing/dor.h"
#include "subnet/routing/ftree.h"
#include "subnet/routing/lash.h"
#include "subnet/routing/minhop.h"
#include "subnet/routing/nue.h"
#include "subnet/routing/sssp.h"
#include "subnet/routing/updn.h"

namespace weft::subnet {
namespace {

constexpr std::array kEngines = {
    Engine{.name = "minhop",
           .kind = EngineKind::kMinhop,
           .route = route_minhop,
           .text = "Shortest paths, spread over ports; may close cycles of buffers"},
    Engine{.name = "updn",
           .kind = EngineKind::kUpdn,
           .route = route_updn,
           .text = "Shortest of the paths that go up towards roots, then down; roots are found"},
    Engine{.name = "dnup",
           .kind = EngineKind::kDnup,
           .route = route_dnup,
           .text = "Shortest of the paths that go away from adapters, then back; leaves are what has adapters"},
    Engine{.name = "ftree",
           .kind = EngineKind::kFtree,
           .route = route_ftree,
           .text = "For fat-trees alone: shift patterns share no link"},
    Engine{.name = "dor",
           .kind = EngineKind::kDor,
           .route = route_dor,
           .text = "Shortest paths by the lowest port: dimension order, if meshes and hypercubes are cabled so"},
    Engine{.name = "lash",
           .kind = EngineKind::kLash,
           .route = route_lash,
           .text = "Shortest paths; virtual lanes by pair of switches break cycles of buffers"},
    Engine{.name = "sssp",
           .kind = EngineKind::kSssp,
           .route = route_sssp,
           .text = "Shortest paths that avoid links which earlier ones take; may close cycles of buffers"},
    Engine{.name = "dfsssp",
           .kind = EngineKind::kDfsssp,
           .route = route_dfsssp,
           .text = "The paths of sssp; virtual lanes by pair of ends break cycles of buffers"},
    Engine{.name = "nue",
           .kind = EngineKind::kNue,
           .route = route_nue,
           .text = "Paths that close no cycle of buffers, on one virtual lane or more; not all are shortest"},
};

}  // namespace

std::span<const Engine> engines() { return kEngines; }

const Engine& engine(EngineKind kind) { return kEngines[static_cast<std::size_t>(kind)]; }

Result<EngineKind> engine_by_name(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Engine& each : kEngines) {
    if (each.name == name) {
      return each.kind;
    }
    names.push_back(each.name);
  }
  return tl::unexpected(unknown_word({.kind = "routing engine", .word = name, .valid = names}));
}

Result<ManagedRoutes> route_subnet(const RoutingView& view, EngineKind kind, const EngineOptions& options) {
  if (view.switches.empty()) {
    return fail("the subnet has no switch, so there is nothing to route");
  }
  Result<Routes> routes = engine(kind).route(view, options);
  if (routes) {
    return ManagedRoutes{.routes = std::move(*routes), .used = kind};
  }
  std::string why = std::move(routes.error().message);
  routes = engine(EngineKind::kMinhop).route(view, options);
  return ManagedRoutes{.routes = std::move(*routes), .used = EngineKind::kMinhop, .fallback = std::move(why)};
}

}  // namespace weft::subnet
