#include "study/run/collector_control.h"

#include <cmath>

#include "fabric/control/control_plane.h"
#include "fabric/ethernet/ethernet_control.h"

namespace weft::study::run {
namespace {

using fabric::SessionEnd;

std::uint64_t ended_by(const fabric::ControlSummary& sum, SessionEnd end) {
  return sum.session_ends[static_cast<std::size_t>(end)];
}

results::ControlRow control_row(const fabric::ControlSummary& sum, const fabric::ControlLosses& losses) {
  results::ControlRow row{.sessions = sum.sessions,
                          .established = sum.established_ends,
                          .quiet = sum.is_quiet,
                          .messages = sum.messages,
                          .message_bytes = Bytes(static_cast<std::int64_t>(sum.message_bytes)),
                          .updates = sum.updates,
                          .bfd_packets = sum.bfd_packets,
                          .lldp_units = sum.lldp_units,
                          .frame_bytes = Bytes(static_cast<std::int64_t>(sum.frame_bytes)),
                          .frames_lost = losses.control_frames,
                          .retransmissions = sum.retransmissions,
                          .bad_messages = sum.bad_messages,
                          .processed = sum.prefixes_processed,
                          .cpu_time = sum.cpu_time,
                          .busiest_cpu_time = sum.busiest_cpu_time,
                          .busiest_switch = sum.busiest_switch,
                          .fib_writes = sum.fib_writes,
                          .ended_by_signal = ended_by(sum, SessionEnd::kSignal),
                          .ended_by_bfd = ended_by(sum, SessionEnd::kBfd),
                          .ended_by_hold_timer = ended_by(sum, SessionEnd::kHoldTimer)};
  row.ended_otherwise =
      ended_by(sum, SessionEnd::kNotification) + ended_by(sum, SessionEnd::kReset) + ended_by(sum, SessionEnd::kFault);
  for (const fabric::LeafLosses& leaf : losses.leaves) {
    row.black_holed += leaf.black_hole;
    row.lost_on_cables += leaf.on_cable;
    row.hop_limit += leaf.hop_limit;
    row.looped += leaf.looped;
  }
  return row;
}

results::ControlEventRow control_row(const fabric::ControlEventRecord& record) {
  const char* const kind = record.is_start                            ? "start"
                           : record.failed > 0 && record.restored > 0 ? "fail, restore"
                           : record.failed > 0                        ? "fail"
                                                                      : "restore";
  return {.at = record.at,
          .kind = kind,
          .links = record.failed + record.restored,
          .link = record.link,
          .noticed = record.noticed,
          .last_entry = record.last_write};
}

}  // namespace

void take_control(fabric::AnyFabric& fabric, Time at, results::RunResults& results) {
  fabric::EthernetFabric* const ethernet = fabric.get_if<fabric::EthernetFabric>();
  if (ethernet == nullptr || ethernet->control_plane() == nullptr) {
    return;
  }
  fabric::ControlPlane& plane = *ethernet->control_plane();
  const fabric::ControlLosses& losses = *ethernet->control_losses();
  results.control = control_row(plane.summary(), losses);
  for (const fabric::ControlEventRecord& record : plane.events()) {
    if (record.at <= at) {
      results.control_events.push_back(control_row(record));
    }
  }
  constexpr double kPicosecondsPerSecond = 1e12;
  for (std::size_t prefix = 0; prefix < plane.plan().leaf_of.size(); ++prefix) {
    const std::uint32_t leaf = plane.plan().leaf_of[prefix];
    const fabric::ReachMonitor::Outage outage = plane.monitor().outage(static_cast<fabric::PrefixId>(prefix), at);
    const fabric::LeafLosses& lost = losses.leaves[leaf];
    results.control_destinations.push_back(
        {.leaf = plane.at(leaf).name(),
         .black_hole = outage.black_hole,
         .loop = outage.loop,
         .cut_off = outage.cut_off,
         .lost_time = Duration::picoseconds(std::llround(outage.lost_seconds * kPicosecondsPerSecond)),
         .black_holed = lost.black_hole,
         .lost_on_cables = lost.on_cable,
         .hop_limit = lost.hop_limit,
         .looped = lost.looped});
  }
  for (const fabric::CablingFault& fault : plane.cabling_faults()) {
    results.cabling.push_back({.port = fault.port, .planned = fault.planned, .found = fault.found});
  }
}

}  // namespace weft::study::run
