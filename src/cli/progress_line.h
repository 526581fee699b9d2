// The line that shows on a terminal how far a run has come. Off a terminal there is none.
#pragma once

#include <cstdio>
#include <string>

#include "base/time.h"
#include "live/clock.h"
#include "study/run/simulation.h"

namespace weft::cli {

/// How much of the run is done, from 0 to 1: payload that has arrived, or simulated time until the limit, whichever is
/// further; 0 where neither is known.
[[nodiscard]] double fraction_done(const study::run::Progress& progress);

/// "incast: 42%, 1.2 ms simulated, 5.12 million packet-hops/s, 0:07 left"; at most 79 characters. `elapsed` is real
/// time.
[[nodiscard]] std::string progress_text(const std::string& name, const study::run::Progress& progress,
                                        Duration elapsed);

class ProgressLine {
 public:
  enum class Show : std::uint8_t { kNever, kOnTerminal };
  ProgressLine(std::FILE* stream, std::string name, Show show);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() { clear(); }

  /// Cheap to call often: writes some five times a second.
  void update(const study::run::Progress& progress);
  void clear();

 private:
  std::FILE* stream_;
  std::string name_;
  bool shown_;
  live::Clock clock_;
  Time next_;
  std::size_t width_ = 0;  // of what stands there now
};

}  // namespace weft::cli
