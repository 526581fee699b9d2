#include "cli/pcap_check.h"

#include <fmt/core.h>

#include <cstdio>
#include <string_view>

#include "base/counted.h"
#include "cli/complain.h"
#include "cli/exit_status.h"
#include "wire/capture_check.h"

namespace weft::cli {
namespace {

Result<void> check_file(const std::string& file, wire::FurtherRocePorts ports, wire::CaptureCounts& counts) {
  Result<wire::PcapReader> reader = wire::PcapReader::open(file);
  if (!reader) {
    return pass_on(reader);
  }
  const std::uint64_t before = counts.packets;
  const auto on_fault = [&file](std::uint64_t number, std::string_view what) {
    fmt::print("{}:{}: {}\n", file, number, what);
  };
  Result<void> checked = wire::check_capture(*reader, counts, on_fault, ports);
  if (reader->link() == wire::CaptureLink::kOther && counts.packets > before) {
    fmt::print(stderr, "weft pcap check: {}: unsupported link type {}: all packets count as unknown\n", file,
               reader->link_name());
  }
  return checked;
}

}  // namespace

int run_pcap_check(const std::vector<std::string>& files, const std::vector<std::uint16_t>& ports) {
  wire::CaptureCounts counts;
  bool unreadable = false;
  for (const std::string& file : files) {
    if (Result<void> checked = check_file(file, ports, counts); !checked) {
      (void)complain("pcap check", checked.error(), kUsageError);
      unreadable = true;
    }
  }
  fmt::print("{}\n", wire::summary(counts));
  if (unreadable) {
    return kUsageError;
  }
  if (counts.packets == 0) {
    return complain("pcap check", Error{"no packet to check: the capture is empty"}, kFault);
  }
  if (counts.unknown == counts.packets) {
    const std::string what = fmt::format(
        "nothing was checked: none of {} is RDMA that weft reads; name UDP ports of RoCEv2 besides 4791 with "
        "--port",
        counted(counts.packets, {"packet", "packets"}));
    return complain("pcap check", Error{what}, kFault);
  }
  return counts.faults > 0 ? kFault : kSuccess;
}

}  // namespace weft::cli
