#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

namespace weft {
namespace {

namespace fs = std::filesystem;

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

std::string reason(int number) { return std::generic_category().message(number); }

tl::unexpected<Error> cannot_write(const std::string& path, int number) {
  return fail("cannot write '{}': {}", path, reason(number));
}

// Only a regular file, or a name that nothing has yet, can be replaced by another file.
bool is_replaceable(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode);
}

// What a symbolic link leads to is replaced, not the link.
std::string target_of(const std::string& path) {
  std::error_code error;
  if (!fs::is_symlink(path, error)) {
    return path;
  }
  const fs::path target = fs::weakly_canonical(path, error);
  return error ? path : target.string();
}

Result<void> write_all(const std::string& path, const std::string& shown, std::string_view text) {
  errno = 0;
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) {
    return cannot_write(shown, errno);
  }
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const int number = written ? 0 : errno;
  if (std::fclose(file) != 0 || !written) {
    return cannot_write(shown, number != 0 ? number : errno);
  }
  return {};
}

}  // namespace

Result<std::string> read_file(const std::string& path, const ReadLimit& limit) {
  // Without O_NONBLOCK, opening a pipe waits for somebody who writes.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) {
    return fail("{}: {}", path, reason(errno));
  }
  const File file(::fdopen(descriptor, "rb"));
  struct stat status {};
  if (file == nullptr || ::fstat(descriptor, &status) != 0) {
    return fail("{}: {}", path, reason(errno));
  }
  if (S_ISDIR(status.st_mode)) {
    return fail("{}: is a folder", path);
  }
  if (!S_ISREG(status.st_mode)) {
    return fail("{}: is a pipe or a device; expected a regular file", path);
  }
  // Sizes may change while one reads, and are 0 in /proc: what counts is what comes.
  std::string text;
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  for (std::size_t got = 0; text.size() <= limit.bytes; text.resize(got)) {
    const std::size_t before = text.size();
    text.resize(before + kPiece);
    const std::size_t more = std::fread(text.data() + before, 1, kPiece, file.get());
    got = before + more;
    if (more == 0) {
      text.resize(got);
      if (std::ferror(file.get()) != 0) {
        return fail("{}: {}", path, reason(errno));
      }
      return text;
    }
  }
  return fail("{}: more than {} bytes", path, limit.bytes);
}

std::string draft_name(const std::string& path) { return fmt::format("{}.tmp{}", target_of(path), ::getpid()); }

Result<void> publish_draft(const std::string& path) {
  const std::string draft = draft_name(path);
  if (std::rename(draft.c_str(), target_of(path).c_str()) != 0) {
    const int number = errno;
    std::remove(draft.c_str());
    return cannot_write(path, number);
  }
  return {};
}

Result<FileDraft> FileDraft::create(const std::string& path) {
  if (Result<void> possible = check_writable(path); !possible) {
    return pass_on(possible);
  }
  const bool drafted = is_replaceable(path);
  errno = 0;
  std::FILE* const stream = std::fopen(drafted ? draft_name(path).c_str() : path.c_str(), "wb");
  if (stream == nullptr) {
    return cannot_write(path, errno);
  }
  return FileDraft(stream, drafted ? path : std::string());
}

FileDraft& FileDraft::operator=(FileDraft&& other) noexcept {
  if (this != &other) {
    discard();
    stream_ = std::move(other.stream_);
    path_ = std::move(other.path_);
  }
  return *this;
}

void FileDraft::discard() {
  if (stream_ != nullptr && !path_.empty()) {
    std::remove(draft_name(path_).c_str());
  }
  stream_.reset();
}

tl::expected<void, int> FileDraft::publish() {
  errno = 0;
  const std::string draft = path_.empty() ? std::string() : draft_name(path_);
  bool done = std::fclose(stream_.release()) == 0;
  int number = errno;
  if (done && !draft.empty() && std::rename(draft.c_str(), target_of(path_).c_str()) != 0) {
    done = false;
    number = errno;
  }
  if (!done && !draft.empty()) {
    std::remove(draft.c_str());
  }
  return done ? tl::expected<void, int>() : tl::unexpected<int>(number);
}

Result<void> write_file(const std::string& path, std::string_view text) {
  if (Result<void> possible = check_writable(path); !possible) {
    return possible;
  }
  if (!is_replaceable(path)) {
    return write_all(path, path, text);
  }
  const std::string draft = draft_name(path);
  if (Result<void> written = write_all(draft, path, text); !written) {
    std::remove(draft.c_str());
    return written;
  }
  return publish_draft(path);
}

Result<void> check_folder_writable(const std::string& path) {
  std::error_code error;
  fs::path there = fs::path(path.empty() ? "." : path).lexically_normal();
  while (!there.empty() && !fs::exists(there, error) && there.has_relative_path()) {
    there = there.parent_path();
  }
  const std::string where = there.empty() ? "." : there.string();
  if (!fs::is_directory(where, error)) {
    return fail("cannot make the folder '{}': {}: {}", path, where, reason(ENOTDIR));
  }
  if (::access(where.c_str(), W_OK | X_OK) != 0) {
    return fail("cannot write into '{}': {}: {}", path, where, reason(errno));
  }
  return {};
}

Result<void> check_writable(const std::string& path) {
  std::error_code error;
  if (path.empty()) {
    return fail("cannot write '': the name is empty");
  }
  if (fs::is_directory(path, error)) {
    return cannot_write(path, EISDIR);
  }
  if (!is_replaceable(path)) {
    return ::access(path.c_str(), W_OK) == 0 ? Result<void>() : cannot_write(path, errno);
  }
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && ::access(path.c_str(), W_OK) != 0) {
    return cannot_write(path, errno);  // it was protected on purpose
  }
  const fs::path folder = fs::path(target_of(path)).parent_path();
  const std::string where = folder.empty() ? "." : folder.string();
  if (!fs::is_directory(where, error)) {
    return fail("cannot write '{}': there is no folder '{}'", path, where);
  }
  return ::access(where.c_str(), W_OK | X_OK) == 0 ? Result<void>() : cannot_write(path, errno);
}

}  // namespace weft
