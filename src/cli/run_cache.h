// What simulations have given, kept from call to call: texts by key, in a folder of the user.
//
// The folder is $WEFT_CACHE, else $XDG_CACHE_HOME/weft, else ~/.cache/weft; an empty WEFT_CACHE, or no home, means that
// there is none. Entries of a build of the program are files in a folder of their own, BUILD/ab/cdef..., since a key
// follows from the build too (cli/build_identity.h). An entry is there whole or not at all; one that is damaged counts
// as missing. Any number of processes may use a folder at once. Beyond the limit of its size, entries of other builds
// go first, then those that were not used for longest.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace weft::cli {

/// None: there is to be no cache. With `environment` as getenv.
[[nodiscard]] std::optional<std::string> cache_folder(const std::function<const char*(const char* name)>& environment);
/// That of this process.
[[nodiscard]] std::optional<std::string> cache_folder();

inline constexpr std::uint64_t kUsualCacheLimit = std::uint64_t{2} << 30;

/// Bytes that the entries of a folder may have: $WEFT_CACHE_SIZE, else what `set_cache_limit` was told, else the usual
/// limit. Errors: the variable has no size in it.
[[nodiscard]] Result<std::uint64_t> cache_limit(const std::string& folder);
[[nodiscard]] Result<void> set_cache_limit(const std::string& folder, std::uint64_t bytes);

class RunCache {
 public:
  struct Options {
    std::string folder;
    std::string build;  // letters, digits, dots and dashes
    std::uint64_t limit = kUsualCacheLimit;
  };
  /// The folder is made at the first `put`.
  explicit RunCache(Options options) : options_(std::move(options)) {}

  /// What was put under this key by this build; it counts as used now. `key`: 16 hexadecimal digits.
  [[nodiscard]] std::optional<std::string> get(const std::string& key) const;
  /// Errors: the folder or the file cannot be written.
  [[nodiscard]] Result<void> put(const std::string& key, std::string_view text);
  [[nodiscard]] const std::string& folder() const { return options_.folder; }

 private:
  [[nodiscard]] std::string file_of(const std::string& key) const;
  void keep_to_limit(std::uint64_t more);

  Options options_;
  std::optional<std::uint64_t> size_{};  // of all entries, as far as this process knows; none: not looked at yet
};

/// The user's cache for this build; none: there is to be none. Errors: those of `cache_limit`.
[[nodiscard]] Result<std::optional<RunCache>> usual_cache();

struct CacheEntry {
  std::string file;
  std::string build;
  std::uint64_t bytes = 0;
  std::int64_t used = 0;  // seconds of the Unix clock
};

/// All entries of a folder, and drafts that nobody finished; nothing else that lies there.
[[nodiscard]] std::vector<CacheEntry> cache_entries(const std::string& folder);
/// Removes them, and the folders that are empty then. What another process has removed already is no fault.
void remove_cache_entries(const std::string& folder, const std::vector<CacheEntry>& entries);
/// Which must go so that no more than `limit` bytes stay: of builds other than `build` first, then the longest unused.
[[nodiscard]] std::vector<CacheEntry> beyond_limit(std::vector<CacheEntry> entries, std::uint64_t limit,
                                                   std::string_view build);

}  // namespace weft::cli
