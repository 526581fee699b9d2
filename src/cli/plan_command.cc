#include "cli/plan_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/counted.h"
#include "base/file.h"
#include "cli/case_pool.h"
#include "cli/complain.h"
#include "cli/exit_status.h"
#include "cli/plan_cases.h"
#include "cli/plan_question.h"
#include "cli/plan_run.h"
#include "cli/rank_session.h"
#include "cli/run_interrupt.h"
#include "cli/run_output.h"
#include "cli/terminal.h"
#include "study/assembly/build_topology.h"
#include "study/plan/cabling_list.h"
#include "study/plan/plan_json.h"
#include "study/plan/plan_text.h"
#include "study/plan/scenario_text.h"

namespace weft::cli {
namespace {

using study::plan::PlannedDesign;
using study::plan::PlanResult;
using study::scenario::Scenario;

/// "plan-a.toml", "cables-b.csv": the front's designs by letter.
std::string lettered(const std::string& stem, std::size_t number, const std::string& ending) {
  std::string letters;
  for (std::size_t rest = number + 1; rest > 0; rest = (rest - 1) / 26) {
    letters.insert(letters.begin(), static_cast<char>('a' + (rest - 1) % 26));
  }
  return stem + "-" + letters + ending;
}

Result<void> check_output_options(const PlanText& text) {
  const int taken = (text.json == "-" ? 1 : 0) + (text.csv == "-" ? 1 : 0) + (text.cabling == "-" ? 1 : 0);
  return taken > 1 ? fail("--json -, --csv - and --cabling - cannot share standard output; name a file for all but one")
                   : Result<void>();
}

Result<void> check_outputs(const PlanText& text) {
  for (const std::string& file : {text.json, text.cabling}) {
    if (Result<void> possible = check_text_output(file); !possible) {
      return possible;
    }
  }
  if (Result<void> possible = text.write.empty() ? Result<void>() : check_folder_writable(text.write); !possible) {
    return possible;
  }
  return check_csv_output(text.csv);
}

Result<void> write_scenario(const PlanText& text, const PlanQuestion& question, Scenario scenario,
                            PlannedDesign& design, std::size_t number, const study::scenario::Catalogue& catalogue) {
  if (Result<void> made = make_folder(text.write); !made) {
    return made;
  }
  const std::string stem = std::filesystem::path(question.file).stem().string();
  const std::string file = (std::filesystem::path(text.write) / lettered(file_name_of(stem), number, ".toml")).string();
  scenario.file = file;
  std::vector<std::string> comment{design.name, "", fmt::format("  weft show {} --bill", file)};
  if (design.measured) {
    comment.insert(comment.end(),
                   {fmt::format("  weft run {}{}", file, run_options(scenario, design.measured->level == "flow")), "",
                    "The second one gives the step that the plan printed, within its interval."});
  }
  const std::string written = study::plan::scenario_text(scenario, {.comment = std::move(comment)});
  if (Result<void> good = study::plan::check_text(written, scenario, catalogue); !good) {
    return fail("{}: the scenario would not load again: {}", file, good.error().message);
  }
  design.file = file;
  return write_file(file, written);
}

/// Scenarios and cabling lists of the front.
Result<void> write_front(const PlanText& text, const PlanQuestion& question,
                         const study::scenario::Catalogue& catalogue, PlanResult& result) {
  std::size_t number = 0;
  for (PlannedDesign& design : result.designs) {
    if (!design.on_front || (text.write.empty() && text.cabling.empty())) {
      continue;
    }
    Result<Scenario> scenario = scenario_of(question, design.design, catalogue);
    Result<fabric::Graph> graph = scenario ? study::assembly::build_topology(*scenario) : pass_on(scenario);
    if (!graph) {
      return pass_on(graph);
    }
    if (!text.cabling.empty()) {
      const std::filesystem::path path(text.cabling);
      const std::string file =
          number == 0 || text.cabling == "-"
              ? text.cabling
              : (path.parent_path() / lettered(path.stem().string(), number, path.extension().string())).string();
      if (number == 0 || text.cabling != "-") {
        const std::string rows =
            study::plan::cabling_csv(study::plan::cabling_of(*scenario, *graph, design.design.switch_.breakout));
        if (Result<void> written = write_text(file, rows); !written) {
          return written;
        }
      }
    }
    if (!text.write.empty()) {
      if (Result<void> written = write_scenario(text, question, *scenario, design, number, catalogue); !written) {
        return written;
      }
    }
    ++number;
  }
  return {};
}

Result<void> write_all(const PlanText& text, const PlanResult& result) {
  std::FILE* const stream = text.json == "-" || text.csv == "-" || text.cabling == "-" ? stderr : stdout;
  if (!text.quiet) {
    fmt::print(stream, "{}", study::plan::plan_text(result, terminal_columns(stream)));
  }
  if (!text.json.empty()) {
    if (Result<void> written = write_json(text.json, study::plan::plan_json(result)); !written) {
      return written;
    }
  }
  return text.csv.empty() ? Result<void>() : write_csv_files(text.csv, study::plan::plan_csv(result));
}

int finish(const PlanText& text, const PlanQuestion& question, const study::scenario::Catalogue& catalogue,
           PlanResult& result, bool is_kept) {
  for (const Result<void>& written : {write_front(text, question, catalogue, result), write_all(text, result)}) {
    if (!written) {
      return complain("plan", written.error(), kFault);
    }
  }
  if (result.interrupted) {
    fmt::print(stderr, "weft plan: interrupted; {} done{}\n", counted(result.runs, {"run is", "runs are"}),
               is_kept ? " and kept, and the same command goes on from there" : "");
    return kInterrupted;
  }
  const bool any = std::ranges::any_of(result.designs, &PlannedDesign::on_front);
  return any ? kSuccess : complain("plan", {study::plan::why_no_front(result)}, kUsageError);
}

int run(const PlanText& text) {
  catch_interrupts();
  if (Result<void> possible = check_output_options(text); !possible) {
    return complain("plan", possible.error(), kUsageError);
  }
  Result<study::scenario::Catalogue> catalogue = read_catalogue(text.scenario);
  if (!catalogue) {
    return complain("plan", catalogue.error(), kUsageError);
  }
  Result<PlanQuestion> question = read_question(text, *catalogue);
  if (!question) {
    return complain("plan", question.error(), kUsageError);
  }
  if (Result<void> possible = serves_ranks() ? Result<void>() : check_outputs(text); !possible) {
    return complain("plan", possible.error(), kFault);
  }
  Result<std::optional<RunCache>> cache = text.no_cache ? Result<std::optional<RunCache>>(std::nullopt) : usual_cache();
  if (!cache) {
    return complain("plan", cache.error(), kUsageError);
  }
  CasePool pool({.command = "plan",
                 .jobs = text.jobs,
                 .threads = 1,
                 .quiet = true,
                 .tells_ranks = !text.quiet,
                 .cache = *cache,
                 .progress = ProgressBar::Show::kNever},
                *catalogue);
  PlanResult result{.file = question->file,
                    .version = WEFT_VERSION,
                    .gpus = question->gpus,
                    .later = question->later,
                    .limits = question->limits,
                    .not_taken = question->not_taken,
                    .assumed = question->assumed};
  PlanRun search({.designs = static_cast<std::size_t>(text.designs),
                  .finalists = static_cast<std::size_t>(text.finalists),
                  .iterations = static_cast<int>(text.iterations),
                  .seeds = static_cast<std::size_t>(text.seeds),
                  .mistakes = static_cast<std::size_t>(text.mistakes),
                  .failures = !text.no_failures,
                  .prunes = !text.no_pruning,
                  .jobs = text.jobs,
                  .cache = *cache,
                  .tell =
                      [&](const std::string& what) {
                        if (!text.quiet) {
                          fmt::print(stderr, "weft plan: {}; {} so far\n", what, counted(result.runs, {"run", "runs"}));
                        }
                      }},
                 *question, *catalogue, pool, result);
  if (serves_ranks()) {
    search.serve();
    return kSuccess;
  }
  if (Result<void> ran = search.run(); !ran) {
    return complain("plan", ran.error(), kUsageError);
  }
  return finish(text, *question, *catalogue, result, pool.keeps());
}

void add_space_options(CLI::App& command, PlanText& text) {
  command
      .add_option("--networks", text.networks,
                  "Networks, as in `weft compare`, separated by commas; default: infiniband, infiniband-ar, rocev2, "
                  "rocev2-spray, uet")
      ->delimiter(',');
  command
      .add_option("--switches", text.switches,
                  "Switches of the catalogue; default: those whose ports their vendor specifies")
      ->delimiter(',');
  command.add_option("--nics", text.nics, "NICs of the catalogue; default: likewise, of 200 Gb/s and more")
      ->delimiter(',');
  command
      .add_option(
          "--shapes", text.shapes,
          "Of single-switch, leaf-spine, rail-optimised, fat-tree (three tiers), dragonfly-plus, torus; default: all")
      ->delimiter(',');
  command.add_option("--oversubscription", text.oversubscriptions, "Ratios DOWN:UP of leaves; default: 1:1,2:1,4:1")
      ->delimiter(',');
  command.add_option("--rails", text.rails, "NICs of a host; default: one per GPU, and half as many")
      ->delimiter(',')
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1024}));
  command.add_option("--planes", text.planes, "Independent fabrics, a port of each NIC to each; default: 1,2")
      ->delimiter(',')
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{16}));
  command.add_option("--tors", text.tors, "Leaves of one fabric, a port of each NIC to each (2: dual ToR); default: 1")
      ->delimiter(',')
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{16}));
  command
      .add_option("--breakout", text.breakouts,
                  "Parts that each port of a switch is split into, for NICs of that rate; 1: none; default: 1,2")
      ->delimiter(',')
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{8}));
  command.add_option("--spares", text.spares, "Spare hosts; default: 0")
      ->delimiter(',')
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{100'000}));
  command.add_option("--domains", text.domains, "GPUs of a scale-up domain; default: as the scenario says")
      ->delimiter(',')
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{4096}));
}

void add_search_options(CLI::App& command, PlanText& text) {
  command.add_option("--designs", text.designs, "Designs that are run at the flow level before the loop")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1000}))
      ->capture_default_str();
  command.add_option("--iterations", text.iterations, "Iterations of the loop of metric and change, at most")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{100}))
      ->capture_default_str();
  command
      .add_option("--finalists", text.finalists,
                  "Designs that are run with packets, and then with failures; 0: the front is that of flows")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{20}))
      ->capture_default_str();
  command.add_option("--seeds", text.seeds, "Seeds of a finalist")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{100}))
      ->capture_default_str();
  command.add_option("--mistakes", text.mistakes, "Misconfigurations that are tried on each finalist")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{100}))
      ->capture_default_str();
  command.add_flag("--no-failures", text.no_failures, "Leave out what failures cost");
  command.add_flag("--no-pruning", text.no_pruning,
                   "Run designs as well that cannot be on the front by their bounds, as far as --designs goes");
}

}  // namespace

void add_plan_command(CLI::App& app, PlanText& text, int& exit_status) {
  CLI::App* command =
      app.add_subcommand("plan", "What network to build for a job, within a budget, power and deadline");
  add_scenario_options(*command, text.scenario);
  command->add_option("--budget", text.budget, "Money to buy network, hosts and GPUs with at most, such as 20M");
  command->add_option("--power", text.power, "Power of everything at most, such as 800kW");
  command->add_option("--deadline", text.deadline,
                      "Time of a step at most, such as 4.5s; with --tokens, of training them, such as 30d");
  command->add_option("--tokens", text.tokens, "Tokens to train before the deadline, such as 2T");
  command->add_option("--grow", text.grow, "GPUs that the cluster grows to later: what is replaced and added then")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}));
  add_space_options(*command, text);
  add_search_options(*command, text);
  command->add_option("--write", text.write, "Write the scenario of each design of the front into this folder");
  command->add_option("--cabling", text.cabling,
                      "Write a cabling list (CSV) of the first design to this file, of others beside it; - = standard "
                      "output, the first alone");
  command->add_option("--json", text.json, "Write everything as JSON to this file; - = standard output alone");
  command->add_option("--csv", text.csv, "Write tables as CSV into this folder; - prints them");
  command->add_flag("--no-cache", text.no_cache, "Neither use runs that are in the cache nor keep any there");
  command->add_option("-j,--jobs", text.jobs, "Runs at the same time; default: one per core")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1024}));
  command->add_flag("-q,--quiet", text.quiet, "No table and no progress");
  command->footer(
      "Exit status: 0 done, 1 a file cannot be written or a run died, 2 wrong input or no design can be run or keeps "
      "to "
      "the limits, 130 interrupted (the same command goes on).");
  command->callback([&text, &exit_status] { exit_status = run(text); });
}

}  // namespace weft::cli
