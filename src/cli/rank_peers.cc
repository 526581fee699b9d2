#include "cli/rank_peers.h"

#include <fmt/core.h>

#include <chrono>
#include <thread>

#include "base/format_quantity.h"
#include "cli/rank_session.h"
#include "cli/run_interrupt.h"
#include "cluster/packing.h"
#include "cluster/ranks.h"

namespace weft::cli {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{2};

/// Why a rank does not take part, or no longer; empty: it does.
std::string fault_of(std::uint32_t rank, Time waited_from) {
  const Peers::Peer& peer = peers().at(rank);
  if (peer.is_gone) {
    return fmt::format("rank {} has left{}{}", rank, peer.why.empty() ? "" : ": ", peer.why);
  }
  return peers().is_silent(rank, waited_from)
             ? fmt::format("rank {} has not been heard of for {}", rank, peers().limit())
             : std::string();
}

}  // namespace

std::uint32_t RankPeers::count() const { return cluster::ranks() - 1; }

std::uint32_t RankPeers::own_number() const { return cluster::rank(); }

// Every rank tells rank 0 that it is alive, and rank 0 tells every rank.
bool RankPeers::goes_on(Time began) {
  while (peers().next()) {
  }
  if (cluster::rank() != 0) {
    why_ = peers().has_quit() ? "rank 0 has ended the run" : fault_of(0, began);
    return why_.empty();
  }
  for (std::uint32_t rank = 1; rank < cluster::ranks() && why_.empty(); ++rank) {
    why_ = fault_of(rank, began);
  }
  return why_.empty();
}

bool RankPeers::exchange(std::vector<std::string>& messages) {
  if (!why_.empty()) {
    return false;
  }
  for (const std::string& message : messages) {
    bytes_ += message.size();
  }
  ++exchanges_;
  const Time began = clock_.now();
  const Time waited_from = peers().now();
  if (!cluster::exchange(messages, [&] { return goes_on(waited_from); })) {
    why_ = why_.empty() ? "a rank is gone" : why_;
  }
  waited_ += clock_.now() - began;
  return why_.empty();
}

std::string RankPeers::summary(Duration run_time) const {
  const double share = run_time > Duration::zero()
                           ? static_cast<double>(waited_.picoseconds()) / static_cast<double>(run_time.picoseconds())
                           : 0;
  return fmt::format(
      "shared by {} ranks: {} exchanges, {:.1f} MB from rank 0, which was in them for {:.0f} % of the time",
      count() + 1, exchanges_, static_cast<double>(bytes_) / 1e6, 100 * share);
}

std::optional<RunThreads> wait_for_shared_run(const std::string& identity) {
  peers().has_served = true;
  const Time began = peers().now();
  cluster::send(0, kReady, cluster::Packer().text(identity).text(cluster::machine()).take());
  while (!peers().has_quit() && !interrupted()) {
    const std::optional<cluster::Message> message = peers().next();
    if (message && message->kind == kBegin) {
      cluster::Unpacker bytes(message->bytes);
      return RunThreads{.most = static_cast<std::uint32_t>(bytes.number())};
    }
    if (!message) {
      if (peers().is_silent(0, began)) {
        give_up_on_first();
      }
      std::this_thread::sleep_for(kBetweenLooks);
    }
  }
  return std::nullopt;
}

std::string begin_shared_run(const std::string& identity, const RunThreads& threads) {
  const Time began = peers().now();
  std::vector<bool> is_ready(cluster::ranks(), false);
  is_ready[0] = true;
  for (std::uint32_t rank = 1; rank < cluster::ranks();) {
    if (interrupted()) {
      return "interrupted";
    }
    if (is_ready[rank]) {
      ++rank;
      continue;
    }
    const std::optional<cluster::Message> message = peers().next();
    if (!message) {
      if (std::string why = fault_of(rank, began); !why.empty()) {
        return why;
      }
      std::this_thread::sleep_for(kBetweenLooks);
      continue;
    }
    cluster::Unpacker bytes(message->bytes);
    if (message->kind == kReady) {
      if (bytes.text() != identity) {
        return fmt::format("rank {} on {} has another scenario or another build of weft", message->from, bytes.text());
      }
      is_ready[message->from] = true;
    }
  }
  for (std::uint32_t rank = 1; rank < cluster::ranks(); ++rank) {
    cluster::send(rank, kBegin, cluster::Packer().number(threads.most).take());
  }
  return {};
}

}  // namespace weft::cli
