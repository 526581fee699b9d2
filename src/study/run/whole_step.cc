#include "study/run/whole_step.h"

#include <algorithm>

#include "study/run/training_run.h"

namespace weft::study::run {
namespace {

const TrainingRun* first_training(const Simulation& simulation) {
  for (std::size_t job = 0; job < simulation.jobs().size(); ++job) {
    if (const TrainingRun* const training = simulation.training(job); training != nullptr) {
      return training;
    }
  }
  return nullptr;
}

Duration longest(const workload::NodeLog& log, const results::StepCollective& of) {
  Duration most;
  for (std::uint32_t rank = 0; rank < log.ranks(); ++rank) {
    for (const workload::NodeRecord& record : log.of(workload::RankId(rank))) {
      const bool same = !record.is_compute() && record.size == of.size && to_string(record.kind) == of.kind &&
                        to_string(record.label.purpose) == of.purpose;
      most = same ? std::max(most, record.finished - later(record.turn, record.begun)) : most;
    }
  }
  return most;
}

}  // namespace

std::optional<scenario::Scenario> with_every_packet(const scenario::Scenario& scenario, const Simulation& ended) {
  const TrainingRun* const training = first_training(ended);
  if (training == nullptr || !training->prefers_every_packet()) {
    return std::nullopt;
  }
  scenario::Scenario made = scenario;
  for (scenario::JobSettings& job : made.jobs) {
    job.training.fidelity = scenario::StepFidelity::kPacket;
  }
  return made;
}

void keep_collectives(const results::RunResults& composed, const Simulation& ended, results::RunResults& results) {
  const TrainingRun* const training = first_training(ended);
  if (training == nullptr || composed.steps.empty() || results.steps.empty()) {
    return;
  }
  results::StepRow& step = results.steps.front();
  step.collectives = composed.steps.front().collectives;
  for (results::StepCollective& own : step.collectives) {
    own.time = longest(training->log(), own);
    own.sample = own.size;
    own.repetitions = 1;
    own.interval.reset();
    own.settled = true;
  }
}

}  // namespace weft::study::run
