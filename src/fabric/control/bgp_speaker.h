// The routes of one switch as BGP chooses them, without sessions and time but for MRAI: what each neighbour has told
// it, what is best, what it tells on.
//
// A prefix is what one leaf announces, the addresses of its hosts. All paths that are equally preferred and equally
// long are used (multipath, whichever AS numbers they have); the one of the neighbour with the smallest identifier is
// told on, never back to that neighbour. A path with the switch's own AS number is a loop and not taken. A path that
// shuts down (RFC 8326) is used where there is no other.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/time.h"
#include "fabric/control/control_options.h"
#include "fabric/control/path_table.h"

namespace weft::fabric {

using PrefixId = std::uint16_t;
/// Of a switch that is no leaf.
inline constexpr std::uint32_t kNoPrefix = 0xFFFFFFFF;

/// What is told to a neighbour in one go: a path and the prefixes that have it, or prefixes that have none any more.
struct RouteUpdate {
  PathId path = kNoPath;
  std::vector<PrefixId> prefixes{};  // ascending
};

class BgpSpeaker {
 public:
  struct Options {
    std::uint32_t as_number = 1;
    std::uint32_t prefixes = 0;  // of the network, numbered from 0
    std::uint32_t own_prefix = kNoPrefix;
    std::vector<std::uint32_t> peer_identifiers;  // by port; 0: no neighbour there
    Duration mrai;                                // between UPDATEs to a neighbour, less up to a quarter; zero: none
    DrainMethod drain = DrainMethod::kCommunity;
  };
  static constexpr std::uint32_t kPrepended = 3;

  /// The table outlives the speaker.
  BgpSpeaker(const Options& options, PathTable& paths, RandomStream random);

  void peer_up(std::uint16_t port);
  void peer_down(std::uint16_t port);
  [[nodiscard]] bool is_peer_up(std::uint16_t port) const { return peers_[port].is_up; }
  /// Of a neighbour that is up; kNoPath: withdrawn.
  void on_route(std::uint16_t port, PrefixId prefix, PathId path);
  /// The link will be taken down, or will not after all.
  enum class Drain : std::uint8_t { kOff, kOn };
  void set_drain(std::uint16_t port, Drain drain);

  /// What the neighbour is to be told now; empty if nothing, or MRAI has not passed. In the order of paths as they were
  /// met, withdrawn prefixes first.
  [[nodiscard]] std::vector<RouteUpdate> poll(std::uint16_t port, Time now);
  /// The same, whatever MRAI says.
  [[nodiscard]] std::vector<RouteUpdate> take_updates(std::uint16_t port);
  /// When poll() may have more to say for that port; never() if only another change makes it.
  [[nodiscard]] Time next_update(std::uint16_t port) const;

  /// Prefixes whose next hops are others since this was last asked, in the order in which they changed.
  [[nodiscard]] std::vector<PrefixId> take_changed() { return std::exchange(changed_, {}); }
  /// Whether any neighbour may have to be told something since this was last asked.
  [[nodiscard]] bool take_marked() { return std::exchange(marked_, false); }
  /// Ports, ascending; empty for the own prefix and for one without a path.
  [[nodiscard]] const std::vector<std::uint16_t>& next_hops(PrefixId prefix) const { return hops_[prefix]; }
  /// Of the best path; 0 if there is none.
  [[nodiscard]] std::size_t path_length(PrefixId prefix) const {
    return best_[prefix].path == kNoPath ? 0 : (*paths_)[best_[prefix].path].numbers.size();
  }
  [[nodiscard]] std::uint32_t prefixes() const { return options_.prefixes; }

 private:
  struct Peer {
    bool is_up = false;
    Drain drain = Drain::kOff;
    Time quiet_until;  // MRAI
    std::vector<PathId> in;
    std::vector<PathId> out;
    std::vector<PrefixId> dirty;
    std::vector<bool> is_dirty;
  };
  struct Best {
    std::uint16_t port = 0;
    PathId path = kNoPath;

    friend bool operator==(const Best&, const Best&) = default;
  };

  void decide(PrefixId prefix);
  void mark(Peer& peer, PrefixId prefix);
  [[nodiscard]] std::pair<bool, std::size_t> cost_of(const Peer& peer, PathId path) const;
  [[nodiscard]] PathId exported(PrefixId prefix, std::uint16_t to);

  Options options_;
  PathTable* paths_;
  RandomStream random_;
  std::vector<Peer> peers_;
  std::vector<Best> best_;
  std::vector<std::vector<std::uint16_t>> hops_;
  std::vector<PrefixId> changed_;
  bool marked_ = false;
  std::map<std::pair<PathId, bool>, PathId> exports_;  // by path and whether the link drains
};

}  // namespace weft::fabric
