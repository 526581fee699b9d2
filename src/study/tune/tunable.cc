#include "study/tune/tunable.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "study/scenario/raw_value.h"

namespace weft::study::tune {
namespace {

/// A range whose ends differ by more is searched by factors.
constexpr double kEvenUpTo = 8;

/// As --vary has it: text without its quotes.
std::string text_of(const scenario::RawValue& value) {
  const auto* const text = std::get_if<std::string>(&value.content);
  return text != nullptr ? *text : scenario::toml_text(value);
}

Result<double> end_of(const sweep::ValueScale& scale, const scenario::CatalogueValue& value) {
  Result<double> number = scale.parse(text_of(value.given.value));
  return number ? number : fail("{}: {}: {}", value.given.place, path_of(value.given.at), number.error().message);
}

Result<Tunable> tunable(const scenario::CatalogueValue& low, const scenario::CatalogueEntry& highs) {
  const std::string path = path_of(low.given.at);
  const auto high = std::ranges::find_if(
      highs.values, [&](const scenario::CatalogueValue& value) { return path_of(value.given.at) == path; });
  if (high == highs.values.end()) {
    return fail("{}: {} has no upper end in [{}.{}]", low.given.place, path, highs.kind, highs.name);
  }
  const sweep::ValueScale* const scale = sweep::scale_of(*low.given.at.key);
  if (scale == nullptr) {
    return fail("{}: {} takes {}, which has no range", low.given.place, path,
                low.given.at.key->binding.type(*low.given.at.key));
  }
  Result<double> from = end_of(*scale, low);
  Result<double> to = end_of(*scale, *high);
  if (!from || !to) {
    return from ? pass_on(to) : pass_on(from);
  }
  if (*from >= *to) {
    return fail("{}: {}: the lower end is not below the upper one", low.given.place, path);
  }
  const bool even = *from <= 0 || *to / *from <= kEvenUpTo || (scale->steps_of_one && *to - *from < 8);
  return Tunable{
      .factor = {.key = path,
                 .range =
                     sweep::ContinuousRange{.scale = scale,
                                            .low = *from,
                                            .high = *to,
                                            .spacing = even ? sweep::Spacing::kEven : sweep::Spacing::kLogarithmic}},
      .source = low.source == high->source ? low.source : fmt::format("from: {}; to: {}", low.source, high->source)};
}

/// Words of a key, in the order of their entries.
void add_words(const scenario::CatalogueEntry& entry, std::vector<Tunable>& words) {
  for (const scenario::CatalogueValue& value : entry.values) {
    const std::string path = path_of(value.given.at);
    auto own = std::ranges::find(words, path, [](const Tunable& known) { return known.factor.key; });
    if (own == words.end()) {
      own = words.insert(own, {.factor = {.key = path}, .source = value.source});
    } else if (own->source.find(value.source) == std::string::npos) {
      own->source += "; " + value.source;
    }
    own->factor.levels.push_back(text_of(value.given.value));
  }
}

}  // namespace

std::size_t level_at(const sweep::Factor& factor, double coordinate) {
  const auto levels = static_cast<double>(factor.levels.size());
  const double place = std::floor((coordinate + 1) / 2 * levels);
  return static_cast<std::size_t>(std::clamp(place, 0.0, levels - 1));
}

double coordinate_of(const sweep::Factor& factor, std::size_t level) {
  return (2 * static_cast<double>(level) + 1) / static_cast<double>(factor.levels.size()) - 1;
}

std::string value_at(const sweep::Factor& factor, double coordinate) {
  return factor.range ? factor.range->value_at(coordinate) : factor.levels[level_at(factor, coordinate)];
}

Result<std::vector<Tunable>> tunables_of(const scenario::Catalogue& catalogue, scenario::Family family) {
  std::vector<Tunable> all;
  std::vector<Tunable> words;
  for (const scenario::CatalogueEntry& lows : catalogue.entries()) {
    if (lows.kind == "tunable_word" && lows.serves(family)) {
      add_words(lows, words);
    }
    if (lows.kind != "tunable_low" || !lows.serves(family)) {
      continue;
    }
    Result<const scenario::CatalogueEntry*> highs = catalogue.find("tunable_high", lows.name);
    if (!highs) {
      return pass_on(highs);
    }
    for (const scenario::CatalogueValue& low : lows.values) {
      Result<Tunable> made = tunable(low, **highs);
      if (!made) {
        return pass_on(made);
      }
      all.push_back(std::move(*made));
    }
  }
  std::erase_if(words, [](const Tunable& own) { return own.factor.levels.size() < 2; });
  std::ranges::move(words, std::back_inserter(all));
  return all;
}

}  // namespace weft::study::tune
