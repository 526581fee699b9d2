#include "cli/rank_session.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "base/format_quantity.h"
#include "base/printable.h"
#include "cli/exit_status.h"
#include "cli/idle_cores.h"
#include "cluster/launch.h"
#include "cluster/packing.h"

namespace weft::cli {
namespace {

constexpr Duration kUsualLimit = Duration::seconds(60);
constexpr std::chrono::milliseconds kPause{5};
/// Of what a rank printed before it gave up.
constexpr std::size_t kMostReason = 2'000;

constexpr std::array<std::string_view, 7> kDealt = {"run", "compare", "claims", "scale", "sweep", "tune", "plan"};

/// The standard error of a rank that serves: as it was, and the file that stands in for it.
struct Silence {
  int errors = -1;
  int kept = -1;
};
Silence& silence() {
  static Silence kept;
  return kept;
}

void fall_silent() {
  Silence& own = silence();
  own.errors = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  own.kept = ::memfd_create("weft rank", MFD_CLOEXEC);
  if (own.kept >= 0) {
    ::dup2(own.kept, STDERR_FILENO);
  }
  if (const int nothing = ::open("/dev/null", O_WRONLY | O_CLOEXEC); nothing >= 0) {
    ::dup2(nothing, STDOUT_FILENO);
    ::close(nothing);
  }
}

/// What was printed on standard error since this was last asked; none of it is kept.
std::string printed() {
  std::fflush(stderr);
  std::string text(kMostReason, '\0');
  const int kept = silence().kept;
  const ssize_t count = kept < 0 ? 0 : ::pread(kept, text.data(), text.size(), 0);
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  if (kept >= 0 && ::ftruncate(kept, 0) == 0) {
    ::lseek(kept, 0, SEEK_SET);
  }
  while (text.ends_with('\n')) {
    text.pop_back();
  }
  return text;
}

void pause_shortly() { std::this_thread::sleep_for(kPause); }

Duration limit_from_environment() {
  const char* const text = std::getenv("WEFT_MPI_TIMEOUT");
  if (text == nullptr) {
    return kUsualLimit;
  }
  constexpr std::int64_t kMost = 86'400;
  const std::string_view digits = text;
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), seconds);
  const bool is_good = error == std::errc() && end == digits.data() + digits.size() && seconds >= 1 && seconds <= kMost;
  if (!is_good && cluster::rank() == 0) {
    fmt::print(stderr, "weft: WEFT_MPI_TIMEOUT: '{}' is no number of seconds from 1 to {}; 60 s are taken\n",
               terminal_text(text), kMost);
  }
  return is_good ? Duration::seconds(seconds) : kUsualLimit;
}

/// Whether every other rank has said goodbye, as long as they are heard of.
bool all_left() {
  const Time from = peers().now();
  for (std::uint32_t rank = 1; rank < cluster::ranks(); ++rank) {
    cluster::send(rank, kQuit, {});
  }
  for (std::uint32_t rank = 1; rank < cluster::ranks();) {
    Peers::Peer& peer = peers().at(rank);
    if (peer.is_gone) {
      ++rank;
      continue;
    }
    // It may plan for long before it sees that nothing is left; but not for ever.
    if (peer.is_lost || peers().is_silent(rank, from) || peers().now() - from > peers().limit() * 10) {
      return false;
    }
    if (!peers().next()) {
      pause_shortly();
    }
  }
  return true;
}

}  // namespace

Result<RankRole> take_role(std::string_view subcommand) {
  const cluster::Launch& launch = cluster::launch();
  // Both ends of a measurement may be started together.
  if (subcommand == "perf" || (launch.ranks == 1 && !launch.is_foreign)) {
    return RankRole::kAlone;
  }
  const bool is_dealt = std::ranges::find(kDealt, subcommand) != kDealt.end();
  if (launch.is_foreign) {
    if (launch.rank > 0) {
      return RankRole::kIdle;
    }
    return is_dealt ? fail("started by the mpirun of another MPI, with several ranks: {}",
                           cluster::mpi_library().empty() ? "this build has no MPI; start one process"
                                                          : "use that of " + cluster::mpi_library())
                    : Result<RankRole>(RankRole::kAlone);
  }
  if (is_dealt && cluster::mpi_library().empty()) {
    return launch.rank > 0
               ? Result<RankRole>(RankRole::kIdle)
               : fail(
                     "mpirun has started {} ranks, but this build has no MPI (configure it with -DWEFT_MPI=ON); "
                     "without mpirun it uses all processors of one machine",
                     launch.ranks);
  }
  if (!is_dealt) {
    if (launch.rank == 0 && !subcommand.empty() && !subcommand.starts_with('-')) {
      fmt::print(stderr, "weft {}: runs on rank 0 alone; the other ranks ({}) do nothing\n", terminal_text(subcommand),
                 launch.ranks - 1);
    }
    return launch.rank > 0 ? RankRole::kIdle : RankRole::kAlone;
  }
  if (Result<void> joined = cluster::join(); !joined) {
    return pass_on(joined);
  }
  if (cluster::rank() == 0) {
    return RankRole::kFirst;
  }
  fall_silent();
  return RankRole::kServes;
}

int end_role(RankRole role, int status) {
  if (role == RankRole::kAlone || role == RankRole::kIdle) {
    return status;
  }
  const auto seconds = static_cast<unsigned>(peers().limit().picoseconds() / Duration::seconds(1).picoseconds());
  if (role == RankRole::kServes) {
    cluster::send(0, kBye, peers().has_served ? std::string() : printed());
    const Time from = peers().now();
    while (!peers().has_quit()) {
      if (peers().is_silent(0, from)) {
        give_up_on_first();
      }
      if (!peers().next()) {
        pause_shortly();
      }
    }
    cluster::leave(seconds * 10);
    return kSuccess;
  }
  if (all_left()) {
    cluster::leave(seconds);
    return status;
  }
  cluster::abandon(status);
  std::_Exit(status);
}

bool serves_ranks() { return working_ranks() > 1 && cluster::rank() != 0; }

std::uint32_t working_ranks() { return cluster::ranks(); }

std::size_t usable_cores() {
  const std::size_t cores = lent_cores();
  const cluster::Launch& launch = cluster::launch();
  return launch.is_bound || working_ranks() == 1 ? cores : std::max<std::size_t>(cores / launch.local_ranks, 1);
}

Peers::Peers() : limit_(limit_from_environment()), peers_(cluster::ranks()) {}

std::optional<cluster::Message> Peers::next() {
  while (std::optional<cluster::Message> message = cluster::receive()) {
    Peer& peer = peers_[message->from];
    peer.heard = now();
    switch (message->kind) {
      case cluster::kAlive:
        continue;
      case kBye:
        peer.is_gone = true;
        peer.why = std::move(message->bytes);
        continue;
      case kQuit:
        quit_ = true;
        continue;
      case kEndOfSession:
        ended_ = std::max(ended_, cluster::Unpacker(message->bytes).number());
        return std::nullopt;  // what may follow is for whoever looks for the next order
      case kSpeed:
        speed_ = cluster::Unpacker(message->bytes).real();
        continue;
      default:
        break;
    }
    if (!peer.is_lost) {  // or what it was at has been given to another one
      return message;
    }
  }
  return std::nullopt;
}

bool Peers::is_silent(std::uint32_t rank, Time waited_from) const {
  return now() - later(peers_[rank].heard, waited_from) > limit_;
}

bool Peers::any_lost() const { return std::ranges::any_of(peers_, &Peer::is_lost); }

Peers& peers() {
  static Peers kPeers;
  return kPeers;
}

std::optional<std::string> next_order() {
  (void)printed();
  const Time from = peers().now();
  while (true) {
    std::optional<cluster::Message> message = peers().next();
    if (peers().has_quit()) {
      return std::nullopt;
    }
    if (message && message->kind == kOrder) {
      cluster::Unpacker order(message->bytes);
      peers().session = order.number();
      if (!peers().has_ended(peers().session)) {
        return order.text();
      }
    }
    if (!message) {
      if (peers().is_silent(0, from)) {
        give_up_on_first();
      }
      pause_shortly();
    }
  }
}

void tell_speed(double hops_per_second) {
  for (std::uint32_t rank = 1; rank < cluster::ranks(); ++rank) {
    cluster::send(rank, kSpeed, cluster::Packer().real(hops_per_second).take());
  }
}

std::optional<double> speed_of_first() {
  const Time from = peers().now();
  while (!peers().speed() && !peers().has_quit()) {
    if (peers().is_silent(0, from)) {
      give_up_on_first();
    }
    if (!peers().next()) {
      pause_shortly();
    }
  }
  return peers().speed();
}

void tell_cannot() { cluster::send(0, kCannot, cluster::Packer().number(peers().session).text(printed()).take()); }

void show_errors() {
  if (silence().errors >= 0) {
    ::dup2(silence().errors, STDERR_FILENO);
  }
}

void give_up_on_first() {
  show_errors();
  fmt::print(stderr, "weft: rank {} on {} gives up: rank 0 has not been heard of for {}\n", cluster::rank(),
             cluster::machine(), peers().limit());
  std::fflush(stderr);
  std::_Exit(kFault);
}

}  // namespace weft::cli
