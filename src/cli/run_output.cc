#include "cli/run_output.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "base/file.h"
#include "study/results/results_store.h"
#include "study/run/ladder.h"

namespace weft::cli {

Result<void> make_folder(const std::string& path) {
  if (Result<void> possible = check_folder_writable(path); !possible) {
    return possible;
  }
  std::error_code error;
  std::filesystem::create_directories(path, error);
  return error ? fail("cannot make the folder '{}': {}", path, error.message()) : Result<void>();
}

Result<void> write_text(const std::string& where, const std::string& text) {
  if (where == "-") {
    fmt::print("{}", text);
    return {};
  }
  return write_file(where, text);
}

Result<void> write_html(const std::string& where, const std::string& page, std::FILE* say) {
  Result<void> written = write_text(where, page);
  if (written && say != nullptr && where != "-") {
    fmt::print(say, "report in {}\n", where);
  }
  return written;
}

std::string file_name_of(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                       c == '.' || c == '-' ||
                       static_cast<unsigned char>(c) >= 0x80;  // letters of other languages, in UTF-8
    name += plain ? c : '-';
  }
  return name;
}

std::string run_name(const study::results::RunInfo& run) {
  std::string name = run.scenario;
  name += run.case_name.empty() ? "" : "-" + run.case_name;
  name += fmt::format("-{}-seed{}", run.family, run.seed);
  return file_name_of(name);
}

bool ResultFiles::is_one_file() const { return std::filesystem::path(out_).extension() == ".weft"; }

Result<void> ResultFiles::check() const { return is_one_file() ? check_writable(out_) : check_folder_writable(out_); }

std::string ResultFiles::file_of(const study::results::RunResults& run) const {
  return is_one_file() ? out_ : (std::filesystem::path(out_) / (run_name(run.run) + ".weft")).string();
}

std::vector<std::string> ResultFiles::written(std::span<const study::results::RunResults> runs) const {
  std::vector<std::string> names;
  for (const study::results::RunResults& run : runs) {
    const std::string file = file_of(run);
    if (std::ranges::count(written_, file) > 0 && std::ranges::count(names, file) == 0) {
      names.push_back(file);
    }
  }
  return names;
}

Result<void> ResultFiles::add(const study::results::RunResults& run) {
  if (!is_one_file()) {
    if (Result<void> made = make_folder(out_); !made) {
      return made;
    }
    std::string file = file_of(run);
    Result<void> stored = study::results::write_results(file, {run});
    if (stored) {
      written_.push_back(std::move(file));
    }
    return stored;
  }
  if (written_.empty()) {
    Result<void> stored = study::results::write_results(out_, {run});
    if (stored) {
      written_.push_back(out_);
    }
    return stored;
  }
  const std::string next = out_ + ".next";
  Result<void> stored = study::results::write_results(next, {run});
  if (stored) {
    stored = study::results::merge_results({.into = out_, .from = next});
  }
  std::error_code ignored;
  std::filesystem::remove(next, ignored);
  return stored;
}

Result<void> check_text_output(const std::string& where) {
  return where.empty() || where == "-" ? Result<void>() : check_writable(where);
}

Result<void> check_csv_output(const std::string& where) {
  return where.empty() || where == "-" ? Result<void>() : check_folder_writable(where);
}

nlohmann::ordered_json runs_json(std::span<const study::results::RunResults> runs, study::results::JsonDetail detail) {
  nlohmann::ordered_json json{{"weft", WEFT_VERSION}, {"runs", nlohmann::ordered_json::array()}};
  for (const study::results::RunResults& run : runs) {
    json["runs"].push_back(study::results::to_json(run, study::results::summarise(run), detail));
  }
  if (nlohmann::ordered_json ladder = study::run::ladder_json(runs); !ladder.empty()) {
    json["ladder"] = std::move(ladder);
  }
  return json;
}

Result<void> write_json(const std::string& where, const nlohmann::ordered_json& json) {
  return write_text(where, json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n');
}

Result<void> write_csv_files(const std::string& where, const std::vector<study::results::CsvFile>& files) {
  if (where != "-") {
    if (Result<void> made = make_folder(where); !made) {
      return made;
    }
  }
  for (const study::results::CsvFile& file : files) {
    Result<void> written = where == "-" ? write_text("-", fmt::format("# {}\n{}", file.name, file.text))
                                        : write_text((std::filesystem::path(where) / file.name).string(), file.text);
    if (!written) {
      return written;
    }
  }
  return {};
}

Result<void> write_csv(const std::string& where, const std::vector<study::results::RunResults>& runs) {
  return write_csv_files(where, study::results::to_csv(runs));
}

}  // namespace weft::cli
