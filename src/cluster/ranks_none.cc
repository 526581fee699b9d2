// Of a build without MPI: nobody joins.
#include "base/assert.h"
#include "cluster/ranks.h"

namespace weft::cluster {

std::string mpi_library() { return {}; }
Result<void> join() { return fail("this build of weft has no MPI"); }
std::uint32_t rank() { return 0; }
std::uint32_t ranks() { return 1; }
std::string machine() { return {}; }
void send(std::uint32_t /*to*/, std::uint32_t /*kind*/, std::string /*bytes*/) { WEFT_ASSERT(false); }
std::optional<Message> receive() { return std::nullopt; }
bool exchange(std::vector<std::string>& /*messages*/, const std::function<bool()>& /*goes_on*/) { return false; }
void leave(unsigned /*seconds*/) {}
void abandon(int /*status*/) {}

}  // namespace weft::cluster
