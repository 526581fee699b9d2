#include "cli/run_cache.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <tuple>

#include "base/file.h"
#include "base/parse_quantity.h"
#include "base/stable_hash.h"
#include "cli/build_identity.h"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEntryFormat = "weft-cache 1";
constexpr const char* kLimitFile = "limit";
constexpr std::size_t kKeyDigits = 16;
constexpr std::size_t kFolderDigits = 2;
constexpr std::uint64_t kLargestEntry = std::uint64_t{1} << 30;
/// What backup programs know a cache by (bford.info/cachedir).
constexpr const char* kTagFile = "CACHEDIR.TAG";
constexpr std::string_view kTag =
    "Signature: 8a477f597d28d172789f06886806bc55\n# Results of weft; see 'weft help cache'.\n";

bool is_hexadecimal(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isxdigit(c) != 0; });
}

/// "0.1.0-0123456789abcdef"
bool is_build(std::string_view name) {
  const std::size_t dash = name.rfind('-');
  return dash != std::string_view::npos && dash > 0 && name.size() - dash - 1 == kKeyDigits &&
         is_hexadecimal(name.substr(dash + 1));
}

/// An entry, or a draft of one that nobody will finish.
bool is_entry(std::string_view name, const struct stat& status) {
  constexpr std::size_t kDigits = kKeyDigits - kFolderDigits;
  constexpr std::time_t kDraftTime = 3600;  // writing takes seconds
  if (name.size() < kDigits || !is_hexadecimal(name.substr(0, kDigits)) || !S_ISREG(status.st_mode)) {
    return false;
  }
  return name.size() == kDigits ||
         (name.substr(kDigits).starts_with(".tmp") && status.st_mtime < std::time(nullptr) - kDraftTime);
}

std::string header_of(std::string_view key, std::string_view text) {
  return fmt::format("{} {} {} {:016x}\n", kEntryFormat, key, text.size(), stable_hash(0, text));
}

/// Calls visit(path) for what lies in a folder; none of it if the folder cannot be read.
void visit_folder(const fs::path& folder, const std::function<void(const fs::path&)>& visit) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error); !error && at != fs::directory_iterator(); at.increment(error)) {
    visit(at->path());
  }
}

Result<void> write_entry(const fs::path& file, const std::string& entry) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  return error ? fail("cannot make the folder '{}': {}", file.parent_path().string(), error.message())
               : write_file(file.string(), entry);
}

/// Said once, for programs that copy or clean folders; the cache is none the worse without.
void add_tag(const std::string& folder) {
  const fs::path tag = fs::path(folder) / kTagFile;
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  if (!fs::exists(tag, ignored)) {
    (void)write_file(tag.string(), kTag);
  }
}

std::uint64_t bytes_of(const std::vector<CacheEntry>& entries) {
  std::uint64_t bytes = 0;
  for (const CacheEntry& entry : entries) {
    bytes += entry.bytes;
  }
  return bytes;
}

Result<std::uint64_t> parse_limit(const std::string& text) {
  Result<Bytes> size = parse_bytes(text);
  if (!size) {
    return pass_on(size);
  }
  return static_cast<std::uint64_t>(size->count());
}

}  // namespace

std::optional<std::string> cache_folder(const std::function<const char*(const char* name)>& environment) {
  if (const char* const own = environment("WEFT_CACHE"); own != nullptr) {
    return *own == '\0' ? std::nullopt : std::optional<std::string>(own);
  }
  if (const char* const caches = environment("XDG_CACHE_HOME"); caches != nullptr && *caches == '/') {
    return (fs::path(caches) / "weft").string();
  }
  const char* const home = environment("HOME");
  return home == nullptr || *home != '/' ? std::nullopt : std::optional((fs::path(home) / ".cache" / "weft").string());
}

std::optional<std::string> cache_folder() {
  return cache_folder([](const char* name) -> const char* { return std::getenv(name); });
}

Result<std::uint64_t> cache_limit(const std::string& folder) {
  if (const char* const own = std::getenv("WEFT_CACHE_SIZE"); own != nullptr && *own != '\0') {
    Result<std::uint64_t> limit = parse_limit(own);
    return limit ? limit : fail("WEFT_CACHE_SIZE: {}", limit.error().message);
  }
  const Result<std::string> said = read_file((fs::path(folder) / kLimitFile).string());
  std::uint64_t limit = 0;
  const bool is_number = said && std::from_chars(said->data(), said->data() + said->size(), limit).ec == std::errc();
  return is_number ? limit : kUsualCacheLimit;
}

Result<void> set_cache_limit(const std::string& folder, std::uint64_t bytes) {
  std::error_code ignored;  // writing says it
  fs::create_directories(folder, ignored);
  return write_file((fs::path(folder) / kLimitFile).string(), fmt::format("{}\n", bytes));
}

std::string RunCache::file_of(const std::string& key) const {
  return (fs::path(options_.folder) / options_.build / key.substr(0, kFolderDigits) / key.substr(kFolderDigits))
      .string();
}

std::optional<std::string> RunCache::get(const std::string& key) const {
  const std::string file = file_of(key);
  Result<std::string> read = read_file(file, {.bytes = kLargestEntry});
  if (!read) {
    return std::nullopt;
  }
  const std::size_t header = read->find('\n') + 1;
  std::string text = read->substr(header);
  if (header == 0 || read->compare(0, header, header_of(key, text)) != 0) {
    return std::nullopt;
  }
  ::utimensat(AT_FDCWD, file.c_str(), nullptr, 0);
  return text;
}

Result<void> RunCache::put(const std::string& key, std::string_view text) {
  const std::string entry = header_of(key, text).append(text);
  if (entry.size() > std::min(options_.limit, kLargestEntry)) {
    return fail("an entry of {} bytes is more than the cache may hold", entry.size());
  }
  keep_to_limit(entry.size());
  Result<void> written = write_entry(file_of(key), entry);
  // Another process may have removed the folder while it was empty.
  return written ? written : write_entry(file_of(key), entry);
}

void RunCache::keep_to_limit(std::uint64_t more) {
  if (!size_) {
    add_tag(options_.folder);
    size_ = bytes_of(cache_entries(options_.folder));
  }
  *size_ += more;
  if (*size_ <= options_.limit) {
    return;
  }
  // A tenth more than needed, so that not every entry has to look through the folder; others may have written to it.
  std::vector<CacheEntry> entries = cache_entries(options_.folder);
  const std::uint64_t room = options_.limit - options_.limit / 10;
  const std::uint64_t left = room > more ? room - more : 0;
  const std::uint64_t all = bytes_of(entries);
  const std::vector<CacheEntry> gone = beyond_limit(std::move(entries), left, options_.build);
  remove_cache_entries(options_.folder, gone);
  size_ = all - bytes_of(gone) + more;
}

Result<std::optional<RunCache>> usual_cache() {
  const std::optional<std::string> folder = cache_folder();
  if (!folder) {
    return std::nullopt;
  }
  Result<std::uint64_t> limit = cache_limit(*folder);
  if (!limit) {
    return pass_on(limit);
  }
  return *limit == 0 ? std::nullopt
                     : std::optional(RunCache({.folder = *folder, .build = build_identity(), .limit = *limit}));
}

std::vector<CacheEntry> cache_entries(const std::string& folder) {
  std::vector<CacheEntry> entries;
  visit_folder(folder, [&](const fs::path& build) {
    if (!is_build(build.filename().string())) {
      return;
    }
    visit_folder(build, [&](const fs::path& group) {
      const std::string digits = group.filename().string();
      if (digits.size() != kFolderDigits || !is_hexadecimal(digits)) {
        return;
      }
      visit_folder(group, [&](const fs::path& file) {
        struct stat status {};
        if (::lstat(file.c_str(), &status) == 0 && is_entry(file.filename().string(), status)) {
          entries.push_back({.file = file.string(),
                             .build = build.filename().string(),
                             .bytes = static_cast<std::uint64_t>(status.st_size),
                             .used = status.st_mtime});
        }
      });
    });
  });
  return entries;
}

void remove_cache_entries(const std::string& folder, const std::vector<CacheEntry>& entries) {
  std::error_code ignored;
  for (const CacheEntry& entry : entries) {
    fs::remove(entry.file, ignored);
  }
  // Folders that still have something in them stay: remove takes empty ones alone.
  for (const CacheEntry& entry : entries) {
    const fs::path group = fs::path(entry.file).parent_path();
    fs::remove(group, ignored);
    fs::remove(fs::path(folder) / entry.build, ignored);
  }
}

std::vector<CacheEntry> beyond_limit(std::vector<CacheEntry> entries, std::uint64_t limit, std::string_view build) {
  std::uint64_t bytes = bytes_of(entries);
  std::ranges::sort(entries, {}, [build](const CacheEntry& entry) {
    return std::tuple(entry.build == build, entry.used, std::string_view(entry.file));
  });
  std::size_t gone = 0;
  while (gone < entries.size() && bytes > limit) {
    bytes -= entries[gone++].bytes;
  }
  entries.resize(gone);
  return entries;
}

}  // namespace weft::cli
