// Files, read and written so that nothing hangs, nothing is half written, and every error says why.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace weft {

/// What a file may hold at most.
struct ReadLimit {
  std::uint64_t bytes = std::uint64_t{1} << 20;
};

/// All of a file. Errors: it does not exist or may not be read; it is no regular file (a folder, a pipe, a device),
/// which could be without end or never begin; it is longer than the limit. Messages begin with the path.
[[nodiscard]] Result<std::string> read_file(const std::string& path, const ReadLimit& limit = {});

/// Replaces what is there, all at once: what was there before stays until everything is written, under another name in
/// the same folder. Devices and pipes are written to as they are. Errors say which and why: no folder, no rights, no
/// room.
[[nodiscard]] Result<void> write_file(const std::string& path, std::string_view text);

/// Whether write_file could make it, as far as that can be known without writing: to be asked before hours of work.
[[nodiscard]] Result<void> check_writable(const std::string& path);

/// Whether files can be written into the folder: it is there, or can be made. Nothing is made.
[[nodiscard]] Result<void> check_folder_writable(const std::string& path);

/// The name under which a file is written before it is complete: beside it, and of this process alone.
[[nodiscard]] std::string draft_name(const std::string& path);
/// Gives a complete draft its name, or removes it. Errors: as write_file.
[[nodiscard]] Result<void> publish_draft(const std::string& path);

/// What write_file does, for a file that is written piece by piece: under its draft's name until `publish`. Without
/// that the draft is removed, and what was there before stays. A program that is killed leaves the draft.
class FileDraft {
 public:
  /// Errors: as check_writable. Devices and pipes are opened as they are.
  [[nodiscard]] static Result<FileDraft> create(const std::string& path);
  /// Takes over an open stream that is no file of ours; `publish` closes it.
  [[nodiscard]] static FileDraft take(std::FILE* stream) { return FileDraft(stream, {}); }

  FileDraft(FileDraft&&) = default;
  FileDraft& operator=(FileDraft&& other) noexcept;
  ~FileDraft() { discard(); }

  /// To be written to, until `publish`.
  [[nodiscard]] std::FILE* stream() const { return stream_.get(); }
  /// Closes the file and gives it its name. Error: the system's number for why not, from closing or renaming; then the
  /// draft is gone.
  [[nodiscard]] tl::expected<void, int> publish();

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  FileDraft(std::FILE* stream, std::string path) : stream_(stream), path_(std::move(path)) {}
  void discard();

  std::unique_ptr<std::FILE, Closer> stream_;
  std::string path_;  // that the draft will get; empty if there is no draft
};

}  // namespace weft
