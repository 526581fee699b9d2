#include "cli/scale_command.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/parse_quantity.h"
#include "cli/case_pool.h"
#include "cli/complain.h"
#include "cli/exit_status.h"
#include "cli/rank_session.h"
#include "cli/run_case.h"
#include "cli/run_interrupt.h"
#include "cli/run_output.h"
#include "cli/scale_run.h"
#include "cli/terminal.h"
#include "study/assembly/resize.h"
#include "study/compare/fabric_choice.h"
#include "study/results/scale_table.h"
#include "study/scenario/scenario_load.h"
#include "study/scenario/scenario_words.h"

namespace weft::cli {
namespace {

constexpr std::int64_t kMaxGpus = 1'000'000;

Result<std::int64_t> parse_gpus(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size() || value < 1 || value > kMaxGpus) {
    return fail("--gpus: '{}' is no number of GPUs; 1 to {}, as in 8..1024 or 64,512", text, kMaxGpus);
  }
  return value;
}

/// "8..1024": 8, 16, ..., 1024. "64,512": these.
Result<std::vector<std::int64_t>> parse_sizes(const std::string& text) {
  std::vector<std::int64_t> sizes;
  if (const std::size_t dots = text.find(".."); dots != std::string::npos) {
    Result<std::int64_t> first = parse_gpus(std::string_view(text).substr(0, dots));
    Result<std::int64_t> last = parse_gpus(std::string_view(text).substr(dots + 2));
    if (!first || !last) {
      return first ? pass_on(last) : pass_on(first);
    }
    if (*last < *first) {
      return fail("--gpus: {}..{} goes down; the smaller number comes first", *first, *last);
    }
    for (std::int64_t size = *first; size < *last; size *= 2) {
      sizes.push_back(size);
    }
    sizes.push_back(*last);
    return sizes;
  }
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    Result<std::int64_t> size = parse_gpus(std::string_view(text).substr(begin, end - begin));
    if (!size) {
      return pass_on(size);
    }
    sizes.push_back(*size);
    begin = end + 1;
  }
  return sizes;
}

/// Those of --fabrics, networks as `weft compare` names them, each with the file's [[case]] of its name.
Result<std::vector<ScaleLine>> read_fabrics(const ScaleText& text, const study::scenario::Catalogue& catalogue) {
  if (!text.scenario.case_name.empty()) {
    return fail("--case: with --fabrics each network uses the [[case]] of its name; leave one of the two out");
  }
  Result<std::string> contents = read_file(text.scenario.file);
  if (!contents) {
    return pass_on(contents);
  }
  auto cases = study::scenario::case_names(*contents, text.scenario.file);
  if (!cases) {
    return pass_on(cases);
  }
  auto choices = study::compare::choose_fabrics(text.fabrics, *cases, catalogue);
  if (!choices) {
    return fail("--fabrics: {}", choices.error().message);
  }
  const study::scenario::ScenarioRequest request{
      .file = text.scenario.file, .case_name = {}, .settings = text.scenario.settings};
  std::vector<ScaleLine> lines;
  for (const study::compare::FabricChoice& choice : *choices) {
    Result<study::scenario::Scenario> scenario = study::compare::scenario_of(choice, request, catalogue);
    if (!scenario) {
      return pass_on(scenario);
    }
    lines.push_back({choice.name, *std::move(scenario)});
  }
  return lines;
}

/// One for each fabric asked for, or each case of the file, or the file as it is.
Result<std::vector<ScaleLine>> read_lines(const ScaleText& text, const study::scenario::Catalogue& catalogue) {
  if (!text.fabrics.empty()) {
    return read_fabrics(text, catalogue);
  }
  std::vector<ScaleLine> lines;
  Result<std::vector<study::scenario::Scenario>> scenarios = read_cases(text.scenario);
  if (!scenarios) {
    return pass_on(scenarios);
  }
  for (study::scenario::Scenario& scenario : *scenarios) {
    std::string name =
        scenario.case_name.empty() ? std::string(study::scenario::word_of(scenario.fabric.family)) : scenario.case_name;
    lines.push_back({std::move(name), std::move(scenario)});
  }
  return lines;
}

Result<void> write(const ScaleText& text, const study::results::ScaleCurves& curves,
                   const study::results::ScaleWhatIf& question) {
  if (!text.quiet) {
    std::FILE* const stream = text.json == "-" ? stderr : stdout;
    fmt::print(stream, "{}", study::results::scale_text(curves, question, terminal_columns(stream)));
  }
  return text.json.empty() ? Result<void>()
                           : write_text(text.json, study::results::scale_json(curves, question).dump(2) + "\n");
}

int run(const ScaleText& text) {
  const Result<std::vector<std::int64_t>> sizes = parse_sizes(text.gpus);
  if (!sizes) {
    return complain("scale", sizes.error(), kUsageError);
  }
  study::results::ScaleWhatIf question{.extra_latency = {}, .job_steps = text.job_steps, .budget = {}};
  if (!text.extra_latency.empty()) {
    const Result<Duration> extra = parse_duration(text.extra_latency);
    if (!extra) {
      return complain("scale", {"--extra-latency: " + extra.error().message}, kUsageError);
    }
    question.extra_latency = *extra;
  }
  Result<LevelChooser> levels = LevelChooser::make(text.level);
  if (!levels) {
    return complain("scale", levels.error(), kUsageError);
  }
  question.budget = levels->budget();
  const Result<study::scenario::Catalogue> catalogue = read_catalogue(text.scenario);
  if (!catalogue) {
    return complain("scale", catalogue.error(), kUsageError);
  }
  Result<std::vector<ScaleLine>> lines = read_lines(text, *catalogue);
  if (!lines) {
    return complain("scale", lines.error(), kUsageError);
  }
  if (const Result<std::int64_t> smallest = study::assembly::smallest_size(lines->front().scenario); !smallest) {
    return complain("scale", smallest.error(), kUsageError);
  }
  if (Result<void> possible = serves_ranks() ? Result<void>() : check_text_output(text.json); !possible) {
    return complain("scale", possible.error(), kFault);
  }
  Result<std::optional<RunCache>> cache = text.no_cache ? Result<std::optional<RunCache>>(std::nullopt) : usual_cache();
  if (!cache) {
    return complain("scale", cache.error(), kUsageError);
  }
  catch_interrupts();
  CasePool pool({.command = "scale",
                 .jobs = text.jobs,
                 .quiet = text.quiet,
                 .cache = *std::move(cache),
                 .progress = text.quiet ? ProgressBar::Show::kNever : ProgressBar::Show::kOnTerminal},
                *catalogue);
  Result<study::results::ScaleCurves> ran =
      scale_curves(*lines, *sizes,
                   {.scaling = text.strong ? study::assembly::Scaling::kStrong : study::assembly::Scaling::kWeak,
                    .extra_latency = question.extra_latency,
                    .check_hops = kCheckHops,
                    .levels = &*levels},
                   pool, *catalogue);
  if (!ran) {
    return complain("scale", ran.error(), kFault);
  }
  const std::vector<study::results::ScalePoint>& points = ran->points;
  if (Result<void> written = write(text, *ran, question); !written) {
    return complain("scale", written.error(), kFault);
  }
  if (interrupted()) {
    fmt::print(stderr, "weft scale: interrupted; {} of {} sizes and fabrics are done{}\n", points.size(),
               lines->size() * sizes->size(), pool.keeps() ? " and kept, and the same command goes on from there" : "");
    return kInterrupted;
  }
  const bool any =
      std::ranges::any_of(points, [](const study::results::ScalePoint& point) { return point.step.has_value(); });
  return any ? kSuccess : kUsageError;
}

}  // namespace

void add_scale_command(CLI::App& app, ScaleText& text, int& exit_status) {
  CLI::App* command = app.add_subcommand("scale", "Scale a training job over cluster sizes, for each fabric");
  add_scenario_options(*command, text.scenario);
  command->add_option("--gpus", text.gpus, "Sizes: 8..1024 doubles from the first to the last, 64,512 lists them")
      ->required();
  command
      ->add_option(
          "--fabrics", text.fabrics,
          "Networks as weft compare names them, a line each: infiniband,rocev2-spray; default: the file's cases")
      ->delimiter(',');
  add_level_options(*command, text.level);
  command->add_flag("--strong", text.strong, "Strong scaling: keep the global batch (default: it grows with dp)");
  command->add_option("--extra-latency", text.extra_latency, "Also with this extra latency per message, such as 1us");
  command->add_option("--job-steps", text.job_steps, "Steps of the whole job, for the hours that --extra-latency adds")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000'000}))
      ->needs("--extra-latency");
  command->add_option("--json", text.json, "Write the rows as JSON to this file; - = standard output alone");
  command->add_flag("--no-cache", text.no_cache, "Neither use runs that are in the cache nor keep any there");
  command->add_option("-j,--jobs", text.jobs, "Runs at the same time; default: one per core")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1024}));
  command->add_flag("-q,--quiet", text.quiet, "No table and no progress");
  command->footer("Exit status: 0 done, 1 a file cannot be written, 2 wrong input, 130 interrupted.");
  command->callback([&text, &exit_status] { exit_status = run(text); });
}

}  // namespace weft::cli
