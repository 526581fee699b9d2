#include "cli/rank_pool.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "base/format_quantity.h"
#include "cli/rank_session.h"
#include "cli/run_interrupt.h"
#include "cluster/packing.h"

namespace weft::cli {
namespace {

constexpr int kListenMilliseconds = 5;
constexpr Duration kTick = Duration::milliseconds(100);
/// A piece whose process was killed, or whose rank is gone, so often is not tried again.
constexpr std::uint32_t kMostLosses = 3;
/// More ranks than that are not listed one by one.
constexpr std::size_t kListedRanks = 16;

enum class Ended : std::uint64_t { kText, kFault, kKilled, kInterrupted };

/// Rank 0.
class Dealer {
 public:
  explicit Dealer(const RankedWork& work)
      : work_(work),
        session_(++peers().session),
        ranks_(cluster::ranks()),
        losses_(work.numbers.size(), 0),
        partial_(work.numbers.size()),
        pool_(own_work()),
        began_(peers().now()) {
    for (std::size_t position = 0; position < work.numbers.size(); ++position) {
      waiting_.push_back(position);
    }
  }

  void run() {
    to_all(kOrder, cluster::Packer().number(session_).text(work_.order).take());
    for (bool is_over = false; !is_over;) {
      look();
      deal();
      is_over = under_way() == 0 && (waiting_.empty() || !going_);
      if (!is_over) {
        pool_.listen(kListenMilliseconds);
        take_messages();
        find_lost();
      }
    }
    to_all(kEndOfSession, cluster::Packer().number(session_).take());
    give_partial();
    sum_up();
  }

 private:
  /// A rank as this session sees it.
  struct Rank {
    std::size_t at_once = 0;  // 0: it takes no part, or not yet
    std::vector<std::size_t> under_way{};
    std::string machine{};
    std::size_t done = 0;
    std::optional<Time> ended{};  // its machine told it to end
    bool is_told_of = false;
  };

  [[nodiscard]] live::ProcessPool::Work own_work() {
    live::ProcessPool::Work own = work_.local.work;
    own.done = [this](std::size_t position, live::PieceEnd end) {
      if (end.was_killed && going_) {
        return lose(position, end.fault);
      }
      ranks_[0].done += end.text ? 1 : 0;
      work_.local.work.done(position, std::move(end));
    };
    return own;
  }

  [[nodiscard]] std::size_t under_way() const {
    std::size_t count = pool_.under_way();
    for (const Rank& rank : ranks_) {
      count += rank.under_way.size();
    }
    return count;
  }

  void to_all(std::uint32_t kind, const std::string& bytes) {
    for (std::uint32_t rank = 1; rank < ranks_.size(); ++rank) {
      if (!peers().at(rank).is_lost && !peers().at(rank).is_gone) {
        cluster::send(rank, kind, bytes);
      }
    }
  }

  void look() {
    if (const Time now = peers().now(); now >= next_look_) {
      next_look_ = now + kTick;
      if (!work_.local.keep_going(under_way()) && std::exchange(going_, false)) {
        pool_.interrupt();
        to_all(kInterrupt, cluster::Packer().number(session_).take());
        began_ = now;  // of their silence
      }
    }
  }

  void deal() {
    while (going_ && !waiting_.empty() && pool_.under_way() < std::max<std::size_t>(work_.local.at_once, 1)) {
      pool_.begin(next_waiting());
    }
    for (std::uint32_t number = 1; number < ranks_.size(); ++number) {
      Rank& rank = ranks_[number];
      while (going_ && !waiting_.empty() && rank.under_way.size() < rank.at_once) {
        rank.under_way.push_back(next_waiting());
        cluster::send(number, kPiece,
                      cluster::Packer().number(session_).number(work_.numbers[rank.under_way.back()]).take());
      }
    }
  }

  [[nodiscard]] std::size_t next_waiting() {
    const std::size_t position = waiting_.front();
    waiting_.pop_front();
    return position;
  }

  void take_messages() {
    while (std::optional<cluster::Message> message = peers().next()) {
      cluster::Unpacker bytes(message->bytes);
      if (bytes.number() != session_) {
        continue;
      }
      Rank& rank = ranks_[message->from];
      switch (message->kind) {
        case kHello:
          greet(message->from, bytes);
          break;
        case kResult:
          take_result(message->from, bytes);
          break;
        case kParts:
          for (std::optional<std::size_t> position; !bytes.is_empty();) {
            position = position_of(bytes.number());
            const double part = bytes.real();
            if (position && std::ranges::count(rank.under_way, *position) > 0) {
              work_.parts.set(*position, part);
            }
          }
          break;
        case kCannot:
          leave_out(message->from, bytes.text());
          break;
        default:
          break;
      }
    }
  }

  void greet(std::uint32_t number, cluster::Unpacker& hello) {
    const std::size_t at_once = hello.number();
    const std::string identity = hello.text();
    ranks_[number].machine = hello.text();
    if (identity != work_.identity) {
      return leave_out(number, "it has another build of weft, or other files, than rank 0");
    }
    ranks_[number].at_once = at_once;
  }

  void leave_out(std::uint32_t number, const std::string& why) {
    if (!std::exchange(ranks_[number].is_told_of, true)) {
      work_.note(fmt::format("rank {} does not take part: {}", name_of(number), why));
    }
  }

  [[nodiscard]] std::string name_of(std::uint32_t number) const {
    const std::string& machine = ranks_[number].machine;
    return machine.empty() ? fmt::format("{}", number) : fmt::format("{} ({})", number, machine);
  }

  [[nodiscard]] std::optional<std::size_t> position_of(std::size_t number) const {
    const auto found = std::ranges::lower_bound(work_.numbers, number);
    return found != work_.numbers.end() && *found == number
               ? std::optional(static_cast<std::size_t>(found - work_.numbers.begin()))
               : std::nullopt;
  }

  void take_result(std::uint32_t number, cluster::Unpacker& bytes) {
    Rank& rank = ranks_[number];
    const std::optional<std::size_t> position = position_of(bytes.number());
    if (!position || std::erase(rank.under_way, *position) == 0) {
      return;
    }
    const auto ended = static_cast<Ended>(bytes.number());
    const bool has_text = bytes.number() != 0;
    std::string text = bytes.text();
    if (ended == Ended::kInterrupted && going_) {
      // Its machine wants it to end, and not the user the work. What it has so far serves if that comes as well.
      rank.at_once = 0;
      rank.ended = peers().now();
      partial_[*position] = has_text ? std::optional(std::move(text)) : std::nullopt;
      waiting_.push_front(*position);
      return;
    }
    if (ended == Ended::kKilled && going_) {
      return lose(*position, fmt::format("on rank {}: {}", name_of(number), text));
    }
    rank.done += has_text ? 1 : 0;
    live::PieceEnd end;
    (has_text ? end.text.emplace() : end.fault) = std::move(text);
    work_.local.work.done(*position, std::move(end));
  }

  /// Its process was killed, or its rank is gone.
  void lose(std::size_t position, const std::string& why) {
    work_.parts.set(position, 0);
    if (!going_ || ++losses_[position] >= kMostLosses) {
      const std::string times = losses_[position] > 1 ? fmt::format("lost {} times, ", losses_[position]) : "";
      return work_.local.work.done(position, {.text = {}, .fault = times + why});
    }
    work_.note(fmt::format("a run was lost and begins again: {}", why));
    waiting_.push_front(position);
  }

  void find_lost() {
    for (std::uint32_t number = 1; number < ranks_.size(); ++number) {
      Peers::Peer& peer = peers().at(number);
      Rank& rank = ranks_[number];
      if (peer.is_gone && !rank.is_told_of) {
        rank.at_once = 0;
        leave_out(number, peer.why.empty() ? "it has ended" : peer.why);
      }
      if (rank.ended && going_ && peers().now() - *rank.ended > kTick * 10) {
        leave_out(number, "it was told to end");  // it alone: an interrupt of all would have come here by now
      }
      // One that has not come yet may still be planning; signs of life come from there as well.
      const bool is_silent = !peer.is_gone && !peer.is_lost && peers().is_silent(number, began_);
      if (is_silent) {
        peer.is_lost = true;
        rank.at_once = 0;
        rank.is_told_of = true;
        work_.note(fmt::format("rank {} has not been heard of for {}: it counts as lost", name_of(number),
                               to_string(peers().limit())));
      }
      if (peer.is_gone || peer.is_lost) {
        for (const std::size_t position : std::exchange(rank.under_way, {})) {
          lose(position, fmt::format("rank {} is gone", name_of(number)));
        }
      }
    }
  }

  /// After an interrupt: what a rank had of a piece that nobody began again.
  void give_partial() {
    for (const std::size_t position : waiting_) {
      if (partial_[position]) {
        work_.local.work.done(position, {.text = std::move(partial_[position])});
      }
    }
  }

  void sum_up() {
    std::vector<std::size_t> done;
    std::size_t all = 0;
    for (const Rank& rank : ranks_) {
      done.push_back(rank.done);
      all += rank.done;
    }
    const auto [least, most] = std::ranges::minmax(done);
    work_.note(fmt::format("{} run{} on {} ranks: {}", all, all == 1 ? "" : "s", ranks_.size(),
                           ranks_.size() <= kListedRanks ? fmt::format("{}", fmt::join(done, ", "))
                                                         : fmt::format("{} to {} each", least, most)));
  }

  const RankedWork& work_;
  const std::uint64_t session_;
  std::vector<Rank> ranks_;  // the first is this one: what it has under way is in the pool
  std::deque<std::size_t> waiting_;
  std::vector<std::uint32_t> losses_;
  std::vector<std::optional<std::string>> partial_;
  live::ProcessPool pool_;
  bool going_ = true;
  Time began_;
  Time next_look_{};
};

/// Any other rank.
class Server {
 public:
  explicit Server(const RankedWork& work)
      : work_(work), pool_(own_work()), session_(std::max<std::uint64_t>(peers().session, 1)) {
    peers().session = session_;
    peers().has_served = true;
  }

  void run() {
    const Time began = peers().now();
    cluster::send(0, kHello,
                  cluster::Packer()
                      .number(session_)
                      .number(std::max<std::size_t>(work_.local.at_once, 1))
                      .text(work_.identity)
                      .text(cluster::machine())
                      .take());
    while (!peers().has_ended(session_)) {
      pool_.listen(kListenMilliseconds);
      take_messages();
      if (interrupted()) {
        pool_.interrupt();
      }
      tell_parts();
      if (peers().is_silent(0, began)) {
        give_up_on_first();
      }
    }
  }

 private:
  [[nodiscard]] live::ProcessPool::Work own_work() {
    live::ProcessPool::Work own = work_.local.work;
    own.run = [this](std::size_t piece) {
      show_errors();
      return work_.local.work.run(piece);
    };
    own.done = [this](std::size_t piece, live::PieceEnd end) {
      std::erase(under_way_, piece);
      const Ended ended = interrupted() || interrupts_ ? Ended::kInterrupted
                          : end.was_killed             ? Ended::kKilled
                          : end.text                   ? Ended::kText
                                                       : Ended::kFault;
      cluster::send(0, kResult,
                    cluster::Packer()
                        .number(session_)
                        .number(piece)
                        .number(static_cast<std::uint64_t>(ended))
                        .number(end.text ? 1 : 0)
                        .text(end.text ? *end.text : end.fault)
                        .take());
    };
    return own;
  }

  void take_messages() {
    while (std::optional<cluster::Message> message = peers().next()) {
      cluster::Unpacker bytes(message->bytes);
      if (bytes.number() != session_) {
        continue;
      }
      if (message->kind == kPiece) {
        const std::size_t piece = bytes.number();
        under_way_.push_back(piece);
        pool_.begin(piece);
      } else if (message->kind == kInterrupt) {
        interrupts_ = true;
        pool_.interrupt();
      }
    }
  }

  void tell_parts() {
    if (const Time now = peers().now(); now >= next_parts_ && !under_way_.empty()) {
      next_parts_ = now + kTick * 2;
      cluster::Packer parts;
      parts.number(session_);
      for (const std::size_t piece : under_way_) {
        parts.number(piece).real(work_.parts.get(piece));
      }
      cluster::send(0, kParts, parts.take());
    }
  }

  const RankedWork& work_;
  live::ProcessPool pool_;
  std::uint64_t session_;
  std::vector<std::size_t> under_way_;
  bool interrupts_ = false;  // rank 0 was interrupted
  Time next_parts_{};
};

}  // namespace

void run_ranked(const RankedWork& work) {
  if (working_ranks() == 1) {
    live::run_pool(work.local);
  } else if (serves_ranks()) {
    Server(work).run();
  } else {
    Dealer(work).run();
  }
}

}  // namespace weft::cli
