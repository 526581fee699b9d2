// What a comparison has done, on disk at once: in the user's cache (cli/run_cache.h), where the next comparison finds
// it as well; without one, in a folder beside the results file until the comparison is complete.
//
// An entry is named by the task's key, which follows from everything that the task's figures depend on, the program
// itself included.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "cli/run_cache.h"

namespace weft::cli {

class ComparisonStore {
 public:
  /// `parts`: the folder that stands in for the cache, and is made when it is needed.
  ComparisonStore(std::optional<RunCache> cache, std::string parts)
      : cache_(std::move(cache)), parts_(std::move(parts)) {}

  [[nodiscard]] std::optional<std::string> get(const std::string& key) const;
  /// Errors: neither can be written.
  [[nodiscard]] Result<void> put(const std::string& key, const std::string& figures);
  /// The comparison is complete: the folder of its parts goes.
  void remove() const;
  /// Where runs are kept now.
  [[nodiscard]] const std::string& folder() const { return cache_ ? cache_->folder() : parts_; }

 private:
  [[nodiscard]] std::string part_of(const std::string& key) const { return parts_ + "/" + key + ".json"; }
  std::optional<RunCache> cache_;
  std::string parts_;
};

}  // namespace weft::cli
