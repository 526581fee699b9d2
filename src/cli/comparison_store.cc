#include "cli/comparison_store.h"

#include <fmt/core.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/file.h"

namespace weft::cli {

std::optional<std::string> ComparisonStore::get(const std::string& key) const {
  if (std::optional<std::string> kept = cache_ ? cache_->get(key) : std::nullopt; kept) {
    return kept;
  }
  std::ifstream file(part_of(key));
  if (!file) {
    return std::nullopt;
  }
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

Result<void> ComparisonStore::put(const std::string& key, const std::string& figures) {
  if (cache_) {
    const Result<void> kept = cache_->put(key, figures);
    if (kept) {
      return {};
    }
    fmt::print(stderr, "weft compare: the cache is not used: {}\n", kept.error().message);
    cache_.reset();
  }
  std::error_code ignored;  // writing says it
  std::filesystem::create_directories(parts_, ignored);
  return write_file(part_of(key), figures);
}

void ComparisonStore::remove() const {
  std::error_code ignored;
  std::filesystem::remove_all(parts_, ignored);
}

}  // namespace weft::cli
