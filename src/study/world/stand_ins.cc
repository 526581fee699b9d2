#include "study/world/stand_ins.h"

#include <algorithm>

namespace weft::study::world {
namespace {

double as_double(Bytes bytes) { return static_cast<double>(bytes.count()); }

}  // namespace

void StandIns::apply(EndpointId sender, std::vector<flow::LinkUse>& links) const {
  for (flow::LinkUse& use : links) {
    use.part *= use.link < scales_.size() ? scales_[use.link] : 1;
  }
  if (const auto others = others_.find(sender); others != others_.end()) {
    links.insert(links.end(), others->second.begin(), others->second.end());
  }
}

void StandInLoads::add(const Flow& flow) {
  const double bytes = as_double(flow.bytes);
  all_ += bytes;
  for (const flow::LinkUse& use : flow.links) {
    Link& link = links_[use.link];
    link.all += bytes * static_cast<double>(use.part);
    if (!link.sender.is_valid()) {
      link.sender = flow.sender;
    }
  }
}

void StandInLoads::add_run(const Flow& flow) {
  const double bytes = as_double(flow.bytes);
  run_ += bytes;
  run_by_sender_[flow.sender] += bytes;
  for (const flow::LinkUse& use : flow.links) {
    links_[use.link].run += bytes * static_cast<double>(use.part);
  }
}

StandIns StandInLoads::made() const {
  const double part = all_ > 0 ? run_ / all_ : 1;
  std::vector<float> scales(links_.size(), 1);
  std::map<EndpointId, std::vector<flow::LinkUse>> others;
  for (std::uint32_t i = 0; i < links_.size(); ++i) {
    const Link& link = links_[i];
    if (link.run > 0 && link.all > 0) {
      scales[i] = static_cast<float>(link.all * part / link.run);
      continue;
    }
    // Without any of all: the numbers of its queue pairs were drawn, and led others there.
    const auto own = run_by_sender_.find(link.sender);
    if (link.all > 0 && own != run_by_sender_.end()) {
      others[link.sender].push_back({.link = i, .part = static_cast<float>(link.all * part / own->second)});
    }
  }
  return {std::move(scales), std::move(others)};
}

}  // namespace weft::study::world
