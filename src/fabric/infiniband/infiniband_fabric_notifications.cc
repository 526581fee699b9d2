// The notifications by which switches tell each other of congestion: beside credit updates, and taken as they are, when
// they are needed.
#include "fabric/infiniband/infiniband_fabric.h"
#include "fabric/routing/notification_content.h"

namespace weft::fabric {

void InfiniBandFabric::receive_notifications(const Switch& node, const NextHops& hops, Time now) {
  for (const std::uint16_t number : hops) {
    const PortIndex index = node.first_port + number;
    if (!ports_[index].waits_for_credits()) {
      (void)process_credit_updates(ports_[index], index, now);
    }
  }
}

void InfiniBandFabric::send_notification(PortIndex ingress, const NotificationContent& content, Time now) {
  InfiniBandPort& port = ports_[ingress];
  const Time begin = port.transmission_start(now);
  if (port.has(kTapped)) [[unlikely]] {
    tap_->on_frame(ingress, Tap::Direction::kSent, CreditContent::record(), begin);
  }
  port.free_at = begin + port.wire_time(NotificationContent::kFrameBytes);
  send_control(port, content.packed());
}

void InfiniBandFabric::process_notification(InfiniBandPort& port, PortIndex index, std::uint32_t frame, Time at) {
  if (port.has(kHasErrors) && errors_[index]->damages(NotificationContent::kFrameBytes)) {
    ++port.symbol_errors;
    return;
  }
  mark_congested(port, NotificationContent::unpacked(frame), at);
}

}  // namespace weft::fabric
