#include "study/run/flow_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/int128.h"
#include "study/assembly/build_topology.h"
#include "study/results/silent_flows.h"
#include "study/run/flow_simulation.h"
#include "study/run/run_description.h"
#include "study/run/subnet_bring_up.h"
#include "study/run/training_run.h"
#include "study/scenario/scenario_validate.h"

namespace weft::study::run {
namespace {

struct Kept final : workload::MessageSink {
  void on_message(const workload::MessageRecord& record) override { messages.push_back(record); }
  void on_collective(const workload::CollectiveRecord& record) override { collectives.push_back(record); }
  std::vector<workload::MessageRecord> messages;
  std::vector<workload::CollectiveRecord> collectives;
};

void take_records(const FlowSimulation& simulation, Kept kept, results::RunResults& results) {
  results.silent_flows = results::silent_flows(simulation.unfinished_flows(), kept.messages);
  std::ranges::sort(kept.messages, {},
                    [](const workload::MessageRecord& record) { return std::tie(record.flow, record.number); });
  results.messages.reserve(kept.messages.size());
  for (const workload::MessageRecord& record : kept.messages) {
    results.messages.push_back({.record = record, .ideal = simulation.ideal_time(record)});
  }
  std::ranges::sort(kept.collectives, {}, [](const workload::CollectiveRecord& record) {
    return std::tie(record.job, record.iteration, record.rank);
  });
  results.collectives = std::move(kept.collectives);
}

void take_jobs(const FlowSimulation& simulation, results::RunResults& results) {
  for (const JobDescription& job : simulation.jobs()) {
    const std::size_t number = results.jobs.size();
    results::JobRow& row = results.jobs.emplace_back();
    row.name = job.name;
    row.unfinished = simulation.unfinished(number);
    for (std::size_t rank = 0; rank < job.rank_endpoints.size(); ++rank) {
      const EndpointId endpoint = job.rank_endpoints[rank];
      row.ranks.push_back(
          {job.rank_names[rank], simulation.endpoint_name(endpoint), simulation.endpoint_rate(endpoint)});
    }
  }
}

/// One that has an end of its own: with a limit of time, what was done by then is asked for.
bool may_be_sampled(const scenario::Scenario& scenario) {
  return scenario.traffic.size() == 1 && scenario.traffic.front().kind == scenario::TrafficKind::kCollective &&
         !scenario.stop;
}

struct Sample {
  FlowRun run{};
  std::uint32_t all_steps = 0;  // of a pass; 0: there are no rings
  bool gave_up = false;         // as nothing in it repeated
  // Having given up: who may run the steps of all ranks, all_steps of each pass. Their rows are in `run`.
  FlowSimulation::RingCell cell{};
};

/// How much of a collective is run.
struct RunPart {
  std::uint32_t steps = 0;          // of each pass around rings; 0: all
  std::uint64_t patience = 0;       // FlowSimulation::Options
  FlowSimulation::RingCell cell{};  // likewise
};

/// Rings with fewer steps are run whole.
constexpr std::uint32_t kFewestStepsInPart = 4 * kSampledSteps;

/// The error of rings whose first hosts stand for all others over several leaves, as far as it is known.
constexpr std::string_view kBetweenLeaves =
    "; ways between leaves were added as delays alone, an error that is not known: of 64 and 256 GPUs it was 3.8 and "
    "1.4 % of the time too short";

/// Of each pass around a ring whose first hosts stand for all: with no more steps all are run.
constexpr std::uint32_t kStepsOfCell = 1'024;

/// Rounds in which a ring shows whether it repeats: what ranks behind longer paths lag behind goes on from rank to rank
/// by one in a round, through the 32 hosts of a rail's leaf, say.
constexpr std::uint64_t kPatience = 56;

/// What was not run of collectives, since it repeated.
void note_jumps(const FlowSimulation& simulation, FlowRun& run) {
  std::uint64_t rounds = 0;
  std::uint64_t operations = 0;
  for (std::size_t job = 0; job < simulation.jobs().size(); ++job) {
    const SteadyRounds::Jumped jumped = simulation.jumped(job);
    rounds += jumped.rounds;
    operations += jumped.operations;
    run.first_jump = earlier(run.first_jump, jumped.first);
  }
  if (rounds + operations > 0) {
    run.sampled = fmt::format(
        "{} rounds and {} operations repeated those before them and were jumped over: times are those of all, messages "
        "those that were run",
        rounds, operations);
  }
}

bool samples_peers(const StepPhases& phases) {
  for (std::uint32_t phase = 0; phase < phases.phases(); ++phase) {
    if (phases.sample(phase).some_peers) {
      return true;
    }
  }
  return false;
}

/// Steps of jobs, if the run has ended; composed ones are put together now.
void take_steps(FlowSimulation& simulation, const FlowRunOptions& options, FlowRun& run) {
  if (run.results.run.end != results::RunEnd::kFinished) {
    return;
  }
  Result<std::vector<results::StepRow>> rows =
      simulation.training_steps([&] { return options.keep_going(simulation.progress()); });
  if (!rows) {
    run.results.run.end = results::RunEnd::kInterrupted;
    run.results.run.error = rows.error().message;
    return;
  }
  run.results.steps = std::move(*rows);
  run.shares_links = simulation.shares_links();
  for (std::size_t job = 0; job < simulation.jobs().size(); ++job) {
    const TrainingRun* const training = simulation.training(job);
    if (const auto copies = training != nullptr ? training->copies_composed() : std::nullopt) {
      run.sampled = fmt::format(
          "{} copies of the model, the slowest by their own operations, stand for all; the error is of a smaller job "
          "with all its copies, and what standing in changes is no part of it",
          *copies);
    }
    if (training != nullptr && training->composed() && samples_peers(training->phases())) {
      run.sampled += run.sampled.empty() ? "" : "; ";
      run.sampled += "members of direct exchanges deal with a few of their peers, and these stand for all";
    }
  }
  options.on_steps(simulation);
}

Result<Sample> simulate(const scenario::Scenario& scenario, const FlowRunOptions& options, const RunPart& part) {
  const std::uint32_t steps = part.steps;
  Kept kept;
  auto made = FlowSimulation::create(
      scenario, kept,
      {.ring_steps = steps, .ring_cell = part.cell, .patience = part.patience, .corrections = options.corrections});
  if (!made) {
    return pass_on(made);
  }
  FlowSimulation& simulation = **made;
  Sample sample{.all_steps = steps > 0 ? simulation.ring_steps(0) : 0};
  if (part.cell.ranks == 0 && sample.all_steps > 0 && sample.all_steps < kFewestStepsInPart) {
    return sample;  // it is to be run whole
  }
  // Where links of hosts and of the network take turns, rounds hardly ever repeat.
  if (part.patience > 0 && (!simulation.has_ranks_apart(0) || simulation.rounds_alike(0) < 2 * part.patience)) {
    sample.gave_up = true;
    sample.all_steps = simulation.ring_steps(0);
    if (sample.all_steps >= kFewestStepsInPart) {
      sample.cell = simulation.ring_cell(0);
    }
    take_jobs(simulation, sample.run.results);
    return sample;
  }
  options.on_ready();
  const Simulation::End end = simulation.run(options.keep_going);
  if (simulation.gave_up()) {
    sample.gave_up = true;
    return sample;
  }
  results::RunResults& results = sample.run.results;
  describe_scenario(scenario, simulation.graph(), results.run);
  results.run.key = options.key;
  results.run.version = options.version;
  results.run.fidelity = "flow";
  results.run.end = end_of(end);
  results.run.error = simulation.error();
  results.run.ended_at = simulation.ended_at();
  results.run.events = simulation.events();
  take_steps(simulation, options, sample.run);
  note_jumps(simulation, sample.run);
  take_jobs(simulation, results);
  take_records(simulation, std::move(kept), results);
  if (!simulation.jobs().empty()) {
    sample.run.algorithm = simulation.collective_algorithm(0);
    for (std::uint32_t rank = 0; rank < simulation.jobs().front().rank_endpoints.size(); ++rank) {
      sample.run.scale_out += simulation.collective_bytes(0, rank).scale_out;
    }
  }
  return sample;
}

/// The shorter one has `steps` of each pass, the longer one twice as many, of the same collectives in the same order.
FlowRun continued(const FlowRun& shorter, Sample longer, std::uint32_t steps) {
  FlowRun made = std::move(longer.run);
  const std::int64_t left = std::int64_t{longer.all_steps} - 2 * steps;
  std::vector<workload::CollectiveRecord>& own = made.results.collectives;
  Time end;
  Duration moved;  // of everything that begins after operations that take longer
  for (std::size_t i = 0; i < own.size(); ++i) {
    const workload::CollectiveRecord& short_one = shorter.results.collectives[i];
    const Duration step = ((own[i].finished - own[i].started) - (short_one.finished - short_one.started)) /
                          static_cast<std::int64_t>(steps);
    moved = step * left;
    own[i].started = own[i].started + moved * own[i].iteration;
    own[i].finished = own[i].finished + moved * (std::int64_t{own[i].iteration} + 1);
    end = later(end, own[i].finished);
  }
  made.results.run.ended_at = end;
  made.results.run.events += shorter.results.run.events;
  made.scale_out =
      Bytes(static_cast<std::int64_t>(static_cast<double>(made.scale_out.count()) * longer.all_steps / (2.0 * steps)));
  made.sampled = fmt::format(
      "{} and {} steps of each pass were run, and the times of all {} lie on the line through both; messages are those "
      "of the longer run{}{}",
      steps, 2 * steps, longer.all_steps, made.sampled.empty() ? "" : "; ", made.sampled);
  return made;
}

bool finished(const FlowRun& run) { return run.results.run.end == results::RunEnd::kFinished; }

/// A sample that did not come to its end: what it has is of these steps, not of the whole.
FlowRun cut_short(Sample sample, std::uint32_t steps) {
  sample.run.sampled = fmt::format("{} of {} steps of each pass were under way", steps, sample.all_steps);
  return std::move(sample.run);
}

/// Messages of the first hosts lie behind the longer ways that all ranks together have come along by then.
void put_off_messages(Duration longer, results::RunResults& results) {
  const Time begin = std::ranges::min_element(results.collectives, {}, &workload::CollectiveRecord::started)->started;
  const auto all = static_cast<Int128>((results.run.ended_at - begin).picoseconds());
  const auto put_off = [longer, begin, all](Time& at) {
    if (at == Time::never()) {
      return;
    }
    const Int128 scaled = static_cast<Int128>(longer.picoseconds()) * (at - begin).picoseconds();
    at += Duration::picoseconds(static_cast<std::int64_t>(scaled / all));
  };
  for (results::MessageRow& row : results.messages) {
    put_off(row.record.posted);
    put_off(row.record.delivered);
    put_off(row.record.finished);
  }
}

/// What the ranks of the cell have done, all have.
void unfold(const scenario::TrafficSettings& traffic, const Sample& whole, FlowRun& run) {
  const FlowSimulation::RingCell& cell = whole.cell;
  const std::int64_t passes = traffic.collective == workload::CollectiveKind::kAllReduce ? 2 : 1;
  const Duration longer = cell.longer * (passes * whole.all_steps) / std::int64_t{cell.of};
  results::RunResults& results = run.results;
  if (longer > Duration::zero()) {
    put_off_messages(longer * traffic.count, results);
  }
  const std::vector<workload::CollectiveRecord> own = std::exchange(results.collectives, {});
  for (std::uint32_t first = 0; first < cell.of; first += cell.ranks) {
    for (workload::CollectiveRecord record : own) {
      record.rank = workload::RankId(record.rank.value() + first);
      record.size = traffic.size;
      record.started += longer * record.iteration;
      record.finished += longer * (std::int64_t{record.iteration} + 1);
      results.collectives.push_back(record);
    }
  }
  results.run.ended_at += longer * traffic.count;
  std::ranges::sort(results.collectives, {}, [](const workload::CollectiveRecord& record) {
    return std::tie(record.job, record.iteration, record.rank);
  });
  results.jobs = whole.run.results.jobs;
  results.jobs.front().unfinished = 0;
  results.silent_flows.clear();
  run.scale_out = run.scale_out * std::int64_t{cell.of} / std::int64_t{cell.ranks};
  run.sampled = fmt::format(
      "{} of {} ranks, whose hosts do what all others do, ran {} steps of each pass for all; messages and senders are "
      "theirs{}{}{}",
      cell.ranks, cell.of, whole.all_steps, longer > Duration::zero() ? kBetweenLeaves : "",
      run.sampled.empty() ? "" : "; ", run.sampled);
}

/// A ring of the first hosts that did not come to its end.
FlowRun cut_short_cell(Sample sample, const Sample& whole, std::uint32_t steps) {
  const std::uint64_t unfinished = sample.run.results.jobs.front().unfinished;
  sample.all_steps = whole.all_steps;
  sample.run.results.jobs = whole.run.results.jobs;
  sample.run.results.jobs.front().unfinished = unfinished;
  return cut_short(std::move(sample), steps);
}

/// A ring of the first hosts takes the steps of all.
Result<FlowRun> run_cell(const scenario::Scenario& scenario, const FlowRunOptions& options, const Sample& whole) {
  const bool all = whole.all_steps <= kStepsOfCell;
  const std::uint32_t steps = all ? whole.all_steps : kStepsOfCell / 2;
  Result<Sample> first = simulate(scenario, options, {.steps = steps, .cell = whole.cell});
  if (!first) {
    return pass_on(first);
  }
  if (!finished(first->run)) {
    return cut_short_cell(std::move(*first), whole, steps);
  }
  FlowRun run;
  if (all) {
    run = std::move(first->run);
  } else {
    Result<Sample> second = simulate(scenario, options, {.steps = 2 * steps, .cell = whole.cell});
    if (!second) {
      return pass_on(second);
    }
    if (!finished(second->run)) {
      return cut_short_cell(std::move(*second), whole, 2 * steps);
    }
    second->all_steps = whole.all_steps;
    run = continued(first->run, std::move(*second), steps);
  }
  unfold(scenario.traffic.front(), whole, run);
  return run;
}

Result<FlowRun> run_all(const scenario::Scenario& scenario, const FlowRunOptions& options) {
  if (may_be_sampled(scenario)) {
    Result<Sample> whole = simulate(scenario, options, {.patience = kPatience});
    if (!whole || !whole->gave_up) {
      return whole ? Result<FlowRun>(std::move(whole->run)) : pass_on(whole);
    }
    if (whole->cell.ranks > 0) {
      return run_cell(scenario, options, *whole);
    }
  }
  Result<Sample> first = simulate(scenario, options, {.steps = may_be_sampled(scenario) ? kSampledSteps : 0});
  if (!first) {
    return pass_on(first);
  }
  if (first->all_steps == 0) {
    return std::move(first->run);
  }
  if (first->all_steps < kFewestStepsInPart) {
    Result<Sample> whole = simulate(scenario, options, {});
    return whole ? Result<FlowRun>(std::move(whole->run)) : pass_on(whole);
  }
  if (!finished(first->run)) {
    return cut_short(std::move(*first), kSampledSteps);
  }
  Result<Sample> second = simulate(scenario, options, {.steps = 2 * kSampledSteps});
  if (!second) {
    return pass_on(second);
  }
  return finished(second->run) ? continued(first->run, std::move(*second), kSampledSteps)
                               : cut_short(std::move(*second), 2 * kSampledSteps);
}

}  // namespace

Result<FlowRun> run_as_flows(const scenario::Scenario& scenario, const FlowRunOptions& options) {
  Result<FlowRun> made = run_all(scenario, options);
  if (made && scenario::starts_cold(scenario)) {
    made->results.subnet = subnet_row(scenario, assembly::build_topology(scenario).value());
  }
  return made;
}

}  // namespace weft::study::run
