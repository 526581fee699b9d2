#include "cli/plan_failures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/stable_hash.h"
#include "cli/build_identity.h"
#include "cli/idle_cores.h"
#include "cli/rank_pool.h"
#include "cli/rank_session.h"
#include "cli/run_interrupt.h"
#include "live/process_pool.h"
#include "live/shared_numbers.h"
#include "study/failures/checkpoint_formula.h"
#include "study/results/results_key.h"

namespace weft::cli {
namespace {

constexpr std::uint32_t kMonths = 400;
constexpr double kHoursOfMonth = 730;

std::string failure_order(const std::vector<StudiedDesign>& designs) {
  nlohmann::json order = nlohmann::json::array();
  for (const StudiedDesign& own : designs) {
    order.push_back({own.name, own.settings, own.spares});
  }
  return nlohmann::json{{"failures", std::move(order)}}.dump();
}

/// Of those that can be built.
std::vector<study::compare::FailureTask> tasks_of(const std::vector<StudiedDesign>& designs,
                                                  const PlanQuestion& question,
                                                  const study::scenario::Catalogue& catalogue) {
  // Without a library a queue pair has the patience that the scenario says, which is seldom meant.
  const bool has_library = question.base.find("[library]") != std::string::npos;
  std::vector<study::compare::FailureTask> tasks;
  for (const StudiedDesign& own : designs) {
    std::vector<std::string> settings = own.settings;
    if (!has_library) {
      settings.push_back(fmt::format("library.profile={}", study::compare::kUsualLibrary));
    }
    Result<study::scenario::Scenario> scenario = scenario_with(question, std::move(settings), catalogue);
    tasks.push_back({.name = own.name, .scenario = {}, .reason = {}});
    if (scenario) {
      tasks.back().scenario = *std::move(scenario);
    } else {
      tasks.back().reason = scenario.error().message;
    }
  }
  return tasks;
}

/// The texts of the studies, and which of them have still to be made.
struct Studies {
  std::vector<std::optional<std::string>> texts;
  std::vector<std::string> keys;
  std::vector<std::size_t> missing;
};

Studies known_of(const std::vector<study::compare::FailureTask>& tasks, const study::scenario::Catalogue& catalogue,
                 const std::optional<RunCache>& cache) {
  Studies made{.texts = std::vector<std::optional<std::string>>(tasks.size()), .keys = {}, .missing = {}};
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    made.keys.push_back(study::results::run_key(tasks[i].scenario, catalogue,
                                                fmt::format("{} plan failures {}", build_identity(), kMonths)));
    made.texts[i] = cache && !serves_ranks() ? cache->get(made.keys[i]) : std::nullopt;
    if (!made.texts[i] && tasks[i].reason.empty()) {
      made.missing.push_back(i);
    }
  }
  return made;
}

}  // namespace

Result<std::vector<std::optional<study::plan::FailureRisk>>> study_designs(const std::vector<StudiedDesign>& designs,
                                                                           const PlanQuestion& question,
                                                                           const study::scenario::Catalogue& catalogue,
                                                                           FailureStudies options) {
  const study::compare::FailureStudyOptions study{.variants = false, .runs_job = false, .months = kMonths};
  const std::vector<study::compare::FailureTask> tasks = tasks_of(designs, question, catalogue);
  Studies studies = known_of(tasks, catalogue, options.cache);
  std::optional<Error> wrong;
  const auto done = [&](std::size_t piece, const live::PieceEnd& end) {
    const std::size_t i = studies.missing[piece];
    studies.texts[i] = end.text;
    if (!end.text) {
      wrong = wrong ? wrong : Error{fmt::format("{}: {}", tasks[i].name, end.fault)};
    } else if (options.cache && !options.cache->put(studies.keys[i], *end.text)) {
      options.cache.reset();  // the study goes on without
    }
  };
  live::SharedNumbers parts(studies.missing.size());
  if (!studies.missing.empty()) {
    run_ranked(
        {.local = {.pieces = studies.missing.size(),
                   .at_once = options.jobs > 0 ? static_cast<std::size_t>(options.jobs)
                                               : std::max<std::size_t>(1, std::min(idle_cores(), usable_cores())),
                   .work = {.run = [&](std::size_t piece) -> std::optional<std::string> {
                              const auto made = study::compare::study_failures(
                                  tasks[studies.missing[piece]], study, [](const auto&) { return !interrupted(); });
                              return made ? std::optional(to_json(*made).dump()) : std::nullopt;
                            },
                            .end = [](int status) { ::_exit(status); },
                            .done = done},
                   .keep_going = [&](std::size_t) { return !interrupted() && !wrong; }},
         .numbers = studies.missing,
         .identity = fmt::format("{:016x}", stable_hash(0, fmt::format("{}", fmt::join(studies.keys, " ")))),
         .parts = parts,
         .order = failure_order(designs)});
  }
  if (serves_ranks()) {
    return fail(kServed);
  }
  if (wrong && !interrupted()) {
    return tl::unexpected<Error>(*wrong);
  }
  std::vector<std::optional<study::plan::FailureRisk>> made(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (studies.texts[i]) {
      auto read = study::failures::network_from_json(*studies.texts[i]);
      if (read && read->possible) {
        made[i] = failure_risk(*read, tasks[i].scenario, designs[i].spares);
      }
    }
  }
  return made;
}

Result<void> serve_failures(const std::string& order, const PlanQuestion& question,
                            const study::scenario::Catalogue& catalogue, FailureStudies options) {
  const nlohmann::json read = nlohmann::json::parse(order);
  std::vector<StudiedDesign> designs;
  for (const nlohmann::json& one : read["failures"]) {
    designs.push_back({.name = one[0], .settings = one[1], .spares = one[2]});
  }
  auto served = study_designs(designs, question, catalogue, std::move(options));
  return served ? Result<void>() : pass_on(served);
}

study::plan::FailureRisk failure_risk(const study::failures::NetworkFailures& studied,
                                      const study::scenario::Scenario& scenario, std::int64_t spares) {
  const std::int64_t gpus = std::max<std::int64_t>(scenario.topology.gpus_per_host, 1);
  const double fit = static_cast<double>(scenario.failure_rates.host_fit) +
                     static_cast<double>(scenario.failure_rates.gpu_fit) * static_cast<double>(gpus);
  const double lives = std::exp(-fit * kHoursOfMonth * 1e-9);
  const auto all = static_cast<int>(scenario.topology.hosts);
  return {.goodput = studied.drawn.goodput.mean,
          .half = studied.drawn.goodput.half,
          .losses = studied.drawn.interruptions.mean,
          .spares_suffice = study::failures::binomial_availability(all, all - static_cast<int>(spares), lives)};
}

}  // namespace weft::cli
