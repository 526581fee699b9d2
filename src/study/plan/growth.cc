#include "study/plan/growth.h"

#include <algorithm>
#include <initializer_list>
#include <map>

#include "study/cost/milli.h"
#include "study/plan/design_space.h"

namespace weft::study::plan {

namespace {

/// In its own shape first, then in those of `shapes`, as far as the switches take so many.
std::vector<Design> grown_in(const Design& design, std::int64_t hosts, std::initializer_list<Shape> shapes) {
  std::vector<Shape> all{design.shape};
  all.insert(all.end(), shapes);
  std::vector<Design> found;
  for (const Shape shape : all) {
    Design made = design;
    made.hosts = hosts + design.spares;
    made.shape = shape;
    const bool is_known = std::ranges::any_of(found, [shape](const Design& own) { return own.shape == shape; });
    if (!is_known && (ports_of_nic(design) == 1 || takes_ports(shape)) && wire(made)) {
      found.push_back(std::move(made));
    }
  }
  return found;
}

}  // namespace

std::vector<Design> grown(const Design& design, std::int64_t hosts) {
  return design.shape == Shape::kSingleSwitch ? grown_in(design, hosts, {Shape::kLeafSpine, Shape::kFatTree})
                                              : grown_in(design, hosts, {Shape::kFatTree});
}

std::vector<Design> grown_with(const Design& design, std::int64_t hosts, const Device& other) {
  Design with = design;
  with.switch_ = other;
  return grown_in(with, hosts, {Shape::kSingleSwitch, Shape::kLeafSpine, Shape::kRailOptimised, Shape::kFatTree});
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
