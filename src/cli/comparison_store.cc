#include "cli/comparison_store.h"

#include <fmt/core.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/file.h"
#include "base/stable_hash.h"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;

}  // namespace

std::optional<std::string> ComparisonStore::get(const std::string& key) const {
  std::ifstream file(file_of(key));
  if (!file) {
    return std::nullopt;
  }
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

Result<void> ComparisonStore::put(const std::string& key, const std::string& figures) const {
  std::error_code error;
  fs::create_directories(folder_, error);
  return write_file(file_of(key), figures);
}

void ComparisonStore::remove() const {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::string build_identity() {
  std::ifstream program("/proc/self/exe", std::ios::binary);
  std::ostringstream bytes;
  bytes << program.rdbuf();
  return fmt::format("{} {:016x}", WEFT_VERSION, stable_hash(0, bytes.str()));
}

}  // namespace weft::cli
