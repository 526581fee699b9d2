// RACK: a segment is lost if one that left sufficiently later has arrived. And the rule of three duplicate
// acknowledgements on the same scoreboard, for connections that ask for it or have no timestamps of sending to trust.
#pragma once

#include <cstdint>

#include "base/time.h"
#include "transport/tcp/rtt_estimator.h"
#include "transport/tcp/scoreboard.h"

namespace weft::transport {

//= rfc8985 6
class Rack {
 public:
  static constexpr std::uint32_t kDuplicateThreshold = 3;

  struct View {
    const RttEstimator& rtt;
    bool recovering = false;  // in a fast recovery or after a timeout
  };

  void on_delivery(const Delivery& delivery, Time now);
  /// The peer reported a segment that arrived twice: losses were declared too early. At most one step a round trip.
  void on_duplicate(const TcpScoreboard& board);
  /// A segment taken for lost had been late.
  void on_late_arrival() { reordering_ = true; }
  void on_recovery_exit();

  /// Marks what is lost by now. Returns when to look again; never if nothing is doubtful.
  [[nodiscard]] Time detect(TcpScoreboard& board, const View& view, Time now) const;

 private:
  [[nodiscard]] Duration reordering_window(const TcpScoreboard& board, const View& view) const;

  Time sent_;              // of the segment that left last of those delivered
  TcpSequence end_ = 0;    // its end
  TcpSequence round_ = 0;  // duplicates below it have been answered
  Duration rtt_;
  std::uint8_t steps_ = 1;    // of the reordering window
  std::uint8_t persist_ = 0;  // recoveries that they still last
  bool reordering_ = false;   // has been seen
};

/// Marks the segments above which three others have arrived. Those sent again are left to the timer.
//= rfc6675 4
void detect_by_duplicates(TcpScoreboard& board);

}  // namespace weft::transport
