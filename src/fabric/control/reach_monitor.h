// Whether the forwarding entries of all switches together lead to each leaf, from all others, and how long they did
// not: what flows would meet if there were one on every path.
//
// From a leaf that cables still join to the destination, traffic is taken to split evenly over the next hops of each
// switch. The share of it that comes to a switch without an entry, to a dead cable or into a loop is lost; a
// destination has a black hole or a loop while that is so for any source. Where no cables join them no switch can help:
// that is counted as cut off, and as nothing else. What changes at one instant is judged together.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "base/time.h"
#include "fabric/control/bgp_speaker.h"
#include "fabric/topology/graph.h"

namespace weft::fabric {

class ReachMonitor {
 public:
  /// How long, since begin().
  struct Outage {
    Duration black_hole;      // some path of some source ends at a switch without an entry or at a dead cable
    Duration loop;            // some path of some source goes round
    Duration cut_off;         // no cables that are up join some leaf to it
    double lost_seconds = 0;  // the mean over sources of their lost share, added up over time
  };

  /// `leaf_of`: per prefix, the switch ordinal. Keeps nothing of the graph.
  ReachMonitor(const Graph& graph, std::vector<std::uint32_t> leaf_of);

  /// From then on outages are counted.
  void begin(Time now);
  void set_entry(std::uint32_t switch_ordinal, PrefixId prefix, std::span<const std::uint16_t> ports, Time now);
  enum class Cable : std::uint8_t { kDown, kUp };
  void set_cable(LinkIndex link, Cable state, Time now);

  /// Up to `now`; not before anything that was told.
  [[nodiscard]] Outage outage(PrefixId prefix, Time now);
  /// What is so at present.
  struct State {
    bool black_hole = false;
    bool loop = false;
    bool cut_off = false;
    double lost = 0;

    friend bool operator==(const State&, const State&) = default;
  };
  [[nodiscard]] State state(PrefixId prefix) const { return evaluate(prefix); }

 private:
  struct Neighbour {
    std::uint32_t node = 0xFFFFFFFF;  // switch ordinal; none: an endpoint, or nothing
    std::uint32_t link = 0;
  };
  struct Record {
    State state;
    Time since;
    Outage sum;
  };
  struct Visit;

  void touch(PrefixId prefix, Time now);
  void touch_all(Time now);
  void settle();
  void settle_before(Time now);
  void find_components();
  [[nodiscard]] State evaluate(PrefixId prefix) const;
  [[nodiscard]] double lost_from(std::uint32_t node, PrefixId prefix, Visit& visit) const;
  static void add(Record& record, Time until);

  std::uint32_t prefixes_;
  std::vector<std::uint32_t> leaf_of_;
  std::vector<std::vector<Neighbour>> neighbours_;  // per switch, by port
  std::vector<bool> is_up_;                         // per link
  std::vector<std::uint32_t> component_;            // per switch
  std::vector<std::uint32_t> entries_;              // per switch and prefix: a set of ports
  std::map<std::vector<std::uint16_t>, std::uint32_t> known_sets_;
  std::vector<std::vector<std::uint16_t>> sets_;
  std::vector<Record> records_;  // per prefix
  std::set<PrefixId> touched_;
  Time touched_at_;
  bool counts_ = false;
};

}  // namespace weft::fabric
