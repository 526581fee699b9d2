// Which of the threads that share one simulation runs: an index into what each of them has of its own.
//
// The thread that begins a run is worker 0; the others are numbered by WorkerTeam, for as long as they run a part of
// it. Outside of runs everything is done by worker 0.
#pragma once

#include <cstdint>

namespace weft {

using WorkerIndex = std::uint32_t;

inline constexpr WorkerIndex kMaxWorkers = 64;

// All code is linked into programs, never into shared objects, so reading it is one instruction.
[[gnu::tls_model("local-exec")]] inline constinit thread_local WorkerIndex this_worker = 0;

}  // namespace weft
