// What a port counts, as its performance agent shows it: in PortCounters, whose fields stop when they are full, and in
// PortCountersExtended. A manager that clears one of the two leaves the other.
#pragma once

#include <cstdint>

#include "wire/performance_attributes.h"

namespace weft::subnet {

class CounterSet {
 public:
  /// Since the port was made: whatever counts adds here.
  wire::PortCounters& counted() { return counted_; }
  [[nodiscard]] const wire::PortCounters& counted() const { return counted_; }

  [[nodiscard]] wire::PortCounters shown() const;
  /// Packets to multicast LIDs among those that were counted.
  struct Multicast {
    std::uint64_t xmit_packets = 0;
    std::uint64_t receive_packets = 0;
  };
  Multicast& multicast() { return multicast_; }

  [[nodiscard]] wire::PortCountersExtended shown_extended() const;

  /// Counters that `CounterSelect` and `CounterSelect2` select get the values that are written.
  void write(const wire::PortCounters& written);
  void write(const wire::PortCountersExtended& written);

 private:
  // What each counter had counted when it was last written, less the value: it shows the difference.
  wire::PortCounters counted_{};
  Multicast multicast_{};
  wire::PortCounters base_{};
  wire::PortCountersExtended extended_base_{};
};

/// Sums, for PortSelect 255.
void add_counters(wire::PortCounters& sum, const wire::PortCounters& more);
void add_counters(wire::PortCountersExtended& sum, const wire::PortCountersExtended& more);

}  // namespace weft::subnet
