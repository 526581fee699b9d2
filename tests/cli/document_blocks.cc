#include "tests/cli/document_blocks.h"
#include "base/test_paths.h"

#include <cmark-gfm.h>
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>

namespace weft::test {

namespace fs = std::filesystem;

fs::path project_root() { return fs::canonical(fs::path(test_data_dir()) / ".." / ".."); }

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::vector<std::string> fenced_blocks(std::string_view markdown, std::string_view language) {
  const std::unique_ptr<cmark_node, decltype(&cmark_node_free)> document(
      cmark_parse_document(markdown.data(), markdown.size(), CMARK_OPT_DEFAULT), cmark_node_free);
  const std::unique_ptr<cmark_iter, decltype(&cmark_iter_free)> walk(cmark_iter_new(document.get()), cmark_iter_free);
  std::vector<std::string> blocks;
  while (cmark_iter_next(walk.get()) != CMARK_EVENT_DONE) {
    cmark_node* const node = cmark_iter_get_node(walk.get());
    if (cmark_node_get_type(node) == CMARK_NODE_CODE_BLOCK && cmark_node_get_fence_info(node) == language) {
      blocks.emplace_back(cmark_node_get_literal(node));
    }
  }
  return blocks;
}

ReaderFolder::ReaderFolder() {
  // ctest runs cases in parallel, one process each.
  path_ = fs::path(testing::TempDir()) / fmt::format("weft_reader_{}", getpid());
  fs::remove_all(path_);
  fs::create_directories(path_ / "bin");
  fs::create_symlink(fs::absolute(weft_binary()), path_ / "bin" / "weft");
  for (const char* folder : {"examples", "tests"}) {
    fs::create_directory_symlink(project_root() / folder, path_ / folder);
  }
}

ReaderFolder::~ReaderFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

Outcome ReaderFolder::run(const std::string& script) const {
  const fs::path file = path_ / "bin" / "script";
  std::ofstream(file) << script;
  const std::string command = fmt::format(
      "cd '{0}' && PATH='{0}/bin':\"$PATH\" bash -e bin/script >bin/out 2>bin/err </dev/null", path_.string());
  const int status = std::system(command.c_str());
  return {.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
          .out = text_of(path_ / "bin" / "out"),
          .err = text_of(path_ / "bin" / "err")};
}

}  // namespace weft::test
