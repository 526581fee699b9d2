#include "cli/tune_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "base/counted.h"
#include "cli/run_interrupt.h"
#include "study/sweep/design.h"
#include "study/sweep/effects.h"
#include "study/tune/search.h"

namespace weft::cli {
namespace {

using study::sweep::SeedValues;

/// In the search: enough to see what a seed makes of it, and no more.
constexpr std::size_t kSearchSeeds = 2;
constexpr std::size_t kNeighbourSeeds = 3;
/// Parts of the search's runs.
constexpr std::size_t kGlobalKeys = 3;
constexpr std::size_t kLocalKeys = 5;
constexpr std::size_t kCandidates = 4;
/// How far a neighbour is, in coordinates: an eighth of the range.
constexpr double kNear = 0.25;
/// A point that cannot be run, and one that does not keep a limit, in units of the figure.
constexpr double kImpossible = 1e6;
constexpr double kOverLimit = 1e3;

double mean_of(const SeedValues& values) { return study::sweep::mean_of_seeds(values).mean; }

}  // namespace

std::vector<std::string> TuneRun::settings_of(const Place& place) const {
  std::vector<std::string> settings;
  for (std::size_t i = 0; i < place.size(); ++i) {
    settings.push_back(factor_of(i).setting(study::tune::value_at(factor_of(i), place[i])));
  }
  return settings;
}

Result<std::vector<const TuneRun::Tried*>> TuneRun::try_all(const std::vector<Wish>& wishes) {
  std::vector<PointSeed> jobs;
  std::vector<Tried*> of;
  std::vector<const Tried*> made;
  for (const Wish& wish : wishes) {
    RunPoint point{.name = "as it is",
                   .case_name = options_.case_name,
                   .settings = {},
                   .length = wish.length,
                   .failed_port = wish.is_broken ? options_.cable : std::string()};
    if (wish.place) {
      point.settings = settings_of(*wish.place);
      point.name = fmt::format("{}", fmt::join(point.settings, ", "));
    }
    point.name += wish.is_broken ? ", a cable broken" : "";
    const std::string key = (wish.length == RunPoint::Length::kShort ? "short " : "") + point.name;
    Tried& tried = tried_[key];
    made.push_back(&tried);
    if (!tried.reason.empty()) {
      continue;
    }
    tried.place = wish.place;
    tried.number = runs_.add(std::move(point));
    tried.limits.resize(result_.limits.size());
    const std::size_t planned = static_cast<std::size_t>(std::ranges::count(of, &tried));
    for (std::size_t seed = tried.values.size() + planned; seed < wish.seeds; ++seed) {
      jobs.push_back({.point = tried.number, .seed = seed});
      of.push_back(&tried);
    }
  }
  Result<std::vector<std::optional<PointFigures>>> ran = runs_.run(jobs);
  if (!ran) {
    return pass_on(ran);
  }
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const std::optional<PointFigures>& figures = (*ran)[i];
    if (!figures) {
      continue;
    }
    Tried& tried = *of[i];
    if (!figures->reason.empty()) {
      tried.reason = tried.reason.empty() ? figures->reason : tried.reason;
      continue;
    }
    if (std::ranges::count(result_.levels, figures->level) == 0) {
      result_.levels.push_back(figures->level);
    }
    if (figures->values.front() && tried.values.size() == jobs[i].seed) {
      tried.values.push_back(*figures->values.front());
      for (std::size_t k = 0; k < tried.limits.size(); ++k) {
        tried.limits[k].push_back(figures->values[k + 1].value_or(std::numeric_limits<double>::quiet_NaN()));
      }
    }
  }
  return made;
}

bool TuneRun::keeps_limits(const Tried& tried) const {
  for (std::size_t k = 0; k < result_.limits.size(); ++k) {
    if (!result_.limits[k].limit.holds(mean_of(tried.limits[k]))) {
      return false;
    }
  }
  return true;
}

double TuneRun::score(const Tried& tried) const {
  if (!tried.reason.empty() || tried.values.empty()) {
    return kImpossible * scale_;
  }
  const double sign = result_.measure.kind->better == study::sweep::Better::kLower ? 1 : -1;
  double made = sign * mean_of(tried.values);
  for (std::size_t k = 0; k < result_.limits.size(); ++k) {
    const study::tune::Limit& limit = result_.limits[k].limit;
    const double value = mean_of(tried.limits[k]);
    if (!limit.holds(value)) {
      const double over = std::abs(value - limit.most) / std::max(std::abs(limit.most), 1e-12);
      made += scale_ * (kOverLimit + (std::isfinite(over) ? over : kOverLimit));
    }
  }
  return made;
}

/// As effects are counted: of levels their numbers.
std::vector<double> TuneRun::sampled(const Place& place) const {
  std::vector<double> at = place;
  for (std::size_t key = 0; key < at.size(); ++key) {
    if (!factor_of(key).range) {
      at[key] = static_cast<double>(study::tune::level_at(factor_of(key), place[key]));
    }
  }
  return at;
}

Result<void> TuneRun::sample() {
  const std::size_t keys = result_.keys.size();
  const std::size_t points =
      std::max<std::size_t>(std::min(std::max<std::size_t>(6 * keys, 24), options_.runs / 2 / kSearchSeeds), keys + 3);
  std::vector<study::sweep::Factor> factors;
  for (const study::tune::TunedKey& key : result_.keys) {
    factors.push_back(key.tunable.factor);
  }
  Result<study::sweep::Design> design =
      study::sweep::latin_hypercube(std::move(factors), {.points = points, .seed = options_.draw});
  if (!design) {
    return pass_on(design);
  }
  options_.tell(fmt::format("a sample of {} of {}", counted(design->points.size(), {"point", "points"}),
                            counted(keys, {"key", "keys"})));
  std::vector<Wish> wishes = {{.place = {}, .length = RunPoint::Length::kShort, .seeds = kSearchSeeds}};
  for (const study::sweep::Point& point : design->points) {
    Place place = point.at;
    for (std::size_t key = 0; key < keys; ++key) {
      const study::sweep::Factor& factor = factor_of(key);
      place[key] = factor.range ? study::tune::on_grid(place[key])
                                : study::tune::coordinate_of(factor, static_cast<std::size_t>(place[key]));
    }
    wishes.push_back({.place = std::move(place), .length = RunPoint::Length::kShort, .seeds = kSearchSeeds});
  }
  Result<std::vector<const Tried*>> tried = try_all(wishes);
  if (!tried || interrupted()) {
    return tried ? Result<void>() : pass_on(tried);
  }
  study::sweep::Samples samples;
  for (std::size_t key = 0; key < keys; ++key) {
    samples.levels.push_back(factor_of(key).levels.size());
  }
  const Tried* best = nullptr;
  for (const Tried* const own : *tried) {
    if (own->values.size() < kSearchSeeds) {
      continue;
    }
    if (own->place) {
      samples.at.push_back(sampled(*own->place));
      samples.values.emplace_back(own->values.begin(), own->values.begin() + kSearchSeeds);
    }
    scale_ = scale_ == 0 ? std::max(std::abs(mean_of(own->values)), 1e-300) : scale_;
    if (own->place && (best == nullptr || score(*own) < score(*best))) {
      best = own;
    }
  }
  if (best == nullptr) {
    const auto failed = std::ranges::find_if(*tried, [](const Tried* own) { return !own->reason.empty(); });
    return fail("no point can be run; {}", failed == tried->end() ? "no figures" : (*failed)->reason);
  }
  best_ = *best->place;
  const Result<study::sweep::Effects> effects = study::sweep::effects_of(samples);
  if (effects) {
    result_.sample_mean = effects->mean;
    for (const study::sweep::Effect& effect : effects->main) {
      result_.keys[effect.first].effect = effect;
    }
  } else {
    result_.no_effects =
        effects.error().message +
        (design->points.size() < points ? ", and its lists have no others" : "; more --runs give a larger sample");
  }
  return {};
}

std::vector<std::size_t> TuneRun::keys_by_effect(std::size_t most) const {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < result_.keys.size(); ++i) {
    order.push_back(i);
  }
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) {
    const auto& effect = result_.keys[i].effect;
    return effect ? effect->span : 0;
  });
  order.resize(std::min(order.size(), most));
  return order;
}

TuneRun::Place TuneRun::moved(std::size_t key, double coordinate) const {
  Place place = best_;
  place[key] = std::clamp(coordinate, -1.0, 1.0);
  return place;
}

Result<void> TuneRun::search_in(const std::vector<std::size_t>& keys, bool global, std::size_t evaluations) {
  Result<void> good;
  const Place from = best_;
  const auto place_of = [&](std::span<const double> at) {
    Place place = from;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      place[keys[i]] = at[i];
    }
    return place;
  };
  std::vector<double> start;
  for (const std::size_t key : keys) {
    start.push_back(from[key]);
  }
  const auto value_at = [&](std::span<const double> at) -> std::optional<double> {
    Result<std::vector<const Tried*>> tried =
        try_all({{.place = place_of(at), .length = RunPoint::Length::kShort, .seeds = kSearchSeeds}});
    if (!tried) {
      good = pass_on(tried);
      return std::nullopt;
    }
    return interrupted() ? std::nullopt : std::optional(score(*tried->front()));
  };
  using Method = study::tune::SearchOptions::Method;
  const std::optional<double> before = value_at(start);
  const study::tune::Found found = study::tune::search(
      {.method = global ? Method::kGlobal : Method::kLocal, .start = start, .evaluations = evaluations}, value_at);
  if (good && before && found.value && *found.value < *before) {
    best_ = place_of(found.place);
  }
  return good;
}

/// All that was sampled is alike, and keeps the limits: there is nothing to look for.
bool TuneRun::is_nothing() const {
  const bool all_keep = std::ranges::all_of(
      tried_, [&](const auto& own) { return own.second.values.empty() || keeps_limits(own.second); });
  return all_keep && std::ranges::all_of(result_.keys, [&](const study::tune::TunedKey& key) {
           return key.effect && study::sweep::importance_of(*key.effect, result_.sample_mean, result_.tolerance) ==
                                    study::sweep::Importance::kDoesNot;
         });
}

Result<void> TuneRun::refine() {
  if (is_nothing()) {
    return {};
  }
  const std::size_t left = options_.runs / 2 / kSearchSeeds;
  const std::vector<std::size_t> few = keys_by_effect(kGlobalKeys);
  searched_ = keys_by_effect(kLocalKeys);
  options_.tell(fmt::format("{} points of the {} most (DIRECT)", left / 2,
                            counted(few.size(), {"key that changes it", "keys that change it"})));
  if (Result<void> searched = search_in(few, true, left / 2); !searched || interrupted()) {
    return searched;
  }
  options_.tell(fmt::format("up to {} points around the best (Subplex), {}", left - left / 2,
                            counted(searched_.size(), {"key", "keys"})));
  return search_in(searched_, false, left - left / 2);
}

/// Mean of a place and its neighbours: a spike has bad ones.
Result<double> TuneRun::with_neighbours(const Place& place) {
  best_ = place;
  std::vector<Wish> wishes = {{.place = place, .length = RunPoint::Length::kShort, .seeds = kNeighbourSeeds}};
  for (const std::size_t key : searched_) {
    if (!factor_of(key).range) {
      continue;  // another word is another thing, and no neighbour
    }
    for (const double step : {-kNear, kNear}) {
      wishes.push_back({.place = moved(key, study::tune::on_grid(place[key] + step)),
                        .length = RunPoint::Length::kShort,
                        .seeds = kNeighbourSeeds});
    }
  }
  Result<std::vector<const Tried*>> tried = try_all(wishes);
  if (!tried) {
    return pass_on(tried);
  }
  double sum = 0;
  for (const Tried* const own : *tried) {
    sum += std::min(score(*own), 10 * scale_);
  }
  return sum / static_cast<double>(tried->size());
}

Result<void> TuneRun::settle() {
  std::vector<const Tried*> order;
  for (const auto& [name, tried] : tried_) {
    if (tried.place && !tried.values.empty()) {
      order.push_back(&tried);
    }
  }
  std::ranges::stable_sort(order, {}, [&](const Tried* own) { return score(*own); });
  // Places that hardly differ are one candidate.
  std::vector<Place> candidates;
  for (const Tried* const own : order) {
    const bool is_new = std::ranges::none_of(candidates, [&](const Place& other) {
      double apart = 0;
      for (const std::size_t key : searched_) {
        const bool is_other_level =
            !factor_of(key).range && study::tune::level_at(factor_of(key), other[key]) !=
                                         study::tune::level_at(factor_of(key), (*own->place)[key]);
        apart = std::max(apart, is_other_level ? 2 : std::abs(other[key] - (*own->place)[key]));
      }
      return apart < kNear;
    });
    if (is_new && candidates.size() < kCandidates) {
      candidates.push_back(*own->place);
    }
  }
  options_.tell(fmt::format("{} under more seeds", counted(candidates.size(), {"best point and its neighbours,",
                                                                               "best points and their neighbours,"})));
  std::vector<Wish> wishes = {{.place = {}, .seeds = options_.seeds}};
  for (const Place& place : candidates) {
    wishes.push_back({.place = place, .seeds = options_.seeds});
  }
  Result<std::vector<const Tried*>> settled = try_all(wishes);
  if (!settled || interrupted()) {
    return settled ? Result<void>() : pass_on(settled);
  }
  const Tried* best = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    Result<double> around = with_neighbours(candidates[i]);
    if (!around || interrupted()) {
      return around ? Result<void>() : pass_on(around);
    }
    double all = score(*(*settled)[i + 1]) + *around;
    if (!options_.cable.empty()) {
      Result<std::vector<const Tried*>> broken =
          try_all({{.place = candidates[i], .seeds = kNeighbourSeeds, .is_broken = true}});
      if (!broken || interrupted()) {
        return broken ? Result<void>() : pass_on(broken);
      }
      all += score(*broken->front());
    }
    if (all < least) {
      least = all;
      best = (*settled)[i + 1];
    }
  }
  if (best == nullptr || best->values.empty()) {
    return fail("the best settings of short runs cannot be run as a whole{}", best ? ": " + best->reason : "");
  }
  best_ = *best->place;
  conclude(*settled->front(), *best);
  return {};
}

void TuneRun::conclude(const Tried& start, const Tried& best) {
  result_.start = start.values;
  result_.best = best.values;
  const study::sweep::StopRule rule{.same = result_.tolerance, .better = result_.measure.kind->better};
  if (!start.values.empty()) {
    result_.gain = difference_of({.first = best.values, .second = start.values}, rule);
  }
  for (std::size_t k = 0; k < result_.limits.size(); ++k) {
    result_.limits[k].start = start.values.empty() ? std::nullopt : std::optional(mean_of(start.limits[k]));
    result_.limits[k].best = mean_of(best.limits[k]);
  }
  result_.settings = settings_of(best_);
  result_.evaluations = tried_.size();
  for (std::size_t i = 0; i < result_.keys.size(); ++i) {
    result_.keys[i].best = study::tune::value_at(factor_of(i), best_[i]);
  }
}

/// Start and answer where a cable is broken.
Result<void> TuneRun::with_broken_cable() {
  if (options_.cable.empty()) {
    return {};
  }
  options_.tell("the answer with a broken cable");
  Result<std::vector<const Tried*>> tried = try_all({{.place = {}, .seeds = kNeighbourSeeds, .is_broken = true},
                                                     {.place = best_, .seeds = kNeighbourSeeds, .is_broken = true}});
  if (!tried || interrupted()) {
    return tried ? Result<void>() : pass_on(tried);
  }
  const Tried& start = *(*tried)[0];
  const Tried& best = *(*tried)[1];
  study::tune::WithBrokenCable made{.port = options_.cable,
                                    .start = start.values,
                                    .best = best.values,
                                    .reason = best.reason.empty() ? start.reason : best.reason};
  if (made.reason.empty()) {
    const study::sweep::StopRule rule{.same = result_.tolerance, .better = result_.measure.kind->better};
    made.gain = difference_of({.first = made.best, .second = made.start}, rule);
  }
  result_.broken = std::move(made);
  return {};
}

study::tune::Mistake TuneRun::mistake_of(std::size_t key, double coordinate, const Tried& tried) const {
  study::tune::Mistake made{.value = study::tune::value_at(factor_of(key), coordinate), .reason = tried.reason};
  if (made.reason.empty() && !tried.values.empty()) {
    const study::sweep::StopRule rule{.same = result_.tolerance, .better = result_.measure.kind->better};
    made.cost = difference_of({.first = result_.best, .second = tried.values}, rule);
    made.keeps_limits = keeps_limits(tried);
  }
  return made;
}

Result<void> TuneRun::mistakes() {
  options_.tell("mistakes in each key");
  std::vector<Wish> wishes;
  std::vector<std::pair<std::size_t, double>> where;
  // A neighbour may be an end of the range as well, or as a value no other one than what was found.
  std::set<std::pair<std::size_t, std::string>> known;
  for (std::size_t key = 0; key < best_.size(); ++key) {
    known.emplace(key, study::tune::value_at(factor_of(key), best_[key]));
  }
  const auto add = [&](std::size_t key, double coordinate) {
    if (!known.emplace(key, study::tune::value_at(factor_of(key), std::clamp(coordinate, -1.0, 1.0))).second) {
      return;
    }
    wishes.push_back({.place = moved(key, coordinate), .seeds = kNeighbourSeeds});
    where.emplace_back(key, std::clamp(coordinate, -1.0, 1.0));
  };
  for (std::size_t key = 0; key < best_.size(); ++key) {
    const study::sweep::Factor& factor = factor_of(key);
    for (std::size_t level = 0; level < factor.levels.size(); ++level) {
      if (level != study::tune::level_at(factor, best_[key])) {
        add(key, study::tune::coordinate_of(factor, level));
      }
    }
    if (!factor.range) {
      continue;
    }
    for (const double step : {-kNear, kNear}) {
      const double to = study::tune::on_grid(best_[key] + step);
      if (std::ranges::count(searched_, key) > 0 && to != best_[key]) {
        add(key, to);
      }
    }
    add(key, -1);
    add(key, 1);
  }
  Result<std::vector<const Tried*>> tried = try_all(wishes);
  if (!tried) {
    return pass_on(tried);
  }
  for (std::size_t i = 0; i < where.size(); ++i) {
    const auto& [key, coordinate] = where[i];
    const Tried& own = *(*tried)[i];
    if (own.reason.empty() && own.values.empty()) {
      continue;  // interrupted
    }
    study::tune::TunedKey& tuned = result_.keys[key];
    const bool is_neighbour = factor_of(key).range && std::abs(coordinate) < 1;
    (is_neighbour ? tuned.near : tuned.far).push_back(mistake_of(key, coordinate, own));
  }
  return {};
}

std::size_t TuneRun::most_runs() const {
  const std::size_t broken = options_.cable.empty() ? 0 : kNeighbourSeeds;
  std::size_t runs = options_.runs + options_.seeds + broken;
  runs += kCandidates * (options_.seeds + broken + 2 * kLocalKeys * kNeighbourSeeds);
  for (std::size_t key = 0; key < result_.keys.size(); ++key) {
    runs += kNeighbourSeeds * (factor_of(key).range ? 2 : factor_of(key).levels.size() - 1);
  }
  return runs;
}

Result<void> TuneRun::run() {
  for (Result<void> (TuneRun::*const phase)() :
       {&TuneRun::sample, &TuneRun::refine, &TuneRun::settle, &TuneRun::with_broken_cable, &TuneRun::mistakes}) {
    if (Result<void> done = (this->*phase)(); !done || interrupted()) {
      return done;
    }
  }
  result_.evaluations = tried_.size();
  return {};
}

}  // namespace weft::cli
