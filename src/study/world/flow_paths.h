// The links that flows of a simulated network take, by the routes and hashes of the run, and what these allow without
// any protocol: which links several senders share, the max-min rates, and the least time for so many bytes.
//
// Each queue pair of a flow carries what it carried in the run, where that is given, or all carry alike. Where every
// packet may take another path, whatever the load, a flow loads all of them with equal parts. Where switches or senders
// choose paths by what they know of load, parts are free: cuts of the network limit such flows (path_cuts.h), unless
// all paths are alike, where equal parts are the best choice. Links are as they are now.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <vector>

#include "base/data_size.h"
#include "base/rate.h"
#include "base/time.h"
#include "study/world/max_min.h"
#include "study/world/world.h"
#include "workload/local_connector.h"
#include "workload/message_record.h"
#include "workload/rank.h"

namespace weft::study::world {

/// Payload of a flow, and which of its queue pairs have carried it.
struct SentBytes {
  Bytes bytes{};
  bool alike = false;            // all queue pairs have, as parts of messages
  std::vector<Bytes> by_pair{};  // by queue pair, up to the last that has; not kept if alike

  void add(const workload::MessageRecord& message);
  /// Of so many queue pairs that carry data: the part of all bytes over this one, 0 to 1.
  [[nodiscard]] double part_of(std::size_t pair, std::size_t pairs) const;
};

/// Payload that one flow sends; its connection exists.
struct FlowDemand {
  workload::FlowId flow{};
  Bytes bytes{};
  SentBytes sent{};         // what has gone over its queue pairs; nothing: all carry alike
  bool comes_back = false;  // of READs: the flow's destination sends the data

  [[nodiscard]] workload::RankId sender() const { return comes_back ? flow.destination : flow.source; }
  [[nodiscard]] workload::RankId receiver() const { return comes_back ? flow.source : flow.destination; }
};

/// What one flow puts on the links that it takes.
struct FlowLoad {
  struct Use {
    fabric::PortIndex link = 0;  // its egress port
    double seconds = 0;          // that the flow's bytes take at the link's full rate
  };
  workload::FlowId flow{};
  workload::RankId sender{};  // of its data
  double bytes = 0;
  std::vector<Use> uses{};
};

/// What the paths allow.
struct PathLimits {
  bool shares_links = false;  // one direction of a link between switches carries flows of two senders
  Duration least_time{};      // the link with most to carry, at its full rate
  double slowest_share = 1;   // of its sender's line: the max-min rate of the slowest flow; all of a sender's flows to
                              // one receiver are one flow
  double mean_share = 1;      // over flows
  Rate per_sender{};          // payload at the max-min rates of a rank's flows together, over all its ports; mean over
                              // ranks that send
  Rate slowest_sender{};      // the same of the rank with least
  std::uint64_t senders = 0;  // ranks
  std::uint64_t flows = 0;    // that go through the network
};

/// Whether a sender chooses the path of each packet of this queue pair by what it hears of paths.
[[nodiscard]] bool chooses_paths(const host::Nic& nic, Qpn pair);

class FlowPaths {
 public:
  struct Options {
    const World& world;  // both must outlive this
    const workload::LocalConnector& connector;
    double payload_share = 1;      // of a full packet on the wire
    bool switches_choose = false;  // paths, by load
  };
  explicit FlowPaths(const Options& options) : options_(options) {}

  /// All flows at the same time. Those over scale-up links are left out.
  [[nodiscard]] PathLimits examine(std::span<const FlowDemand> demands) const;
  /// Those of them that send over a link that is down, or by a port behind which a switch knows no way on.
  [[nodiscard]] std::set<workload::RankId> cut_off(std::span<const FlowDemand> demands) const;
  /// Each flow by itself, in the order of the demands; those over scale-up links are left out.
  [[nodiscard]] std::vector<FlowLoad> loads_of(std::span<const FlowDemand> demands) const;
  /// The least seconds in which all of them can be sent by turns, where loads_of() overstates it: where flows choose
  /// among paths that differ.
  [[nodiscard]] std::optional<double> seconds_of_choices(std::span<const FlowDemand> demands) const;
  /// The egress ports of all links that the flows take.
  [[nodiscard]] std::set<fabric::PortIndex> links_of(std::span<const FlowDemand> demands) const;

 private:
  Options options_;
};

}  // namespace weft::study::world
