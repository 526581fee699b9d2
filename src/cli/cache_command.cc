#include "cli/cache_command.h"

#include <fmt/core.h>

#include <algorithm>
#include <ctime>
#include <map>

#include "base/parse_quantity.h"
#include "base/text_table.h"
#include "cli/build_identity.h"
#include "cli/complain.h"
#include "cli/exit_status.h"
#include "cli/run_cache.h"
#include "cli/terminal.h"
#include "study/results/summary_text.h"

namespace weft::cli {
namespace {

constexpr std::int64_t kDay = 86'400;  // seconds

std::string size_text(std::uint64_t bytes) {
  return study::results::short_text(Bytes(static_cast<std::int64_t>(bytes)));
}

std::string day_text(std::int64_t seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  localtime_r(&time, &parts);
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

std::string count_text(std::size_t entries) { return fmt::format("{} {}", entries, entries == 1 ? "run" : "runs"); }

struct BuildShare {
  std::size_t entries = 0;
  std::uint64_t bytes = 0;
  std::int64_t used = 0;  // the latest
};

std::uint64_t total_of(const std::vector<CacheEntry>& entries) {
  std::uint64_t bytes = 0;
  for (const CacheEntry& entry : entries) {
    bytes += entry.bytes;
  }
  return bytes;
}

/// This build first; of the others the one that was used last.
void print_builds(const std::vector<CacheEntry>& entries) {
  std::map<std::string, BuildShare> shares;
  for (const CacheEntry& entry : entries) {
    BuildShare& own = shares[entry.build];
    ++own.entries;
    own.bytes += entry.bytes;
    own.used = std::max(own.used, entry.used);
  }
  std::vector<std::pair<std::string, BuildShare>> rows(shares.begin(), shares.end());
  std::ranges::stable_sort(rows, [](const auto& a, const auto& b) {
    const bool own = a.first == build_identity();
    return own != (b.first == build_identity()) ? own : a.second.used > b.second.used;
  });
  const auto right = [](std::size_t least, std::uint8_t rank, std::string name) {
    return TextTable::Column{
        .align = TextTable::Align::kRight, .least = least, .spills = least, .rank = rank, .name = std::move(name)};
  };
  TextTable table({{.least = 34, .spills = 34},
                   right(12, 2, "entries"),
                   right(9, 0, "size"),
                   {.rank = 1, .name = "when it was used"},
                   {.wraps = true, .rank = 3, .name = "whether this build uses it"}},
                  terminal_columns(stdout));
  for (const auto& [build, own] : rows) {
    table.add({fmt::format("  version {}", build), count_text(own.entries), size_text(own.bytes),
               "used " + day_text(own.used),
               build == build_identity() ? "this build" : "another build: not used by this one, removed first"});
  }
  fmt::print("{}", table.text());
}

int show(const std::string& folder, std::uint64_t limit) {
  const std::vector<CacheEntry> entries = cache_entries(folder);
  fmt::print("{}: {}, {} of {}\n", folder, count_text(entries.size()), size_text(total_of(entries)), size_text(limit));
  print_builds(entries);
  return kSuccess;
}

int clear(const std::string& folder, const std::optional<std::int64_t>& older_than) {
  std::vector<CacheEntry> entries = cache_entries(folder);
  if (older_than) {
    const std::int64_t since = static_cast<std::int64_t>(std::time(nullptr)) - *older_than * kDay;
    std::erase_if(entries, [since](const CacheEntry& entry) { return entry.used >= since; });
  }
  remove_cache_entries(folder, entries);
  fmt::print("{}: {} removed, {}\n", folder, count_text(entries.size()), size_text(total_of(entries)));
  return kSuccess;
}

/// From now on, and at once.
Result<void> limit_cache(const std::string& folder, const std::string& text) {
  const Result<Bytes> bytes = parse_bytes(text);
  if (!bytes) {
    return fail("--limit: {}", bytes.error().message);
  }
  const auto limit = static_cast<std::uint64_t>(bytes->count());
  if (Result<void> kept = set_cache_limit(folder, limit); !kept) {
    return kept;
  }
  remove_cache_entries(folder, beyond_limit(cache_entries(folder), limit, build_identity()));
  return {};
}

int run(const CacheText& text) {
  const std::optional<std::string> folder = cache_folder();
  if (!folder) {
    fmt::print("there is no cache: WEFT_CACHE is empty, or there is no home folder\n");
    return kSuccess;
  }
  if (text.older_than && text.action != "clear") {
    return complain("cache", {"--older-than: for 'weft cache clear' alone"}, kUsageError);
  }
  if (!text.limit.empty()) {
    if (Result<void> limited = limit_cache(*folder, text.limit); !limited) {
      return complain("cache", limited.error(), kUsageError);
    }
  }
  const Result<std::uint64_t> limit = cache_limit(*folder);
  if (!limit) {
    return complain("cache", limit.error(), kUsageError);
  }
  return text.action == "clear" ? clear(*folder, text.older_than) : show(*folder, *limit);
}

}  // namespace

void add_cache_command(CLI::App& app, CacheText& text, int& exit_status) {
  CLI::App* command = app.add_subcommand("cache", "Show or clear what is kept of earlier runs");
  command->add_option("ACTION", text.action, "show or clear")
      ->check(CLI::IsMember({"show", "clear"}))
      ->capture_default_str();
  command->add_option("--older-than", text.older_than, "Of clear: only what was not used for so many days")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{100'000}));
  command->add_option("--limit", text.limit, "From now on, keep at most so much, such as 5GiB");
  command->footer("Exit status: 0 done, 2 wrong input.");
  command->callback([&text, &exit_status] { exit_status = run(text); });
}

}  // namespace weft::cli
