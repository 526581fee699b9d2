// Pieces of work in child processes, on this rank alone or on all that mpirun started, each as many at once as it has
// processors for; each piece gives a text.
//
// Every rank plans the same pieces from the same files. Rank 0 works itself, deals pieces to the others as they become
// free, and takes what comes of them; it alone prints and writes. A rank whose plan is another one (another build,
// another file) is left out. A piece that is lost, because its process was killed or its rank no longer answers, begins
// again elsewhere, a few times at most.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "live/process_pool.h"
#include "live/shared_numbers.h"

namespace weft::cli {

struct RankedWork {
  /// Pieces by position, as this rank has them; what to do with each, and with what comes of it.
  live::PoolWork local;
  /// By position: which piece of the plan that is, ascending. All of the plan, in order, on a rank that serves.
  std::vector<std::size_t> numbers;
  /// What the plan follows from, in short: as many ranks as have the same share the work.
  std::string identity;
  /// By position: the part of each piece that is done. Set by the children here, and for those on other ranks.
  live::SharedNumbers& parts;
  /// What the ranks that serve need to know to make the plan; empty: nothing beside their command line.
  std::string order{};
  /// Of rank 0: tells of ranks that do not take part, or no longer, and at the end who has done how much.
  std::function<void(const std::string&)> note = [](const std::string&) {};
};

/// On one rank, and on rank 0: runs the pieces as run_pool does. On a rank that serves: works for rank 0 until that has
/// no more; `done` and `keep_going` are not called.
void run_ranked(const RankedWork& work);

/// What a command gives back, on a rank that serves, behind run_ranked: nothing is printed or written there.
inline constexpr const char* kServed = "this rank has served rank 0";

}  // namespace weft::cli
