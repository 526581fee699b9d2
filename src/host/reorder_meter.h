// How far out of order packets arrive at a NIC: for each late packet the distance to the highest sequence number
// before.
//
// A packet is late if one with a higher PSN of its flow came earlier; its distance is the difference, in packets. What
// is sent again counts as well, since nothing tells it from what was delayed. Of distances below 32 each has a count of
// its own, above that there are 16 counts to an octave.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <vector>

#include "base/assert.h"
#include "base/psn.h"
#include "host/path/flow_table.h"

namespace weft::host {

class ReorderMeter {
 public:
  /// Some distances close to one another.
  struct Late {
    std::uint32_t distance = 0;  // the largest of them
    std::uint64_t packets = 0;

    friend bool operator==(const Late&, const Late&) = default;
  };
  /// Requests of a queue pair's peer, or the answers to its own; or what comes through a context of Ultra Ethernet,
  /// whose place others have before and after it.
  struct Flow {
    FlowRef flow = 0;
    bool answers = false;
    std::uint32_t epoch = 0;  // differs between flows that have one place after another
  };

  void note(const Flow& of, Psn psn) {
    Highest& own = (of.answers ? responses_ : requests_)[of.flow];
    ++packets_;
    if (!own.any || own.epoch != of.epoch || psn > own.psn) {
      own = {.psn = psn, .epoch = of.epoch, .any = true};
    } else if (psn != own.psn) {
      count(static_cast<std::uint32_t>(own.psn - psn));
    }
  }
  /// The queue pair is gone; its place may be that of another one.
  void forget(FlowRef flow) {
    requests_.forget(flow);
    responses_.forget(flow);
  }

  [[nodiscard]] std::uint64_t packets() const { return packets_; }
  /// In the order of their distances.
  [[nodiscard]] std::vector<Late> late() const {
    std::vector<Late> result;
    std::copy_if(late_.begin(), late_.end(), std::back_inserter(result),
                 [](const Late& late) { return late.packets != 0; });
    return result;
  }

 private:
  struct Highest {
    Psn psn;
    std::uint32_t epoch = 0;
    bool any = false;
  };

  void count(std::uint32_t distance) {
    WEFT_DCHECK(distance > 0 && distance <= std::uint32_t{Psn::kHalf});
    constexpr std::uint32_t kExact = 32;
    constexpr std::uint32_t kPerOctave = 16;
    const auto width = static_cast<std::uint32_t>(std::bit_width(distance));
    const std::uint32_t place =
        distance < kExact ? distance : kExact + (width - 6) * kPerOctave + ((distance >> (width - 5)) - kPerOctave);
    if (place >= late_.size()) {
      late_.resize(place + 1);
    }
    late_[place].distance = std::max(late_[place].distance, distance);
    ++late_[place].packets;
  }

  FlowTable<Highest> requests_;
  FlowTable<Highest> responses_;
  std::uint64_t packets_ = 0;
  std::vector<Late> late_;
};

}  // namespace weft::host
