#include "live/packet_tap.h"

#include <algorithm>

namespace weft::live {
namespace {

template <class Frame>
wire::MacAddress made_up(const Frame& frame, bool source) {
  wire::MacAddress mac{.octets = {0x02, 0x00}};
  if (frame.ipv4) {
    const std::uint32_t address = source ? frame.ipv4->source.value : frame.ipv4->destination.value;
    for (unsigned i = 0; i < 4; ++i)
      mac.octets[2 + i] = static_cast<std::uint8_t>(address >> (24 - 8 * i));
  } else if (frame.ipv6) {
    const auto& octets = source ? frame.ipv6->source.octets : frame.ipv6->destination.octets;
    std::copy_n(octets.end() - 4, 4, mac.octets.begin() + 2);
  }
  return mac;
}

}  // namespace

Result<PacketTap> PacketTap::create(const std::string& path) {
  Result<wire::PcapngWriter> writer = wire::PcapngWriter::create(path);
  if (!writer)
    return pass_on(writer);
  Result<wire::CaptureInterface> where = writer->add_interface("socket", wire::LinkType::kEthernet);
  if (!where)
    return pass_on(where);
  return PacketTap(std::move(*writer), *where);
}

void PacketTap::write(const wire::RdmaFrame& frame, Time when) { write_frame(frame, when); }
void PacketTap::write(const wire::uet::UetFrame& frame, Time when) { write_frame(frame, when); }

template <class Frame>
void PacketTap::write_frame(const Frame& frame, Time when) {
  Frame whole = frame;
  whole.ethernet = wire::EthernetHeader{.destination = made_up(frame, false),
                                        .source = made_up(frame, true),
                                        .ether_type = frame.ipv4 ? wire::kEtherTypeIpv4 : wire::kEtherTypeIpv6};
  static constexpr std::array<std::byte, wire::EthernetHeader::kMinFrameWithoutFcs> kZeros{};
  if (const std::size_t size = emitted_size(whole); size < kZeros.size())
    whole.trailer = std::span(kZeros).first(kZeros.size() - size);
  bytes_.resize(emitted_size(whole));
  emit_frame(whole, bytes_);
  // The writer keeps its first error for close().
  (void)writer_.write(where_, when, bytes_);
}

}  // namespace weft::live
