#include "cli/pcap_list.h"

#include <fmt/core.h>

#include <cstdint>
#include <cstdio>
#include <optional>

#include "cli/complain.h"
#include "cli/exit_status.h"
#include "wire/capture_list.h"
#include "wire/pcap_reader.h"

namespace weft::cli {
namespace {

/// Seconds since the first packet, to the nanosecond; packets of several interfaces need not be in order.
std::string relative_time(std::int64_t timestamp, std::int64_t first) {
  constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;
  const bool before = timestamp < first;
  // Unsigned, because a corrupt file may hold any two numbers.
  const auto difference = static_cast<std::uint64_t>(timestamp) - static_cast<std::uint64_t>(first);
  const std::uint64_t magnitude = before ? std::uint64_t{0} - difference : difference;
  return fmt::format("{}{}.{:09}", before ? "-" : "", magnitude / kNanosecondsPerSecond,
                     magnitude % kNanosecondsPerSecond);
}

Result<void> list(wire::PcapReader& reader, wire::CaptureList& lines) {
  std::optional<std::int64_t> first;
  while (true) {
    const Result<std::optional<wire::CapturedPacket>> packet = reader.next();
    if (!packet) {
      return tl::unexpected<Error>(packet.error());
    }
    if (!packet->has_value()) {
      return {};
    }
    first = first.value_or((*packet)->timestamp_ns);
    fmt::print("{} {} {}\n", (*packet)->number, relative_time((*packet)->timestamp_ns, *first),
               lines.line(reader.link(), **packet));
  }
}

}  // namespace

int run_pcap_list(const std::string& file, const std::vector<std::uint16_t>& ports) {
  wire::CaptureList lines(ports);
  Result<wire::PcapReader> reader = wire::PcapReader::open(file);
  Result<void> listed = reader ? list(*reader, lines) : Result<void>(pass_on(reader));
  if (!listed) {
    return complain("pcap list", listed.error(), kUsageError);
  }
  return kSuccess;
}

}  // namespace weft::cli
