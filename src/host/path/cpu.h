// The cores of one host, and what their time went into.
//
// A core does one piece of work after another. Waiting is not work: a thread that polls in a loop is charged for what
// it finds, not for looking in vain, so that "CPU used per Gb/s" compares what the protocols need.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "host/path/server.h"

namespace weft::host {

using CoreId = Id<struct CoreTag>;

/// By which a thread that serves a queue pair is put on a core; `seed` is the NIC's.
[[nodiscard]] std::uint64_t core_hash(std::uint64_t seed, Qpn qpn);

enum class CpuWork : std::uint8_t {
  kPost,           // building a work request and ringing the doorbell
  kCompletion,     // taking a completion
  kSystemCall,     // entering and leaving the kernel
  kCopy,           // bytes between user and kernel memory
  kTransmitStack,  // TCP/IP, queueing discipline, driver
  kInterrupt,      // hard interrupt and the switch to softirq
  kReceiveStack,   // NAPI, GRO, IP, TCP, socket queue
  kWakeUp,         // scheduler and context switch
  kCopyLaunch,     // asking a GPU for a copy
};
inline constexpr std::size_t kCpuWorks = 9;
[[nodiscard]] std::string_view to_string(CpuWork work);

class Cpu {
 public:
  /// At least one core.
  explicit Cpu(std::uint32_t cores);

  [[nodiscard]] std::uint32_t cores() const { return static_cast<std::uint32_t>(cores_.size()); }
  /// A core by a hash of whom it is for: what receive-side scaling and a thread's pinning do.
  [[nodiscard]] CoreId core_of(std::uint64_t hash) const {
    return CoreId(static_cast<std::uint32_t>(hash % cores_.size()));
  }

  /// As Server::serve on that core.
  Time run(CoreId core, CpuWork work, Time at, Duration time);
  Time run(CoreId core, CpuWork work, Server::Deferred when, Duration time);
  /// Time that is spent but that nothing waits for, beside the core's queue.
  void note(CpuWork work, Duration time) { used_[static_cast<std::size_t>(work)] += time; }

  [[nodiscard]] Time free_at(CoreId core) const { return cores_[core.value()].free_at(); }
  /// Sum over the cores.
  [[nodiscard]] Duration used(CpuWork work) const { return used_[static_cast<std::size_t>(work)]; }
  [[nodiscard]] Duration used() const;
  /// Work of the busiest core.
  [[nodiscard]] Duration busiest() const;

 private:
  std::vector<Server> cores_;
  std::array<Duration, kCpuWorks> used_{};
};

}  // namespace weft::host
