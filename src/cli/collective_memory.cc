#include "cli/collective_memory.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "study/results/summary_text.h"

namespace weft::cli {
namespace {

struct Question {
  const study::run::CollectiveRun& run;
  Bytes size;
  const study::scenario::Catalogue& catalogue;
  const MemoryOf& memory_of;
};

/// None: not known, or what is wrong with the run is said when it is begun.
std::optional<MemoryNeed> need_of(const study::run::CollectiveRun& run, const Question& question) {
  const Result<study::scenario::Scenario> scenario =
      study::run::read_collective_scenario(run, study::run::usable_size(run, question.size), question.catalogue);
  return scenario ? question.memory_of(*scenario) : std::nullopt;
}

bool fits(const study::run::CollectiveRun& run, const Question& question) {
  const std::optional<MemoryNeed> need = need_of(run, question);
  return need && need->estimated <= need->available;
}

/// The run's ranks, halved as often as it takes, in whole hosts.
std::optional<std::int64_t> ranks_that_fit(const Question& question) {
  study::run::CollectiveRun fewer = question.run;
  const std::int64_t gpus = std::min(fewer.ranks, fewer.gpus_per_host);
  while (fewer.ranks > gpus) {
    fewer.ranks = std::max(fewer.ranks / 2 / gpus, std::int64_t{1}) * gpus;
    if (fits(fewer, question)) {
      return fewer.ranks;
    }
  }
  return std::nullopt;
}

std::string what_fits(const Question& question) {
  study::run::CollectiveRun closing = question.run;
  closing.connections = study::run::kManyRanksConnections;
  if (question.run.connections.value_or(-1) != closing.connections && fits(closing, question)) {
    return fmt::format("--connections {} fits; ", *closing.connections);
  }
  const std::optional<std::int64_t> ranks = ranks_that_fit(question);
  return ranks ? fmt::format("--ranks {} fits; ", *ranks) : "";
}

}  // namespace

Result<void> check_collective_memory(const study::run::CollectiveRun& run, Bytes size,
                                     const study::scenario::Catalogue& catalogue, const MemoryOf& memory_of) {
  const Question question{.run = run, .size = size, .catalogue = catalogue, .memory_of = memory_of};
  if (run.fidelity == "flow") {
    return {};
  }
  const std::optional<MemoryNeed> need = need_of(run, question);
  if (!need || need->estimated <= need->available) {
    return {};
  }
  const auto text = [](std::uint64_t bytes) {
    return study::results::short_text(Bytes(static_cast<std::int64_t>(bytes)));
  };
  return fail("{} of {} ranks needs about {} of memory; {} are available; {}use --force to run anyway",
              to_string(run.kind), run.ranks, text(need->estimated), text(need->available), what_fits(question));
}

}  // namespace weft::cli
