// Prints simulated collectives beside their closed forms, as a table of docs/validation.md: one row for each kind,
// algorithm and number of ranks, with the error for each size. "-": more than is affordable packet by packet. An
// argument leaves the rows whose name it is part of.
#include <fmt/core.h>

#include <cmath>
#include <cstdio>

#include "study/run/collective_form.h"

namespace weft::study::run {
namespace {

using workload::CollectiveAlgorithm;
using workload::CollectiveKind;

struct Row {
  CollectiveKind kind;
  CollectiveAlgorithm algorithm;
  std::int64_t locals = 1;
  FormTrees trees = FormTrees::kSingle;
};

constexpr Row kRows[] = {
    {CollectiveKind::kAllReduce, CollectiveAlgorithm::kRing},
    {CollectiveKind::kAllReduce, CollectiveAlgorithm::kTree},
    {CollectiveKind::kAllReduce, CollectiveAlgorithm::kTree, 1, FormTrees::kDouble},
    {CollectiveKind::kAllReduce, CollectiveAlgorithm::kHalvingDoubling},
    {CollectiveKind::kAllReduce, CollectiveAlgorithm::kDirect},
    {CollectiveKind::kAllReduce, CollectiveAlgorithm::kHierarchical, 8},
    {CollectiveKind::kAllReduce, CollectiveAlgorithm::kNvlsTree, 8, FormTrees::kDouble},
    {CollectiveKind::kReduceScatter, CollectiveAlgorithm::kRing},
    {CollectiveKind::kReduceScatter, CollectiveAlgorithm::kHierarchical, 8},
    {CollectiveKind::kAllGather, CollectiveAlgorithm::kRing},
    {CollectiveKind::kAllGather, CollectiveAlgorithm::kHierarchical, 8},
    {CollectiveKind::kBroadcast, CollectiveAlgorithm::kRing},
    {CollectiveKind::kBroadcast, CollectiveAlgorithm::kTree},
    {CollectiveKind::kReduce, CollectiveAlgorithm::kRing},
    {CollectiveKind::kAllToAll, CollectiveAlgorithm::kDirect},
};
constexpr std::int64_t kRanks[] = {2, 4, 8, 16, 32, 64, 128, 256, 512};
constexpr Bytes kSizes[] = {1_kib, 64_kib, 1_mib, 16_mib, 128_mib, Bytes(1 << 30)};
/// Payload times ranks of one simulation, and its messages.
constexpr double kMostBytes = 20e9;
constexpr double kMaxMessages = 3e6;

bool affordable(const Row& row, std::int64_t ranks, Bytes size) {
  const bool exchange = row.algorithm == CollectiveAlgorithm::kDirect;
  const double steps = 2.0 * static_cast<double>(exchange || row.algorithm == CollectiveAlgorithm::kRing ? ranks : 20);
  return static_cast<double>(size.count()) * static_cast<double>(ranks) < kMostBytes &&
         static_cast<double>(ranks) * steps < kMaxMessages;
}

std::string cell(const Row& row, std::int64_t ranks, Bytes size, const scenario::Catalogue& catalogue) {
  if (!affordable(row, ranks, size)) {
    return "-";
  }
  CollectiveRun run = form_run(ranks, row.locals);
  run.kind = row.kind;
  run.algorithm = row.algorithm;
  const auto found = compare_with_form(run, usable_size(run, size), catalogue, row.trees);
  return found ? fmt::format("{:+.2f}", 100 * found->error()) : found.error().message;
}

/// "all-reduce, tree (double)".
std::string name_of(const Row& row) {
  const bool both = row.trees == FormTrees::kDouble && row.algorithm == CollectiveAlgorithm::kTree;
  return fmt::format("{}, {}{}", to_string(row.kind), to_string(row.algorithm), both ? " (double)" : "");
}

/// Rows whose name has `only` in it.
int run(std::string_view only) {
  const auto catalogue = scenario::Catalogue::load(std::nullopt);
  if (!catalogue) {
    fmt::print(stderr, "{}\n", catalogue.error().message);
    return 1;
  }
  fmt::print(
      "| operation | ranks | 1 KiB | 64 KiB | 1 MiB | 16 MiB | 128 MiB | 1 GiB |\n|---|---|---|---|---|---|---|---|\n");
  for (const Row& row : kRows) {
    if (name_of(row).find(only) == std::string::npos) {
      continue;
    }
    for (const std::int64_t ranks : kRanks) {
      if (ranks <= row.locals && row.locals > 1) {
        continue;
      }
      std::string line = fmt::format("| {} | {} |", name_of(row), ranks);
      for (const Bytes size : kSizes) {
        line += fmt::format(" {} |", cell(row, ranks, size, *catalogue));
      }
      fmt::print("{}\n", line);
      std::fflush(stdout);
    }
  }
  return 0;
}

}  // namespace
}  // namespace weft::study::run

int main(int count, char** words) { return weft::study::run::run(count > 1 ? words[1] : ""); }
