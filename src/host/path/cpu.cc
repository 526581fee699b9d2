#include "host/path/cpu.h"

#include <algorithm>

#include "base/assert.h"
#include "base/stable_hash.h"

namespace weft::host {

std::string_view to_string(CpuWork work) {
  constexpr std::array<std::string_view, kCpuWorks> kWords = {"post",          "completion",     "system call",
                                                              "copy",          "transmit stack", "interrupt",
                                                              "receive stack", "wake-up",        "copy launch"};
  return kWords.at(static_cast<std::size_t>(work));
}

std::uint64_t core_hash(std::uint64_t seed, Qpn qpn) {
  const std::uint32_t value = qpn.value();
  const std::array<char, 4> bytes = {static_cast<char>(value), static_cast<char>(value >> 8),
                                     static_cast<char>(value >> 16), static_cast<char>(value >> 24)};
  return stable_hash(seed, {bytes.data(), bytes.size()});
}

Cpu::Cpu(std::uint32_t cores) : cores_(cores) { WEFT_ASSERT(cores > 0); }

Time Cpu::run(CoreId core, CpuWork work, Time at, Duration time) {
  WEFT_DCHECK(core.value() < cores_.size());
  note(work, time);
  return cores_[core.value()].serve(at, time);
}

Time Cpu::run(CoreId core, CpuWork work, Server::Deferred when, Duration time) {
  note(work, time);
  return cores_[core.value()].serve(when, time);
}

Duration Cpu::used() const {
  Duration sum;
  for (const Duration part : used_) {
    sum += part;
  }
  return sum;
}

Duration Cpu::busiest() const {
  Duration most;
  for (const Server& core : cores_) {
    most = std::max(most, core.busy());
  }
  return most;
}

}  // namespace weft::host
