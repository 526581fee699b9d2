// What a search for settings has found: the best, what it gains, how sure that is, and what a mistake in it costs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/text_lines.h"
#include "study/sweep/effects.h"
#include "study/sweep/measure.h"
#include "study/sweep/stopping.h"
#include "study/tune/tunable.h"

namespace weft::study::tune {

/// One key set to another value than the best, everything else as found.
struct Mistake {
  std::string value;
  sweep::Difference cost{};  // against the best, in units of the figure; more is worse
  std::string reason{};      // why it cannot be run; else empty
  bool keeps_limits = true;
};

struct TunedKey {
  Tunable tunable;
  std::string start;                      // value in the scenario
  std::string best;                       // found
  std::optional<sweep::Effect> effect{};  // over the sample that the search began with
  std::vector<Mistake> near{};            // neighbours
  std::vector<Mistake> far{};             // the ends of its range, or the other levels
};

/// A figure that the answer must keep to.
struct Limit {
  sweep::Measure measure;
  double most = 0;  // or least, where higher is better
  [[nodiscard]] bool holds(double value) const {
    return measure.kind->better == sweep::Better::kLower ? value <= most : value >= most;
  }
};

struct LimitState {
  Limit limit;
  std::optional<double> start{};
  std::optional<double> best{};
};

/// The same figure with a broken cable between switches, which routes avoid.
struct WithBrokenCable {
  std::string port;  // of the lower switch
  sweep::SeedValues start{};
  sweep::SeedValues best{};
  sweep::Difference gain{};
  std::string reason{};  // why there is no figure; else empty
};

struct TuneResult {
  std::string file;
  std::string version{};
  sweep::Measure measure{};
  std::vector<LimitState> limits{};
  std::vector<TunedKey> keys{};
  std::vector<std::string> passed_over{};  // keys that do nothing in this scenario
  sweep::SeedValues start{};
  sweep::SeedValues best{};
  sweep::Difference gain{};                 // how much worse the start is than the best, over the seeds of both
  std::optional<WithBrokenCable> broken{};  // none: no cable of which another would take the place
  double sample_mean = 0;                   // of the figure over the first sample
  double tolerance = 0.01;                  // of the figure: less does not matter
  std::string command{};                    // runs the best
  std::vector<std::string> settings{};
  std::vector<std::string> levels{};
  std::string chance{};
  std::size_t evaluations = 0;  // points
  std::size_t runs = 0;
  bool interrupted = false;
  std::string no_effects{};  // why the first sample says nothing of the keys; else empty
};

enum class Outcome : std::uint8_t {
  kBetter,         // surely better than the start, by more than the tolerance
  kKeepsLimits,    // not surely better, but the start does not keep a limit, and the best keeps all
  kLimitsNotKept,  // neither the start nor anything that was tried keeps all limits; the best comes nearest
  kStartIsGood,    // settings matter, and the start is within the tolerance of the best
  kNothing,        // no key matters: all that was tried is within the tolerance
  kNotKnown,       // the interval of the gain includes zero, or settings may matter
};
[[nodiscard]] Outcome outcome_of(const TuneResult& result);

/// No mistake in the key alone costs more than the tolerance: it matters with other settings than those found, or
/// nowhere. False where there are no figures of mistakes.
[[nodiscard]] bool forgives(const TuneResult& result, const TunedKey& key);

[[nodiscard]] std::string tune_text(const TuneResult& result, LineWidth width = {});
[[nodiscard]] nlohmann::ordered_json tune_json(const TuneResult& result);

}  // namespace weft::study::tune
