#include "base/assert.h"

#include <fmt/core.h>

#include <cstdio>
#include <cstdlib>

namespace weft {

void assertion_failed(const char* expression, const char* file, int line) {
  fmt::print(stderr, "{}:{}: assertion failed: {}\n", file, line, expression);
  std::abort();
}

}  // namespace weft
