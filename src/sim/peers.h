// The other processes that run partitions of the same world, as the kernel sees them: one message to and from each at a
// time.
//
// All processes call `exchange` equally often, in the same order, for the same purpose. Peers are numbered from 0,
// without this process, in the order of all.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::sim {

class Peers {
 public:
  Peers() = default;
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;
  virtual ~Peers() = default;

  /// How many there are beside this process.
  [[nodiscard]] virtual std::uint32_t count() const = 0;
  /// The number of this process among all.
  [[nodiscard]] virtual std::uint32_t own_number() const = 0;
  /// Gives each peer its message, and puts in its place what the peer has given to this process in the same call.
  /// False: one of them is gone, and why() says so; from then on every call returns false at once.
  [[nodiscard]] virtual bool exchange(std::vector<std::string>& messages) = 0;
  [[nodiscard]] virtual std::string why() const = 0;

  /// The same message for all. What each has given is behind its number.
  [[nodiscard]] bool gather(const std::string& own, std::vector<std::string>& all) {
    all.assign(count(), own);
    return exchange(all);
  }
};

}  // namespace weft::sim
