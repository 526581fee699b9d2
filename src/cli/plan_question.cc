#include "cli/plan_question.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <span>
#include <utility>

#include "base/counted.h"
#include "base/nearest_word.h"
#include "cli/sweep_plan.h"
#include "study/plan/scenario_text.h"
#include "study/scenario/raw_value.h"
#include "study/scenario/scenario_listing.h"
#include "study/scenario/scenario_load.h"

namespace weft::cli {
namespace {

using study::plan::Shape;
using study::scenario::Scenario;

struct Suffix {
  std::string_view text;
  double factor = 1;
};

constexpr double kMostAmount = 9e15;

/// A number above 0 and a unit, with or without a space between. `option` and `right` are for the error.
Result<double> parse_amount(std::string_view option, const std::string& text, std::span<const Suffix> units,
                            std::string_view right) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  std::string unit(rest, end);
  std::erase(unit, ' ');
  const auto found = std::ranges::find(units, unit, &Suffix::text);
  const bool is_number = error == std::errc() && !std::isnan(value);
  if (is_number && value <= 0) {
    return fail("{} '{}': it must be above 0; expected {}", option, study::scenario::printable(text), right);
  }
  if (is_number && found != units.end() && !(value * found->factor < kMostAmount)) {
    return fail("{} '{}': too much; expected {}", option, study::scenario::printable(text), right);
  }
  if (!is_number || found == units.end()) {
    return fail("{} '{}': expected {}", option, study::scenario::printable(text), right);
  }
  return value * found->factor;
}

Result<study::plan::Limits> limits_of(const PlanText& text) {
  constexpr std::array kMoney = {Suffix{"", 1},    Suffix{"USD", 1}, Suffix{"kUSD", 1e3}, Suffix{"MUSD", 1e6},
                                 Suffix{"k", 1e3}, Suffix{"M", 1e6}, Suffix{"B", 1e9},    Suffix{"BUSD", 1e9}};
  constexpr std::array kPower = {Suffix{"W", 1}, Suffix{"kW", 1e3}, Suffix{"MW", 1e6}};
  constexpr std::array kTime = {Suffix{"ms", 1e-3}, Suffix{"s", 1}, Suffix{"min", 60}, Suffix{"h", 3600},
                                Suffix{"d", 86'400.0}};
  constexpr std::array kTokens = {Suffix{"", 1}, Suffix{"M", 1e6}, Suffix{"B", 1e9}, Suffix{"T", 1e12}};
  study::plan::Limits made;
  if (!text.budget.empty()) {
    Result<double> value =
        parse_amount("--budget", text.budget, kMoney, "an amount of US dollars, such as 20M or 850000USD");
    if (!value) {
      return pass_on(value);
    }
    made.budget = study::scenario::Money{std::llround(std::min(*value * 1e3, 9e18))};
  }
  if (!text.power.empty()) {
    Result<double> value = parse_amount("--power", text.power, kPower, "a power, such as 800kW or 1.2MW");
    if (!value) {
      return pass_on(value);
    }
    made.power = study::scenario::Power{std::llround(std::min(*value * 1e3, 9e18))};
  }
  if (!text.tokens.empty()) {
    Result<double> value = parse_amount("--tokens", text.tokens, kTokens, "a number of tokens, such as 300B or 15T");
    if (!value) {
      return pass_on(value);
    }
    made.tokens = *value;
  }
  if (!text.deadline.empty()) {
    Result<double> value = parse_amount("--deadline", text.deadline, kTime,
                                        "a time such as 30d, 12h or 90min with --tokens, or of a step, such as 4.5s");
    if (!value) {
      return pass_on(value);
    }
    made.deadline = *value;
  }
  return made.tokens && !made.deadline ? fail("--tokens needs --deadline: the time to train them in, such as 30d")
                                       : Result<study::plan::Limits>(made);
}

Result<std::vector<Shape>> shapes_of(const std::vector<std::string>& names) {
  std::vector<std::string_view> valid;
  for (const Shape shape : study::plan::kShapes) {
    valid.push_back(to_string(shape));
  }
  std::vector<Shape> made;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(valid, name);
    if (found == valid.end()) {
      const std::string shown = study::scenario::printable(name);
      return fail("--shapes: {}", unknown_word({.kind = "shape", .word = shown, .valid = valid}).message);
    }
    made.push_back(study::plan::kShapes.at(static_cast<std::size_t>(found - valid.begin())));
  }
  return made;
}

Result<study::plan::SpaceOptions> space_options_of(const PlanText& text) {
  Result<std::vector<Shape>> shapes = shapes_of(text.shapes);
  if (!shapes) {
    return pass_on(shapes);
  }
  study::plan::SpaceOptions made{.networks = text.networks,
                                 .switches = text.switches,
                                 .nics = text.nics,
                                 .shapes = *shapes,
                                 .rails = text.rails,
                                 .planes = text.planes,
                                 .tors = text.tors,
                                 .spares = text.spares,
                                 .breakouts = text.breakouts,
                                 .domains = text.domains};
  for (const std::string& one : text.oversubscriptions) {
    auto ratio = study::scenario::parse_oversubscription(one);
    if (!ratio) {
      return fail("--oversubscription: {}", ratio.error().message);
    }
    made.oversubscriptions.push_back(*ratio);
  }
  return made;
}

Result<void> check_job(const Scenario& scenario) {
  if (scenario.jobs.size() != 1 || !scenario.jobs.front().trains()) {
    return fail("{}: a plan is for one [[job]] that trains a model (job.model); found {} jobs, of which {} train one",
                scenario.file, scenario.jobs.size(),
                std::ranges::count_if(scenario.jobs, &study::scenario::JobSettings::trains));
  }
  if (scenario.jobs.front().placement == study::scenario::Placement::kListed) {
    return fail("{}: job.placement is listed, but hosts differ from design to design; set packed, spread or random",
                scenario.file);
  }
  if (!scenario.traffic.empty() || !scenario.events.empty() || !scenario.failures.empty() ||
      !scenario.overrides.empty()) {
    return fail(
        "{}: [[traffic]], [[event]], [[failure]] and [[override]] name hosts and switches of one network; leave them "
        "out of a plan",
        scenario.file);
  }
  return {};
}

/// Why there is none.
Error no_design(const study::plan::DesignSpace& space, std::int64_t gpus) {
  std::vector<std::string> why = space.without_devices;
  const bool has_room = space.beyond_capacity == 0 && space.one_switch == 0;
  if (has_room && space.beyond_ports == 0 && space.without_torus > 0) {
    why.emplace_back("a torus is built of infiniband and uet alone; name one of them in --networks, or other --shapes");
  }
  if (has_room && space.beyond_ports > 0) {
    why.emplace_back(
        "a NIC has a port for each of --planes or of --tors, not both, and a torus or dragonfly one alone; name fewer, "
        "other --shapes, or --nics with more ports");
  }
  if (space.beyond_capacity > 0) {
    why.push_back(fmt::format(
        "of {} combinations of devices and shapes none has ports for {} GPUs; name other --shapes, --switches, --nics "
        "or fewer --rails",
        space.beyond_capacity, gpus));
  }
  if (space.one_switch > 0) {
    why.push_back(
        fmt::format("in {} one switch has ports for {} GPUs, so there is no leaf-spine or fat-tree; name --shapes "
                    "single-switch, or fat-tree for several --planes",
                    counted(space.one_switch, {"combination", "combinations"}), gpus));
  }
  return {fmt::format("no design: {}", fmt::join(why, "; "))};
}

/// Domains that no design has GPUs for, before the bounds of any are looked for.
Result<void> check_domains(const study::plan::SpaceOptions& options, const study::plan::DesignSpace& space,
                           std::int64_t gpus_per_host) {
  for (const std::int64_t domain : options.domains) {
    const study::plan::Design* refused = nullptr;
    bool any = false;
    for (const study::plan::Design& design : space.designs) {
      const bool is_whole = design.hosts * gpus_per_host % domain == 0;
      any |= design.domain == domain && is_whole;
      refused = design.domain == domain && !is_whole ? &design : refused;
    }
    if (!any && refused != nullptr) {
      return fail(
          "no design can be run: --domains: {} hosts of {} GPUs are {} GPUs, not a multiple of the domain size {}",
          refused->hosts, gpus_per_host, refused->hosts * gpus_per_host, domain);
    }
  }
  return {};
}

void set_base(PlanQuestion& question) {
  for (const study::scenario::ListedValue& row :
       study::scenario::list_values(question.scenario, study::scenario::Listing::kAll)) {
    const bool given = row.source.origin == study::scenario::Origin::kFile ||
                       row.source.origin == study::scenario::Origin::kCase ||
                       row.source.origin == study::scenario::Origin::kSet;
    if (given && study::plan::is_planned(row.path)) {
      question.not_taken.push_back(row.path);
    }
  }
  question.base = study::plan::scenario_text(
      question.scenario, {.comment = {}, .keep = [](std::string_view path) { return !study::plan::is_planned(path); }});
  const std::filesystem::path file(question.file);
  question.base_file = (file.parent_path() / (file.stem().string() + "-plan.toml")).string();
}

/// As settings, so that what is written has them too: what runs there is what ran here.
Result<void> add_chance(const ScenarioText& text, const study::scenario::Catalogue& catalogue, Scenario& scenario,
                        std::vector<std::string>& assumed) {
  const std::vector<std::string> settings =
      leaves_chance(text.settings) ? chance_settings(scenario) : std::vector<std::string>();
  if (settings.empty()) {
    return {};
  }
  ScenarioText with = text;
  with.settings.insert(with.settings.begin(), settings.begin(), settings.end());
  Result<Scenario> again = read_scenario(with, catalogue);
  if (!again) {
    return pass_on(again);
  }
  scenario = *std::move(again);
  for (const std::string& setting : settings) {
    assumed.push_back(
        fmt::format("{}: ranks compute more slowly, by rank and seed, or all seeds would be alike", setting));
  }
  return {};
}

}  // namespace

Result<PlanQuestion> read_question(const PlanText& text, const study::scenario::Catalogue& catalogue) {
  Result<study::plan::Limits> limits = limits_of(text);
  if (!limits) {
    return pass_on(limits);
  }
  Result<study::plan::SpaceOptions> options = space_options_of(text);
  if (!options) {
    return pass_on(options);
  }
  Result<Scenario> scenario = read_scenario(text.scenario, catalogue);
  if (!scenario) {
    return pass_on(scenario);
  }
  if (Result<void> right = check_job(*scenario); !right) {
    return pass_on(right);
  }
  PlanQuestion made{.file = text.scenario.file, .base = {}, .base_file = {}};
  if (Result<void> read = add_chance(text.scenario, catalogue, *scenario, made.assumed); !read) {
    return pass_on(read);
  }
  made.scenario = *std::move(scenario);
  made.limits = *limits;
  made.gpus = made.scenario.jobs.front().ranks;
  if (text.grow > 0) {
    if (text.grow <= made.gpus) {
      return fail("--grow {}: the job has {} GPUs already; give the number that it has later", text.grow, made.gpus);
    }
    made.later = text.grow;
  }
  Result<study::plan::DesignSpace> space = study::plan::design_space(
      *options, {.gpus = made.gpus, .gpus_per_host = std::max<std::int64_t>(made.scenario.topology.gpus_per_host, 1)},
      catalogue);
  if (!space) {
    return pass_on(space);
  }
  if (space->designs.empty()) {
    return tl::unexpected<Error>(no_design(*space, made.gpus));
  }
  if (Result<void> right = check_domains(*options, *space, made.scenario.topology.gpus_per_host); !right) {
    return pass_on(right);
  }
  made.space = *std::move(space);
  set_base(made);
  return made;
}

Result<Scenario> scenario_of(const PlanQuestion& question, const study::plan::Design& design,
                             const study::scenario::Catalogue& catalogue) {
  return scenario_with(question, study::plan::settings_of(design), catalogue);
}

Result<Scenario> scenario_with(const PlanQuestion& question, std::vector<std::string> settings,
                               const study::scenario::Catalogue& catalogue) {
  Result<Scenario> made = study::scenario::parse_scenario(
      question.base, {.file = question.base_file, .case_name = {}, .settings = std::move(settings)}, catalogue);
  if (!made) {
    // The place is one of a text that the user has never seen.
    std::string message = made.error().message;
    if (message.starts_with(question.base_file)) {
      message = message.substr(std::min(message.find(' ') + 1, message.size()));
    }
    return tl::unexpected<Error>(in_words_of_plan({message}));
  }
  return made;
}

Error in_words_of_plan(Error error) {
  using Option = std::pair<std::string_view, std::string_view>;
  constexpr std::array kOptions = {Option("scale_up.domain", "--domains"),
                                   Option("topology.nics_per_host", "--rails"),
                                   Option("topology.oversubscription", "--oversubscription"),
                                   Option("topology.planes", "--planes"),
                                   Option("fabric.switch", "--switches"),
                                   Option("fabric.nic", "--nics"),
                                   Option("fabric.family", "--networks")};
  constexpr std::string_view kSetting = "--set ";
  if (error.message.starts_with(kSetting)) {
    const std::string rest = error.message.substr(kSetting.size());
    const auto option = std::ranges::find_if(kOptions, [&rest](const auto& own) {
      return rest.starts_with(own.first) && rest.substr(own.first.size()).starts_with(":");
    });
    error.message = option == kOptions.end() ? rest : std::string(option->second) + rest.substr(option->first.size());
  }
  return error;
}

}  // namespace weft::cli
