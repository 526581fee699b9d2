#include "cli/pcap_check.h"

#include <fmt/core.h>

#include <cstdio>
#include <string_view>

#include "cli/exit_status.h"
#include "wire/capture_check.h"

namespace weft::cli {
namespace {

Result<void> check_file(const std::string& file, wire::CaptureCounts& counts) {
  Result<wire::PcapReader> reader = wire::PcapReader::open(file);
  if (!reader) {
    return pass_on(reader);
  }
  const std::uint64_t before = counts.packets;
  Result<void> checked = wire::check_capture(*reader, counts, [&file](std::uint64_t number, std::string_view what) {
    fmt::print("{}:{}: {}\n", file, number, what);
  });
  if (reader->link() == wire::CaptureLink::kOther && counts.packets > before) {
    fmt::print(stderr, "weft pcap check: {}: unsupported link type {}: all packets count as unknown\n", file,
               reader->link_name());
  }
  return checked;
}

}  // namespace

int run_pcap_check(const std::vector<std::string>& files) {
  wire::CaptureCounts counts;
  bool unreadable = false;
  for (const std::string& file : files) {
    if (Result<void> checked = check_file(file, counts); !checked) {
      fmt::print(stderr, "weft pcap check: {}\n", checked.error().message);
      unreadable = true;
    }
  }
  fmt::print("{}\n", wire::summary(counts));
  if (unreadable) {
    return kUsageError;
  }
  return counts.faults > 0 ? kFault : kSuccess;
}

}  // namespace weft::cli
