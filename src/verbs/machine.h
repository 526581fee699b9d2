// The host as a program sees it, beside verbs: compute, copies, timers, its rails, and what time it is.
//
// Simulated hosts and the live event loop both implement it, so that one program runs on either. Nothing waits: each
// request names a token, and one MachineEvent with that token comes out of `poll_events` when it has finished, in order
// of time, then of request. The runner calls the program when an event or a completion is available.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "base/data_size.h"
#include "base/ids.h"
#include "base/rate.h"
#include "base/result.h"
#include "base/time.h"
#include "verbs/memory_place.h"

namespace weft::verbs {

class GroupProvider;
class Provider;

/// The program's own name for a request; the machine only hands it back.
using MachineToken = std::uint64_t;

/// Floating-point operations, at the precision that the machine's GPU model is stated for.
struct Flops {
  std::int64_t count = 0;
  friend auto operator<=>(Flops, Flops) = default;
};

/// Work on one GPU: a time, or operations that the GPU's rate turns into one. A GPU does one such request at a time,
/// in order of request. An invalid GPU means the CPU, which takes durations only.
struct ComputeRequest {
  GpuIndex gpu{};
  std::variant<Duration, Flops> work{};
  MachineToken token = 0;
};

/// A copy inside the host; it shares PCIe, scale-up links and memory with whatever else uses them. Lengths only: a
/// program that holds real bytes moves them itself when the event comes.
struct CopyRequest {
  MemoryPlace from{};
  MemoryPlace to{};
  Bytes size{};
  MachineToken token = 0;
};

struct TimerRequest {
  Time at{};  // not before now; an instant already past fires at once
  MachineToken token = 0;
};

/// Where a rail leads: to all hosts, or to the GPUs of one scale-up domain.
enum class RailKind : std::uint8_t { kScaleOut, kScaleUp };

/// One way that this program may use: a port of a NIC, or a GPU's scale-up port, and the verbs of its device.
struct Rail {
  EndpointId endpoint{};
  Rate rate{};
  Provider* provider = nullptr;  // owned by the machine; never null in what `rails` returns
  RailKind kind = RailKind::kScaleOut;
  GroupProvider* groups = nullptr;  // owned by the machine; null if nothing there reduces
};

/// Something asked for has finished.
struct MachineEvent {
  enum class Kind : std::uint8_t { kCompute, kCopy, kTimer };
  Kind kind = Kind::kTimer;
  MachineToken token = 0;
  Time at{};  // when it finished; not after now

  friend bool operator==(const MachineEvent&, const MachineEvent&) = default;
};

class Machine {
 public:
  virtual ~Machine() = default;

  /// The present instant. It does not move while the program runs.
  [[nodiscard]] virtual Time now() const = 0;

  /// Errors: no such GPU, negative work, operations asked of the CPU or of a GPU whose rate is not known.
  [[nodiscard]] virtual Result<void> compute(const ComputeRequest& request) = 0;
  /// Errors: no such GPU, a negative size.
  [[nodiscard]] virtual Result<void> copy(const CopyRequest& request) = 0;
  /// Timers are not cancelled: a program ignores a token that no longer matters.
  virtual void set_timer(const TimerRequest& request) = 0;

  /// Moves up to `out.size()` of the oldest events to `out`; the number moved.
  virtual std::size_t poll_events(std::span<MachineEvent> out) = 0;

  /// The program's rails, in the order of the scenario; the same for the whole run.
  [[nodiscard]] virtual std::span<const Rail> rails() const = 0;
};

}  // namespace weft::verbs
