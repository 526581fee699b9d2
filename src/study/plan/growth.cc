#include "study/plan/growth.h"

#include <algorithm>
#include <map>

#include "study/cost/milli.h"
#include "study/plan/design_space.h"

namespace weft::study::plan {

std::optional<Design> grown(const Design& design, std::int64_t hosts) {
  Design made = design;
  made.hosts = hosts + design.spares;
  if (wire(made)) {
    return made;
  }
  // One switch becomes a leaf of two tiers; two tiers become three.
  for (const Shape shape : {Shape::kLeafSpine, Shape::kFatTree}) {
    if (design.shape == Shape::kSingleSwitch || shape == Shape::kFatTree) {
      made.shape = shape;
      if (wire(made)) {
        return made;
      }
    }
  }
  return std::nullopt;
}

std::vector<Design> grown_with(const Design& design, std::int64_t hosts, const Device& other) {
  std::vector<Design> found;
  for (const Shape shape :
       {design.shape, Shape::kSingleSwitch, Shape::kLeafSpine, Shape::kRailOptimised, Shape::kFatTree}) {
    Design made = design;
    made.switch_ = other;
    made.hosts = hosts + design.spares;
    made.shape = shape;
    const bool is_known = std::ranges::any_of(found, [shape](const Design& own) { return own.shape == shape; });
    if (!is_known && (ports_of_nic(design) == 1 || takes_ports(shape)) && wire(made)) {
      found.push_back(std::move(made));
    }
  }
  return found;
}

Growth growth_between(const cost::Bill& today, const cost::Bill& later) {
  struct Counts {
    std::int64_t before = 0;
    std::int64_t after = 0;
    scenario::Money price{};
    bool owned = false;
  };
  std::map<std::string, Counts> parts;
  for (const cost::BillLine& line : today.lines) {
    Counts& own = parts[line.name];
    own.before += line.count;
    own.price = line.unit_price;
    own.owned = line.owned;
  }
  for (const cost::BillLine& line : later.lines) {
    Counts& own = parts[line.name];
    own.after += line.count;
    own.price = line.unit_price;
    own.owned = line.owned;
  }
  Growth made;
  for (const auto& [name, own] : parts) {
    GrowthLine line{.name = name,
                    .kept = std::min(own.before, own.after),
                    .added = std::max<std::int64_t>(own.after - own.before, 0),
                    .left_over = std::max<std::int64_t>(own.before - own.after, 0)};
    line.price = own.owned ? scenario::Money{} : cost::times(own.price, line.added);
    cost::add_to(made.cost, line.price);
    cost::add_to(made.left_over, own.owned ? scenario::Money{} : cost::times(own.price, line.left_over));
    made.lines.push_back(std::move(line));
  }
  return made;
}

}  // namespace weft::study::plan
