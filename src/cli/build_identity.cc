#include "cli/build_identity.h"

#include <fmt/core.h>

#include <fstream>
#include <sstream>

#include "base/stable_hash.h"

namespace weft::cli {

const std::string& build_identity() {
  static const std::string kIdentity = [] {
    std::ifstream program("/proc/self/exe", std::ios::binary);
    std::ostringstream bytes;
    bytes << program.rdbuf();
    return fmt::format("{}-{:016x}", WEFT_VERSION, stable_hash(0, bytes.str()));
  }();
  return kIdentity;
}

}  // namespace weft::cli
