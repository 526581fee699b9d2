#include "study/sweep/sweep_json.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "base/csv_writer.h"

namespace weft::study::sweep {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Factor& factor) {
  Json made{{"key", factor.key}};
  if (factor.range) {
    made["from"] = factor.range->value_at(-1);
    made["to"] = factor.range->value_at(1);
    made["spacing"] = factor.range->spacing == Spacing::kEven ? "even" : "log";
  } else {
    made["values"] = factor.levels;
  }
  return made;
}

Json json_of(const MeanOfSeeds& own, const SeedValues& values) {
  Json made{{"mean", own.mean}};
  if (own.interval) {
    made["low"] = own.interval->low;
    made["high"] = own.interval->high;
  }
  made["seeds"] = values;
  return made;
}

std::string_view word_of(Importance importance) {
  switch (importance) {
    case Importance::kMatters:
      return "matters";
    case Importance::kDoesNot:
      return "does-not-matter";
    case Importance::kNotKnown:
      break;
  }
  return "not-known";
}

Json json_of(const SweepResult& result, const Effects& effects, const Effect& effect) {
  const std::vector<Factor>& factors = result.design.factors;
  Json keys = Json::array({factors[effect.first].key});
  Json lowest = Json::array({place_text(factors[effect.first], effect.lowest_at[0])});
  Json highest = Json::array({place_text(factors[effect.first], effect.highest_at[0])});
  if (effect.second) {
    keys.push_back(factors[*effect.second].key);
    lowest.push_back(place_text(factors[*effect.second], effect.lowest_at[1]));
    highest.push_back(place_text(factors[*effect.second], effect.highest_at[1]));
  }
  Json made{{"keys", keys}, {"effect", effect.span}};
  if (effect.interval) {
    made["low"] = effect.interval->low;
    made["high"] = effect.interval->high;
  }
  const bool ends = effect.has_ends(effects.mean);  // an effect of nothing has none
  made["lowest_at"] = ends ? lowest : Json::array();
  made["highest_at"] = ends ? highest : Json::array();
  made["variance_share"] = effect.share;
  if (effect.share_interval) {
    made["variance_share_low"] = effect.share_interval->low;
    made["variance_share_high"] = effect.share_interval->high;
  }
  made["verdict"] = word_of(importance_of(effect, effects.mean, result.tolerance));
  return made;
}

Json names_of(const SweepResult& result, const std::vector<std::size_t>& points) {
  Json made = Json::array();
  for (const std::size_t point : points) {
    made.push_back(result.points[point].name);
  }
  return made;
}

Json json_of(const SweepResult& result, const SweptFigure& figure) {
  Json made{{"figure", figure.measure.name()},
            {"about", figure.measure.kind->about},
            {"unit", unit_name(figure.measure.kind->unit)},
            {"better", figure.measure.kind->better == Better::kLower ? "lower" : "higher"},
            {"best", names_of(result, figure.best.alike)},
            {"not_known_to_be_worse", names_of(result, figure.best.not_known)}};
  if (!figure.effects) {
    made["no_effects"] = figure.no_effects;
    return made;
  }
  const Effects& own = *figure.effects;
  made["mean"] = own.mean;
  made["method"] = own.method == Effects::Method::kAnalysisOfVariance ? "analysis-of-variance" : "least-squares";
  made["points"] = own.points;
  made["seeds"] = own.seeds;
  Json& main = made["effects"] = Json::array();
  for (const Effect& effect : own.main) {
    main.push_back(json_of(result, own, effect));
  }
  Json& pairs = made["interactions"] = Json::array();
  for (const Effect& effect : own.pairs) {
    pairs.push_back(json_of(result, own, effect));
  }
  made["variance_share_elsewhere"] = own.rest;
  return made;
}

std::string number(double value) { return fmt::format("{}", value); }

/// A line of fields, some of which may be missing.
void add_line(CsvWriter& csv, const std::vector<std::string>& fields) {
  for (const std::string& field : fields) {
    csv.field(field);
  }
  csv.end_line();
}

std::string points_csv(const SweepResult& result) {
  CsvWriter csv;
  std::vector<std::string> heading = {"point"};
  for (const Factor& factor : result.design.factors) {
    heading.push_back(factor.key);
  }
  for (const char* name : {"figure", "unit", "mean", "low", "high", "seeds", "reason"}) {
    heading.emplace_back(name);
  }
  add_line(csv, heading);
  for (const SweptFigure& figure : result.figures) {
    for (std::size_t i = 0; i < result.points.size(); ++i) {
      std::vector<std::string> line = {result.points[i].name};
      line.insert(line.end(), result.design.points[i].values.begin(), result.design.points[i].values.end());
      line.push_back(figure.measure.name());
      line.emplace_back(unit_name(figure.measure.kind->unit));
      const SeedValues& values = figure.values[i];
      const std::optional<MeanOfSeeds> mean = values.empty() ? std::nullopt : std::optional(mean_of_seeds(values));
      line.push_back(mean ? number(mean->mean) : "");
      line.push_back(mean && mean->interval ? number(mean->interval->low) : "");
      line.push_back(mean && mean->interval ? number(mean->interval->high) : "");
      line.push_back(fmt::format("{}", values.size()));
      line.push_back(result.points[i].reason);
      add_line(csv, line);
    }
  }
  return csv.take();
}

std::string runs_csv(const SweepResult& result) {
  CsvWriter csv;
  add_line(csv, {"point", "seed", "figure", "unit", "value"});
  for (const SweptFigure& figure : result.figures) {
    for (std::size_t i = 0; i < result.points.size(); ++i) {
      for (std::size_t seed = 0; seed < figure.values[i].size(); ++seed) {
        add_line(csv, {result.points[i].name, fmt::format("{}", result.first_seed + static_cast<std::int64_t>(seed)),
                       figure.measure.name(), std::string(unit_name(figure.measure.kind->unit)),
                       number(figure.values[i][seed])});
      }
    }
  }
  return csv.take();
}

std::string effects_csv(const SweepResult& result) {
  CsvWriter csv;
  add_line(csv, {"figure", "unit", "key", "with", "effect", "low", "high", "variance_share", "variance_share_low",
                 "variance_share_high", "verdict"});
  for (const SweptFigure& figure : result.figures) {
    if (!figure.effects) {
      continue;
    }
    for (const std::vector<Effect>* effects : {&figure.effects->main, &figure.effects->pairs}) {
      for (const Effect& effect : *effects) {
        const auto end = [](const std::optional<Interval>& own, double Interval::*which) {
          return own ? number((*own).*which) : std::string();
        };
        add_line(csv,
                 {figure.measure.name(), std::string(unit_name(figure.measure.kind->unit)),
                  result.design.factors[effect.first].key,
                  effect.second ? result.design.factors[*effect.second].key : std::string(), number(effect.span),
                  end(effect.interval, &Interval::low), end(effect.interval, &Interval::high), number(effect.share),
                  end(effect.share_interval, &Interval::low), end(effect.share_interval, &Interval::high),
                  std::string(word_of(importance_of(effect, figure.effects->mean, result.tolerance)))});
      }
    }
  }
  return csv.take();
}

}  // namespace

Json sweep_json(const SweepResult& result) {
  Json made{{"format", "weft-sweep"},
            {"format_version", 1},
            {"weft", result.version},
            {"scenario", result.file},
            {"command", result.command},
            {"design", result.design.kind == Design::Kind::kGrid ? "grid" : "latin-hypercube"},
            {"keys", Json::array()},
            {"first_seed", result.first_seed},
            {"runs", result.runs},
            {"chance", result.chance},
            {"tolerance", result.tolerance},
            {"complete", !result.interrupted},
            {"fidelity", result.levels},
            {"points", Json::array()},
            {"figures", Json::array()}};
  for (const Factor& factor : result.design.factors) {
    made["keys"].push_back(json_of(factor));
  }
  for (std::size_t i = 0; i < result.points.size(); ++i) {
    const SweptPoint& point = result.points[i];
    Json own{{"point", point.name},
             {"values", result.design.points[i].values},
             {"at", result.design.points[i].at},
             {"command", point.command}};
    if (!point.reason.empty()) {
      own["reason"] = point.reason;
    }
    for (const SweptFigure& figure : result.figures) {
      if (!figure.values[i].empty()) {
        own[figure.measure.name()] = json_of(mean_of_seeds(figure.values[i]), figure.values[i]);
      }
    }
    made["points"].push_back(std::move(own));
  }
  for (const SweptFigure& figure : result.figures) {
    made["figures"].push_back(json_of(result, figure));
  }
  return made;
}

std::vector<results::CsvFile> sweep_csv(const SweepResult& result) {
  return {{.name = "points.csv", .text = points_csv(result)},
          {.name = "runs.csv", .text = runs_csv(result)},
          {.name = "effects.csv", .text = effects_csv(result)}};
}

}  // namespace weft::study::sweep
