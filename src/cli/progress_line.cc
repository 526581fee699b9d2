#include "cli/progress_line.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

#include "study/results/summary_text.h"

namespace weft::cli {
namespace {

constexpr Duration kInterval = 200_ms;
constexpr std::size_t kLineColumns = 79;

}  // namespace

double fraction_done(const study::run::Progress& progress) {
  double fraction = 0;
  if (progress.expected_bytes > 0) {
    fraction = static_cast<double>(progress.bytes) / static_cast<double>(progress.expected_bytes);
  }
  if (!progress.limit.is_never() && progress.limit > Time::zero()) {
    fraction = std::max(fraction, progress.now.since_start().seconds() / progress.limit.since_start().seconds());
  }
  return std::min(fraction, 1.0);
}

std::string progress_text(const std::string& name, const study::run::Progress& progress, Duration elapsed) {
  std::string text = name + ":";
  const double fraction = fraction_done(progress);
  if (fraction > 0) {
    text += fmt::format(" {:.0f}%,", fraction * 100);
  }
  text += fmt::format(" {} simulated", study::results::short_text(progress.now.since_start()));
  if (elapsed > Duration::zero()) {
    text += fmt::format(", {:.2f} million packet-hops/s",
                        static_cast<double>(progress.packet_hops) / elapsed.seconds() * 1e-6);
  }
  if (fraction > 0) {
    const auto left = static_cast<std::int64_t>(elapsed.seconds() * (1 - fraction) / fraction + 0.5);
    text += fmt::format(", {}:{:02} left", left / 60, left % 60);
  }
  if (text.size() > kLineColumns) {
    text.resize(kLineColumns);
  }
  return text;
}

ProgressLine::ProgressLine(std::FILE* stream, std::string name, Show show)
    : stream_(stream), name_(std::move(name)), shown_(show == Show::kOnTerminal && isatty(fileno(stream)) != 0) {}

void ProgressLine::update(const study::run::Progress& progress) {
  const Time now = clock_.now();
  if (!shown_ || now < next_) {
    return;
  }
  next_ = now + kInterval;
  const std::string text = progress_text(name_, progress, now.since_start());
  fmt::print(stream_, "\r{:<{}}", text, width_);
  std::fflush(stream_);
  width_ = text.size();
}

void ProgressLine::clear() {
  if (width_ > 0) {
    fmt::print(stream_, "\r{:<{}}\r", "", width_);
    std::fflush(stream_);
    width_ = 0;
  }
}

}  // namespace weft::cli
