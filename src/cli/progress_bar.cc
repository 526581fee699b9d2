#include "cli/progress_bar.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/printable.h"
#include "base/text_lines.h"
#include "cli/terminal.h"
#include "study/results/summary_text.h"

namespace weft::cli {
namespace {

constexpr Duration kRedraw = 200_ms;

std::string bar_text(double share, std::size_t columns) {
  const auto full = static_cast<std::size_t>(share * static_cast<double>(columns) + 0.5);
  return "[" + std::string(std::min(full, columns), '#') + std::string(columns - std::min(full, columns), '-') + "]";
}

/// "1:30", "2:05:00".
std::string clock_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(seconds + 0.5);
  const std::int64_t hours = whole / 3600;
  const std::int64_t minutes = whole / 60 % 60;
  return hours > 0 ? fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60)
                   : fmt::format("{}:{:02}", minutes, whole % 60);
}

}  // namespace

std::string progress_text(const ProgressFacts& facts, std::size_t columns) {
  constexpr std::size_t kBarFrom = 40;  // narrower lines have words alone
  constexpr std::size_t kWidestBar = 24;
  std::string text;
  if (facts.share) {
    const double share = std::clamp(*facts.share, 0.0, 1.0);
    text += columns >= kBarFrom ? bar_text(share, std::min(columns / 5, kWidestBar)) + " " : "";
    text += fmt::format("{:3.0f} %", share * 100);
  }
  if (facts.left) {
    const std::string left = fmt::format("{}{} left", text.empty() ? "" : ", ", clock_text(*facts.left));
    text += columns_of(text) + left.size() <= columns ? left : "";
  }
  const char* separator = text.empty() ? "" : "; ";
  for (const std::string& part : facts.parts) {
    const std::string next = separator + terminal_text(part);
    if (columns_of(text) + columns_of(next) > columns) {
      break;
    }
    text += next;
    separator = ", ";
  }
  return text.empty() && !facts.parts.empty() ? cut_to(terminal_text(facts.parts.front()), columns)
                                              : cut_to(text, columns);
}

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

ProgressFacts facts_of(const std::string& name, const study::run::Progress& progress, Duration elapsed) {
  ProgressFacts facts;
  if (const double fraction = fraction_done(progress); fraction > 0) {
    facts.share = fraction;
    facts.left = elapsed.seconds() * (1 - fraction) / fraction;
  }
  facts.parts = {name, fmt::format("{} simulated", study::results::short_text(progress.now.since_start()))};
  if (elapsed > Duration::zero()) {
    facts.parts.push_back(fmt::format("{:.2f} million packet-hops/s",
                                      static_cast<double>(progress.packet_hops) / elapsed.seconds() * 1e-6));
  }
  return facts;
}

PieceMeter::PieceMeter(const study::run::HopsEstimate& expected)
    : expected_(std::sqrt(expected.least * expected.most)) {}

// Up to nine tenths in proportion; beyond, what is left shrinks with each further part.
double PieceMeter::share(const study::run::Progress& progress) {
  constexpr double kSure = 0.9;
  before_ += progress.packet_hops < last_ ? last_ : 0;
  last_ = progress.packet_hops;
  const double part = expected_ > 0 ? static_cast<double>(before_ + last_) / expected_ : fraction_done(progress);
  return part <= kSure ? part : 1 - (1 - kSure) * kSure / part;
}

void RunTally::done(std::size_t piece, std::string name) {
  ++done_;
  latest_ = std::move(name);
  progress_.done(piece);
}

ProgressFacts RunTally::facts(std::size_t under_way, Duration elapsed) const {
  const double left = progress_.left(elapsed.seconds());
  const bool known = left > 0 || progress_.share() > 0;  // nothing is over and nothing was estimated: nobody knows
  ProgressFacts facts{.share = progress_.share(),
                      .left = known ? std::optional(left) : std::nullopt,
                      .parts = {fmt::format("{} of {} runs done", done_, all_), fmt::format("{} running", under_way)}};
  if (!latest_.empty()) {
    facts.parts.push_back("last " + latest_);
  }
  return facts;
}

ProgressBar::ProgressBar(std::FILE* stream, Show show)
    : stream_(stream), shown_(show == Show::kOnTerminal && is_terminal(stream)) {}

bool ProgressBar::is_due() {
  if (!shown_) {
    return false;
  }
  const Time now = clock_.now();
  if (now < next_) {
    return false;
  }
  next_ = now + kRedraw;
  return true;
}

void ProgressBar::draw(const ProgressFacts& facts) {
  // A full line would make some terminals begin the next.
  const std::string text = progress_text(facts, terminal_columns(stream_).value_or(80) - 1);
  clear();
  fmt::print(stream_, "{}", text);
  std::fflush(stream_);
  width_ = columns_of(text);
}

void ProgressBar::clear() {
  if (width_ > 0) {
    // The terminal may have become narrower since.
    const std::size_t columns = std::min(width_, terminal_columns(stream_).value_or(80) - 1);
    fmt::print(stream_, "\r{:{}}\r", "", columns);
    std::fflush(stream_);
    width_ = 0;
  }
}

}  // namespace weft::cli
