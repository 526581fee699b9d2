#include "study/assembly/subnet_routes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <utility>

#include "study/assembly/managed_network.h"
#include "study/scenario/scenario_words.h"

namespace weft::study::assembly {

Result<SubnetRoutes> subnet_routes(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  Result<ManagedTables> made = ManagedNetwork(scenario, graph).route();
  return made ? Result<SubnetRoutes>(std::move(made->routes)) : pass_on(made);
}

Result<std::string> buffer_cycle(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  using Engine = scenario::RoutingEngine;
  const Engine engine = scenario.routing.engine;
  const bool can_close = engine == Engine::kMinhop || engine == Engine::kFtree || engine == Engine::kDor ||
                         engine == Engine::kSssp || engine == Engine::kFile;
  if (!can_close) {
    return std::string();
  }
  Result<ManagedTables> made = ManagedNetwork(scenario, graph).route();
  if (!made) {
    return pass_on(made);
  }
  if (made->cycle.empty()) {
    return std::string();
  }
  const std::string tables = engine == Engine::kFile ? "routing.tables " + scenario.routing.tables
                                                     : fmt::format("routing.engine {}", scenario::word_of(engine));
  constexpr std::size_t kNamed = 6;
  const std::size_t named = std::min(made->cycle.size(), kNamed);
  return fmt::format(
      "{}: a cycle of {} buffers that can block for ever{}: {}{}; 'weft subnet check' lists it, and the engines updn, "
      "dnup, lash, dfsssp and nue have none",
      tables, made->cycle.size(),
      engine == Engine::kFile ? ", if all routes share one lane, which a dump does not say" : "",
      fmt::join(std::span(made->cycle).first(named), ", "),
      named < made->cycle.size() ? fmt::format(" and {} more", made->cycle.size() - named) : "");
}

}  // namespace weft::study::assembly
