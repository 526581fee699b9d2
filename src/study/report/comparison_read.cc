#include "study/report/comparison_read.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "study/report/comparison_document.h"
#include "study/report/comparison_of_runs.h"
#include "study/results/results_store.h"

namespace weft::study::report {
namespace {

/// What every SQLite file begins with.
constexpr std::string_view kDatabase = "SQLite format 3";

bool is_database(const std::string& path) {
  // Opening a pipe would wait for somebody who writes.
  if (std::error_code error; !std::filesystem::is_regular_file(path, error)) {
    return false;
  }
  std::string begin(kDatabase.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  return file.read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == kDatabase;
}

/// Results of large comparisons are far beyond what a scenario may have.
constexpr std::uint64_t kLargest = std::uint64_t{4} << 30;

Result<Comparison> read_document(const std::string& path) {
  Result<std::string> text = read_file(path, {.bytes = kLargest});
  if (!text) {
    return pass_on(text);
  }
  Result<Comparison> document = parse_comparison(*text);
  if (!document && document.error().message.starts_with("not JSON")) {
    return fail("{}: neither results of weft run nor of weft compare: {}", path, document.error().message);
  }
  return document ? std::move(document) : tl::unexpected(std::move(document.error()).at(path));
}

Result<Comparison> read_runs(std::span<const std::string> files) {
  std::vector<results::RunResults> runs;
  for (const std::string& path : files) {
    if (!is_database(path)) {
      return fail("{}: not a results file of `weft run`; several files can only be of runs", path);
    }
    Result<std::vector<results::RunResults>> read = results::read_results(path);
    if (!read) {
      return pass_on(read);
    }
    std::ranges::move(*read, std::back_inserter(runs));
  }
  return runs.empty() ? fail("{}: no run in it", files.front()) : Result<Comparison>(comparison_of_runs(runs));
}

}  // namespace

Result<Comparison> read_comparison(std::span<const std::string> files) {
  return are_runs(files) ? read_runs(files) : read_document(files.front());
}

bool are_runs(std::span<const std::string> files) { return files.size() != 1 || is_database(files.front()); }

}  // namespace weft::study::report
