#include "transport/congestion/notification_point.h"

namespace weft::transport {

NotificationPoint::NotificationPoint(Duration minimum_interval)
    : CongestionReceiver(Sees::kMarkedPackets), minimum_interval_(minimum_interval) {
  WEFT_ASSERT(minimum_interval >= Duration::zero());
}

CongestionSignal NotificationPoint::on_data(bool marked, Time now) {
  if (!marked || now < not_before_)
    return CongestionSignal::kNone;
  not_before_ = now + minimum_interval_;
  return CongestionSignal::kCnp;
}

}  // namespace weft::transport
