#include "cli/run_interrupt.h"

#include <atomic>
#include <csignal>

namespace weft::cli {
namespace {

// A signal handler can reach nothing but what has static storage.
std::atomic<bool> noted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void on_signal(int /*signal*/) {
  noted.store(true);
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() { return noted.load(); }

}  // namespace weft::cli
