#include "host/path/host_resources.h"

#include <algorithm>
#include <array>

#include "base/assert.h"
#include "host/path/gpu_path.h"

namespace weft::host {
namespace {

Duration time_at(Rate rate, Bytes size) { return rate == Rate::max() ? Duration::zero() : rate.transmit_time(size); }

}  // namespace

HostResources::HostResources(const HostOptions& options)
    : options_(options),
      cpu_(options.cores),
      memory_(options.memory_rate),
      crossing_(options.attachment == GpuAttachment::kOtherRootComplex ? options.root_complex.rate : Rate::max()),
      gpus_(options.gpus, PcieSlot(options.gpu_slot)),
      gpu_memories_(options.gpus, ByteServer(options.gpu_memory_rate)) {}

PcieSlot& HostResources::add_nic() { return nics_.emplace_back(options_.nic_slot); }

Time HostResources::fetch(PcieSlot& nic, const Piece& piece, Time at) {
  const Time over_pcie = nic.to_device().pass(at, piece.size);
  if (!piece.place.gpu.is_valid()) {
    return later(over_pcie, memory_.pass(at, piece.size));
  }
  const Time out_of_gpu =
      later(gpu(piece.place.gpu).to_host().pass(at, piece.size), gpu_memory(piece.place.gpu).pass(at, piece.size));
  return later(later(over_pcie, out_of_gpu), crossing_.pass(at, piece.size));
}

Time HostResources::store(PcieSlot& nic, const Piece& piece, Server::Deferred when) {
  const Time over_pcie = nic.to_host().pass(when, piece.size);
  if (!piece.place.gpu.is_valid()) {
    return later(over_pcie, memory_.pass(when, piece.size));
  }
  const Time into_gpu = later(gpu(piece.place.gpu).to_device().pass(when, piece.size),
                              gpu_memory(piece.place.gpu).pass(when, piece.size));
  return later(later(over_pcie, into_gpu), crossing_.pass(when, piece.size));
}

Duration HostResources::extra_latency(verbs::MemoryPlace place) const {
  const bool direct = !place.gpu.is_valid() || options_.attachment == GpuAttachment::kPcieSwitch;
  return direct ? Duration::zero() : options_.root_complex.latency;
}

Duration HostResources::idle_fetch(const Piece& piece) const {
  const Duration over_pcie = time_at(read_rate(options_.nic_slot), piece.size);
  if (!piece.place.gpu.is_valid()) {
    return std::max(over_pcie, time_at(memory_.rate(), piece.size));
  }
  return std::max({over_pcie, time_at(write_rate(options_.gpu_slot), piece.size),
                   time_at(options_.gpu_memory_rate, piece.size), time_at(crossing_.rate(), piece.size)});
}

Duration HostResources::idle_store(const Piece& piece) const {
  const Duration over_pcie = time_at(write_rate(options_.nic_slot), piece.size);
  if (!piece.place.gpu.is_valid()) {
    return std::max(over_pcie, time_at(memory_.rate(), piece.size));
  }
  return std::max({over_pcie, time_at(read_rate(options_.gpu_slot), piece.size),
                   time_at(options_.gpu_memory_rate, piece.size), time_at(crossing_.rate(), piece.size)});
}

Time HostResources::with_memory(Bytes size, Server::Deferred when, Time end) {
  constexpr std::int64_t kSlices = 16;
  WEFT_DCHECK(end >= when.start);
  const Duration span = end - when.start;
  const Bytes slice = size / kSlices;
  Time last = end;
  for (std::int64_t i = 0; i < kSlices; ++i) {
    const Bytes part = i + 1 < kSlices ? slice : size - slice * (kSlices - 1);
    last = memory_.pass({.now = when.now, .start = when.start + span / kSlices * i}, part);
  }
  return later(end, last);
}

Time HostResources::to_host(const Piece& piece, Server::Deferred when) {
  return with_memory(piece.size, when, gpu(piece.place.gpu).to_host().pass(when, piece.size));
}

Time HostResources::to_gpu(const Piece& piece, Server::Deferred when) {
  return with_memory(piece.size, when, gpu(piece.place.gpu).to_device().pass(when, piece.size));
}

Time HostResources::copy(const Copy& copy, Time now) {
  const bool from_gpu = copy.from.gpu.is_valid();
  const bool into_gpu = copy.to.gpu.is_valid();
  if (!from_gpu && !into_gpu) {
    // Read and written: the memory sees every byte twice.
    return later(cpu_.run(copy.core, CpuWork::kCopy, now, options_.memory_copy.time(copy.size)),
                 memory_.pass(now, copy.size * 2));
  }
  const Time launched = cpu_.run(copy.core, CpuWork::kCopyLaunch, now, options_.copy_launch.latency);
  const Server::Deferred when{.now = now, .start = launched};
  if (from_gpu && into_gpu) {
    return copy.from == copy.to ? launched : between_gpus(copy, when);
  }
  return from_gpu ? to_host({copy.from, copy.size}, when) : to_gpu({copy.to, copy.size}, when);
}

Time HostResources::between_gpus(const Copy& copy, Server::Deferred when) {
  PcieSlot& from = gpu(copy.from.gpu);
  PcieSlot& to = gpu(copy.to.gpu);
  if (options_.access == GpuAccess::kGpuDirect) {
    const Time end = later(from.to_host().pass(when, copy.size), to.to_device().pass(when, copy.size));
    return later(end, crossing_.pass(when, copy.size)) + extra_latency(copy.to);
  }
  // The copy into the other GPU has a launch of its own; those of later chunks overlap with the copies.
  const std::array<ByteServer*, 2> servers = {&from.to_host(), &to.to_device()};
  const Time end = pass_chunks(servers, {.size = copy.size, .chunk = options_.copy_chunk}, when);
  cpu_.note(CpuWork::kCopyLaunch, options_.copy_launch.latency);
  return with_memory(copy.size * 2, when, end) + options_.copy_launch.latency;
}

}  // namespace weft::host
