#include "wire/pcap_reader.h"

#include <pcap/pcap.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/assert.h"

namespace weft::wire {
namespace {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

CaptureLink link_of(int datalink) {
  switch (datalink) {
    case DLT_EN10MB:
      return CaptureLink::kEthernet;
    case DLT_INFINIBAND:
      return CaptureLink::kInfiniBand;
    case DLT_RAW:
    case DLT_IPV4:
    case DLT_IPV6:
      return CaptureLink::kRawIp;
    case DLT_LINUX_SLL:
      return CaptureLink::kLinuxCooked;
    case DLT_LINUX_SLL2:
      return CaptureLink::kLinuxCooked2;
    case DLT_ERF:
      return CaptureLink::kErf;
    default:
      return CaptureLink::kOther;
  }
}

/// A seconds field of a corrupt file may be anything; the arithmetic wraps instead of overflowing.
std::int64_t nanoseconds_of(const pcap_pkthdr& header) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(header.ts.tv_sec) * kNanosecondsPerSecond +
                                   static_cast<std::uint64_t>(header.ts.tv_usec));
}

}  // namespace

void PcapReader::Closer::operator()(pcap* handle) const { pcap_close(handle); }

PcapReader::PcapReader(pcap* handle, std::string name) : handle_(handle), name_(std::move(name)) {
  link_ = handle == nullptr ? CaptureLink::kOther : link_of(pcap_datalink(handle));
}

Result<PcapReader> PcapReader::open(const std::string& path) {
  std::FILE* stream = std::fopen(path.c_str(), "rb");
  if (stream == nullptr) {
    return fail("{}: cannot open the capture: {}", path, std::strerror(errno));
  }
  return take(stream, path);
}

Result<PcapReader> PcapReader::take(std::FILE* stream, std::string name) {
  WEFT_ASSERT(stream != nullptr);
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> owned(stream, &std::fclose);
  // libpcap calls a file of no bytes truncated; here it is a capture in which nothing was seen.
  const int first = std::fgetc(stream);
  if (first == EOF) {
    if (std::ferror(stream) != 0) {
      return fail("{}: cannot read the capture: {}", name, std::strerror(errno));
    }
    return PcapReader(nullptr, std::move(name));
  }
  std::ungetc(first, stream);
  std::array<char, PCAP_ERRBUF_SIZE> message{};
  pcap* handle = pcap_fopen_offline_with_tstamp_precision(stream, PCAP_TSTAMP_PRECISION_NANO, message.data());
  if (handle == nullptr) {
    return fail("{}: not a pcap or pcapng capture: {}", name, message.data());
  }
  // From here on the stream belongs to libpcap.
  static_cast<void>(owned.release());
  return PcapReader(handle, std::move(name));
}

std::string PcapReader::link_name() const {
  if (handle_ == nullptr) {
    return "none";
  }
  const int datalink = pcap_datalink(handle_.get());
  const char* name = pcap_datalink_val_to_name(datalink);
  return name != nullptr ? name : fmt::format("DLT {}", datalink);
}

Result<std::optional<CapturedPacket>> PcapReader::next() {
  if (handle_ == nullptr) {
    return std::optional<CapturedPacket>();
  }
  pcap_pkthdr* header = nullptr;
  const unsigned char* bytes = nullptr;
  const int outcome = pcap_next_ex(handle_.get(), &header, &bytes);
  if (outcome == PCAP_ERROR_BREAK) {
    return std::optional<CapturedPacket>();
  }
  if (outcome != 1) {
    return fail("{}: the capture is damaged after packet {}: {}", name_, packets_, pcap_geterr(handle_.get()));
  }
  ++packets_;
  return CapturedPacket{.number = packets_,
                        .timestamp_ns = nanoseconds_of(*header),
                        .original_length = header->len,
                        .bytes = std::as_bytes(std::span(bytes, header->caplen))};
}

}  // namespace weft::wire
