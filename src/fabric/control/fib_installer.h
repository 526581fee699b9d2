// The forwarding entries of one switch, and the time that writing them takes: one writer, one entry after another.
//
// What routes want differs from what the hardware has until it is written. An entry per prefix takes its time each; or
// prefixes that share a group of next hops change with the group at once. Next hops whose link is known to be dead are
// taken out of all groups by local repair, in no time of the writer.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "base/time.h"
#include "fabric/control/bgp_speaker.h"

namespace weft::fabric {

class FibInstaller {
 public:
  struct Options {
    FibUnit unit = FibUnit::kPrefix;
    Duration write_time;
    std::uint32_t prefixes = 0;
    std::uint32_t ports = 0;
  };
  using Ports = std::vector<std::uint16_t>;

  explicit FibInstaller(const Options& options);

  /// What the prefix's entry is to be.
  void want(PrefixId prefix, const Ports& ports, Time now);
  /// What it is from the beginning.
  void preset(PrefixId prefix, const Ports& ports);
  /// Local repair. Prefixes that lost a next hop, at once.
  [[nodiscard]] std::vector<PrefixId> repair(std::uint16_t port);
  /// The link is alive again: what routes want of it is written anew.
  void restore(std::uint16_t port, Time now);

  [[nodiscard]] Time next_write() const { return next_write_; }
  /// At next_write(): prefixes whose entry is another now.
  [[nodiscard]] std::vector<PrefixId> write(Time now);

  [[nodiscard]] const Ports& entry(PrefixId prefix) const { return entries_[prefix]; }
  [[nodiscard]] bool is_idle() const { return next_write_.is_never(); }
  [[nodiscard]] std::uint64_t writes() const { return writes_; }

 private:
  [[nodiscard]] Ports alive(const Ports& ports) const;
  void enqueue(PrefixId prefix, Time now);

  Options options_;
  std::vector<Ports> entries_;
  std::vector<Ports> wanted_;
  std::vector<bool> is_dead_;  // by port
  std::vector<bool> is_queued_;
  std::deque<PrefixId> queue_;
  Time next_write_ = Time::never();
  std::uint64_t writes_ = 0;
};

}  // namespace weft::fabric
