// How far runs in several processes have come: one line on a terminal; nothing off one.
#pragma once

#include <cstddef>
#include <string>

#include "cli/work_estimate.h"
#include "live/clock.h"

namespace weft::cli {

class PoolDisplay {
 public:
  struct Options {
    std::size_t all = 0;
    std::size_t kept = 0;  // of them, those that need not be run
    bool quiet = false;
  };
  /// `progress`: of those that are to be run.
  PoolDisplay(const Options& options, WorkProgress progress);
  ~PoolDisplay() { clear(); }
  PoolDisplay(const PoolDisplay&) = delete;
  PoolDisplay& operator=(const PoolDisplay&) = delete;

  void done(std::size_t piece);
  /// `latest`: what ended last.
  void update(std::size_t under_way, const std::string& latest);
  /// Before anything else is printed.
  void clear();

 private:
  bool shown_;
  std::size_t all_;
  std::size_t done_;
  WorkProgress progress_;
  std::size_t width_ = 0;  // of what stands there now
  live::Clock clock_;
};

}  // namespace weft::cli
