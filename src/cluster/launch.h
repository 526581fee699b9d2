// How mpirun started this process, as its environment says; MPI itself is not needed for that.
#pragma once

#include <cstdint>
#include <functional>

namespace weft::cluster {

struct Launch {
  std::uint32_t rank = 0;
  std::uint32_t ranks = 1;        // 1: not under mpirun, or alone
  std::uint32_t local_ranks = 1;  // of them on this machine
  bool is_bound = false;          // to processors of its own, so that those it may use are not for other ranks
  /// mpirun or mpiexec of another MPI than Open MPI, with several ranks, of which this is `rank`.
  bool is_foreign = false;
};

/// With `environment` as getenv. Numbers that make no sense count as not given.
[[nodiscard]] Launch launch(const std::function<const char*(const char* name)>& environment);
/// Of this process.
[[nodiscard]] const Launch& launch();

}  // namespace weft::cluster
