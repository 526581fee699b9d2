#include "study/run/training_run.h"

#include <algorithm>
#include <set>

#include "base/assert.h"
#include "base/int128.h"
#include "study/run/training_report.h"
#include "workload/training/training_program.h"
#include "workload/training/transformer_step.h"

namespace weft::study::run {
namespace {

using workload::RankId;

/// Between two phases: what is still under way of one, acknowledgements above all, ends before the next begins, and
/// senders that were slowed down are at full speed again.
constexpr Duration kGap = Duration::milliseconds(100);
/// Micro-batches of a step whose operations are counted one by one.
constexpr std::int64_t kCountedMicroBatches = 4'096;

using OperationCounts = std::map<StepOperation, std::uint64_t>;

/// Of the first rank of a pipeline stage.
OperationCounts counted_operations(const workload::TrainingPlan& plan, std::int64_t stage) {
  workload::RankCoordinates place;
  place.at[static_cast<std::size_t>(workload::Axis::kPipeline)] = stage;
  workload::TransformerStep graph(plan, workload::rank_at(plan.job().parallelism, place));
  OperationCounts counts;
  while (const std::optional<workload::GraphNode> node = graph.next()) {
    if (const auto* work = std::get_if<workload::CommunicationNode>(&node->work); work != nullptr) {
      ++counts[{.purpose = node->label.purpose, .kind = work->request.kind, .size = work->request.size}];
    }
  }
  return counts;
}

/// The same; of a very long step from two short ones, as every micro-batch beyond the pipeline's depth adds as many.
OperationCounts operations_of(const workload::TrainingPlan& plan, std::int64_t stage, std::int64_t ranks) {
  const std::int64_t whole = workload::micro_batches(plan.job());
  const std::int64_t few = 2 * plan.job().parallelism.pipeline;
  if (whole <= std::max(kCountedMicroBatches, 2 * few)) {
    return counted_operations(plan, stage);
  }
  const auto counts_with = [&](std::int64_t micro_batches) {
    workload::TrainingJob part = plan.job();
    part.representative.micro_batches = micro_batches;
    const auto made = workload::TrainingPlan::make(part, plan.gpu(), ranks);
    WEFT_ASSERT(made.has_value());  // as the whole, which has more of them
    return counted_operations(*made, stage);
  };
  OperationCounts counts = counts_with(few);
  for (const auto& [kind, more] : counts_with(2 * few)) {
    std::uint64_t& count = counts[kind];
    count += static_cast<std::uint64_t>(static_cast<Int128>(more - count) * (whole - few) / few);
  }
  return counts;
}

}  // namespace

TrainingRun::TrainingRun(Options options, scenario::StepWork work)
    : options_(std::move(options)), work_(std::move(work)) {}

Result<std::unique_ptr<TrainingRun>> TrainingRun::make(Options options) {
  const scenario::JobSettings& settings = options.job;
  Result<scenario::StepWork> work = scenario::make_step_work(settings);
  if (!work) {
    return fail("job '{}': {}", settings.name, work.error().message);
  }
  std::unique_ptr<TrainingRun> run(new TrainingRun(std::move(options), *std::move(work)));
  run->log_ = std::make_unique<workload::NodeLog>(static_cast<std::uint32_t>(settings.ranks));
  if (run->composed()) {
    if (Result<void> prepared = run->prepare_phases(); !prepared) {
      return fail("job '{}': {}", settings.name, prepared.error().message);
    }
    if (run->options_.turn && !run->growth_) {
      return fail(
          "job '{}': slice_hops = 0 beside another composed job, so that what they do to one another would not "
          "be seen; set slice_hops above 0, or fidelity = \"packet\" in all jobs",
          settings.name);
    }
    if (run->options_.turn && run->is_too_long()) {
      return fail(
          "job '{}': a step of {} micro-batches is too long to be composed beside another job; set a smaller "
          "global_batch, or run the jobs apart",
          settings.name, workload::micro_batches(run->plan().job()));
    }
  }
  run->traffic_.emplace(StepTraffic::Options{.layout = &run->options_.layout,
                                             .phases = run->phases_ ? &*run->phases_ : nullptr,
                                             .board = run->board_ ? &*run->board_ : nullptr,
                                             .network_rate = run->options_.network_rate,
                                             .scale_up_rate = run->options_.scale_up_rate});
  return run;
}

Result<void> TrainingRun::prepare_phases() {
  // One round of micro-batches has every operation that the step has.
  workload::TrainingJob once = plan().job();
  once.representative.micro_batches = std::min(workload::micro_batches(once), once.parallelism.pipeline);
  once.steps = 1;
  auto sample = workload::TrainingPlan::make(once, plan().gpu(), options_.job.ranks);
  if (!sample) {
    return pass_on(sample);
  }
  const std::int64_t max_hops = options_.job.training.slice_hops;
  phases_ =
      StepPhases::make({.layout = &options_.layout,
                        .communicators = communicators(),
                        .slice = options_.job.training.slice,
                        .settles = max_hops > 0,
                        .ranks = static_cast<std::uint32_t>(options_.job.ranks),
                        .most_connections = options_.most_connections},
                       [&sample](RankId rank) { return std::make_unique<workload::TransformerStep>(*sample, rank); });
  const bool waits = options_.turn.value_or(0) > 0;
  const Time first = options_.has_company || options_.turn ? Time::zero() + kLead : Time::zero();
  board_.emplace(phases_->phases(), kGap, waits ? Time::never() : first);
  if (max_hops > 0) {
    growth_.emplace(SliceGrowth::Options{
        .phases = *phases_,
        .board = *board_,
        .max_hops = static_cast<std::uint64_t>(options_.turn ? max_hops / 2 : max_hops),  // the rest beside others
        .piece = options_.piece,
        .rate = options_.network_rate,
        .min_piece = options_.min_piece,
        .shares_hosts = options_.shares_hosts,
        .has_company = options_.has_company || options_.turn,
        .load = [this] { return load(); },
        .instances = [this](const StepOperation& operation) { return instances_of(operation); },
        .limits = [this](std::uint32_t phase) { return options_.limits(traffic_->demands_of(phase)); }});
    board_->set_skips([this](std::uint32_t phase) { return growth_->skips(phase); });
    board_->set_repeats([this](std::uint32_t phase) {
      return phase < phases_->phases() ? growth_->repeats(phase) : goes_on_beside_();
    });
  }
  board_->set_samples([this](std::uint32_t present, const workload::PhaseCoordinator::Steps& steps) {
    const std::uint32_t phase = board_->source_phase();
    if (growth_ && phase == present) {
      growth_->note_begin(phase);
    }
    if (options_.peer_piece > Bytes::zero() && steps.exchange > 0) {
      phases_->sample_peers(phase, steps.exchange, options_.peer_piece);
    } else {
      phases_->shape_probe(phase, steps.ring, options_.min_piece);
    }
    if (std::exchange(begun_, present) != present) {
      options_.begins(phase);
    }
    const StepPhases::Sample& part = phases_->sample(phase);
    return workload::PhaseCoordinator::Sample{.size = part.size, .ring_steps = part.ring_steps};
  });
  return {};
}

std::optional<Time> TrainingRun::rests_until(Time time) const {
  if (!board_ || board_->over()) {
    return board_ ? std::optional(Time::never()) : std::nullopt;
  }
  const Time begins = board_->begins_at();
  if (begins.is_never()) {
    return begins;
  }
  return time + kLead < begins ? std::optional(begins - kLead) : std::nullopt;
}

SliceGrowth::Load TrainingRun::load() const {
  const SliceGrowth::Load now = options_.load();
  return {.signals = now.signals - load_before_.signals, .packet_hops = now.packet_hops - load_before_.packet_hops};
}

bool TrainingRun::take(const workload::MessageRecord& message) { return traffic_->add(message); }

workload::Stragglers TrainingRun::stragglers_of(RankId rank) const {
  workload::Stragglers made(options_.job.training.straggler.distribution, options_.identity, rank);
  if (options_.slow) {
    made.set_slow(options_.slow(rank));
  }
  return made;
}

Result<std::unique_ptr<workload::Program>> TrainingRun::make_program(RankId rank, verbs::Machine& machine,
                                                                     workload::Collectives& collectives) {
  if (!composed()) {
    auto made =
        workload::TrainingProgram::make(machine, collectives, scenario::make_graph(work_, rank), stragglers_of(rank),
                                        {.rank = rank, .gpu = options_.layout[rank.value()].gpu, .sink = log_.get()});
    if (!made) {
      return pass_on(made);
    }
    if (options_.connects_first) {
      (*made)->connect_first(scenario::make_graph(work_, rank));
    }
    return std::unique_ptr<workload::Program>(std::move(*made));
  }
  for (const workload::Communicator& communicator : communicators()) {
    if (auto added = collectives.add(communicator); !added) {
      return pass_on(added);
    }
  }
  board_->add_rank(machine);
  return std::unique_ptr<workload::Program>(
      std::make_unique<workload::PhasedProgram>(*board_, machine, collectives, phases_->requests_of(rank)));
}

std::uint32_t TrainingRun::composed_ranks() const {
  return static_cast<std::uint32_t>(representatives_ ? representatives_->ranks().size()
                                                     : static_cast<std::size_t>(options_.job.ranks));
}

ComposedStep TrainingRun::composed_step(const scenario::StepWork& work) {
  if (!copies_.empty()) {
    representatives_.emplace(std::get<workload::TrainingPlan>(work), copies_);
  }
  const std::uint32_t ranks = composed_ranks();
  log_ = std::make_unique<workload::NodeLog>(ranks);
  // Senders that were slowed down take longer to recover than a step leaves them, so what shares links begins from rest
  // once on each communicator.
  std::set<workload::CommunicatorId> used;
  return {.job = options_.job.name,
          .ranks = ranks,
          .log = *log_,
          .graph =
              [this, &work](RankId rank) {
                return representatives_ ? representatives_->graph(rank) : scenario::make_graph(work, rank);
              },
          .stragglers =
              [this](RankId rank) {
                // Those that are left out are as slow as ever: somebody waits for each.
                return representatives_ ? workload::Stragglers(options_.job.training.straggler.distribution,
                                                               options_.identity, representatives_->stands_for(rank))
                                        : stragglers_of(rank);
              },
          .cost =
              [this, used](const workload::CostedOperation& given) mutable {
                const std::optional<StepRepresentatives::Whole> whole = whole_of(given);
                const workload::CostedOperation operation = whole ? whole->operation() : given;
                const auto outcome = outcomes_.find(phases_->kind_of(operation));
                const bool contended = outcome != outcomes_.end() && outcome->second.contended;
                const bool first = contended && used.insert(operation.request.communicator).second;
                const auto before = contended && !first ? StepPhases::Before::kTraffic : StepPhases::Before::kRest;
                return std::max(phases_->cost(operation, *board_, before), Duration::picoseconds(1));
              }};
}

Result<void> TrainingRun::compose(const scenario::StepWork& work, const std::function<bool()>& keep_going) {
  ComposedStep step = composed_step(work);
  workload::SharedProgress progress;
  if (overlap_) {
    progress.set_overlap(0, *overlap_);
    step.sharing = {.progress = &progress, .operation = [this](const workload::CostedOperation& given) {
                      const std::optional<StepRepresentatives::Whole> whole = whole_of(given);
                      const workload::CostedOperation operation = whole ? whole->operation() : given;
                      return workload::SharedProgress::Operation{.communicator = operation.request.communicator,
                                                                 .sender = StepPhases::sender_of(operation),
                                                                 .place = place_of(operation)};
                    }};
  }
  return compose_steps({&step, 1}, options_.identity.seed, keep_going);
}

// Ranks of one pipeline stage have as many of each kind.
std::uint64_t TrainingRun::instances_of(const StepOperation& operation) {
  if (instances_.empty()) {
    for (std::int64_t stage = 0; stage < plan().job().parallelism.pipeline; ++stage) {
      for (const auto& [kind, count] : operations_of(plan(), stage, options_.job.ranks)) {
        instances_[kind] = std::max(instances_[kind], count);
      }
    }
  }
  const auto found = instances_.find(operation);
  return found == instances_.end() ? 0 : found->second;
}

std::uint64_t TrainingRun::nodes_of_a_rank(const workload::TrainingPlan& plan) const {
  // All ranks of one pipeline stage have as many; the first rank's graph stands for all. A step may have any number.
  workload::TransformerStep graph(plan, RankId(0));
  std::uint64_t nodes = 0;
  while (nodes <= options_.max_nodes && graph.next()) {
    ++nodes;
  }
  return nodes;
}

Result<workload::TrainingPlan> TrainingRun::shortened(std::int64_t micro_batches) const {
  workload::TrainingJob job = plan().job();
  job.representative.micro_batches = micro_batches;
  return workload::TrainingPlan::make(job, plan().gpu(), options_.job.ranks);
}

Result<results::StepRow> TrainingRun::extrapolated(const std::function<bool()>& keep_going) {
  const std::int64_t stages = plan().job().parallelism.pipeline;
  const std::int64_t whole = workload::micro_batches(plan().job());
  const std::int64_t few = std::min(whole, 2 * stages);
  const std::int64_t more = std::min(whole, 4 * stages);
  std::array<results::StepRow, 2> rows;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Result<workload::TrainingPlan> part = shortened(i == 0 ? few : more);
    if (!part) {
      return pass_on(part);
    }
    const scenario::StepWork work = *std::move(part);
    if (Result<void> made = compose(work, keep_going); !made) {
      return pass_on(made);
    }
    rows[i] = row(work);
  }
  return continued({.shorter = rows[0], .longer = rows[1], .from = few, .to = more, .whole = whole}, plan());
}

void TrainingRun::take_outcomes() {
  if (growth_) {
    outcomes_ = growth_->outcomes();
    limit_by_paths();
  }
  if (composed()) {
    choose_copies();
    examine_overlap();
  }
}

bool TrainingRun::is_too_long() const {
  const bool long_step = workload::micro_batches(plan().job()) > 4 * plan().job().parallelism.pipeline;
  const auto ranks = static_cast<std::uint64_t>(options_.job.ranks);
  const std::uint64_t least = options_.represents ? least_ranks() : ranks;
  return long_step && nodes_of_a_rank(plan()) > options_.max_nodes / least;
}

Result<results::StepRow> TrainingRun::finish(const std::function<bool()>& keep_going) {
  take_outcomes();
  if (!composed()) {
    return row(work_);
  }
  if (is_too_long()) {
    return extrapolated(keep_going);
  }
  if (Result<void> made = compose(work_, keep_going); !made) {
    return pass_on(made);
  }
  return row(work_);
}

results::StepRow TrainingRun::row(const scenario::StepWork& work) const {
  results::StepRow made = make_step_row({.job = options_.job,
                                         .work = work,
                                         .log = *log_,
                                         .traffic = *traffic_,
                                         .representatives = representatives_ ? &*representatives_ : nullptr});
  if (growth_) {
    add_collectives(made);
  } else if (!composed() && options_.job.trains()) {
    add_limits(made);
  }
  return made;
}

}  // namespace weft::study::run
