// DCQCN's notification point: sends a CNP for a marked packet, at most one per interval.
//
// The interval counts from the last CNP sent; a marked packet inside the interval causes no later CNP.
#pragma once

#include "transport/congestion/congestion_control.h"

namespace weft::transport {

class NotificationPoint final : public CongestionReceiver {
 public:
  /// `minimum_interval` >= 0.
  explicit NotificationPoint(Duration minimum_interval);
  [[nodiscard]] CongestionSignal on_data(bool marked, Time now) override;

 private:
  Duration minimum_interval_;
  Time not_before_;
};

}  // namespace weft::transport
