#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace weft::cli {
namespace {

constexpr std::size_t kUsualColumns = 80;
constexpr std::size_t kFewestColumns = 20;

/// The environment variable; empty: it is not set.
std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

/// Standard error has no descriptor of its own (cli/standard_error.h).
int descriptor_of(std::FILE* stream) { return stream == stderr ? STDERR_FILENO : ::fileno(stream); }

}  // namespace

bool is_terminal(std::FILE* stream) { return ::isatty(descriptor_of(stream)) == 1; }

LineWidth terminal_columns(std::FILE* stream) {
  if (!is_terminal(stream)) {
    return std::nullopt;
  }
  winsize size{};
  if (::ioctl(descriptor_of(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return std::max<std::size_t>(size.ws_col, kFewestColumns);
  }
  std::size_t columns = kUsualColumns;
  const std::string_view said = variable("COLUMNS");
  const auto [end, error] = std::from_chars(said.data(), said.data() + said.size(), columns);
  const bool whole = error == std::errc() && end == said.data() + said.size();
  return std::max(whole ? columns : kUsualColumns, kFewestColumns);
}

Colour colour_of(std::FILE* stream) {
  const bool wanted = variable("NO_COLOR").empty() && variable("TERM") != "dumb" && !variable("TERM").empty();
  return wanted && is_terminal(stream) ? Colour::kAnsi : Colour::kNone;
}

}  // namespace weft::cli
