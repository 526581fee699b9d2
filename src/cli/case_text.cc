#include "cli/case_text.h"

#include <fmt/core.h>
#include <unistd.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "base/file.h"
#include "study/results/results_store.h"

namespace weft::cli {
namespace {

constexpr std::uint64_t kLargestResults = std::uint64_t{1} << 30;

/// A name in the temporary folder, of this process alone, that is gone at the end.
class TemporaryFile {
 public:
  TemporaryFile()
      : name_((std::filesystem::temp_directory_path() / fmt::format("weft_case_{}.weft", ::getpid())).string()) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(name_, ignored);
  }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string name_;
};

}  // namespace

Result<std::string> case_text(const CaseResult& result) {
  if (!result) {
    return kRefusal + result.error().message;
  }
  const TemporaryFile file;
  if (Result<void> written = study::results::write_results(file.name(), {*result}); !written) {
    return pass_on(written);
  }
  Result<std::string> bytes = read_file(file.name(), {.bytes = kLargestResults});
  return bytes ? kResults + *bytes : bytes;
}

std::optional<CaseResult> parse_case(const std::string& text) {
  if (text.empty() || text.front() == kRefusal) {
    return text.empty() ? std::nullopt : std::optional(CaseResult(fail("{}", text.substr(1))));
  }
  const TemporaryFile file;
  if (!write_file(file.name(), std::string_view(text).substr(1))) {
    return std::nullopt;
  }
  Result<std::vector<study::results::RunResults>> runs = study::results::read_results(file.name());
  return runs && runs->size() == 1 ? std::optional(CaseResult(std::move(runs->front()))) : std::nullopt;
}

}  // namespace weft::cli
