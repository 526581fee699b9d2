// The processes that mpirun started, and messages between them: the only place that knows MPI.
//
// One build has ranks_mpi.cc behind this header, another ranks_none.cc; CMake chooses (WEFT_MPI). Nothing here waits
// for another rank but join and leave. Once joined, every rank tells rank 0, and rank 0 tells every rank, about once a
// second that it is alive; a thread does that, so a rank that computes for long is not taken for one that is gone.
//
// Child processes of a rank must call nothing of this.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace weft::cluster {

/// "Open MPI v4.1.4"; empty: a build without MPI.
[[nodiscard]] std::string mpi_library();

/// Every rank that mpirun started must call it; before it, and after leave, nothing below may be called. Errors: a
/// build without MPI, and what MPI says.
[[nodiscard]] Result<void> join();
[[nodiscard]] std::uint32_t rank();
[[nodiscard]] std::uint32_t ranks();
/// The name of the machine.
[[nodiscard]] std::string machine();

struct Message {
  std::uint32_t from = 0;
  std::uint32_t kind = 0;  // whatever sender and receiver agreed on; kAlive has no bytes
  std::string bytes;
};
inline constexpr std::uint32_t kAlive = 0;

/// At most 2^31 - 1 bytes. Those to one rank arrive in the order in which they were sent.
void send(std::uint32_t to, std::uint32_t kind, std::string bytes);
/// The next message that has arrived; none: there is none now.
[[nodiscard]] std::optional<Message> receive();

/// Gives every other rank its message, by rank without this one, and waits for theirs of the same call, which take the
/// place; each at most 2^31 - 1 bytes. All ranks call it equally often. While it waits it asks now and then whether to
/// go on; false: it has given up, and must not be called again.
[[nodiscard]] bool exchange(std::vector<std::string>& messages, const std::function<bool()>& goes_on);

/// Every rank must call it, or one of them `abandon`: ends MPI. A rank whose peers do not come ends by a signal after
/// so many seconds.
void leave(unsigned seconds);
/// Ends all other ranks at once, and this process with this exit status if it has not ended itself soon: for when a
/// rank is gone.
void abandon(int status);

}  // namespace weft::cluster
