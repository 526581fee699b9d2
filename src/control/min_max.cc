#include "control/min_max.h"

#include <glpk.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "control/cspf.h"

namespace weft::control {
namespace {

constexpr double kUnit = 1e-9;  // rates in Gb/s: numbers of a size that the solver likes

double in_units(Rate rate) { return static_cast<double>(rate.bits_per_second()) * kUnit; }

/// All demands between two switches.
struct Commodity {
  const std::vector<Path>* paths = nullptr;
  double rate = 0;
  std::vector<double> shares;  // of the rate, per path
};
using Commodities = std::map<CandidatePaths::Pair, Commodity>;

Commodities gather(CandidatePaths& candidates, const std::vector<Demand>& demands) {
  Commodities gathered;
  for (const Demand& demand : demands) {
    const CandidatePaths::Pair pair{.from = demand.from, .to = demand.to};
    Commodity& commodity = gathered[pair];
    commodity.paths = &candidates.between(pair);
    commodity.rate += in_units(demand.rate);
  }
  std::erase_if(gathered, [](const auto& entry) { return entry.second.paths->empty(); });
  return gathered;
}

struct ProblemDeleter {
  void operator()(glp_prob* problem) const { glp_delete_prob(problem); }
};

/// A linear program, built row by row and column by column; numbers of both begin at 1.
class Program {
 public:
  Program() : problem_(glp_create_prob()) {
    glp_term_out(GLP_OFF);
    glp_set_obj_dir(problem_.get(), GLP_MIN);
  }

  int add_row(int type, double bound) {
    const int row = glp_add_rows(problem_.get(), 1);
    glp_set_row_bnds(problem_.get(), row, type, bound, bound);
    return row;
  }
  int add_column(double cost) {
    const int column = glp_add_cols(problem_.get(), 1);
    glp_set_col_bnds(problem_.get(), column, GLP_LO, 0, 0);
    glp_set_obj_coef(problem_.get(), column, cost);
    return column;
  }
  void set(int row, int column, double value) {
    rows_.push_back(row);
    columns_.push_back(column);
    values_.push_back(value);
  }
  /// Whether an optimum was found.
  [[nodiscard]] bool solve(std::uint32_t iterations) {
    glp_load_matrix(problem_.get(), static_cast<int>(rows_.size()) - 1, rows_.data(), columns_.data(), values_.data());
    glp_smcp control;
    glp_init_smcp(&control);
    control.msg_lev = GLP_MSG_OFF;
    control.it_lim = static_cast<int>(iterations);
    return glp_simplex(problem_.get(), &control) == 0 && glp_get_status(problem_.get()) == GLP_OPT;
  }
  [[nodiscard]] double value(int column) const { return glp_get_col_prim(problem_.get(), column); }

 private:
  std::unique_ptr<glp_prob, ProblemDeleter> problem_;
  std::vector<int> rows_{0};  // the solver counts from 1
  std::vector<int> columns_{0};
  std::vector<double> values_{0};
};

/// Sets the shares of all commodities; the highest utilisation, if it was found.
std::optional<double> solve(const View& view, Commodities& commodities, std::uint32_t iterations) {
  Program program;
  const int highest = program.add_column(1);
  // Load - capacity * highest <= -background, for each link that is used.
  std::vector<int> row_of(view.arcs.size(), 0);
  const auto row = [&](ArcIndex index) {
    int& known = row_of[index.value()];
    if (known == 0) {
      const Arc& arc = view.arcs[index.value()];
      known = program.add_row(GLP_UP, -in_units(arc.background));
      program.set(known, highest, -in_units(arc.capacity));
    }
    return known;
  };
  std::vector<int> columns;
  for (const auto& [pair, commodity] : commodities) {
    const int whole = program.add_row(GLP_FX, commodity.rate);
    for (const Path& path : *commodity.paths) {
      columns.push_back(program.add_column(0));
      program.set(whole, columns.back(), 1);
      for (const ArcIndex arc : path) {
        program.set(row(arc), columns.back(), 1);
      }
    }
  }
  if (!program.solve(iterations)) {
    return std::nullopt;
  }
  auto column = columns.begin();
  for (auto& [pair, commodity] : commodities) {
    for (std::size_t i = 0; i < commodity.paths->size(); ++i) {
      // Rounded, lest the last bits of a solver's sum decide which path a demand takes.
      commodity.shares.push_back(std::round(program.value(*column++) * 1e6) * 1e-6);
    }
  }
  // Links that no demand can use have their own load.
  double bound = program.value(highest);
  for (const Arc& arc : view.arcs) {
    if (arc.state == ArcState::kUp) {
      bound = std::max(bound, in_units(arc.background) / in_units(arc.capacity));
    }
  }
  return bound;
}

/// The largest first, each to the path of whose share most is left.
Placement round_shares(const std::vector<Demand>& demands, Commodities& commodities) {
  Placement placement;
  placement.choice.resize(demands.size());
  for (const std::size_t i : largest_first(demands)) {
    const auto at = commodities.find({.from = demands[i].from, .to = demands[i].to});
    if (at != commodities.end()) {
      std::vector<double>& shares = at->second.shares;
      const auto most = std::ranges::max_element(shares);
      placement.choice[i] = static_cast<std::uint32_t>(most - shares.begin());
      *most -= in_units(demands[i].rate);
    }
  }
  return placement;
}

}  // namespace

MinMaxResult place_min_max(CandidatePaths& candidates, const std::vector<Demand>& demands,
                           const MinMaxOptions& options) {
  MinMaxResult result;
  Commodities commodities = gather(candidates, demands);
  std::size_t columns = 0;
  for (const auto& [pair, commodity] : commodities) {
    columns += commodity.paths->size();
  }
  if (columns > 0 && columns <= options.columns) {
    result.bound = solve(candidates.view(), commodities, options.iterations);
  }
  Placement by_size = place_cspf(candidates, demands).placement;
  improve(candidates, demands, by_size, options.moves);
  if (!result.bound) {
    result.placement = std::move(by_size);
    return result;
  }
  // What is rounded is not always better than what was placed by size.
  result.placement = round_shares(demands, commodities);
  improve(candidates, demands, result.placement, options.moves);
  if (Loads(candidates, demands, by_size).highest() < Loads(candidates, demands, result.placement).highest()) {
    result.placement = std::move(by_size);
  }
  return result;
}

}  // namespace weft::control
