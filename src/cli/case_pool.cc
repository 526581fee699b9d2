#include "cli/case_pool.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/file.h"
#include "base/printable.h"
#include "base/stable_hash.h"
#include "base/worker.h"
#include "cli/build_identity.h"
#include "cli/idle_cores.h"
#include "cli/progress_bar.h"
#include "cli/rank_peers.h"
#include "cli/rank_pool.h"
#include "cli/rank_session.h"
#include "cli/run_interrupt.h"
#include "cli/work_plan.h"
#include "cluster/launch.h"
#include "live/shared_numbers.h"
#include "study/assembly/build_topology.h"
#include "study/results/results_key.h"
#include "study/scenario/scenario_listing.h"

namespace weft::cli {
namespace {

/// Without being asked for more: windows of networks of some hundred hosts hold too little for many threads to share.
constexpr std::size_t kUsualThreads = 8;

/// Files that a run writes beside its results are not in the cache.
bool can_be_kept(const RunCase& options) { return options.captures.empty() && options.timeline.empty(); }

/// Whether it can is seen when its network has been laid out.
bool may_be_shared(const PooledCase& one) {
  return one.scenario->fidelity != study::scenario::Fidelity::kFlow && can_be_kept(one.options);
}

bool is_whole(const CaseResult& result) {
  return result && result->run.end != study::results::RunEnd::kInterrupted && !interrupted();
}

study::run::HopsEstimate hops_of(const PooledCase& one, const Result<fabric::Graph>& graph) {
  const Result<study::run::HopsEstimate> hops =
      graph ? study::run::estimate_hops(*one.scenario, *graph,
                                        {.follows_flows = true, .check_hops = one.options.check_hops})
            : Result<study::run::HopsEstimate>();
  return hops ? *hops : study::run::HopsEstimate{};
}

/// Takes what could not be written off the text, and tells it.
void tell_unwritten(const PooledCase& one, std::optional<std::string>& text) {
  while (text && text->starts_with(kUnwritten)) {
    const std::size_t end = text->find('\0');
    one.options.on_unwritten({text->substr(1, end - 1)});
    text->erase(0, end == std::string::npos ? end : end + 1);
  }
}

}  // namespace

/// Cases that have to be simulated.
struct CasePool::Job {
  const std::vector<PooledCase>& cases;
  std::vector<std::size_t> missing;
  std::vector<study::run::HopsEstimate> hops;  // of each that is missing
  const std::function<Result<void>(std::size_t, CaseResult)>& done;
  WorkPlan work;
};

std::string CasePool::key_of(const PooledCase& one) const {
  // Results hold the names of the case and where each value comes from.
  return study::results::run_key(
      *one.scenario, catalogue_,
      fmt::format("{} run {} {} {} {}", build_identity(), one.options.check_hops, one.scenario->case_name,
                  one.options.key, study::scenario::listing_text(*one.scenario)));
}

RunThreads CasePool::threads_of_each(std::size_t at_once) const {
  const std::size_t cores = std::min(idle_cores(), usable_cores());
  const std::size_t fair = std::clamp<std::size_t>(cores / std::max<std::size_t>(at_once, 1), 1, kUsualThreads);
  const std::size_t most =
      std::min<std::size_t>(options_.threads > 0 ? static_cast<std::size_t>(options_.threads) : fair, kMaxWorkers);
  return {.most = static_cast<std::uint32_t>(most)};
}

std::string CasePool::run_in_child(const PooledCase& one, RunThreads threads,
                                   const std::function<void(const study::run::Progress&)>& watch) {
  RunCase options = one.options;
  options.threads = threads;
  options.watch = watch;
  options.progress = ProgressBar::Show::kNever;
  std::string unwritten;
  if (options.on_unwritten) {
    options.on_unwritten = [&unwritten](const Error& error) { unwritten += kUnwritten + error.message + '\0'; };
  }
  Result<std::string> text = case_text(run_case(*one.scenario, options));
  return unwritten + (text ? *std::move(text) : kFailure + text.error().message);
}

std::optional<CaseResult> CasePool::kept(const PooledCase& one) const {
  const std::optional<std::string> text =
      options_.cache && can_be_kept(one.options) ? options_.cache->get(key_of(one)) : std::nullopt;
  return text ? parse_case(*text) : std::nullopt;
}

void CasePool::keep(const PooledCase& one, const std::string& text) {
  if (!options_.cache || !can_be_kept(one.options) || text.front() != kResults) {
    return;
  }
  if (Result<void> put = options_.cache->put(key_of(one), text); !put) {
    fmt::print(stderr, "weft {}: the cache is not used: {}\n", options_.command, put.error().message);
    options_.cache.reset();
  }
}

Result<void> CasePool::run(const std::vector<PooledCase>& cases,
                           const std::function<Result<void>(std::size_t, CaseResult)>& done) {
  Job job{
      .cases = cases, .missing = {}, .hops = {}, .done = done, .work = {.at_once = 1, .progress = WorkProgress({}, 0)}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    std::optional<CaseResult> known = serves_ranks() ? std::nullopt : kept(cases[i]);
    if (!known) {
      job.missing.push_back(i);
    } else if (Result<void> taken = done(i, *std::move(known)); !taken) {
      return taken;
    }
  }
  const std::size_t found = cases.size() - job.missing.size();
  if (!options_.quiet && found > 0) {
    fmt::print(stderr, "{} of {} runs were in the cache ({})\n", found, cases.size(), options_.cache->folder());
  }
  if (job.missing.empty()) {
    return {};
  }
  job.work = plan(job);
  if (options_.shares && working_ranks() > 1 && cases.size() == 1 && may_be_shared(cases.front())) {
    return run_shared(job);
  }
  return job.missing.size() == 1 && !serves_ranks() ? run_here(job) : run_in_processes(job);
}

WorkPlan CasePool::plan(Job& job) const {
  PlannedRuns planned{
      .hops = {}, .example = job.cases[job.missing.front()].scenario, .jobs = options_.jobs, .quiet = options_.quiet};
  if (job.missing.size() == 1 && options_.quiet && !serves_ranks()) {
    job.hops.resize(1);  // nobody is told how much work it is
    planned.hops = job.hops;
    return plan_runs(planned);
  }
  const Result<fabric::Graph> graph = study::assembly::build_topology(*planned.example);
  for (const std::size_t i : job.missing) {
    const bool is_example = i == job.missing.front();
    job.hops.push_back(
        hops_of(job.cases[i], is_example ? graph : study::assembly::build_topology(*job.cases[i].scenario)));
  }
  planned.hops = job.hops;
  planned.graph = graph ? &*graph : nullptr;
  return plan_runs(planned);
}

std::string CasePool::identity_of(const std::vector<PooledCase>& cases) const {
  std::string keys;
  for (const PooledCase& one : cases) {
    keys += key_of(one);
  }
  return fmt::format("{:016x}", stable_hash(0, keys));
}

void CasePool::note(ProgressBar& bar, const std::string& text) const {
  if (!options_.quiet || options_.tells_ranks) {
    bar.clear();
    fmt::print(stderr, "weft {}: {}\n", options_.command, terminal_text(text));
  }
}

Result<void> CasePool::run_here(const Job& job) {
  const std::size_t index = job.missing.front();
  RunCase options = job.cases[index].options;
  if (working_ranks() > 1 && !options_.quiet) {
    fmt::print(stderr, "weft {}: there is one run to simulate: rank 0 does it, the others do nothing\n",
               options_.command);
  }
  options.progress = options_.progress;
  options.threads = threads_of_each(1);
  options.need = job.work.need;
  FirstMoments moments(job.hops.front());
  if (job.work.measures_itself) {
    options.remark = [&moments](const study::run::Progress& progress) { return moments.look(progress); };
  }
  return finish(job, run_case(*job.cases[index].scenario, options));
}

Result<void> CasePool::finish(const Job& job, CaseResult result) {
  const std::size_t index = job.missing.front();
  if (options_.cache && is_whole(result)) {
    if (const Result<std::string> text = case_text(result); text) {
      keep(job.cases[index], *text);
    }
  }
  return job.done(index, std::move(result));
}

Result<void> CasePool::run_shared(const Job& job) {
  const PooledCase& one = job.cases.front();
  RunCase options = one.options;
  RankPeers others;
  if (serves_ranks()) {
    const std::optional<RunThreads> threads = wait_for_shared_run(identity_of(job.cases));
    if (threads) {
      options.progress = ProgressBar::Show::kNever;
      options.threads = *threads;
      options.peers = &others;
      options.processes_here = cluster::launch().local_ranks;
      (void)run_case(*one.scenario, options);  // rank 0 has what comes of it
    }
    return fail(kServed);
  }
  options.threads = threads_of_each(1);
  options.progress = options_.progress;
  const auto say = [this](const std::string& text) {
    if (!options_.quiet) {
      fmt::print(stderr, "weft {}: {}\n", options_.command, terminal_text(text));
    }
  };
  bool is_shared = false;
  if (const std::string why = begin_shared_run(identity_of(job.cases), options.threads); why.empty()) {
    options.peers = &others;
    options.processes_here = cluster::launch().local_ranks;
    is_shared = true;
    options.on_alone = [&say, &is_shared](const std::string& reason) {
      is_shared = false;
      say(fmt::format("rank 0 simulates this run alone: {}", reason));
    };
  } else {
    say(fmt::format("rank 0 simulates this run alone: {}", why));
  }
  CaseResult result = run_case(*one.scenario, options);
  if (is_shared && result) {
    say(others.summary(result->machine ? result->machine->run_time : Duration::zero()));
  }
  // What is left of a run whose partitions are gone is not its result.
  return others.why().empty() ? finish(job, std::move(result)) : job.done(job.missing.front(), std::move(result));
}

Result<void> CasePool::run_in_processes(const Job& job) {
  RunTally tally({.all = job.cases.size(), .kept = job.cases.size() - job.missing.size()}, job.work.progress);
  ProgressBar bar(stderr, options_.quiet ? ProgressBar::Show::kNever : ProgressBar::Show::kOnTerminal);
  live::SharedNumbers parts(job.missing.size());
  Result<void> good;
  const RunThreads threads = threads_of_each(std::min(job.work.at_once, job.missing.size()));
  const auto end = [&](std::size_t piece, live::PieceEnd ended) {
    std::optional<std::string>& text = ended.text;
    const PooledCase& one = job.cases[job.missing[piece]];
    tally.done(piece, one.options.name);
    bar.clear();
    tell_unwritten(one, text);
    const bool failed = !text || text->starts_with(kFailure);
    std::optional<CaseResult> result = failed ? std::nullopt : parse_case(*text);
    if (!result) {
      const std::string why = !text ? ended.fault : failed ? text->substr(1) : "its results cannot be read";
      good = good && !interrupted() ? fail("{}: {}", one.options.name, why) : good;
      return;
    }
    if (is_whole(*result)) {
      keep(one, *text);
    }
    if (Result<void> taken = job.done(job.missing[piece], *std::move(result)); !taken && good) {
      good = std::move(taken);
    }
  };
  run_ranked({.local = {.pieces = job.missing.size(),
                        .at_once = job.work.at_once,
                        .work = {.run = [&](std::size_t piece) -> std::optional<std::string> {
                                   PieceMeter meter(job.hops[piece]);
                                   return run_in_child(job.cases[job.missing[piece]], threads,
                                                       [&](const study::run::Progress& progress) {
                                                         parts.set(piece, meter.share(progress));
                                                       });
                                 },
                                 .end = [](int status) { ::_exit(status); },
                                 .done = end},
                        .keep_going =
                            [&](std::size_t under_way) {
                              tally.under_way([&parts](std::size_t piece) { return parts.get(piece); });
                              bar.update([&](Duration elapsed) { return tally.facts(under_way, elapsed); });
                              return !interrupted() && good.has_value();
                            }},
              .numbers = job.missing,
              .identity = working_ranks() > 1 ? identity_of(job.cases) : std::string(),
              .parts = parts,
              .order = order_,
              .note = [&](const std::string& text) { note(bar, text); }});
  if (serves_ranks()) {
    return fail(kServed);
  }
  return good;
}

Result<std::vector<std::optional<CaseResult>>> CasePool::run(const std::vector<PooledCase>& cases) {
  std::vector<std::optional<CaseResult>> results(cases.size());
  Result<void> ran = run(cases, [&results](std::size_t i, CaseResult result) -> Result<void> {
    results[i] = std::move(result);
    return {};
  });
  if (!ran) {
    return pass_on(ran);
  }
  return results;
}

}  // namespace weft::cli
