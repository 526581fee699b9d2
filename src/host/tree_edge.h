// One end of a connection between a child and its parent in an aggregation tree: a queue pair, and what was sent.
//
// Vectors, answers and abandonment are SENDs with immediate data, probes are WRITEs of nothing, which take no receive
// request and fail where the peer has gone. Every request is signalled; completions name the edge by its number.
#pragma once

#include <cstdint>
#include <optional>

#include "base/assert.h"
#include "base/psn.h"
#include "base/result.h"
#include "host/reduction_header.h"
#include "host/reduction_options.h"
#include "verbs/provider.h"

namespace weft::host {

/// Where an edge ends, for its other end.
struct EdgeAddress {
  EndpointId endpoint{};
  Qpn qpn{};
  Psn first_psn{};  // of its send queue
};

class TreeEdge {
 public:
  /// What a completion is about.
  enum class Part : std::uint8_t { kReceive, kSend, kProbe, kAbandon };
  struct Event {
    std::uint32_t edge = 0;
    Part part = Part::kReceive;
  };
  static Event event_of(std::uint64_t wr_id) {
    return {.edge = static_cast<std::uint32_t>(wr_id >> 8), .part = static_cast<Part>(wr_id & 0xFF)};
  }

  struct Queues {
    verbs::PdHandle pd{};
    verbs::CqHandle cq{};
    std::uint32_t number = 0;  // of this edge, in its completions
    Psn first_psn{};
  };
  /// A queue pair with room for a window of vectors. The provider must outlive this. Errors: what the provider refuses.
  [[nodiscard]] static Result<TreeEdge> make(verbs::Provider& provider, const Queues& queues,
                                             const ReductionOptions& options);

  [[nodiscard]] EdgeAddress address() const;
  /// To RTS at once. Errors: what the provider refuses.
  [[nodiscard]] Result<void> connect(const EdgeAddress& peer, const ReductionOptions& options);
  void destroy();

  /// Room for what comes next; none: for a message without bytes.
  [[nodiscard]] Result<void> post_receive(const std::optional<verbs::Sge>& room);
  [[nodiscard]] Result<void> send(const std::optional<verbs::Sge>& vector, const ReductionHeader& header);
  /// Once: tells the peer that its group has failed.
  void abandon();
  /// The peer has said that its group has failed: it needs no word of it, and may have no receive request for one.
  void on_abandoned() { abandoned_ = true; }
  /// Unless something under way will tell as well whether the peer lives.
  void probe();

  /// A send, probe or abandonment has completed.
  void on_sent() {
    WEFT_DCHECK(unacknowledged_ > 0);
    --unacknowledged_;
  }
  void on_broken() { broken_ = true; }
  [[nodiscard]] bool broken() const { return broken_; }

 private:
  TreeEdge(verbs::Provider& provider, Qpn qpn, const Queues& queues)
      : provider_(&provider), qpn_(qpn), number_(queues.number), first_psn_(queues.first_psn) {}
  [[nodiscard]] std::uint64_t wr_id(Part part) const {
    return std::uint64_t{number_} << 8 | static_cast<std::uint64_t>(part);
  }
  [[nodiscard]] Result<void> post(verbs::SendWr request);

  verbs::Provider* provider_;
  Qpn qpn_;
  std::uint32_t number_;
  Psn first_psn_;
  std::uint32_t unacknowledged_ = 0;
  bool broken_ = false;
  bool abandoned_ = false;
};

}  // namespace weft::host
