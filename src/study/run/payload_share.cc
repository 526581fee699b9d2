#include "study/run/payload_share.h"

#include "study/scenario/packet_sizes.h"
#include "wire/ddp.h"
#include "wire/mpa.h"

namespace weft::study::run {
namespace {

double ratio(Bytes payload, Bytes wire) {
  return static_cast<double>(payload.count()) / static_cast<double>(wire.count());
}

double share_of_fpdus(const scenario::Scenario& scenario) {
  const auto markers = scenario.iwarp.markers ? wire::MpaMarkers::kOn : wire::MpaMarkers::kOff;
  const std::size_t longest = wire::mulpdu(static_cast<std::size_t>(scenario::stream_room(scenario).count()), markers);
  const Bytes segment(static_cast<std::int64_t>(wire::fpdu_extent(1, longest, markers)));
  return ratio(Bytes(static_cast<std::int64_t>(longest - wire::DdpHeader::kTaggedSize)),
               scenario::stream_segment(scenario, segment).wire);
}

}  // namespace

double payload_share(const scenario::Scenario& scenario, scenario::Family family, bool reads) {
  if (scenario::engine_of(family) == scenario::FamilyEngine::kIwarp) {
    return share_of_fpdus(scenario);
  }
  if (scenario::is_over_tcp(family)) {
    const Bytes room = scenario::stream_room(scenario);
    return ratio(room, scenario::stream_segment(scenario, room).wire);
  }
  const Bytes payload(scenario.fabric.mtu);
  return ratio(payload,
               (reads ? scenario::read_packet(scenario, payload) : scenario::data_packet(scenario, payload)).wire);
}

}  // namespace weft::study::run
