#include "study/run/simulation.h"

#include <algorithm>
#include <utility>

#include "host/payload_store.h"
#include "study/assembly/build_hosts.h"
#include "study/run/simulation_parts.h"
#include "study/scenario/fail_at.h"
#include "study/scenario/scenario_validate.h"
#include "transport/rc_timing.h"

namespace weft::study::run {
namespace {

/// Events between two looks at the outside world: some hundredths of a second.
constexpr std::uint64_t kEventsPerPause = 200'000;

/// Jobs that send nothing for so long wait for one another; a composed one does not compute in between.
constexpr Duration kComposedPatience = Duration::seconds(10);
constexpr Duration kPatience = Duration::seconds(1'000);
/// Beyond the retries of a connection, for the message that ends then.
constexpr Duration kStallMargin = Duration::seconds(1);

/// From the last packet that arrives over a connection until it is given up, or connected anew.
Duration longest_retry(const scenario::Scenario& scenario) {
  if (!scenario::has_ib_transport(scenario.fabric.family) || scenario.transport.ack_timeout == 0) {
    return Duration::zero();
  }
  const workload::ConnectionAttributes attributes =
      assembly::connection_attributes(scenario, scenario.fabric.family, std::nullopt);
  const Duration retries = transport::ack_timeout(attributes.timeout) * (attributes.retry_count + 1);
  const workload::ReconnectPolicy& policy = attributes.reconnect;
  return policy.attempts == 0
             ? retries
             : retries + std::max(policy.first_wait, policy.wait_before(policy.attempts)) + policy.exchange;
}

/// Often why a message failed: links that are down, or a fabric in parts, such as rails that no spine joins.
std::string unreachable_text(std::uint64_t lost, bool has_failures) {
  if (lost == 0) {
    return {};
  }
  return "; " + std::to_string(lost) + " packets had no route: " +
         (has_failures ? "no links that are up lead to their receiver ([[event]], [[failure]])"
                       : "the topology does not connect all ports (rail-optimised without spines connects ports of one "
                         "rail only)");
}

}  // namespace

Simulation::Simulation(const scenario::Scenario& scenario, workload::MessageSink& sink, Payload payload,
                       world::Division division)
    : scenario_(scenario), payload_(payload), division_(division), parts_(std::make_unique<Parts>(sink)) {}

Simulation::~Simulation() = default;

Result<std::unique_ptr<Simulation>> Simulation::create(const scenario::Scenario& scenario, workload::MessageSink& sink,
                                                       Payload payload, world::Division division,
                                                       std::uint32_t setup_threads) {
  if (scenario.fidelity == scenario::Fidelity::kFlow) {
    return fail("fidelity = \"flow\" is for `weft run` and `weft collective`; set fidelity = \"packet\" here");
  }
  // Packets that carry bytes have a place of their own for them.
  constexpr Bytes kRoom{host::PayloadStore::kMaxPayload};
  const scenario::ScaleUpSettings& links = scenario.scale_up;
  if (payload == Payload::kBytes && links.kind != scenario::ScaleUpKind::kNone && links.unit > kRoom) {
    return scenario::fail_at(scenario, "scale_up.unit", "{}; a run that carries bytes has room for {}", links.unit,
                             kRoom);
  }
  std::unique_ptr<Simulation> simulation(new Simulation(scenario, sink, payload, division));
  if (Result<void> built = simulation->build(setup_threads); !built) {
    return pass_on(built);
  }
  simulation->set_threads(1);
  return simulation;
}

std::span<const std::size_t> Simulation::attacks() const { return parts_->attacks; }
std::span<const assembly::Resweep> Simulation::resweeps() const { return parts_->resweeps; }

bool Simulation::is_between_phases(Time time) const {
  bool any = false;
  for (const auto& job : running_) {
    if (job->training && job->training->composed()) {
      if (!job->training->is_between_phases(time)) {
        return false;
      }
      any = true;
    }
  }
  return any;
}

const TrainingRun* Simulation::training(std::size_t job) const { return running_[job]->training.get(); }

std::optional<Time> Simulation::quiet_until(Time time) const {
  std::optional<Time> first;
  for (const auto& job : running_) {
    if (!job->training || !job->training->composed()) {
      continue;
    }
    const std::optional<Time> until = job->training->rests_until(time);
    if (!until) {
      return std::nullopt;
    }
    first = std::min(first.value_or(Time::never()), *until);
  }
  return first;
}

Result<void> Simulation::call(workload::Program* program, bool& started, bool& done) {
  Result<void> ran = started ? program->on_event() : program->start();
  started = true;
  if (!done && program->done()) {
    done = true;
    note_done(*program);
  }
  if (!world_->in_window() && !take_news()) {
    world_->stop();
  }
  return ran;
}

// What goes on as long as jobs has done so until now.
void Simulation::note_done(const workload::Program& program) {
  const Time at = has_company_ ? world_->now() : program.done_since().value_or(world_->now());
  if (world_->in_window()) {
    WorkersNews& own = worker_news_[this_worker];
    ++own.ranks_done;
    own.last = later(own.last, at);
  } else {
    --ranks_left_;
    ended_at_ = later(ended_at_, at);
  }
}

void Simulation::set_threads(std::uint32_t threads) {
  // Flows that wait for others tell their ranks so over connections that are opened then.
  // So do ranks that close connections to have room for others.
  const bool waits = std::ranges::any_of(running_, [](const auto& job) {
    return (job->plan.pattern != nullptr && job->plan.pattern->triggers() != nullptr) ||
           (job->plan.collective && job->plan.collective->program.engine.collectives.closes_connections());
  });
  if (!world_->runs_in_windows()) {
    return;
  }
  world_->set_threads(waits ? 1 : threads);
  keep_news();
}

void Simulation::keep_news() {
  const std::uint32_t peers = world_->peers() == nullptr ? 0 : world_->peers()->count();
  worker_news_.resize(world_->threads() + peers);
  parts_->matcher.keep_halves(world_->threads(), peers);
  world_->set_news(
      {.exist = [this](WorkerIndex worker) { return has_news(worker); }, .take = [this] { return take_news(); }});
}

bool Simulation::has_news(WorkerIndex worker) const {
  return worker_news_[worker].ranks_done > 0 || ranks_left_ == 0 || parts_->matcher.is_full(worker);
}

bool Simulation::take_news() {
  if (is_parted_ && !gather_news()) {
    return false;
  }
  for (WorkersNews& own : worker_news_) {
    ranks_left_ -= own.ranks_done;
    ended_at_ = later(ended_at_, own.last);
    own = {};
  }
  if (parts_->matcher.keeps_halves()) {
    ranks_left_ > 0 ? parts_->matcher.settle(world_->error_at()) : parts_->matcher.settle_to_end(ended_at_);
  }
  // A receiver behind a long path through its host may see the last message after its sender has its completion.
  if (!all_done()) {
    return true;
  }
  ended_at_ = later(ended_at_, parts_->matcher.last_delivery());
  return false;
}

bool Simulation::all_done() const { return ranks_left_ == 0 && parts_->matcher.awaiting_delivery() == 0; }

Result<void> Simulation::call_company(workload::Program* program, bool& started) {
  Result<void> ran = started ? program->on_event() : program->start();
  started = true;
  return ran;
}

bool Simulation::jobs_are_stuck() {
  // Switches that decide for themselves talk without end, and attackers as long as they are not told to stop.
  const bool has_control = scenario::has_control(scenario_);
  const bool is_attacked = world_->attacks() != nullptr;
  // A watchdog says how long its job may stand still.
  if ((!has_company_ && !has_control && !is_attacked) || !watchdog_at().is_never()) {
    return false;
  }
  std::uint64_t progress = parts_->counter.job_messages;
  for (const auto& job : running_) {
    progress += job->plan.as_long_as_jobs ? 0 : job->connector.reconnections().count();
  }
  if (progress != job_progress_) {
    job_progress_ = progress;
    jobs_went_on_ = world_->now();
    return false;
  }
  const bool composed =
      std::ranges::all_of(running_, [](const auto& job) { return !job->training || job->training->composed(); });
  const Duration patience = is_attacked || (composed && !has_control) ? kComposedPatience : kPatience;
  return world_->now() - jobs_went_on_ > std::max(patience, longest_retry(scenario_) + kStallMargin);
}

Progress Simulation::progress() const {
  return {.now = world_->now(),
          .limit = scenario_.stop ? Time::zero() + *scenario_.stop : Time::never(),
          .messages = parts_->counter.messages,
          .bytes = parts_->counter.bytes,
          .expected_bytes = all_expected_ ? expected_bytes_ : 0,
          .packet_hops = world_->packet_hops() + hops_elsewhere_};
}

// Programs open connections at their start, which concerns several partitions.
world::World::Stop Simulation::advance(bool starts, Time limit) {
  using Stop = world::World::Stop;
  // The same in all processes, which may have different numbers of threads.
  const std::uint64_t runners = world_->peers() == nullptr ? world_->threads() : world_->peers()->count() + 1;
  const Stop stop = starts ? world_->run_first_instant() : world_->run(limit, kEventsPerPause * runners);
  (void)take_news();
  if (starts && (world_->threads() > 1 || world_->peers() != nullptr)) {
    for (const auto& job : running_) {
      job->connector.close();
    }
  }
  if (starts && world_->peers() != nullptr) {
    is_parted_ = true;
    common_ = {.packet_hops = world_->packet_hops(), .drops = world_->fabric().drops()};
  }
  return starts && stop == Stop::kLimit ? Stop::kBudget : stop;
}

Simulation::End Simulation::end_of_error() {
  const bool changes = !scenario_.events.empty() || !scenario_.failures.empty() || world_->attacks() != nullptr;
  Failure failed = failure();
  const std::string unreachable = unreachable_text(failed.unreachable, changes);
  ended_at_ = world_->error_at();
  error_ = world_->error()->message + unreachable;
  if (failed.loss) {
    failed.loss->reason += unreachable;
    return lose(std::move(*failed.loss));
  }
  return End::kError;
}

void Simulation::tell_stuck() {
  error_ = std::string("deadlock: ") +
           (has_company_ || scenario::has_control(scenario_) || world_->attacks() != nullptr
                ? "jobs have sent nothing for long"
                : "no event is pending") +
           ", but " + std::to_string(ranks_left_) + " ranks wait";
  ended_at_ = world_->now();
}

Simulation::End Simulation::run(const std::function<bool(const Progress&)>& keep_going) {
  const Time limit = progress().limit;
  if (const Result<void> briefed = brief_controller(); !briefed) {
    error_ = briefed.error().message;
    return End::kError;
  }
  End end = End::kFinished;
  bool starts = world_->runs_in_windows() && world_->events() == 0;
  for (bool running = ranks_left_ > 0; running;) {
    const Time given_up = watchdog_at();
    switch (advance(std::exchange(starts, false), earlier(earlier(next_pause_, limit), given_up))) {
      case world::World::Stop::kBudget:
        break;
      case world::World::Stop::kLimit:
        if (next_pause_ < limit && next_pause_ <= given_up) {
          // An observer wanted to look at this instant.
          at_pause_(next_pause_);
          next_pause_ = next_pause_ + pause_interval_;
          break;
        }
        if (given_up < limit) {
          const std::optional<End> lost = end_of_stall(given_up);
          end = lost.value_or(end);
          running = !lost;
          break;
        }
        end = End::kTimeLimit;
        ended_at_ = limit;
        running = false;
        break;
      case world::World::Stop::kIdle:
        // Messages may have ended since the watchdog was asked.
        end = ranks_left_ == 0 ? End::kFinished : end_of_stall(watchdog_at()).value_or(End::kStuck);
        running = false;
        break;
      case world::World::Stop::kError:
        end = end_of_error();
        running = false;
        break;
    }
    const bool is_open = running && !all_done();
    const Outside outside = is_open ? look_outside(keep_going) : Outside{};
    if (running && !is_open) {
      running = false;
    } else if (!outside.error.empty()) {
      end = End::kError;
      ended_at_ = world_->now();
      error_ = outside.error;
      running = false;
    } else if (running && jobs_are_stuck()) {
      end = End::kStuck;
      running = false;
    } else if (running && !outside.goes_on) {
      end = End::kInterrupted;
      ended_at_ = world_->now();
      running = false;
    }
  }
  if (end == End::kFinished) {
    // Where a sample was due in the last window, or a slice ended, the rest of it.
    world_->finish_window(limit);
  }
  if (end == End::kStuck) {
    tell_stuck();
  }
  flush();
  return has_lost_peer() ? end_of_lost_peer() : end;
}

Simulation::End Simulation::end_of_lost_peer() {
  error_ = world_->peers()->why();
  return End::kError;
}

void Simulation::flush() {
  parts_->matcher.flush();
  parts_->company_matcher.flush();
  if (is_parted_) {
    learn_flow_hashes();
  }
}

void Simulation::observe(Duration interval, std::function<void(Time)> look) {
  pause_interval_ = interval;
  next_pause_ = Time::zero() + interval;
  at_pause_ = std::move(look);
}

}  // namespace weft::study::run
