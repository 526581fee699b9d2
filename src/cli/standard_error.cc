#include "cli/standard_error.h"

#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>

namespace weft::cli {
namespace {

ssize_t write_or_drop(void*, const char* text, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t written = ::write(STDERR_FILENO, text + done, size - done);
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      break;
    }
    done += static_cast<std::size_t>(written);
  }
  return static_cast<ssize_t>(size);
}

}  // namespace

void tolerate_deaf_standard_error() {
  std::FILE* const stream =
      ::fopencookie(nullptr, "w", {.read = nullptr, .write = write_or_drop, .seek = nullptr, .close = nullptr});
  if (stream != nullptr) {
    std::setvbuf(stream, nullptr, _IONBF, 0);
    stderr = stream;  // a variable in glibc
  }
}

}  // namespace weft::cli
