// Whether jobs live: what becomes of one that loses a queue pair, or whose library sees no progress.
#include <fmt/core.h>

#include <algorithm>

#include "base/format_quantity.h"
#include "study/run/simulation_parts.h"

namespace weft::study::run {

// Of flows nobody keeps account, and a composed job computes in time of its own.
bool Simulation::is_watched(const Job& job) const {
  const bool communicates = job.plan.collective || (job.training && !job.training->composed());
  return communicates && !job.plan.as_long_as_jobs &&
         !std::ranges::all_of(job.ranks, [](const Job::Rank& rank) { return rank.done; });
}

Time Simulation::watchdog_at() const {
  if (!scenario_.library.watchdog) {
    return Time::never();
  }
  Time first = Time::never();
  for (const auto& job : running_) {
    if (is_watched(*job)) {
      first = earlier(first, parts_->counter.last[job->plan.job.id.value()] + *scenario_.library.watchdog);
    }
  }
  return first;
}

std::optional<Simulation::JobLoss> Simulation::stalled_job(Time now) const {
  if (!scenario_.library.watchdog || now.is_never()) {
    return std::nullopt;
  }
  for (const auto& job : running_) {
    if (is_watched(*job) && parts_->counter.last[job->plan.job.id.value()] + *scenario_.library.watchdog <= now) {
      return JobLoss{.job = job->plan.job.name,
                     .at = now,
                     .place = {},
                     .reason = fmt::format("watchdog: no message has ended for {}", *scenario_.library.watchdog)};
    }
  }
  return std::nullopt;
}

std::optional<Simulation::JobLoss> Simulation::lost_queue_pair() const {
  std::optional<JobLoss> first;
  for (const auto& job : running_) {
    if (!job->plan.collective && !job->training) {
      continue;
    }
    for (const Job::Rank& rank : job->ranks) {
      const std::optional<workload::Messenger::Failure>& failure = rank.messenger.failure();
      if (!failure || (first && failure->at >= first->at)) {
        continue;
      }
      const auto name = [&](workload::RankId number) {
        const std::string& port = jobs_[job->plan.job.id.value()].rank_names[number.value()];
        return port.starts_with("rank") ? port : fmt::format("rank {} ({})", number.value(), port);
      };
      first = JobLoss{.job = job->plan.job.name,
                      .at = failure->at,
                      .place = fmt::format("{} to {}, queue pair {} of {}", name(failure->connection.from),
                                           name(failure->connection.to), failure->queue_pair.value(),
                                           world_->endpoint_name(failure->port)),
                      .reason = std::string(verbs::to_string(failure->status))};
    }
  }
  return first;
}

std::optional<Simulation::End> Simulation::end_of_stall(Time now) {
  std::optional<JobLoss> loss = stalled_job(now);
  return loss ? std::optional(lose(std::move(*loss))) : std::nullopt;
}

Simulation::End Simulation::lose(JobLoss loss) {
  ended_at_ = loss.at;
  error_ = fmt::format("job '{}'{}{}: {}", loss.job, loss.place.empty() ? "" : ", ", loss.place, loss.reason);
  loss_ = std::move(loss);
  return End::kJobLost;
}

}  // namespace weft::study::run
