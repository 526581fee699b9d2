#include "cli/plan_growth.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/counted.h"
#include "study/assembly/build_topology.h"
#include "study/cost/bill.h"

namespace weft::cli {
namespace {

using study::plan::Design;
using study::plan::Growth;
using study::plan::PlannedDesign;

/// None: it cannot be built.
std::optional<Growth> growth_to(const PlanQuestion& question, const PlannedDesign& today, const Design& later,
                                const study::scenario::Catalogue& catalogue) {
  auto scenario = scenario_of(question, later, catalogue);
  const Result<fabric::Graph> graph = scenario ? study::assembly::build_topology(*scenario) : pass_on(scenario);
  if (!graph) {
    return std::nullopt;
  }
  Growth made = study::plan::growth_between(today.bounds.bill, study::cost::bill_of(*scenario, *graph));
  made.shape = fmt::format("{} of {}", to_string(later.shape), counted(tiers_of(later), {"tier", "tiers"}));
  const study::plan::Wiring& now = today.design.wiring;
  made.rewired = later.shape != today.design.shape || now.hosts_per_leaf != later.wiring.hosts_per_leaf ||
                 now.parallel_links != later.wiring.parallel_links || now.spines != later.wiring.spines ||
                 later.groups != today.design.groups || later.tree.parallel_links != today.design.tree.parallel_links ||
                 later.tree.tiers != today.design.tree.tiers || later.tree.radix != today.design.tree.radix ||
                 later.sizes != today.design.sizes;
  if (later.switch_.name != today.design.switch_.name) {
    made.switch_ = later.switch_.name;
    made.rewired = true;
  }
  return made;
}

/// That a design of this question has, each once, but for the design's own.
std::vector<study::plan::Device> other_switches(const PlanQuestion& question, const Design& design) {
  std::vector<study::plan::Device> made;
  const auto is_known = [&made](const study::plan::Device& device) {
    return std::ranges::any_of(
        made, [&](const auto& own) { return own.name == device.name && own.breakout == device.breakout; });
  };
  for (const Design& other : question.space.designs) {
    if (other.network.name == design.network.name && other.nic.name == design.nic.name &&
        other.switch_.name != design.switch_.name && !is_known(other.switch_)) {
      made.push_back(other.switch_);
    }
  }
  return made;
}

}  // namespace

Growth growth_of(const PlanQuestion& question, const PlannedDesign& design,
                 const study::scenario::Catalogue& catalogue) {
  const std::int64_t per_host = std::max<std::int64_t>(question.scenario.topology.gpus_per_host, 1);
  const std::int64_t hosts = (question.later.value_or(question.gpus) + per_host - 1) / per_host;
  std::optional<Growth> best;
  const auto take_cheapest = [&](const std::vector<Design>& all) {
    for (const Design& later : all) {
      std::optional<Growth> made = growth_to(question, design, later, catalogue);
      if (made && (!best || made->cost < best->cost)) {
        best = std::move(made);
      }
    }
  };
  take_cheapest(grown(design.design, hosts));
  for (const study::plan::Device& device :
       best ? std::vector<study::plan::Device>() : other_switches(question, design.design)) {
    take_cheapest(grown_with(design.design, hosts, device));
  }
  if (!best) {
    best = Growth{.possible = false, .reason = "no switch of this plan takes so many hosts with these NICs"};
  }
  best->gpus = hosts * per_host;
  return *best;
}

}  // namespace weft::cli
