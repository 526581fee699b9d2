#include "cli/run_interrupt.h"

#include <atomic>
#include <csignal>
#include <string_view>

#include <unistd.h>

namespace weft::cli {
namespace {

// A signal handler can reach nothing but what has static storage.
std::atomic<bool> noted{false};
std::atomic<bool> ends_at_once{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void on_signal(int /*signal*/) {
  if (ends_at_once.load()) {
    constexpr std::string_view kText = "weft: interrupted while the network was set up; nothing of it was run\n";
    // What cannot be said is left out.
    [[maybe_unused]] const auto written = write(STDERR_FILENO, kText.data(), kText.size());
    constexpr int kInterrupted = 130;
    _exit(kInterrupted);
  }
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

EndsAtOnce::EndsAtOnce() { ends_at_once.store(true); }
EndsAtOnce::~EndsAtOnce() { ends_at_once.store(false); }

}  // namespace weft::cli
