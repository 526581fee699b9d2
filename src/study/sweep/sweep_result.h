// What a sweep has found: its points with the figures of each run, and what follows from them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "study/sweep/design.h"
#include "study/sweep/effects.h"
#include "study/sweep/measure.h"
#include "study/sweep/stopping.h"

namespace weft::study::sweep {

struct SweptPoint {
  std::string name;                   // design.h, point_name
  std::string case_name{};            // of the scenario; empty: none
  std::vector<std::string> settings;  // "key=value", of the factors alone
  std::string command{};              // "weft run FILE --set key=value": what runs it alone
  std::string reason{};               // why there are no figures; else empty
};

struct SweptFigure {
  Measure measure;
  std::vector<SeedValues> values{};  // of each point; empty: it has none
  BestPoints best{};
  std::optional<Effects> effects{};
  std::string no_effects{};  // why there are none
};

struct SweepResult {
  std::string file;       // the scenario's
  std::string version{};  // of weft
  std::string command{};  // "weft sweep FILE --vary ...": what does all of it again
  Design design{};
  std::vector<SweptPoint> points{};    // as in the design
  std::vector<SweptFigure> figures{};  // the first is what the rule is about
  std::int64_t first_seed = 1;
  StopRule rule{};
  double tolerance = 0.01;            // of a figure's mean: less does not matter
  std::vector<std::string> levels{};  // of fidelity, with their errors, each once
  std::string chance{};               // what seeds differ in, beyond what the scenario says; empty: nothing
  std::size_t runs = 0;
  bool interrupted = false;  // not all runs were made
};

/// Fills in what follows from the values: best points and effects of each figure. Effects are over the seeds that all
/// points have.
void analyse(SweepResult& result);

/// Where a factor's effect is lowest or highest, as text: a level, or a value of the range.
[[nodiscard]] std::string place_text(const Factor& factor, double at);

}  // namespace weft::study::sweep
