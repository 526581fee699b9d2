#include "cli/compare_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/file.h"
#include "base/printable.h"
#include "base/stable_hash.h"
#include "cli/build_identity.h"
#include "cli/comparison_store.h"
#include "cli/complain.h"
#include "cli/exit_status.h"
#include "cli/progress_bar.h"
#include "cli/rank_pool.h"
#include "cli/rank_session.h"
#include "cli/run_interrupt.h"
#include "cli/run_output.h"
#include "cli/shell_word.h"
#include "cli/terminal.h"
#include "cli/work_estimate.h"
#include "cli/work_plan.h"
#include "live/shared_numbers.h"
#include "study/compare/assemble_comparison.h"
#include "study/compare/comparison_text.h"
#include "study/compare/quick_answer.h"
#include "study/compare/run_task.h"
#include "study/report/comparison_document.h"
#include "study/report/report_html.h"
#include "study/scenario/scenario_load.h"
#include "study/scenario/scenario_words.h"

namespace weft::cli {
namespace {

class CompareCommand {
 public:
  explicit CompareCommand(const CompareText& text) : text_(text), store_({}, "") {}

  int run() {
    if (Result<void> planned = plan(); !planned) {
      return complain("compare", planned.error(), kUsageError);
    }
    catch_interrupts();
    if (Result<void> ran = run_tasks(); !ran) {
      return complain("compare", ran.error(), kFault);
    }
    if (interrupted()) {
      fmt::print(stderr,
                 "weft compare: interrupted; {} of {} runs are kept in {}, and the same command goes on from there\n",
                 std::ranges::count_if(figures_, [](const auto& own) { return own.has_value(); }), figures_.size(),
                 store_.folder());
      return kInterrupted;
    }
    const auto comparison = assembled();
    if (Result<void> written = write(comparison); !written) {
      return complain("compare", written.error(), kFault);
    }
    if (std::ranges::none_of(comparison.fabrics, &study::report::ComparedFabric::possible)) {
      std::vector<study::compare::Refusal> refusals;
      for (const study::report::ComparedFabric& fabric : comparison.fabrics) {
        refusals.push_back({.fabric = fabric.name, .reason = fabric.reason.value_or("not possible")});
      }
      return complain("compare", study::compare::no_fabric_serves(refusals), kUsageError);
    }
    return kSuccess;
  }

 private:
  Result<void> plan() {
    auto weights = study::compare::parse_weights(text_.weights);
    if (!weights) {
      return fail("--{}", weights.error().message);
    }
    auto catalogue = read_catalogue(text_.scenario);
    if (!catalogue) {
      return pass_on(catalogue);
    }
    catalogue_.emplace(std::move(*catalogue));
    auto cache = text_.no_cache ? Result<std::optional<RunCache>>(std::nullopt) : usual_cache();
    if (!cache) {
      return pass_on(cache);
    }
    store_ = ComparisonStore(std::move(*cache), result_file() + ".parts");
    header_.weights = *weights;
    auto contents = read_file(text_.scenario.file);
    if (!contents) {
      return pass_on(contents);
    }
    auto cases = study::scenario::case_names(*contents, text_.scenario.file);
    if (!cases) {
      return pass_on(cases);
    }
    study::scenario::ScenarioRequest request{
        .file = text_.scenario.file, .case_name = {}, .settings = text_.scenario.settings};
    if (!text_.scenario.case_name.empty()) {
      return fail("--case: a comparison uses the [[case]] named like each fabric; choose with --fabrics");
    }
    if (!text_.hardware.empty()) {
      request.settings.push_back("hardware=" + text_.hardware);
    }
    auto choices = choose(*cases, request);
    if (!choices) {
      return pass_on(choices);
    }
    auto levels = LevelChooser::make(text_.level);
    if (!levels) {
      return pass_on(levels);
    }
    study::compare::ComparisonOptions options{.seeds = text_.seeds,
                                              .risk = !text_.no_risk,
                                              .explain = !text_.no_explain,
                                              .failures = text_.failures,
                                              .sizes = text_.sizes,
                                              .quick = text_.quick,
                                              .build = build_identity()};
    if (!levels->is_off()) {
      options.level = [&levels](const study::scenario::Scenario& scenario) { return levels->choose(scenario); };
    }
    if (auto right = study::scenario::check_file(request); !right) {
      return pass_on(right);
    }
    auto planned = study::compare::plan_comparison(*choices, request, *catalogue_, options);
    if (!planned) {
      return pass_on(planned);
    }
    plan_ = std::move(*planned);
    say_levels(*levels);
    return {};
  }

  /// What was chosen, what to expect of it, and what is left out for it.
  void say_levels(const LevelChooser& levels) const {
    for (const auto& [gpus, choice] : plan_.levels) {
      if (text_.quiet) {
        return;
      }
      const std::string size = gpus == 0 ? std::string() : fmt::format("{} GPUs: ", gpus);
      fmt::print(stderr, "{}level {}{}; {}{}\n", size, to_string(choice.level),
                 levels.is_auto() ? fmt::format(" ({})", choice.why) : std::string(), expected_error(choice.level),
                 choice.level == study::run::Level::kFlow && gpus == 0
                     ? "; causes of lost time, tuning risk, small messages and a failed link need packets and are left "
                       "out"
                     : "");
    }
  }

  Result<std::vector<study::compare::FabricChoice>> choose(const std::vector<std::string>& cases,
                                                           const study::scenario::ScenarioRequest& request) const {
    std::vector<std::string> names = !text_.fabrics.empty() ? text_.fabrics
                                     : text_.quick          ? study::compare::first_fabrics()
                                                            : study::compare::usual_fabrics();
    if (!text_.routing.empty()) {
      auto schemed = names_by_scheme(request);
      if (!schemed) {
        return pass_on(schemed);
      }
      names = std::move(*schemed);
    }
    auto choices = study::compare::choose_fabrics(names, cases, *catalogue_);
    return choices ? std::move(choices) : fail("--fabrics: {}", choices.error().message);
  }

  /// Of the fabrics that were named, or of the scenario's own family.
  Result<std::vector<std::string>> names_by_scheme(const study::scenario::ScenarioRequest& request) const {
    auto own = study::scenario::load_scenario(request, *catalogue_);
    if (!own) {
      return pass_on(own);
    }
    std::vector<std::string> fabrics = text_.fabrics;
    if (fabrics.empty()) {
      fabrics.emplace_back(study::scenario::word_of(own->fabric.family));
    }
    auto names = study::compare::with_schemes(fabrics, text_.routing, own->fabric.family, *catalogue_);
    return names ? std::move(names) : fail("--routing: {}", names.error().message);
  }

  [[nodiscard]] std::string result_file() const {
    if (text_.out.ends_with(".json")) {
      return text_.out;
    }
    const std::string stem = std::filesystem::path(text_.scenario.file).stem().string();
    return fmt::format("{}/compare-{}.json", text_.out, file_name_of(stem));
  }

  /// Fills in what is kept of earlier comparisons; the tasks that are left.
  std::vector<std::size_t> take_what_is_kept() {
    figures_.resize(plan_.tasks.size());
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < plan_.tasks.size(); ++i) {
      const std::optional<std::string> kept = serves_ranks() ? std::nullopt : store_.get(plan_.tasks[i].key);
      figures_[i] = kept ? study::compare::parse_task_figures(*kept) : std::nullopt;
      if (!figures_[i]) {
        missing.push_back(i);
      }
    }
    const std::size_t kept = figures_.size() - missing.size();
    if (!text_.quiet && kept > 0) {
      fmt::print(stderr, "{} of {} runs were in the cache ({})\n", kept, figures_.size(), store_.folder());
    }
    return missing;
  }

  /// How long the tasks will take, and how many run at once so that they fit into memory.
  WorkPlan plan_work(const std::vector<std::size_t>& missing) const {
    std::vector<study::run::HopsEstimate> hops;
    for (const std::size_t task : missing) {
      hops.push_back(plan_.tasks[task].hops);
    }
    return plan_runs({.hops = std::move(hops),
                      .example = missing.empty() ? nullptr : &plan_.tasks[missing.front()].scenario,
                      .jobs = text_.jobs,
                      .quiet = text_.quiet});
  }

  Result<void> run_tasks() {
    const std::vector<std::size_t> missing = take_what_is_kept();
    const WorkPlan work = plan_work(missing);
    RunTally tally({.all = figures_.size(), .kept = figures_.size() - missing.size()}, work.progress);
    ProgressBar bar(stderr, text_.quiet ? ProgressBar::Show::kNever : ProgressBar::Show::kOnTerminal);
    live::SharedNumbers parts(missing.size());
    std::optional<Error> wrong;
    const auto done = [&](std::size_t piece, const live::PieceEnd& end) {
      const study::compare::ComparisonTask& task = plan_.tasks[missing[piece]];
      if (!end.text) {
        if (!interrupted() && !wrong) {
          wrong = Error{fmt::format("{}: {}", task.name, end.fault)};
        }
        return;
      }
      tally.done(piece, task.name);
      figures_[missing[piece]] = study::compare::parse_task_figures(*end.text);
      if (Result<void> put = store_.put(task.key, *end.text); !put && !wrong) {
        wrong = put.error();
      }
    };
    run_ranked({.local = {.pieces = missing.size(),
                          .at_once = work.at_once,
                          .work = {.run = [&](std::size_t piece) -> std::optional<std::string> {
                                     PieceMeter meter(plan_.tasks[missing[piece]].hops);
                                     auto figures = study::compare::run_task(plan_.tasks[missing[piece]],
                                                                             [&](const auto& progress) {
                                                                               parts.set(piece, meter.share(progress));
                                                                               return !interrupted();
                                                                             });
                                     return figures ? std::optional(study::compare::task_figures_text(*figures))
                                                    : std::nullopt;
                                   },
                                   .end = [](int status) { ::_exit(status); },
                                   .done = done},
                          .keep_going =
                              [&](std::size_t under_way) {
                                tally.under_way([&parts](std::size_t piece) { return parts.get(piece); });
                                bar.update([&](Duration elapsed) { return tally.facts(under_way, elapsed); });
                                return !interrupted() && !wrong;
                              }},
                .numbers = missing,
                .identity = identity(),
                .parts = parts,
                .note = [&](const std::string& text) { note(bar, text); }});
    if (serves_ranks()) {
      return fail(kServed);
    }
    return wrong && !interrupted() ? tl::unexpected<Error>(*wrong) : Result<void>();
  }

  /// Tasks with the same keys on every rank are the same.
  [[nodiscard]] std::string identity() const {
    std::string keys;
    for (const study::compare::ComparisonTask& task : plan_.tasks) {
      keys += task.key;
    }
    return fmt::format("{:016x}", stable_hash(0, keys));
  }

  void note(ProgressBar& bar, const std::string& text) const {
    if (!text_.quiet) {
      bar.clear();
      fmt::print(stderr, "weft compare: {}\n", terminal_text(text));
    }
  }

  [[nodiscard]] std::string command() const {
    std::string made = command_text("compare", text_.scenario);
    made += text_.routing.empty() ? "" : " --routing " + shell_word(fmt::format("{}", fmt::join(text_.routing, ",")));
    made += text_.fabrics.empty() ? "" : " --fabrics " + shell_word(fmt::format("{}", fmt::join(text_.fabrics, ",")));
    made += text_.hardware.empty() ? "" : " --hardware " + shell_word(text_.hardware);
    made += text_.level.fidelity.empty() ? "" : " --fidelity " + shell_word(text_.level.fidelity);
    made += !text_.level.budget.empty() ? " --budget " + shell_word(text_.level.budget) : "";
    made += text_.quick ? " --quick" : fmt::format(" --seeds {}", text_.seeds);
    made += " --weights " + shell_word(text_.weights);
    made += text_.sizes.empty() ? "" : fmt::format(" --sizes {}", fmt::join(text_.sizes, ","));
    made += text_.failures ? " --failures" : "";
    return made + (text_.no_risk ? " --no-risk" : "") + (text_.no_explain ? " --no-explain" : "");
  }

  study::report::Comparison assembled() {
    header_.version = WEFT_VERSION;
    header_.command = command();
    header_.catalogue = &*catalogue_;
    std::vector<study::compare::TaskFigures> figures;
    for (std::optional<study::compare::TaskFigures>& own : figures_) {
      figures.push_back(std::move(own).value_or(study::compare::TaskFigures{.failed = "its figures cannot be read"}));
    }
    return study::compare::assemble_comparison(plan_, figures, header_);
  }

  static std::string quick_note(std::FILE* stream) {
    std::string note(study::compare::kQuickNote);
    const LineWidth width = terminal_columns(stream);
    if (!width) {
      return note + '\n';
    }
    std::ranges::replace(note, '\n', ' ');
    return paragraph(note, {.columns = *width});
  }

  Result<void> write(const study::report::Comparison& comparison) {
    const std::string json = study::report::comparison_json_text(comparison, 1) + "\n";
    std::error_code ignored;
    std::filesystem::create_directories(std::filesystem::path(result_file()).parent_path(), ignored);
    if (Result<void> written = write_text(result_file(), json); !written) {
      return written;
    }
    store_.remove();
    if (!text_.quiet) {
      std::FILE* const stream = text_.json == "-" ? stderr : stdout;
      fmt::print(stream, "{}{}\nresults in {}\n",
                 study::compare::comparison_text(comparison, terminal_columns(stream), colour_of(stream)),
                 plan_.quick ? "\n" + quick_note(stream) : std::string(), result_file());
    }
    if (Result<void> written = write_report(comparison); !written) {
      return written;
    }
    return text_.json.empty() ? Result<void>() : write_text(text_.json, json);
  }

  [[nodiscard]] Result<void> write_report(const study::report::Comparison& comparison) const {
    if (text_.report.empty()) {
      return {};
    }
    Result<std::string> page = study::report::report_html(comparison);
    if (!page) {
      return pass_on(page);
    }
    if (text_.report != "-") {
      std::error_code ignored;
      std::filesystem::create_directories(std::filesystem::path(text_.report).parent_path(), ignored);
    }
    std::FILE* const say = text_.json == "-" ? stderr : stdout;
    return write_html(text_.report, *page, text_.quiet ? nullptr : say);
  }

  const CompareText& text_;
  std::optional<study::scenario::Catalogue> catalogue_;
  study::compare::ComparisonHeader header_;
  study::compare::ComparisonPlan plan_;
  ComparisonStore store_;
  std::vector<std::optional<study::compare::TaskFigures>> figures_;
};

}  // namespace

void add_compare_command(CLI::App& app, CompareText& text, int& exit_status) {
  CLI::App* command =
      app.add_subcommand("compare", "Compare fabrics for one job: times, causes, risks, costs, verdict");
  add_scenario_options(*command, text.scenario);
  command
      ->add_option(
          "--fabrics", text.fabrics,
          fmt::format(
              "Fabrics, separated by commas: families, families with a tuning (rocev2-pfc), [[case]]s; default: {}; "
              "with --quick: {}",
              fmt::join(study::compare::usual_fabrics(), ", "), fmt::join(study::compare::first_fabrics(), ", ")))
      ->delimiter(',');
  command
      ->add_option("--routing", text.routing,
                   "Schemes of load balancing, separated by commas, or all: each is a row of its own, on the "
                   "scenario's family or on each of --fabrics (weft catalogue scheme)")
      ->delimiter(',');
  add_level_options(*command, text.level);
  command->add_option("--hardware", text.hardware, "as-sold or equal; short for --set hardware=...");
  command
      ->add_option(
          "--weights", text.weights,
          "money, or also rank by weights: balanced, peak-performance, existing-ethernet, speed=5,budget=2,tuning=1")
      ->capture_default_str();
  command->add_option("--seeds", text.seeds, "Runs of the job under different seeds, for the confidence interval")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{100}))
      ->capture_default_str();
  command
      ->add_option("--sizes", text.sizes,
                   "Also run the job and measure tuning risk on clusters of these sizes in GPUs, such as 64,512")
      ->delimiter(',')
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}));
  command->add_flag("--quick", text.quick, "A first answer: step times of shorter slices alone, under one seed")
      ->excludes("--sizes")
      ->excludes("--fidelity");
  command->add_flag("--failures", text.failures,
                    "Also the goodput of a month among failures, which then counts as downtime in money");
  command->add_flag("--no-risk", text.no_risk, "Skip misconfigurations");
  command->add_flag("--no-explain", text.no_explain, "Skip the time breakdown");
  command->add_flag("--no-cache", text.no_cache, "Neither use runs that are in the cache nor keep any there");
  command->add_option("-j,--jobs", text.jobs, "Runs at the same time; default: one per core")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1024}));
  command->add_option("-o,--out", text.out, "Results file (.json), or the folder for it")->capture_default_str();
  command->add_option("--json", text.json, "Write the results to this file too; - = standard output alone");
  command->add_option("--report", text.report, "Write the report to this file (HTML)");
  command->add_flag("-q,--quiet", text.quiet, "No table and no progress");
  command->footer(
      "Exit status: 0 done, 1 a run or an output failed, 2 wrong input, 130 interrupted (the same command goes on).");
  command->callback([&text, &exit_status] { exit_status = CompareCommand(text).run(); });
}

}  // namespace weft::cli
