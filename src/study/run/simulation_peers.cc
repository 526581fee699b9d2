// A run that several processes share: what they tell one another, and which runs cannot be shared.
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.h"
#include "study/run/simulation_parts.h"
#include "study/scenario/scenario_validate.h"

namespace weft::study::run {
namespace {

/// What one process tells of a slice of the run.
struct SliceNews {
  std::uint64_t ranks_done = 0;
  Time last;
};

/// Fields of plain bytes in front of a text.
template <class Fields>
std::string with_fields(const Fields& fields, std::string_view text) {
  std::string bytes(reinterpret_cast<const char*>(&fields), sizeof fields);
  bytes += text;
  return bytes;
}

template <class Fields>
std::string_view take_fields(std::string_view bytes, Fields& fields) {
  WEFT_ASSERT(bytes.size() >= sizeof fields);
  std::memcpy(static_cast<void*>(&fields), bytes.data(), sizeof fields);
  return bytes.substr(sizeof fields);
}

/// Where switches keep notes of packets, which do not travel to other processes.
bool has_packet_notes(const scenario::Scenario& scenario) {
  const scenario::RoutingSettings& routing = scenario.routing;
  return routing.policy == scenario::RoutingPolicy::kConga || routing.policy == scenario::RoutingPolicy::kConWeave ||
         routing.reorder == scenario::ReorderPlace::kLeaf;
}

}  // namespace

std::string Simulation::why_not_shared() const {
  if (!world_->runs_in_windows()) {
    return "its network is not divided into partitions (too small, or of a kind that stays whole)";
  }
  for (const auto& job : running_) {
    if (job->training) {
      return "training steps are not shared among processes";
    }
    if (scenario::is_over_tcp(job->plan.family)) {
      return "kernel TCP and iWARP are not shared among processes";
    }
    if (job->plan.pattern != nullptr && job->plan.pattern->triggers() != nullptr) {
      return "flows that wait for others are not shared among processes";
    }
  }
  if (world_->scale_up() != nullptr) {
    return "scale-up links are not shared among processes";
  }
  if (!scenario_.events.empty() || !scenario_.failures.empty()) {
    return "links that change ([[event]], [[failure]]) are not shared among processes";
  }
  if (scenario_.transport.path_selector == scenario::PathRule::kPlb) {
    return "PLB is not shared among processes";
  }
  if (has_packet_notes(scenario_) || scenario::has_control(scenario_)) {
    return "its routing keeps notes of packets, which are not shared among processes";
  }
  if (scenario_.devices.ethernet.ecn_moment == scenario::EcnMoment::kEnd) {
    return "ethernet.ecn_moment = \"end\", which marks packets that have left, is not shared among processes";
  }
  if (scenario_.security.encrypts() || scenario_.security.filters()) {
    return "[security] is not shared among processes";
  }
  if (scenario_.library.watchdog) {
    return "library.watchdog is not shared among processes";
  }
  if (scenario_.library.reconnects()) {
    return "library.reconnect_attempts is not shared among processes";
  }
  return {};
}

std::string Simulation::share(sim::Peers& peers, std::uint32_t threads) {
  if (std::string why = why_not_shared(); !why.empty()) {
    return why;
  }
  if (!world_->set_peers(peers, threads)) {
    return "its network falls into fewer partitions than there are processes";
  }
  keep_news();
  return {};
}

bool Simulation::gather(const std::string& own, std::vector<std::string>& told) {
  lost_peer_ = has_lost_peer() || !world_->peers()->gather(own, told);
  return !lost_peer_;
}

bool Simulation::has_lost_peer() const { return lost_peer_ || world_->kernel().has_lost_peer(); }

bool Simulation::gather_news() {
  SliceNews own;
  for (std::uint32_t worker = 0; worker < world_->threads(); ++worker) {
    own.ranks_done += worker_news_[worker].ranks_done;
    own.last = later(own.last, worker_news_[worker].last);
  }
  std::vector<std::string> told;
  if (!gather(with_fields(own, parts_->matcher.kept()), told)) {
    return false;
  }
  for (std::uint32_t peer = 0; peer < told.size(); ++peer) {
    SliceNews other;
    parts_->matcher.take_kept(peer, take_fields(told[peer], other));
    worker_news_[world_->threads() + peer] = {.ranks_done = other.ranks_done, .last = other.last};
  }
  return true;
}

Simulation::Outside Simulation::look_outside(const std::function<bool(const Progress&)>& keep_going) {
  Outside outside;
  if (const Result<void> checked = check_ ? check_() : Result<void>(); !checked) {
    outside.error = checked.error().message;
  } else {
    outside.goes_on = keep_going(progress());
  }
  return world_->peers() == nullptr ? outside : agree(outside);
}

// The error of the first process that has one; whoever is interrupted ends all.
Simulation::Outside Simulation::agree(const Outside& own) {
  struct Told {
    std::uint64_t goes_on = 1;
    std::uint64_t hops = 0;
  };
  const sim::Peers& peers = *world_->peers();
  std::vector<std::string> told;
  if (!gather(with_fields(Told{.goes_on = own.goes_on, .hops = world_->packet_hops()}, own.error), told)) {
    return {.goes_on = false, .error = peers.why()};
  }
  hops_elsewhere_ = 0;
  Outside all;
  for (std::uint32_t number = 0; number <= peers.count(); ++number) {
    if (number == peers.own_number()) {
      all.goes_on = all.goes_on && own.goes_on;
      all.error = all.error.empty() ? own.error : all.error;
      continue;
    }
    Told other;
    const std::string_view error = take_fields(told[number - (number > peers.own_number() ? 1 : 0)], other);
    all.goes_on = all.goes_on && other.goes_on != 0;
    all.error = all.error.empty() ? std::string(error) : all.error;
    hops_elsewhere_ += other.hops - common_.packet_hops;
  }
  return all;
}

// Ends come in the same order everywhere; each process tells of its own.
void Simulation::learn_flow_hashes() {
  const auto visit = [this](const auto& function) {
    for (const auto& job : running_) {
      job->connector.visit_ends([&](const workload::ConnectionEnd& end) {
        for (std::size_t i = 0; i < end.queue_pairs.size(); ++i) {
          function(end.port_of(i).endpoint, end.queue_pairs[i]);
        }
      });
    }
  };
  std::string own;
  visit([&](EndpointId endpoint, Qpn pair) {
    if (!world_->is_foreign(endpoint)) {
      const std::uint32_t hash = world_->nic(endpoint).flow_hash_of(pair);
      own.append(reinterpret_cast<const char*>(&hash), sizeof hash);
    }
  });
  std::vector<std::string> told;
  if (!gather(own, told)) {
    return;
  }
  std::vector<std::size_t> at(told.size(), 0);
  visit([&](EndpointId endpoint, Qpn pair) {
    if (const auto peer = world_->peer_of_port(endpoint.value()); peer) {
      std::uint32_t hash = 0;
      WEFT_ASSERT(at[*peer] + sizeof hash <= told[*peer].size());
      std::memcpy(&hash, told[*peer].data() + at[*peer], sizeof hash);
      at[*peer] += sizeof hash;
      world_->nic(endpoint).learn_flow_hash(pair, hash);
    }
  });
}

Simulation::Failure Simulation::failure() const {
  Failure failed{.unreachable = world_->fabric().drops().unreachable, .loss = lost_queue_pair()};
  if (!is_parted_) {
    return failed;
  }
  struct Told {
    std::uint64_t unreachable = 0;
    std::uint64_t job = 0;  // lengths of texts
    std::uint64_t place = 0;
    Time at = Time::never();
  };
  const JobLoss own = failed.loss.value_or(JobLoss{.job = {}, .at = Time::never(), .place = {}, .reason = {}});
  std::vector<std::string> told;
  if (!world_->peers()->gather(with_fields(Told{.unreachable = failed.unreachable - common_.drops.unreachable,
                                                .job = own.job.size(),
                                                .place = own.place.size(),
                                                .at = own.at},
                                           own.job + own.place + own.reason),
                               told)) {
    return failed;
  }
  for (const std::string& bytes : told) {
    Told other;
    const std::string_view texts = take_fields(bytes, other);
    failed.unreachable += other.unreachable;
    if (!other.at.is_never() && (!failed.loss || other.at < failed.loss->at)) {
      failed.loss = JobLoss{.job = std::string(texts.substr(0, other.job)),
                            .at = other.at,
                            .place = std::string(texts.substr(other.job, other.place)),
                            .reason = std::string(texts.substr(other.job + other.place))};
    }
  }
  return failed;
}

}  // namespace weft::study::run
