#include "fabric/control/bgp_speaker.h"

#include <algorithm>

#include "base/assert.h"

namespace weft::fabric {

BgpSpeaker::BgpSpeaker(const Options& options, PathTable& paths, RandomStream random)
    : options_(options),
      paths_(&paths),
      random_(random),
      peers_(options.peer_identifiers.size()),
      best_(options.prefixes),
      hops_(options.prefixes) {
  WEFT_ASSERT(options.own_prefix == kNoPrefix || options.own_prefix < options.prefixes);
  for (std::size_t port = 0; port < peers_.size(); ++port) {
    if (options.peer_identifiers[port] != 0) {
      peers_[port].in.assign(options.prefixes, kNoPath);
      peers_[port].out.assign(options.prefixes, kNoPath);
      peers_[port].is_dirty.assign(options.prefixes, false);
    }
  }
}

void BgpSpeaker::mark(Peer& peer, PrefixId prefix) {
  if (!peer.is_dirty[prefix]) {
    peer.is_dirty[prefix] = true;
    peer.dirty.push_back(prefix);
    marked_ = true;
  }
}

void BgpSpeaker::peer_up(std::uint16_t port) {
  Peer& peer = peers_[port];
  WEFT_DCHECK(!peer.is_up && !peer.in.empty());
  peer.is_up = true;
  peer.quiet_until = Time::zero();
  for (std::uint32_t prefix = 0; prefix < options_.prefixes; ++prefix) {
    if (best_[prefix].path != kNoPath || prefix == options_.own_prefix) {
      mark(peer, static_cast<PrefixId>(prefix));
    }
  }
}

void BgpSpeaker::peer_down(std::uint16_t port) {
  Peer& peer = peers_[port];
  WEFT_DCHECK(peer.is_up);
  peer.is_up = false;
  for (const PrefixId prefix : peer.dirty) {
    peer.is_dirty[prefix] = false;
  }
  peer.dirty.clear();
  std::ranges::fill(peer.out, kNoPath);
  for (std::uint32_t prefix = 0; prefix < options_.prefixes; ++prefix) {
    if (std::exchange(peer.in[prefix], kNoPath) != kNoPath) {
      decide(static_cast<PrefixId>(prefix));
    }
  }
}

//= rfc4271 9.1.2
void BgpSpeaker::on_route(std::uint16_t port, PrefixId prefix, PathId path) {
  Peer& peer = peers_[port];
  WEFT_DCHECK(peer.is_up && prefix < options_.prefixes);
  if (path != kNoPath && std::ranges::count((*paths_)[path].numbers, options_.as_number) > 0) {
    path = kNoPath;
  }
  if (std::exchange(peer.in[prefix], path) != path) {
    decide(prefix);
  }
}

void BgpSpeaker::set_drain(std::uint16_t port, Drain drain) {
  Peer& peer = peers_[port];
  if (std::exchange(peer.drain, drain) == drain || !peer.is_up) {
    return;
  }
  for (std::uint32_t prefix = 0; prefix < options_.prefixes; ++prefix) {
    if (peer.in[prefix] != kNoPath) {
      decide(static_cast<PrefixId>(prefix));
    }
    if (peer.out[prefix] != kNoPath) {
      mark(peer, static_cast<PrefixId>(prefix));
    }
  }
}

// The local preference that RFC 8326 asks for, then the length of the path.
std::pair<bool, std::size_t> BgpSpeaker::cost_of(const Peer& peer, PathId path) const {
  const AsPath& own = (*paths_)[path];
  const bool drains = peer.drain == Drain::kOn;
  const bool prepends = drains && options_.drain == DrainMethod::kPrepend;
  return {own.shuts_down || (drains && !prepends), own.numbers.size() + (prepends ? kPrepended : 0)};
}

void BgpSpeaker::decide(PrefixId prefix) {
  if (prefix == options_.own_prefix) {
    return;
  }
  Best best;
  std::pair<bool, std::size_t> least;
  std::vector<std::uint16_t> hops;
  for (std::size_t i = 0; i < peers_.size(); ++i) {
    const Peer& peer = peers_[i];
    if (!peer.is_up || peer.in[prefix] == kNoPath) {
      continue;
    }
    const auto port = static_cast<std::uint16_t>(i);
    const std::pair<bool, std::size_t> cost = cost_of(peer, peer.in[prefix]);
    if (best.path != kNoPath && cost > least) {
      continue;
    }
    if (best.path == kNoPath || cost < least) {
      hops.clear();
      least = cost;
      best = {.port = port, .path = peer.in[prefix]};
    } else if (options_.peer_identifiers[port] < options_.peer_identifiers[best.port]) {
      best = {.port = port, .path = peer.in[prefix]};
    }
    hops.push_back(port);
  }
  if (best != best_[prefix]) {
    best_[prefix] = best;
    for (Peer& peer : peers_) {
      if (peer.is_up) {
        mark(peer, prefix);
      }
    }
  }
  if (hops != hops_[prefix]) {
    hops_[prefix] = std::move(hops);
    changed_.push_back(prefix);
  }
}

PathId BgpSpeaker::exported(PrefixId prefix, std::uint16_t to) {
  const Best& best = best_[prefix];
  const bool is_own = prefix == options_.own_prefix;
  if (!is_own && (best.path == kNoPath || best.port == to)) {
    return kNoPath;
  }
  const bool drains = peers_[to].drain == Drain::kOn;
  const auto [at, fresh] = exports_.try_emplace({is_own ? kNoPath : best.path, drains}, kNoPath);
  if (fresh) {
    AsPath path = is_own ? AsPath{} : (*paths_)[best.path];
    const bool prepends = drains && options_.drain == DrainMethod::kPrepend;
    path.numbers.insert(path.numbers.begin(), prepends ? 1 + kPrepended : 1, options_.as_number);
    path.shuts_down = path.shuts_down || (drains && !prepends);
    at->second = paths_->of(path);
  }
  return at->second;
}

Time BgpSpeaker::next_update(std::uint16_t port) const {
  const Peer& peer = peers_[port];
  return peer.is_up && !peer.dirty.empty() ? peer.quiet_until : Time::never();
}

std::vector<RouteUpdate> BgpSpeaker::take_updates(std::uint16_t port) {
  std::vector<RouteUpdate> updates;
  Peer& peer = peers_[port];
  std::map<PathId, std::size_t> places;
  updates.emplace_back();  // what is withdrawn
  places.emplace(kNoPath, 0);
  for (const PrefixId prefix : peer.dirty) {
    peer.is_dirty[prefix] = false;
    const PathId path = exported(prefix, port);
    if (std::exchange(peer.out[prefix], path) == path) {
      continue;
    }
    const auto [at, fresh] = places.try_emplace(path, updates.size());
    if (fresh) {
      updates.push_back({.path = path});
    }
    updates[at->second].prefixes.push_back(prefix);
  }
  peer.dirty.clear();
  if (updates.front().prefixes.empty()) {
    updates.erase(updates.begin());
  }
  for (RouteUpdate& update : updates) {
    std::ranges::sort(update.prefixes);
  }
  return updates;
}

std::vector<RouteUpdate> BgpSpeaker::poll(std::uint16_t port, Time now) {
  if (next_update(port) > now) {
    return {};
  }
  std::vector<RouteUpdate> updates = take_updates(port);
  if (!updates.empty() && options_.mrai > Duration::zero()) {
    //= rfc4271 10
    const std::int64_t whole = options_.mrai.picoseconds();
    peers_[port].quiet_until =
        now + Duration::picoseconds(whole - random_.uniform_between({.low = 0, .high = whole / 4}));
  }
  return updates;
}

}  // namespace weft::fabric
