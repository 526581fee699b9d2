#include "study/run/payload_share.h"

#include "study/scenario/packet_sizes.h"
#include "wire/ddp.h"
#include "wire/encapsulation.h"
#include "wire/mpa.h"

namespace weft::study::run {
namespace {

double ratio(Bytes payload, Bytes wire) {
  return static_cast<double>(payload.count()) / static_cast<double>(wire.count());
}

double share_in_stream(const scenario::Scenario& scenario, const host::NicOptions& nic, bool is_iwarp) {
  constexpr Bytes kTimestamps{12};
  const transport::TcpOptions& tcp = nic.tcp.tcp;
  const Bytes options = tcp.timestamps ? kTimestamps : Bytes::zero();
  Bytes segment = Bytes(tcp.mss) - options;
  Bytes payload = segment;
  if (is_iwarp) {
    const auto markers = nic.iwarp.markers ? wire::MpaMarkers::kOn : wire::MpaMarkers::kOff;
    const std::size_t longest = wire::mulpdu(static_cast<std::size_t>(segment.count()), markers);
    payload = Bytes(static_cast<std::int64_t>(longest - wire::DdpHeader::kTaggedSize));
    segment = Bytes(static_cast<std::int64_t>(wire::fpdu_extent(1, longest, markers)));
  }
  const wire::FrameSizes frame = wire::tcp_sizes(tcp.encapsulation, {.options = options, .payload = segment});
  return ratio(payload, wire::protected_sizes(frame, scenario::protection_of(scenario)).wire);
}

}  // namespace

double payload_share(const scenario::Scenario& scenario, scenario::Family family, const host::NicOptions& nic,
                     bool reads) {
  if (scenario::is_over_tcp(family)) {
    return share_in_stream(scenario, nic, scenario::engine_of(family) == scenario::FamilyEngine::kIwarp);
  }
  const Bytes payload(scenario.fabric.mtu);
  return ratio(payload,
               (reads ? scenario::read_packet(scenario, payload) : scenario::data_packet(scenario, payload)).wire);
}

}  // namespace weft::study::run
