#include "fabric/control/fib_installer.h"

#include <algorithm>
#include <iterator>

#include "base/assert.h"

namespace weft::fabric {

FibInstaller::FibInstaller(const Options& options)
    : options_(options),
      entries_(options.prefixes),
      wanted_(options.prefixes),
      is_dead_(options.ports, false),
      is_queued_(options.prefixes, false) {}

FibInstaller::Ports FibInstaller::alive(const Ports& ports) const {
  Ports left;
  std::ranges::copy_if(ports, std::back_inserter(left), [&](std::uint16_t port) { return !is_dead_[port]; });
  return left;
}

void FibInstaller::preset(PrefixId prefix, const Ports& ports) { entries_[prefix] = wanted_[prefix] = ports; }

void FibInstaller::enqueue(PrefixId prefix, Time now) {
  if (is_queued_[prefix] || entries_[prefix] == alive(wanted_[prefix])) {
    return;
  }
  is_queued_[prefix] = true;
  queue_.push_back(prefix);
  if (next_write_.is_never()) {
    next_write_ = now + options_.write_time;
  }
}

void FibInstaller::want(PrefixId prefix, const Ports& ports, Time now) {
  wanted_[prefix] = ports;
  enqueue(prefix, now);
}

std::vector<PrefixId> FibInstaller::repair(std::uint16_t port) {
  is_dead_[port] = true;
  std::vector<PrefixId> changed;
  for (std::uint32_t prefix = 0; prefix < options_.prefixes; ++prefix) {
    if (std::erase(entries_[prefix], port) > 0) {
      changed.push_back(static_cast<PrefixId>(prefix));
    }
  }
  return changed;
}

void FibInstaller::restore(std::uint16_t port, Time now) {
  if (!is_dead_[port]) {
    return;
  }
  is_dead_[port] = false;
  for (std::uint32_t prefix = 0; prefix < options_.prefixes; ++prefix) {
    enqueue(static_cast<PrefixId>(prefix), now);
  }
}

std::vector<PrefixId> FibInstaller::write(Time now) {
  std::vector<PrefixId> changed;
  next_write_ = Time::never();
  bool wrote = false;
  // Entries that have become right meanwhile cost nothing.
  while (!queue_.empty() && !wrote) {
    const PrefixId first = queue_.front();
    queue_.pop_front();
    is_queued_[first] = false;
    const Ports old = entries_[first];
    Ports fresh = alive(wanted_[first]);
    if (old == fresh) {
      continue;
    }
    wrote = true;
    if (options_.unit == FibUnit::kGroup) {
      std::erase_if(queue_, [&](PrefixId other) {
        const bool same = entries_[other] == old && alive(wanted_[other]) == fresh;
        if (same) {
          entries_[other] = fresh;
          is_queued_[other] = false;
          changed.push_back(other);
        }
        return same;
      });
    }
    entries_[first] = std::move(fresh);
    changed.insert(changed.begin(), first);
  }
  writes_ += wrote ? 1 : 0;
  if (!queue_.empty()) {
    next_write_ = now + options_.write_time;
  }
  return changed;
}

}  // namespace weft::fabric
