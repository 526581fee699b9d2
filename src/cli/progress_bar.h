// How far work has come: one line on a terminal with a bar, the share done and the time left. Off a terminal there is
// none.
//
// The line fits any width: what there is no room for is left out, from the last part on. Clear it before anything else
// is printed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "cli/work_estimate.h"
#include "live/clock.h"
#include "study/run/simulation.h"

namespace weft::cli {

/// What the line says.
struct ProgressFacts {
  std::optional<double> share;       // of the work, from 0 to 1; none: not known
  std::optional<double> left;        // seconds
  std::vector<std::string> parts{};  // the most important first: "3 of 8 runs done", "2 running"
};

/// "[#####-----]  42 %, 1:30 left; 3 of 8 runs done, 2 running" in at most `columns` characters.
[[nodiscard]] std::string progress_text(const ProgressFacts& facts, std::size_t columns);

/// How much of a run is done, from 0 to 1: payload that has arrived, or simulated time until the limit, whichever is
/// further; 0 where neither is known.
[[nodiscard]] double fraction_done(const study::run::Progress& progress);

/// Of one run after `elapsed` of real time.
[[nodiscard]] ProgressFacts facts_of(const std::string& name, const study::run::Progress& progress, Duration elapsed);

/// How much is done of a piece of work of one or several runs, from 0 to 1: packet-hops of those that were estimated.
/// An estimate that is too low is never used up before the end.
class PieceMeter {
 public:
  explicit PieceMeter(const study::run::HopsEstimate& expected);
  /// `progress`: of the run that is under way.
  double share(const study::run::Progress& progress);

 private:
  double expected_;
  std::uint64_t before_ = 0;  // of the runs that are over
  std::uint64_t last_ = 0;
};

/// Of several runs, each of which counts by the work that it was estimated to be.
class RunTally {
 public:
  struct Counts {
    std::size_t all = 0;
    std::size_t kept = 0;  // of them, those that need not be run
  };
  /// `progress`: of those that are to be run.
  RunTally(const Counts& counts, WorkProgress progress)
      : all_(counts.all), done_(counts.kept), progress_(std::move(progress)) {}

  /// The piece of the work that is over, and what it was called.
  void done(std::size_t piece, std::string name);
  /// Takes what `part_of(piece)` says is done of each, from 0 to 1.
  template <class PartOf>
  void under_way(const PartOf& part_of) {
    for (std::size_t piece = 0; piece < progress_.pieces(); ++piece) {
      progress_.under_way(piece, part_of(piece));
    }
  }
  [[nodiscard]] ProgressFacts facts(std::size_t under_way, Duration elapsed) const;

 private:
  std::size_t all_;
  std::size_t done_;
  WorkProgress progress_;
  std::string latest_;
};

class ProgressBar {
 public:
  enum class Show : std::uint8_t { kNever, kOnTerminal };
  ProgressBar(std::FILE* stream, Show show);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar() { clear(); }

  /// `facts(elapsed)` says how far the work has come. Cheap to call often: it is asked some five times a second.
  template <class Facts>
  void update(const Facts& facts) {
    if (is_due()) {
      draw(facts(clock_.now().since_start()));
    }
  }
  void clear();

 private:
  [[nodiscard]] bool is_due();
  void draw(const ProgressFacts& facts);

  std::FILE* stream_;
  bool shown_;
  live::Clock clock_;
  Time next_;
  std::size_t width_ = 0;  // of what stands there now
};

}  // namespace weft::cli
