// What documents show in fenced blocks, and running it as a reader would.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tests/cli/run_weft.h"

namespace weft::test {

/// The project's folder.
std::filesystem::path project_root();

/// The whole of a file; empty if there is none.
std::string text_of(const std::filesystem::path& file);

/// The contents of the fenced blocks of `markdown` that are marked with `language` ("```sh"), in order.
std::vector<std::string> fenced_blocks(std::string_view markdown, std::string_view language);

/// A folder of a reader's own: empty but for links to the project's `examples` and `tests`, with `weft` on its path.
/// It is removed at the end.
class ReaderFolder {
 public:
  ReaderFolder();
  ~ReaderFolder();
  ReaderFolder(const ReaderFolder&) = delete;
  ReaderFolder& operator=(const ReaderFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Runs a script of shell commands there; the first that fails ends it.
  [[nodiscard]] Outcome run(const std::string& script) const;

 private:
  std::filesystem::path path_;
};

}  // namespace weft::test
