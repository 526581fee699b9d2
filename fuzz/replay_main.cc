// Runs a fuzzer's entry point on every file of the given files and directories, so that a committed corpus is
// replayed by an ordinary build. Prints how many inputs ran; fails when there was none, or one cannot be read.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Path = std::filesystem::path;

std::vector<Path> inputs_under(const Path& root) {
  std::error_code error;
  if (!std::filesystem::is_directory(root, error)) {
    return {root};
  }
  std::vector<Path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root, error)) {
    if (entry.is_regular_file()) {
      files.push_back(entry.path());
    }
  }
  // Directory order differs between file systems; a failure must repeat in the same place.
  std::ranges::sort(files);
  return files;
}

bool replay(const Path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    std::fprintf(stderr, "cannot read %s\n", file.c_str());
    return false;
  }
  const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  // A copy of exact size on the heap lets the address sanitizer see a read past the end.
  const std::vector<std::uint8_t> data(bytes.begin(), bytes.end());
  LLVMFuzzerTestOneInput(data.data(), data.size());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  int replayed = 0;
  for (int i = 1; i < argc; ++i) {
    for (const Path& file : inputs_under(argv[i])) {
      if (!replay(file)) {
        return 1;
      }
      ++replayed;
    }
  }
  std::printf("%d inputs replayed\n", replayed);
  return replayed > 0 ? 0 : 1;
}
