// Ctrl-C during a run: the first asks it to stop cleanly, the second ends the program at once.
#pragma once

namespace weft::cli {

/// From now on SIGINT and SIGTERM are noted; the next one has its usual effect.
void catch_interrupts();
[[nodiscard]] bool interrupted();

}  // namespace weft::cli
