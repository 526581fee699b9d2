#include "cli/complain.h"

#include <fmt/core.h>

#include "base/printable.h"
#include "cli/terminal.h"

namespace weft::cli {

std::string shown_message(const Error& error) {
  constexpr std::size_t kMost = 4'000;
  return error.message.size() <= kMost ? terminal_text(error.message)
                                       : terminal_text(error.message.substr(0, kMost)) + "...";
}

int complain(std::string_view command, const Error& error, int status) {
  fmt::print(stderr, "{} {}\n", toned(fmt::format("weft {}:", command), Tone::kBad, colour_of(stderr)),
             shown_message(error));
  return status;
}

}  // namespace weft::cli
