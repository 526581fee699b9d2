// What a process of weft does under mpirun: the first rank does the work of the command and deals pieces of it
// (cli/rank_pool.h), the others serve it, or do nothing where the command cannot be divided.
//
// A rank that serves runs the same command on the same files, until it comes to the work that is dealt. It prints
// nothing: why it could not come so far is told to rank 0. Ranks that are silent for too long count as gone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "cluster/ranks.h"
#include "live/clock.h"

namespace weft::cli {

enum class RankRole : std::uint8_t {
  kAlone,   // there is one rank, or each is for itself
  kFirst,   // rank 0, with others
  kServes,  // another one
  kIdle,    // another one of a command that is not divided: ends at once
};

/// At the start of the program, whose first argument is `subcommand`. Errors: a build without MPI under mpirun, another
/// MPI's mpirun, what MPI says.
[[nodiscard]] Result<RankRole> take_role(std::string_view subcommand);
/// At its end: the exit status that is left. Output must have been flushed, as a rank that does not answer ends MPI the
/// hard way.
[[nodiscard]] int end_role(RankRole role, int status);

/// This process is a rank that serves.
[[nodiscard]] bool serves_ranks();
/// So many work together; 1 outside of mpirun.
[[nodiscard]] std::uint32_t working_ranks();
/// Processors for this rank: those that it may use, shared with the ranks beside it unless they have their own.
[[nodiscard]] std::size_t usable_cores();

enum RankMessage : std::uint32_t {
  kHello = 1,     // to 0: session, at once, identity of the plan, machine
  kOrder,         // from 0: session, and what its plan is about
  kPiece,         // from 0: session, number
  kEndOfSession,  // from 0: session
  kInterrupt,     // from 0: session
  kResult,        // to 0: session, number, how it ended, text
  kParts,         // to 0: session, and pairs of number and part done
  kCannot,        // to 0: session, why
  kQuit,          // from 0: nothing more will come
  kBye,           // to 0: why it never served; empty if it did
  kReady,         // to 0: identity of a run that is to be shared, machine
  kBegin,         // from 0: the run begins; threads, and whether the user has named them
  kSpeed,         // from 0: packet-hops per second, by which levels are chosen
};

/// The other ranks as this one sees them; of a process that has joined.
class Peers {
 public:
  struct Peer {
    Time heard{};          // when it was last heard of
    bool is_gone = false;  // said goodbye
    bool is_lost = false;  // silent for too long
    std::string why{};     // it left
  };

  Peers();
  /// The next message that is for whoever asks. Signs of life, farewells, speeds and ends of sessions are taken note
  /// of; none comes between the end of a session and the next call, so that what is for the next one is left to it.
  [[nodiscard]] std::optional<cluster::Message> next();
  [[nodiscard]] Peer& at(std::uint32_t rank) { return peers_[rank]; }
  /// Silent for longer than the limit, as seen since `waited_from`.
  [[nodiscard]] bool is_silent(std::uint32_t rank, Time waited_from) const;
  [[nodiscard]] bool any_lost() const;
  [[nodiscard]] Time now() const { return clock_.now(); }
  /// WEFT_MPI_TIMEOUT in seconds, or a minute.
  [[nodiscard]] Duration limit() const { return limit_; }
  /// Rank 0 has ended the session.
  [[nodiscard]] bool has_ended(std::uint64_t number) const { return quit_ || ended_ >= number; }
  [[nodiscard]] bool has_quit() const { return quit_; }
  /// What rank 0 has told.
  [[nodiscard]] std::optional<double> speed() const { return speed_; }

  /// Of rank 0, how many sessions it has begun; of another, the one that it takes part in.
  std::uint64_t session = 0;
  /// Of a rank that serves: it has taken part in one.
  bool has_served = false;

 private:
  live::Clock clock_;
  Duration limit_;
  std::vector<Peer> peers_;
  std::uint64_t ended_ = 0;
  bool quit_ = false;
  std::optional<double> speed_{};
};
[[nodiscard]] Peers& peers();

/// Of a rank that serves: the next order of rank 0; none: there will be none.
[[nodiscard]] std::optional<std::string> next_order();
/// Of rank 0, and of a rank that serves, which waits for it: how fast rank 0 is, so that all choose the same levels.
/// None: rank 0 will tell nothing any more.
void tell_speed(double hops_per_second);
[[nodiscard]] std::optional<double> speed_of_first();
/// Of a rank that serves: the session of the last order cannot be served. What it printed since is the reason.
void tell_cannot();
/// Of a rank that serves, in a child process: standard error is that of the program again.
void show_errors();
/// Of a rank that serves: says so on standard error, and ends the process.
[[noreturn]] void give_up_on_first();

}  // namespace weft::cli
