#include "study/sweep/factor.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/nearest_word.h"
#include "study/scenario/apply.h"

namespace weft::study::sweep {
namespace {

using scenario::KeyAt;
using scenario::printable;

constexpr std::string_view kForms =
    "values 'x,y,z', or a range with its number of levels, such as '100kB..400kB:4', '1us..1ms:log:4' or "
    "'100kB..400kB:by:50kB'";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

/// At commas outside of brackets, braces and quotes.
std::vector<std::string> split_values(std::string_view text) {
  std::vector<std::string> values(1);
  int depth = 0;
  bool quoted = false;
  for (const char c : text) {
    quoted = c == '"' ? !quoted : quoted;
    depth += quoted ? 0 : (c == '[' || c == '{' ? 1 : 0) - (c == ']' || c == '}' ? 1 : 0);
    if (c == ',' && depth == 0 && !quoted) {
      values.emplace_back();
    } else {
      values.back() += c;
    }
  }
  for (std::string& value : values) {
    value = std::string(trimmed(value));
  }
  return values;
}

/// What stands behind "a..b".
struct RangeForm {
  Spacing spacing = Spacing::kEven;
  std::optional<std::size_t> count{};
  std::string_view step{};  // empty: none
};

Result<std::size_t> parse_count(std::string_view text) {
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 2 || count > kMostLevels) {
    return fail("'{}' is no number of levels from 2 to {}", printable(text), kMostLevels);
  }
  return count;
}

Result<RangeForm> parse_form(std::string_view text) {
  RangeForm form;
  if (text.starts_with(":log")) {
    form.spacing = Spacing::kLogarithmic;
    text.remove_prefix(4);
  }
  if (text.starts_with(":by:") && form.spacing == Spacing::kEven) {
    form.step = trimmed(text.substr(4));
    return form.step.empty() ? Result<RangeForm>(fail("no step behind ':by:'")) : form;
  }
  if (text.empty()) {
    return form;
  }
  if (text.front() != ':') {
    return fail("'{}' behind a range; expected {}", printable(text), kForms);
  }
  Result<std::size_t> count = parse_count(trimmed(text.substr(1)));
  if (!count) {
    return pass_on(count);
  }
  form.count = *count;
  return form;
}

/// -1 is the low end, 1 the high one.
double number_at(const ContinuousRange& range, double at) {
  const double part = (at + 1) / 2;
  const double made = range.spacing == Spacing::kEven ? range.low + part * (range.high - range.low)
                                                      : range.low * std::pow(range.high / range.low, part);
  return std::clamp(made, range.low, range.high);
}

Result<std::vector<std::string>> levels_of(const ContinuousRange& range, const RangeForm& form) {
  std::vector<double> numbers;
  if (form.count) {
    for (std::size_t i = 0; i < *form.count; ++i) {
      numbers.push_back(number_at(range, 2 * static_cast<double>(i) / static_cast<double>(*form.count - 1) - 1));
    }
  } else {
    Result<double> step = range.scale->parse(form.step);
    if (!step) {
      return fail("step: {}", step.error().message);
    }
    if (*step <= 0 || (range.high - range.low) / *step > static_cast<double>(kMostLevels - 1)) {
      return fail("a step of {} makes no number of levels from 2 to {}", printable(form.step), kMostLevels);
    }
    for (std::size_t i = 0; range.low + static_cast<double>(i) * *step <= range.high * (1 + 1e-12); ++i) {
      numbers.push_back(range.low + static_cast<double>(i) * *step);
    }
  }
  std::vector<std::string> texts;
  for (const double number : numbers) {
    texts.push_back(range.scale->text(number));
    if (texts.size() > 1 && texts[texts.size() - 2] == texts.back()) {
      return fail("two of {} levels are {}; fewer levels, or a wider range", numbers.size(), texts.back());
    }
  }
  return texts.size() > 1 ? Result<std::vector<std::string>>(std::move(texts))
                          : fail("the step is longer than the range; there is one level, {}", texts.front());
}

/// Text of a range "a..b..." of a key.
Result<void> read_range(std::string_view text, const KeyAt& at, FactorContext::Kind kind, Factor& factor) {
  const auto dots = text.find("..");
  const std::string_view low = trimmed(text.substr(0, dots));
  std::string_view rest = text.substr(dots + 2);
  const std::string_view high = trimmed(rest.substr(0, rest.find(':')));
  rest.remove_prefix(std::min(rest.find(':'), rest.size()));
  ContinuousRange range{.scale = scale_of(*at.key)};
  if (range.scale == nullptr) {
    return fail("no range: the key takes {}; list its values, 'x,y,z'", at.key->binding.type(*at.key));
  }
  Result<RangeForm> form = parse_form(rest);
  if (!form) {
    return pass_on(form);
  }
  for (const auto& [end, number] : {std::pair(low, &range.low), std::pair(high, &range.high)}) {
    Result<double> parsed = range.scale->parse(end);
    if (!parsed) {
      return fail("{}; expected {}, such as '{}'", parsed.error().message, range.scale->type, range.scale->example);
    }
    *number = *parsed;
  }
  if (range.low >= range.high) {
    return fail("the range {}..{} is empty; the smaller value comes first", printable(low), printable(high));
  }
  range.spacing = form->spacing;
  if (range.spacing == Spacing::kLogarithmic && range.low <= 0) {
    return fail("a logarithmic range begins above zero, not at {}", printable(low));
  }
  if (form->count || !form->step.empty()) {
    Result<std::vector<std::string>> levels = levels_of(range, *form);
    if (!levels) {
      return pass_on(levels);
    }
    factor.levels = std::move(*levels);
    return {};
  }
  if (kind == FactorContext::Kind::kGrid) {
    return fail("a grid needs a number of levels, such as '{}..{}:4'; or draw from the range with --sample N", low,
                high);
  }
  factor.range = range;
  return {};
}

Result<Factor> case_factor(std::string_view values, const FactorContext& context) {
  Factor factor{.key = "case"};
  if (context.cases.empty()) {
    return fail("the scenario has no [[case]]");
  }
  factor.levels = values.empty() ? context.cases : split_values(values);
  const std::vector<std::string_view> valid(context.cases.begin(), context.cases.end());
  for (const std::string& level : factor.levels) {
    if (std::ranges::find(valid, level) == valid.end()) {
      const std::string shown = printable(level);
      return tl::unexpected<Error>(unknown_word({.kind = "case", .word = shown, .valid = valid}));
    }
  }
  return factor;
}

Result<Factor> read_factor(std::string_view path, std::string_view values, const FactorContext& context) {
  if (path == "case") {
    return case_factor(values, context);
  }
  Result<KeyAt> at = scenario::find_path(path);
  if (!at) {
    return pass_on(at);
  }
  if (path == "seed") {
    return fail("seeds are not varied; --seeds says how many runs each point has");
  }
  if (at->key->use == scenario::KeyUse::kPresentation) {
    return fail("the key changes no result, only how results are called or summed up");
  }
  if (values.empty()) {
    return fail("no values; expected {}", kForms);
  }
  Factor factor{.key = std::string(path)};
  if (values.find("..") != std::string_view::npos && values.find(',') == std::string_view::npos) {
    Result<void> read = read_range(values, *at, context.kind, factor);
    return read ? Result<Factor>(std::move(factor)) : pass_on(read);
  }
  factor.levels = split_values(values);
  return factor;
}

template <class Of>
Error placed(const Of& factor, const std::string& message) {
  return Error{fmt::format("--vary {}: {}", printable(factor), message)};
}

/// The same key, or one for a whole group of tables and one of them.
bool is_same(const KeyAt& a, const KeyAt& b) {
  return a.section == b.section && a.key == b.key && (!a.index || !b.index || *a.index == *b.index);
}

/// Sets each level in a copy; what is the same by its value is the same level.
Result<void> check_values(const Factor& factor, const KeyAt& at, scenario::Scenario scenario) {
  if (at.section->shape == scenario::SectionShape::kList && *at.index >= at.section->size(scenario)) {
    return fail("the scenario has {} of [[{}]]", at.section->size(scenario), at.section->path);
  }
  std::vector<std::string> values = factor.levels;
  if (factor.range) {
    values = {factor.range->value_at(-1), factor.range->value_at(1)};
  }
  std::vector<std::string> seen;
  const KeyAt one = scenario::expand(at).front();
  for (const std::string& value : values) {
    void* const settings = one.section->settings(scenario::target_of(scenario), one.index.value_or(0));
    if (Result<void> set = one.key->binding.set(settings, scenario::read_value(value), *one.key); !set) {
      return fail("{}", set.error().message);
    }
    seen.push_back(scenario::value_text(one, scenario::target_of(scenario)));
    if (std::ranges::count(seen, seen.back()) > 1) {
      return fail("the value {} is there twice", seen.back());
    }
  }
  return {};
}

/// A value of --vary counts for more than that of a case: the case would not be what its name says.
Result<void> check_cases(const KeyAt& at, const FactorCheck& check) {
  const auto varied = std::ranges::find_if(check.factors, &Factor::is_case);
  for (const scenario::GivenCase& given : check.document.cases) {
    const bool is_used = !check.chosen.empty()           ? given.name == check.chosen
                         : varied != check.factors.end() ? std::ranges::count(varied->levels, given.name) > 0
                                                         : false;
    const auto own =
        std::ranges::find_if(given.layer.values, [&](const scenario::Given& value) { return is_same(value.at, at); });
    if (is_used && own != given.layer.values.end()) {
      return fail(
          "the case '{}' gives this key its own value ({}), which would not count; vary another key, or leave "
          "that case out",
          given.name, own->place);
    }
  }
  return {};
}

}  // namespace

std::string ContinuousRange::value_at(double at) const { return scale->text(number_at(*this, at)); }

Result<Factor> parse_factor(std::string_view text, const FactorContext& context) {
  const auto equals = text.find('=');
  const std::string_view path = trimmed(text.substr(0, equals));
  const std::string_view values = equals == std::string_view::npos ? "" : trimmed(text.substr(equals + 1));
  if (path.empty()) {
    return fail("--vary '{}': expected key={}", printable(text), kForms);
  }
  Result<Factor> factor = read_factor(path, values, context);
  if (!factor) {
    return tl::unexpected<Error>(placed(path, factor.error().message));
  }
  if (!factor->range && factor->levels.size() < 2) {
    return tl::unexpected<Error>(placed(path, "one value varies nothing; give two, or use --set"));
  }
  if (factor->levels.size() > kMostLevels) {
    return tl::unexpected<Error>(
        placed(path, fmt::format("{} values; at most {}", factor->levels.size(), kMostLevels)));
  }
  return factor;
}

Result<void> check_factors(const FactorCheck& check) {
  std::vector<std::pair<std::string, KeyAt>> known;
  for (const Factor& factor : check.factors) {
    if (factor.is_case()) {
      if (std::ranges::count_if(check.factors, &Factor::is_case) > 1) {
        return tl::unexpected<Error>(placed(factor.key, "cases are varied twice"));
      }
      continue;
    }
    const KeyAt at = *scenario::find_path(factor.key);
    for (const auto& [name, other] : known) {
      if (is_same(at, other)) {
        return tl::unexpected<Error>(
            placed(factor.key, fmt::format("the key is varied twice; --vary {} {}", name,
                                           name == factor.key ? "is there already" : "is the same key")));
      }
    }
    known.emplace_back(factor.key, at);
    Result<void> good = check_values(factor, at, check.scenario);
    if (good) {
      good = check_cases(at, check);
    }
    if (!good) {
      return tl::unexpected<Error>(placed(factor.key, good.error().message));
    }
  }
  return {};
}

Result<void> check_settings(std::span<const Factor> factors, std::span<const std::string> settings) {
  for (const std::string& setting : settings) {
    const std::string_view path = trimmed(std::string_view(setting).substr(0, setting.find('=')));
    const Result<KeyAt> set = scenario::find_path(path);
    for (const Factor& factor : factors) {
      if (!set || factor.is_case()) {
        continue;
      }
      // A setting of a whole group still counts for those of its tables that are not varied.
      const KeyAt varied = *scenario::find_path(factor.key);
      if (is_same(varied, *set) && (!varied.index || set->index)) {
        return tl::unexpected<Error>(placed(
            factor.key, fmt::format("--set {} would not count beside it; leave out one of the two", printable(path))));
      }
    }
  }
  return {};
}

}  // namespace weft::study::sweep
