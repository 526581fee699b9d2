// Where the results of `weft run` go: files of results, JSON, CSV.
#pragma once

#include <cstdint>
#include <cstdio>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "study/results/results.h"
#include "study/results/results_csv.h"
#include "study/results/results_json.h"

namespace weft::cli {

/// A folder for output, with those above it. Errors say which part of its path cannot be one, and why.
[[nodiscard]] Result<void> make_folder(const std::string& path);

/// "incast-infiniband-seed2": a file name that tells runs of one scenario apart.
[[nodiscard]] std::string run_name(const study::results::RunInfo& run);
/// Characters that do not belong in file names, '/' first of all, become '-'.
[[nodiscard]] std::string file_name_of(std::string_view text);

/// Files of results, each run in them as soon as it is over: what ends the program later takes nothing away.
class ResultFiles {
 public:
  /// `out` is one file for all runs if it ends in ".weft", and otherwise a folder that gets a file per run.
  explicit ResultFiles(std::string out) : out_(std::move(out)) {}

  /// Before the first run. Errors: the folder or the file cannot be written, and why.
  [[nodiscard]] Result<void> check() const;
  [[nodiscard]] Result<void> add(const study::results::RunResults& run);
  /// Whether runs may be added in any order: each has a file of its own.
  [[nodiscard]] bool has_file_per_run() const { return !is_one_file(); }
  /// Names of what was written for these runs, in their order, each once.
  [[nodiscard]] std::vector<std::string> written(std::span<const study::results::RunResults> runs) const;

 private:
  [[nodiscard]] bool is_one_file() const;
  [[nodiscard]] std::string file_of(const study::results::RunResults& run) const;

  std::string out_;
  std::vector<std::string> written_;
};

/// `where` is a file, or "-" for standard output.
[[nodiscard]] Result<void> write_text(const std::string& where, const std::string& text);

/// The HTML of a report in the same way; then `say`, unless it is null or the page went to standard output, is told
/// where it is.
[[nodiscard]] Result<void> write_html(const std::string& where, const std::string& page, std::FILE* say);

/// {"weft": ..., "runs": [...]}, and "ladder" if a run is on the latency ladder.
[[nodiscard]] nlohmann::ordered_json runs_json(std::span<const study::results::RunResults> runs,
                                               study::results::JsonDetail detail);

/// Indented; `where` is a file, or "-" for standard output.
[[nodiscard]] Result<void> write_json(const std::string& where, const nlohmann::ordered_json& json);

/// Before hours of work: whether write_text and write_csv_files will be able to. "" and "-" always are.
[[nodiscard]] Result<void> check_text_output(const std::string& where);
[[nodiscard]] Result<void> check_csv_output(const std::string& where);

/// `where` is a folder, made if need be; "-": all tables on standard output, each under "# name".
[[nodiscard]] Result<void> write_csv_files(const std::string& where, const std::vector<study::results::CsvFile>& files);
/// The tables of results_csv.h, in the same way.
[[nodiscard]] Result<void> write_csv(const std::string& where, const std::vector<study::results::RunResults>& runs);

}  // namespace weft::cli
