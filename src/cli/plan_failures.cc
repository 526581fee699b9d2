#include "cli/plan_failures.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/build_identity.h"
#include "cli/idle_cores.h"
#include "cli/run_interrupt.h"
#include "live/process_pool.h"
#include "study/failures/checkpoint_formula.h"
#include "study/results/results_key.h"

namespace weft::cli {
namespace {

constexpr std::uint32_t kMonths = 400;
constexpr double kHoursOfMonth = 730;

}  // namespace

Result<std::vector<std::optional<study::failures::NetworkFailures>>> study_designs(
    const std::vector<study::compare::FailureTask>& tasks, FailureStudies options) {
  const study::compare::FailureStudyOptions study{.variants = false, .runs_job = false, .months = kMonths};
  std::vector<std::optional<std::string>> texts(tasks.size());
  std::vector<std::string> keys;
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    keys.push_back(study::results::run_key(tasks[i].scenario, options.catalogue,
                                           fmt::format("{} plan failures {}", build_identity(), kMonths)));
    texts[i] = options.cache ? options.cache->get(keys[i]) : std::nullopt;
    if (!texts[i]) {
      missing.push_back(i);
    }
  }
  std::optional<Error> wrong;
  const auto done = [&](std::size_t piece, const live::PieceEnd& end) {
    const std::size_t i = missing[piece];
    texts[i] = end.text;
    if (!end.text) {
      wrong = wrong ? wrong : Error{fmt::format("{}: {}", tasks[i].name, end.fault)};
    } else if (options.cache && !options.cache->put(keys[i], *end.text)) {
      options.cache.reset();  // the study goes on without
    }
  };
  live::run_pool(
      {.pieces = missing.size(),
       .at_once = options.jobs > 0 ? static_cast<std::size_t>(options.jobs) : std::max<std::size_t>(1, idle_cores()),
       .work = {.run = [&](std::size_t piece) -> std::optional<std::string> {
                  const auto made = study::compare::study_failures(tasks[missing[piece]], study,
                                                                   [](const auto&) { return !interrupted(); });
                  return made ? std::optional(to_json(*made).dump()) : std::nullopt;
                },
                .end = [](int status) { ::_exit(status); },
                .done = done},
       .keep_going = [&](std::size_t) { return !interrupted() && !wrong; }});
  if (wrong && !interrupted()) {
    return tl::unexpected<Error>(*wrong);
  }
  std::vector<std::optional<study::failures::NetworkFailures>> made(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (texts[i]) {
      auto read = study::failures::network_from_json(*texts[i]);
      if (read && read->possible) {
        made[i] = *std::move(read);
      }
    }
  }
  return made;
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
