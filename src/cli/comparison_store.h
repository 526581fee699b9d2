// What a comparison has done so far, on disk: a file per task, so that one that was interrupted goes on where it
// stopped.
//
// The folder stands beside the results file. A file is there whole or not at all; it is named by the task's key, which
// follows from everything that the task's figures depend on, the program itself included.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace weft::cli {

class ComparisonStore {
 public:
  /// The folder is made at the first `put`.
  explicit ComparisonStore(std::string folder) : folder_(std::move(folder)) {}

  [[nodiscard]] std::optional<std::string> get(const std::string& key) const;
  [[nodiscard]] Result<void> put(const std::string& key, const std::string& figures) const;
  /// The comparison is complete.
  void remove() const;
  [[nodiscard]] const std::string& folder() const { return folder_; }

 private:
  [[nodiscard]] std::string file_of(const std::string& key) const { return folder_ + "/" + key + ".json"; }
  std::string folder_;
};

/// Changes with every build of this program: part of the keys of tasks.
[[nodiscard]] std::string build_identity();

}  // namespace weft::cli
