#include "cli/complain.h"

#include <fmt/core.h>

namespace weft::cli {

int complain(std::string_view command, const Error& error, int status) {
  fmt::print(stderr, "weft {}: {}\n", command, error.message);
  return status;
}

}  // namespace weft::cli
