// Ranks on machines without a network, for tests of this folder: virtual time, costed collectives, no packets.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "workload/collective/costed_collectives.h"
#include "workload/training/training_program.h"

namespace weft::workload::test {

/// One GPU, timers, no rails. `now` is the cluster's.
class TestMachine final : public verbs::Machine {
 public:
  explicit TestMachine(const Time& now) : now_(now) {}

  [[nodiscard]] Time now() const override { return now_; }
  [[nodiscard]] Result<void> compute(const verbs::ComputeRequest& request) override {
    gpu_free_at_ = later(gpu_free_at_, now_) + std::get<Duration>(request.work);
    add({.kind = verbs::MachineEvent::Kind::kCompute, .token = request.token, .at = gpu_free_at_});
    return {};
  }
  [[nodiscard]] Result<void> copy(const verbs::CopyRequest&) override { return fail("no copies here"); }
  void set_timer(const verbs::TimerRequest& request) override {
    add({.kind = verbs::MachineEvent::Kind::kTimer, .token = request.token, .at = later(request.at, now_)});
  }
  std::size_t poll_events(std::span<verbs::MachineEvent> out) override {
    std::size_t moved = 0;
    while (moved < out.size() && !events_.empty() && events_.front().at <= now_) {
      out[moved++] = events_.front();
      events_.erase(events_.begin());
    }
    return moved;
  }
  [[nodiscard]] std::span<const verbs::Rail> rails() const override { return {}; }
  [[nodiscard]] Time next() const { return events_.empty() ? Time::never() : events_.front().at; }

 private:
  void add(const verbs::MachineEvent& event) {
    const auto place = std::ranges::upper_bound(events_, event.at, {}, &verbs::MachineEvent::at);
    events_.insert(place, event);
  }

  const Time& now_;
  Time gpu_free_at_{};
  std::vector<verbs::MachineEvent> events_;  // by time, then request
};

/// All ranks of one job on costed collectives.
class TestCluster {
 public:
  TestCluster(std::uint32_t ranks, CollectiveCost cost) : network_(std::move(cost)), log_(ranks) {
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      machines_.push_back(std::make_unique<TestMachine>(now_));
      collectives_.push_back(std::make_unique<CostedCollectives>(network_, *machines_.back(), RankId(rank)));
    }
  }

  using GraphOf = std::function<std::unique_ptr<StepGraph>(RankId)>;
  struct Options {
    std::uint32_t window = 4096;
    StragglerDistribution stragglers{};
    std::uint64_t seed = 1;
  };

  /// Runs every rank's graph to its end; the time when the last one ended. Errors: a program's, or that nothing moves.
  [[nodiscard]] Result<Duration> run(const GraphOf& graph_of, const Options& options) {
    const JobOptions job{.id = JobId(0), .name = "job", .seed = options.seed, .ranks = log_.ranks()};
    for (std::uint32_t rank = 0; rank < log_.ranks(); ++rank) {
      auto program = TrainingProgram::make(
          *machines_[rank], *collectives_[rank], graph_of(RankId(rank)),
          Stragglers(options.stragglers, job, RankId(rank)),
          {.rank = RankId(rank), .gpu = verbs::GpuIndex(0), .window = options.window, .sink = &log_});
      if (!program) {
        return pass_on(program);
      }
      programs_.push_back(*std::move(program));
    }
    for (const auto& program : programs_) {
      if (auto started = program->start(); !started) {
        return pass_on(started);
      }
    }
    return drive();
  }
  [[nodiscard]] Result<Duration> run(const GraphOf& graph_of) { return run(graph_of, Options{}); }

  [[nodiscard]] const NodeLog& log() const { return log_; }
  [[nodiscard]] const RankTotals& totals(std::uint32_t rank) const { return programs_[rank]->totals(); }
  [[nodiscard]] std::span<const std::unique_ptr<CostedCollectives>> collectives() const { return collectives_; }
  [[nodiscard]] TestMachine& machine(std::uint32_t rank) { return *machines_[rank]; }

 private:
  [[nodiscard]] Result<Duration> drive() {
    while (true) {
      Time next = Time::never();
      for (const auto& machine : machines_) {
        next = earlier(next, machine->next());
      }
      if (next.is_never()) {
        break;
      }
      now_ = next;
      for (std::size_t rank = 0; rank < programs_.size(); ++rank) {
        if (machines_[rank]->next() <= now_) {
          if (auto called = programs_[rank]->on_event(); !called) {
            return pass_on(called);
          }
        }
      }
    }
    for (std::size_t rank = 0; rank < programs_.size(); ++rank) {
      if (!programs_[rank]->done()) {
        return fail("rank {} waits for ever", rank);
      }
    }
    return now_.since_start();
  }

  Time now_{};
  CostedNetwork network_;
  NodeLog log_;
  std::vector<std::unique_ptr<TestMachine>> machines_;
  std::vector<std::unique_ptr<CostedCollectives>> collectives_;
  std::vector<std::unique_ptr<TrainingProgram>> programs_;
};

}  // namespace weft::workload::test
