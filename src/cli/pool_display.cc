#include "cli/pool_display.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>

namespace weft::cli {

PoolDisplay::PoolDisplay(const Options& options, WorkProgress progress)
    : shown_(!options.quiet && ::isatty(STDERR_FILENO) == 1),
      all_(options.all),
      done_(options.kept),
      progress_(std::move(progress)) {}

void PoolDisplay::done(std::size_t piece) {
  ++done_;
  progress_.done(piece);
}

void PoolDisplay::update(std::size_t under_way, const std::string& latest) {
  constexpr std::size_t kColumns = 79;
  if (!shown_) {
    return;
  }
  const auto left = static_cast<std::int64_t>(progress_.left(clock_.now().since_start().seconds()));
  const std::string line = fmt::format("{} of {} runs done, {} running, {:.0f} %, {}:{:02} left; {}", done_, all_,
                                       under_way, 100 * progress_.share(), left / 60, left % 60, latest);
  clear();
  fmt::print(stderr, "{}", line.substr(0, kColumns));
  std::fflush(stderr);
  width_ = std::min(line.size(), kColumns);
}

void PoolDisplay::clear() {
  if (width_ > 0) {
    fmt::print(stderr, "\r{:{}}\r", "", width_);
    std::fflush(stderr);
    width_ = 0;
  }
}

}  // namespace weft::cli
