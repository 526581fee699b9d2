#include "study/run/composition_check.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/format_quantity.h"
#include "study/assembly/resize.h"
#include "study/results/summary.h"
#include "study/results/summary_text.h"
#include "study/run/flow_run.h"
#include "study/run/simulation.h"
#include "study/scenario/step_work.h"
#include "workload/training/transformer_step.h"

namespace weft::study::run {
namespace {

constexpr std::int64_t kSequence = 1'024;  // tokens of the smaller job, at least where its parallelism allows
constexpr std::int64_t kVocabulary = 128;  // of each tensor parallel rank
constexpr double kHopsPerPacket = 8;       // a packet and its acknowledgement over some four links

class NoMessages final : public workload::MessageSink {
 public:
  void on_message(const workload::MessageRecord&) override {}
};

std::int64_t sequence_of(const scenario::TrainingSettings& training) {
  const std::int64_t whole = training.sequence > 0 ? training.sequence : training.shape.sequence;
  return whole % kSequence == 0 ? std::min(whole, kSequence * training.context) : whole;
}

/// Half as wide, or none if its heads cannot be halved among the tensor parallel ranks.
std::optional<workload::ModelShape> narrower(const workload::ModelShape& shape, std::int64_t tensor) {
  workload::ModelShape made = shape;
  std::vector<std::int64_t*> widths = {&made.hidden, &made.feed_forward, &made.heads};
  if (made.kv_heads == made.heads || made.kv_heads % (2 * tensor) == 0) {
    widths.push_back(&made.kv_heads);
  }
  if (made.experts) {
    widths.push_back(&made.experts->hidden);
  }
  for (std::int64_t* const width : widths) {
    if (*width % (2 * tensor) != 0) {
      return std::nullopt;
    }
    *width /= 2;
  }
  return made.heads % made.kv_heads == 0 ? std::optional(made) : std::nullopt;
}

struct SmallRun {
  std::vector<Duration> times{};  // by job
  std::uint64_t hops = 0;
};

Result<SmallRun> run_step_as_flows(const scenario::Scenario& scenario, const std::function<bool()>& keep_going) {
  Result<FlowRun> ran = run_as_flows(scenario, {.keep_going = [&](const Progress&) { return keep_going(); }});
  if (!ran) {
    return pass_on(ran);
  }
  if (ran->results.run.end != results::RunEnd::kFinished) {
    return fail("the smaller job did not finish: {}", ran->results.run.error);
  }
  SmallRun made{};
  for (const results::StepRow& row : ran->results.steps) {
    made.times.push_back(row.time);
  }
  return made;
}

Result<SmallRun> run_step(const scenario::Scenario& scenario, const std::function<bool()>& keep_going) {
  if (scenario.fidelity == scenario::Fidelity::kFlow) {
    return run_step_as_flows(scenario, keep_going);
  }
  NoMessages sink;
  Result<std::unique_ptr<Simulation>> simulation = Simulation::create(scenario, sink);
  if (!simulation) {
    return pass_on(simulation);
  }
  const Simulation::End end = (*simulation)->run([&keep_going](const Progress&) { return keep_going(); });
  if (end != Simulation::End::kFinished) {
    return fail("the smaller job did not finish: {}", (*simulation)->error());
  }
  Result<std::vector<results::StepRow>> rows = (*simulation)->training_steps(keep_going);
  if (!rows) {
    return pass_on(rows);
  }
  SmallRun made{.times = {}, .hops = (*simulation)->progress().packet_hops};
  for (const results::StepRow& row : *rows) {
    made.times.push_back(row.time);
  }
  return made;
}

/// The operation that is furthest from settled: of an interval that is not known, or the widest.
const results::StepCollective* find_unsettled(const results::RunResults& results) {
  const results::StepCollective* worst = nullptr;
  for (const results::StepRow& step : results.steps) {
    for (const results::StepCollective& own : step.collectives) {
      const bool wider = worst == nullptr || !own.interval || own.interval > worst->interval;
      worst = !own.settled && (worst == nullptr || (worst->interval && wider)) ? &own : worst;
    }
  }
  return worst;
}

}  // namespace

namespace {

void shorten(scenario::TrainingSettings& training) {
  const std::int64_t chunks = training.pipeline * training.interleave;
  training.layers =
      training.layer_split == workload::LayerSplit::kEven ? chunks : std::max<std::int64_t>(2 * chunks - 2, 1);
  if (training.shape.experts) {
    training.shape.experts->dense_first = 0;
  }
  training.global_batch = training.data * training.micro_batch * training.pipeline;
  training.sequence = sequence_of(training);
  training.steps = 1;
  training.fidelity = scenario::StepFidelity::kPacket;
  training.shape.vocabulary = std::min(training.shape.vocabulary, kVocabulary * training.tensor);
}

}  // namespace

Result<scenario::Scenario> smaller_job(const scenario::Scenario& scenario, double max_hops, CheckedRanks ranks) {
  if (ranks == CheckedRanks::kAll) {
    scenario::Scenario made = scenario;
    for (scenario::JobSettings& job : made.jobs) {
      if (job.trains()) {
        shorten(job.training);
      }
    }
    return made;
  }
  const scenario::TrainingSettings& own = scenario.jobs.front().training;
  const std::int64_t copy = own.tensor * own.context * own.pipeline;
  const std::int64_t two_hosts = (2 * scenario.topology.gpus_per_host + copy - 1) / copy;
  const std::int64_t copies = std::min(own.data, std::max({std::int64_t{2}, own.expert, two_hosts}));
  Result<scenario::Scenario> made = assembly::resized(scenario, {.gpus = copy * copies});
  if (!made) {
    return made;
  }
  scenario::TrainingSettings& training = made->jobs.front().training;
  shorten(training);
  for (;;) {
    Result<double> hops = estimated_hops(*made);
    if (!hops) {
      return pass_on(hops);
    }
    std::optional<workload::ModelShape> half = narrower(training.shape, training.tensor);
    if (*hops <= max_hops || !half) {
      return made;
    }
    training.shape = *std::move(half);
  }
}

namespace {

Result<double> estimated_hops(const scenario::JobSettings& job, std::int64_t mtu) {
  Result<workload::TrainingPlan> plan =
      workload::TrainingPlan::make(scenario::training_job_of(job.training), job.training.gpu_model, job.ranks);
  if (!plan) {
    return pass_on(plan);
  }
  double bytes = 0;
  for (std::int64_t stage = 0; stage < job.training.pipeline; ++stage) {
    // Ranks of one stage send as much as one another.
    workload::RankCoordinates place;
    place.at[static_cast<std::size_t>(workload::Axis::kPipeline)] = stage;
    workload::TransformerStep graph(*plan, workload::rank_at(plan->job().parallelism, place));
    while (const std::optional<workload::GraphNode> node = graph.next()) {
      if (const auto* work = std::get_if<workload::CommunicationNode>(&node->work); work != nullptr) {
        const auto& members = graph.communicators()[work->request.communicator.value()].members;
        bytes += static_cast<double>(workload::volume_sent(work->request, members.size()).count());
      }
    }
  }
  const double ranks_per_stage = static_cast<double>(job.ranks) / static_cast<double>(job.training.pipeline);
  return bytes * ranks_per_stage / static_cast<double>(mtu) * kHopsPerPacket;
}

std::string description_of(const scenario::JobSettings& job) {
  return fmt::format("{} GPUs, {} x {} wide, {} x {} tokens", job.ranks,
                     job.training.layers == 1 ? "a layer" : fmt::format("{} layers", job.training.layers),
                     job.training.shape.hidden, job.training.pipeline,
                     job.training.sequence * job.training.micro_batch);
}

}  // namespace

Result<double> estimated_hops(const scenario::Scenario& scenario) {
  double sum = 0;
  for (const scenario::JobSettings& job : scenario.jobs) {
    if (!job.trains()) {
      continue;
    }
    Result<double> own = estimated_hops(job, scenario.fabric.mtu);
    if (!own) {
      return own;
    }
    sum += *own;
  }
  return sum;
}

Result<CompositionCheck> check_composition(const scenario::Scenario& scenario, double max_hops,
                                           const std::function<bool()>& keep_going, CheckedRanks ranks) {
  Result<std::vector<CompositionCheck>> checks = check_compositions(scenario, max_hops, keep_going, ranks);
  if (!checks) {
    return pass_on(checks);
  }
  return std::move(checks->front());
}

Result<std::vector<CompositionCheck>> check_compositions(const scenario::Scenario& scenario, double max_hops,
                                                         const std::function<bool()>& keep_going, CheckedRanks ranks) {
  Result<scenario::Scenario> small = smaller_job(scenario, max_hops, ranks);
  if (!small) {
    return pass_on(small);
  }
  Result<double> hops = estimated_hops(*small);
  if (!hops) {
    return pass_on(hops);
  }
  if (*hops > max_hops) {
    const CompositionCheck none{
        .error = {},
        .what = fmt::format("the smaller job to check it with would take {:.0f} million packet-hops", *hops / 1e6)};
    return std::vector<CompositionCheck>(small->jobs.size(), none);
  }
  small->fidelity = scenario::Fidelity::kPacket;
  Result<SmallRun> every_packet = run_step(*small, keep_going);
  if (!every_packet) {
    return pass_on(every_packet);
  }
  small->fidelity = scenario.fidelity;
  // With fewer packet-hops than the step has, which is put together then even where it would be cheaper to run it.
  for (std::size_t i = 0; i < small->jobs.size(); ++i) {
    scenario::JobSettings& job = small->jobs[i];
    job.training.fidelity = scenario.fidelity == scenario::Fidelity::kFlow ? scenario.jobs[i].training.fidelity
                                                                           : scenario::StepFidelity::kComposed;
    job.training.slice_hops = std::min(job.training.slice_hops, static_cast<std::int64_t>(every_packet->hops));
  }
  Result<SmallRun> composed = run_step(*small, keep_going);
  if (!composed) {
    return pass_on(composed);
  }
  std::vector<CompositionCheck> made;
  for (const scenario::JobSettings& job : small->jobs) {
    if (job.trains()) {
      const std::size_t row = made.size();
      made.push_back({.error = composed->times[row].seconds() / every_packet->times[row].seconds() - 1,
                      .what = description_of(job)});
    }
  }
  return made;
}

namespace {

// One check for all jobs of a network, which are smaller at once.
void check_together(const scenario::Scenario& scenario, double max_hops, const std::function<bool()>& keep_going,
                    results::RunResults& results) {
  double budget = max_hops;
  for (const scenario::JobSettings& job : scenario.jobs) {
    budget = std::max(budget, static_cast<double>(job.training.slice_hops));
  }
  const Result<std::vector<CompositionCheck>> checks =
      check_compositions(scenario, budget, keep_going, CheckedRanks::kAll);
  for (std::size_t i = 0; i < results.steps.size(); ++i) {
    results.steps[i].composition_error = checks ? (*checks)[i].error : std::nullopt;
    results.steps[i].composition_check = checks ? (*checks)[i].what : checks.error().message;
  }
}

}  // namespace

void check_steps(const scenario::Scenario& scenario, double max_hops, const std::function<bool()>& keep_going,
                 results::RunResults& results) {
  if (results.steps.size() > 1 &&
      std::ranges::all_of(results.steps, [](const results::StepRow& step) { return step.fidelity == "composed"; })) {
    return check_together(scenario, max_hops, keep_going, results);
  }
  for (results::StepRow& step : results.steps) {
    if (step.fidelity != "composed") {
      continue;
    }
    const bool shares = std::ranges::any_of(step.collectives, &results::StepCollective::shares_links);
    const auto budget = static_cast<double>(scenario.jobs.front().training.slice_hops);
    const Result<CompositionCheck> check =
        shares ? check_composition(scenario, std::max(max_hops, budget), keep_going, CheckedRanks::kAll)
               : check_composition(scenario, max_hops, keep_going);
    step.composition_error = check ? check->error : std::nullopt;
    step.composition_check = check ? check->what : check.error().message;
  }
}

namespace {

/// The job with half as many GPUs, and half of these, until a short step of all its ranks takes at most so many
/// packet-hops. Errors: it has no such size.
Result<scenario::Scenario> fewer_gpus(const scenario::Scenario& scenario, double max_hops) {
  for (std::int64_t gpus = scenario.jobs.front().ranks; gpus > 1; gpus /= 2) {
    Result<scenario::Scenario> made =
        gpus == scenario.jobs.front().ranks ? scenario : assembly::resized(scenario, {.gpus = gpus});
    if (!made) {
      return made;
    }
    Result<scenario::Scenario> small = smaller_job(*made, max_hops, CheckedRanks::kAll);
    if (!small) {
      return small;
    }
    Result<double> hops = weft::study::run::estimated_hops(*small);
    if (!hops) {
      return pass_on(hops);
    }
    if (*hops <= max_hops) {
      return made;
    }
  }
  return fail("no smaller job of the kind takes at most {:.0f} million packet-hops", max_hops / 1e6);
}

Result<CompositionCheck> check_as_flows(const scenario::Scenario& scenario, bool shares_links, double max_hops,
                                        const std::function<bool()>& keep_going) {
  if (!shares_links) {
    return check_composition(scenario, max_hops, keep_going);
  }
  const double budget = std::max(max_hops, static_cast<double>(scenario.jobs.front().training.slice_hops));
  Result<scenario::Scenario> fewer = fewer_gpus(scenario, budget);
  return fewer ? check_composition(*fewer, budget, keep_going, CheckedRanks::kAll) : pass_on(fewer);
}

}  // namespace

void check_flow_steps(const scenario::Scenario& scenario, bool shares_links, double max_hops,
                      const std::function<bool()>& keep_going, results::RunResults& results) {
  for (results::StepRow& step : results.steps) {
    if (!scenario.jobs.front().trains()) {
      step.composition_check = "steps of jobs that train no model are not checked";
      continue;
    }
    const Result<CompositionCheck> check = check_as_flows(scenario, shares_links, max_hops, keep_going);
    step.composition_error = check ? check->error : std::nullopt;
    step.composition_check = check ? check->what : check.error().message;
  }
}

std::string slice_caution(const scenario::Scenario& scenario, const results::RunResults& results) {
  if (scenario.jobs.empty() || !scenario.jobs.front().trains() ||
      scenario.jobs.front().training.fidelity != scenario::StepFidelity::kComposed) {
    return {};
  }
  const scenario::TrainingSettings& settings = scenario.jobs.front().training;
  if (settings.slice_hops == 0) {
    const results::NetworkSummary network = results::summarise(results).network;
    const bool congested =
        network.marked.value_or(0) > 0 || network.pauses.value_or(0) > 0 || network.drops + network.retransmitted > 0;
    return congested ? fmt::format("slices of {} saw congestion: a larger job.slice may change the step time",
                                   to_string(settings.slice))
                     : std::string();
  }
  const results::StepCollective* const unsettled = find_unsettled(results);
  if (unsettled == nullptr) {
    return {};
  }
  return fmt::format(
      "{} {} of {} has not converged: slices of {}{}; a larger job.slice_hops may change the step "
      "time",
      unsettled->purpose, unsettled->kind, results::short_text(unsettled->size), results::short_text(unsettled->sample),
      unsettled->interval ? fmt::format(", +- {:.0f} %", 100 * *unsettled->interval) : std::string());
}

}  // namespace weft::study::run
