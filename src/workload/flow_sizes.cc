#include "workload/flow_sizes.h"

#include <array>

#include "base/nearest_word.h"

namespace weft::workload {
namespace {

struct SizePoint {
  std::int64_t bytes;
  std::uint64_t basis_points;  // hundredths of a percent at or below
};

// Source: the web search cluster of Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010, with the values of
// WebSearch_distribution.txt in the generator published with Li et al., "HPCC", SIGCOMM 2019.
constexpr SizePoint kWebSearch[] = {
    {0, 0},          {10'000, 1500},    {20'000, 2000},    {30'000, 3000},    {50'000, 4000},     {80'000, 5300},
    {200'000, 6000}, {1'000'000, 7000}, {2'000'000, 8000}, {5'000'000, 9000}, {10'000'000, 9700}, {30'000'000, 10000},
};

// Source: Hadoop of Roy et al., "Inside the Social Network's (Datacenter) Network", SIGCOMM 2015, with the values of
// FbHdp_distribution.txt in the same generator.
constexpr SizePoint kFbHadoop[] = {
    {0, 0},          {100, 100},      {200, 200},        {300, 500},        {350, 1500},
    {400, 2000},     {500, 3000},     {600, 4000},       {700, 5000},       {1000, 6000},
    {2000, 6700},    {7000, 7000},    {30'000, 7200},    {50'000, 8200},    {80'000, 8700},
    {120'000, 9000}, {300'000, 9500}, {1'000'000, 9750}, {2'000'000, 9900}, {10'000'000, 10000},
};

// Source: a distributed storage system of Alibaba, 2019: AliStorage2019.txt in the same generator.
constexpr SizePoint kAliStorage[] = {
    {0, 0},         {4000, 2293},    {8000, 6921},    {16'000, 8061},     {32'000, 9047},
    {64'000, 9353}, {128'000, 9677}, {256'000, 9753}, {2'000'000, 10000},
};

constexpr std::array<std::string_view, 3> kNames = {"WebSearch", "FB_Hadoop", "AliStorage"};
constexpr std::array<std::span<const SizePoint>, 3> kTables = {kWebSearch, kFbHadoop, kAliStorage};

}  // namespace

std::span<const std::string_view> flow_size_names() { return kNames; }

Result<CdfTable> flow_sizes(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] != name)
      continue;
    std::vector<CdfPoint> points;
    for (const SizePoint& point : kTables[i])
      points.push_back(
          {.value = point.bytes,
           .cumulative = Probability::from_ratio({.numerator = point.basis_points, .denominator = 10'000})});
    return CdfTable::make(std::move(points));
  }
  return tl::unexpected<Error>(unknown_word({.kind = "flow size distribution", .word = name, .valid = kNames}));
}

}  // namespace weft::workload
