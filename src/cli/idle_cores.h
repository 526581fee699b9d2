// How many cores this process may count on now, without asking for more than others leave.
#pragma once

#include <cstddef>
#include <string_view>

namespace weft::cli {

/// Cores less what else wants to run on them at this moment; at least 1. Threads that meet at every window wait for
/// the one that is kept from its core, so that more of them than idle cores are slower than one. `loadavg` is as in
/// proc(5); if it cannot be read, all cores count as idle.
[[nodiscard]] std::size_t idle_cores(std::size_t cores, std::string_view loadavg);
/// Of those that this process is lent.
[[nodiscard]] std::size_t idle_cores();

/// Cores that this process may run on, as mpirun, taskset or a container has bound it; at least 1.
[[nodiscard]] std::size_t lent_cores();

}  // namespace weft::cli
