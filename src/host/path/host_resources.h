// What the programs and NICs of one host share: cores, memory, PCIe, and the link between root complexes.
//
// Bytes between a device and a memory pass several servers at once, as a stream does: each is occupied for the bytes
// at its own rate, and the last to finish decides. Between two GPUs there are two ways: from one to the other (P2P),
// or through host memory in chunks (bounce).
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "base/assert.h"
#include "host/path/cpu.h"
#include "host/path/pcie.h"
#include "host/path/stage.h"
#include "verbs/memory_place.h"

namespace weft::host {

/// Where the GPUs hang, as seen from NICs and other GPUs.
enum class GpuAttachment : std::uint8_t { kPcieSwitch, kRootComplex, kOtherRootComplex };
/// How bytes get from and to GPU memory.
enum class GpuAccess : std::uint8_t { kGpuDirect, kBounce };

struct HostOptions {
  std::uint32_t cores = 1;
  /// Of them, the first, which RDMA's programs alone run on, as pinned threads do; fewer than all. 0: sockets and RDMA
  /// share all cores.
  std::uint32_t rdma_cores = 0;
  std::uint32_t gpus = 0;
  Rate memory_rate = Rate::max();
  Stage memory_copy{};  // by a core, from host memory to host memory
  PcieOptions nic_slot;
  PcieOptions gpu_slot;
  Rate gpu_memory_rate = Rate::max();  // of each GPU, reads and writes together; max(): it limits nothing
  GpuAttachment attachment = GpuAttachment::kPcieSwitch;
  GpuAccess access = GpuAccess::kGpuDirect;
  /// Through a root complex; its rate is that between two of them.
  Stage root_complex{};
  Stage copy_launch{};  // of one copy from or to a GPU: what its core spends on it before it begins
  Bytes copy_chunk{512 * 1024};
};

class HostResources {
 public:
  explicit HostResources(const HostOptions& options);
  HostResources(const HostResources&) = delete;
  HostResources& operator=(const HostResources&) = delete;

  [[nodiscard]] const HostOptions& options() const { return options_; }
  [[nodiscard]] Cpu& cpu() { return cpu_; }
  [[nodiscard]] const Cpu& cpu() const { return cpu_; }
  /// Where a program of RDMA, or a thread or a flow of sockets, runs; `hash` is of what it serves.
  [[nodiscard]] CoreId rdma_core(std::uint64_t hash) const {
    return options_.rdma_cores == 0 ? cpu_.core_of(hash)
                                    : CoreId(static_cast<std::uint32_t>(hash % options_.rdma_cores));
  }
  [[nodiscard]] CoreId socket_core(std::uint64_t hash) const {
    const std::uint32_t own = cpu_.cores() - options_.rdma_cores;
    return CoreId(options_.rdma_cores + static_cast<std::uint32_t>(hash % own));
  }
  /// A slot for one more NIC; stays where it is.
  [[nodiscard]] PcieSlot& add_nic();
  [[nodiscard]] PcieSlot& gpu(verbs::GpuIndex gpu) {
    WEFT_DCHECK(gpu.value() < gpus_.size());
    return gpus_[gpu.value()];
  }
  [[nodiscard]] const ByteServer& memory() const { return memory_; }
  /// What NICs and the scale-up port of a GPU share.
  [[nodiscard]] ByteServer& gpu_memory(verbs::GpuIndex gpu) {
    WEFT_DCHECK(gpu.value() < gpu_memories_.size());
    return gpu_memories_[gpu.value()];
  }

  /// One piece of bytes and the way it takes: between the slot of a NIC and a memory.
  struct Piece {
    verbs::MemoryPlace place{};
    Bytes size{};
  };
  /// The NIC reads the piece from memory; the end.
  Time fetch(PcieSlot& nic, const Piece& piece, Time at);
  /// The NIC writes it, from `when.start` on, which may be past; the end.
  Time store(PcieSlot& nic, const Piece& piece, Server::Deferred when);
  /// What the way to that memory adds beside PCIe's own: through a root complex, for a GPU that hangs apart.
  [[nodiscard]] Duration extra_latency(verbs::MemoryPlace place) const;
  /// The time a fetch of the piece would add to its first byte's, if all were idle.
  [[nodiscard]] Duration idle_fetch(const Piece& piece) const;
  [[nodiscard]] Duration idle_store(const Piece& piece) const;

  /// GPU memory to host memory, or back; the end.
  Time to_host(const Piece& piece, Server::Deferred when);
  Time to_gpu(const Piece& piece, Server::Deferred when);

  struct Copy {
    verbs::MemoryPlace from{};
    verbs::MemoryPlace to{};
    Bytes size{};
    CoreId core{0};  // that asks for it, or does it
  };
  /// A copy that a program asks for, its launch included; the end.
  Time copy(const Copy& copy, Time now);

 private:
  /// Memory takes a copy's bytes as they come, not all at its beginning; the end of both.
  Time with_memory(Bytes size, Server::Deferred when, Time end);
  [[nodiscard]] Time between_gpus(const Copy& copy, Server::Deferred when);

  HostOptions options_;
  Cpu cpu_;
  ByteServer memory_;
  ByteServer crossing_;  // between root complexes
  std::deque<PcieSlot> nics_;
  std::vector<PcieSlot> gpus_;
  std::vector<ByteServer> gpu_memories_;
};

}  // namespace weft::host
