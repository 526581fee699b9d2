#include "cli/sweep_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/counted.h"
#include "base/file.h"
#include "base/format_quantity.h"
#include "base/parse_quantity.h"
#include "cli/shell_word.h"
#include "cli/work_estimate.h"
#include "study/compare/comparison_plan.h"
#include "study/scenario/given.h"
#include "study/scenario/scenario_validate.h"
#include "workload/training/stragglers.h"

namespace weft::cli {
namespace {

using study::scenario::Scenario;
using study::sweep::Design;
using study::sweep::Factor;
using study::sweep::FactorContext;
using study::sweep::Question;

struct ReadFactors {
  std::vector<Factor> factors;
  Scenario scenario;  // the base
};

/// The scenario from which all points begin; a file that is complete with a case alone is read with the first one.
Result<Scenario> base_scenario(const SweepText& text, const std::vector<Factor>& factors,
                               const study::scenario::Catalogue& catalogue) {
  ScenarioText wanted = text.scenario;
  const auto cases = std::ranges::find_if(factors, &Factor::is_case);
  if (cases != factors.end()) {
    wanted.case_name = cases->levels.front();
  }
  Result<Scenario> scenario = read_scenario(wanted, catalogue);
  if (!scenario) {
    return scenario;
  }
  Result<void> has_traffic = study::scenario::check_has_traffic(*scenario);
  return has_traffic ? std::move(scenario) : pass_on(has_traffic);
}

Result<ReadFactors> read_factors(const SweepText& text, const study::scenario::Catalogue& catalogue) {
  Result<std::string> contents = read_file(text.scenario.file);
  if (!contents) {
    return pass_on(contents);
  }
  Result<study::scenario::GivenDocument> document = study::scenario::read_document(*contents, text.scenario.file);
  if (!document) {
    return pass_on(document);
  }
  FactorContext context{.kind = text.sample > 0 ? FactorContext::Kind::kSamples : FactorContext::Kind::kGrid};
  std::ranges::transform(document->cases, std::back_inserter(context.cases), &study::scenario::GivenCase::name);
  std::vector<Factor> factors;
  for (const std::string& vary : text.vary) {
    Result<Factor> factor = study::sweep::parse_factor(vary, context);
    if (!factor) {
      return pass_on(factor);
    }
    if (factor->is_case() && !text.scenario.case_name.empty()) {
      return fail("--vary case: --case {} chooses one; leave out one of the two options",
                  study::scenario::printable(text.scenario.case_name));
    }
    factors.push_back(std::move(*factor));
  }
  if (Result<void> good = study::sweep::check_settings(factors, text.scenario.settings); !good) {
    return pass_on(good);
  }
  Result<Scenario> scenario = base_scenario(text, factors, catalogue);
  if (!scenario) {
    return pass_on(scenario);
  }
  Result<void> good = study::sweep::check_factors(
      {.factors = factors, .scenario = *scenario, .document = *document, .chosen = text.scenario.case_name});
  return good ? Result<ReadFactors>(ReadFactors{.factors = std::move(factors), .scenario = *std::move(scenario)})
              : pass_on(good);
}

/// How long so many runs of the scenario would take; empty where that cannot be measured.
std::string time_of(const Scenario& scenario, double runs, std::int64_t jobs) {
  const std::optional<WorkTime> time = time_of_runs(scenario, runs, jobs);
  return time ? fmt::format("; {:.0f} runs would take {} here", runs, work_time_text(*time)) : std::string();
}

Result<Design> design_of(const SweepText& text, ReadFactors& read) {
  const auto seeds = static_cast<double>(text.seeds);
  const bool grid = text.sample == 0;
  const double points = grid ? study::sweep::grid_size(read.factors) : static_cast<double>(text.sample);
  if (points * seeds > kMostRuns && points <= static_cast<double>(study::sweep::kMostPoints)) {
    return fail("{:.0f} points with {} each are more than {:.0f} runs: fewer points, or --seeds{}", points,
                counted(text.seeds, {"seed", "seeds"}), kMostRuns, time_of(read.scenario, points * seeds, text.jobs));
  }
  const std::vector<Factor> factors = read.factors;
  Result<Design> design =
      grid ? study::sweep::grid_design(factors)
           : study::sweep::latin_hypercube(factors, {.points = static_cast<std::size_t>(text.sample),
                                                     .seed = static_cast<std::uint64_t>(read.scenario.seed)});
  if (!design) {
    const bool is_countable = points * seeds < 1e15;
    return fail("{}{}", design.error().message,
                is_countable && points > 2 ? time_of(read.scenario, points * seeds, text.jobs) : "");
  }
  return design;
}

Result<study::sweep::StopRule> rule_of(const SweepText& text, study::sweep::Better better) {
  study::sweep::StopRule rule{.first = static_cast<std::size_t>(text.seeds),
                              .most = static_cast<std::size_t>(std::max(text.most_seeds, text.seeds)),
                              .better = better};
  Result<double> same = parse_share("--same", text.same);
  if (!same) {
    return pass_on(same);
  }
  rule.same = *same;
  if (text.question.empty()) {
    return rule;
  }
  if (text.question == "best" || text.question == "ranking") {
    rule.question = text.question == "best" ? Question::kBest : Question::kRanking;
  } else if (text.question.ends_with('%')) {
    Result<double> precision = parse_share("--for", text.question);
    if (!precision) {
      return pass_on(precision);
    }
    rule.question = Question::kPrecision;
    rule.precision = *precision;
  } else {
    return fail("--for: '{}' is no question; best, ranking, or a precision such as 2%",
                study::scenario::printable(text.question));
  }
  if (text.seeds < 2) {
    return fail("--for {}: an interval needs two seeds at least; --seeds 2 or more", text.question);
  }
  return rule;
}

Result<std::vector<study::sweep::Measure>> measures_of(const SweepText& text, const Scenario& scenario) {
  std::vector<study::sweep::Measure> measures;
  for (const std::string& name : text.measures) {
    Result<study::sweep::Measure> measure = study::sweep::parse_measure(name);
    if (!measure) {
      return fail("--measure: {}", measure.error().message);
    }
    const bool is_there = std::ranges::any_of(
        measures, [&](const study::sweep::Measure& other) { return other.name() == measure->name(); });
    if (is_there) {
      return fail("--measure: {} is there twice", measure->name());
    }
    measures.push_back(std::move(*measure));
  }
  if (measures.empty()) {
    measures.push_back(study::sweep::usual_measure(scenario));
  }
  return measures;
}

RunPoint run_point(const Design& design, const study::sweep::Point& point, const std::string& case_name) {
  RunPoint made{.name = point_name(design, point), .case_name = case_name, .settings = {}};
  for (std::size_t i = 0; i < design.factors.size(); ++i) {
    const Factor& factor = design.factors[i];
    if (factor.is_case()) {
      made.case_name = point.values[i];
    } else {
      made.settings.push_back(factor.setting(point.values[i]));
    }
  }
  return made;
}

/// What does the whole sweep again.
std::string whole_command(const SweepText& text) {
  std::string made = command_text("sweep", text.scenario);
  for (const std::string& vary : text.vary) {
    made += " --vary " + shell_word(vary);
  }
  made += text.sample == 0 ? "" : fmt::format(" --sample {}", text.sample);
  made += text.measures.empty() ? "" : " --measure " + shell_word(fmt::format("{}", fmt::join(text.measures, ",")));
  made +=
      text.question.empty() ? "" : fmt::format(" --for {} --most-seeds {}", shell_word(text.question), text.most_seeds);
  made += fmt::format(" --seeds {} --same {} --tolerance {}", text.seeds, shell_word(text.same),
                      shell_word(text.tolerance));
  made += text.level.fidelity.empty() ? "" : " --fidelity " + shell_word(text.level.fidelity);
  return made + (text.level.budget.empty() ? "" : " --budget " + shell_word(text.level.budget));
}

}  // namespace

Result<double> parse_share(std::string_view option, std::string_view text) {
  Result<Probability> share = parse_probability(text);
  if (!share || *share == Probability::zero()) {
    return fail("{}: {}", option, share ? "it must be above 0, such as 1%" : share.error().message);
  }
  return static_cast<double>(share->raw()) / static_cast<double>(Probability::kOne);
}

std::string chance_text(const Scenario& scenario) {
  Scenario with = scenario;
  study::compare::add_chance(with);
  bool starts = false;
  bool ranks = false;
  for (std::size_t i = 0; i < with.traffic.size(); ++i) {
    starts = starts || with.traffic[i].start_jitter != scenario.traffic[i].start_jitter;
  }
  for (std::size_t i = 0; i < with.jobs.size(); ++i) {
    ranks = ranks || with.jobs[i].training.straggler.distribution.index() !=
                         scenario.jobs[i].training.straggler.distribution.index();
  }
  if (!starts && !ranks) {
    return {};
  }
  return fmt::format("Seeds differ, as in weft compare, in more than the scenario says: {}{}{}.",
                     starts ? "participants of traffic begin up to 1 us later" : "", starts && ranks ? "; " : "",
                     ranks ? "ranks compute up to 1 % more slowly" : "");
}

bool leaves_chance(const std::vector<std::string>& settings) {
  return std::ranges::none_of(settings, [](const std::string& setting) {
    const std::string key = setting.substr(0, setting.find('='));
    return key.ends_with(".start_jitter") || key.ends_with(".straggler");
  });
}

std::vector<std::string> chance_settings(const Scenario& scenario) {
  Scenario with = scenario;
  study::compare::add_chance(with);
  std::vector<std::string> settings;
  for (std::size_t i = 0; i < with.traffic.size(); ++i) {
    if (with.traffic[i].start_jitter != scenario.traffic[i].start_jitter) {
      settings.push_back(fmt::format("traffic[{}].start_jitter={}", i, to_string(with.traffic[i].start_jitter)));
    }
  }
  for (std::size_t i = 0; i < with.jobs.size(); ++i) {
    const auto& own = with.jobs[i].training.straggler.distribution;
    if (own.index() != scenario.jobs[i].training.straggler.distribution.index()) {
      settings.push_back(
          fmt::format("job[{}].straggler=uniform to {:g}%", i,
                      static_cast<double>(std::get<workload::UniformlySlow>(own).most.millionths) / 1e4));
    }
  }
  return settings;
}

std::string run_command(const ScenarioText& scenario, const RunPoint& point, const std::vector<std::string>& chance) {
  ScenarioText all = scenario;
  all.case_name = point.case_name;
  all.settings.insert(all.settings.end(), chance.begin(), chance.end());
  all.settings.insert(all.settings.end(), point.settings.begin(), point.settings.end());
  return command_text("run", all);
}

Result<SweepPlan> plan_sweep(const SweepText& text, const study::scenario::Catalogue& catalogue) {
  Result<ReadFactors> read = read_factors(text, catalogue);
  if (!read) {
    return pass_on(read);
  }
  SweepPlan plan;
  Result<std::vector<study::sweep::Measure>> measures = measures_of(text, read->scenario);
  if (!measures) {
    return pass_on(measures);
  }
  plan.measures = *std::move(measures);
  Result<study::sweep::StopRule> rule = rule_of(text, plan.measures.front().kind->better);
  if (!rule) {
    return pass_on(rule);
  }
  Result<double> tolerance = parse_share("--tolerance", text.tolerance);
  if (!tolerance) {
    return pass_on(tolerance);
  }
  Result<Design> design = design_of(text, *read);
  if (!design) {
    return pass_on(design);
  }
  std::vector<std::string> settings = text.scenario.settings;
  settings.insert(settings.end(), text.vary.begin(), text.vary.end());
  plan.add_chance = leaves_chance(settings);
  study::sweep::SweepResult& result = plan.result;
  result = {.file = text.scenario.file,
            .version = WEFT_VERSION,
            .command = whole_command(text),
            .design = *std::move(design),
            .first_seed = read->scenario.seed,
            .rule = *rule,
            .tolerance = *tolerance,
            .chance = plan.add_chance ? chance_text(read->scenario) : std::string()};
  const std::vector<std::string> chance =
      plan.add_chance ? chance_settings(read->scenario) : std::vector<std::string>();
  for (const study::sweep::Point& point : result.design.points) {
    plan.points.push_back(run_point(result.design, point, text.scenario.case_name));
    result.points.push_back({.name = plan.points.back().name,
                             .case_name = plan.points.back().case_name,
                             .settings = plan.points.back().settings,
                             .command = run_command(text.scenario, plan.points.back(), chance)});
  }
  for (const study::sweep::Measure& measure : plan.measures) {
    result.figures.push_back({.measure = measure, .values = std::vector<study::sweep::SeedValues>(plan.points.size())});
  }
  return plan;
}

}  // namespace weft::cli
