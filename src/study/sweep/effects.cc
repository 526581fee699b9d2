// One order of operations on every processor: no vector instructions, whose sums come in another order.
#define EIGEN_DONT_VECTORIZE
#include "study/sweep/effects.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/assert.h"
#include "study/sweep/basis.h"

namespace weft::study::sweep {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Bases of all factors, and the parts of the sum, each with its columns.
struct Term {
  std::size_t first = 0;
  std::optional<std::size_t> second{};
  std::size_t offset = 0;  // of its first column
  std::size_t size = 0;    // columns
};

struct Model {
  std::vector<Basis> bases;
  std::vector<Basis> linear;  // in interactions, which have no squares of a range
  std::vector<Term> terms;
  std::size_t columns = 0;
  bool quadratic = false;

  [[nodiscard]] std::vector<double> functions(const Term& term, double first, double second) const {
    if (!term.second) {
      return bases[term.first].at(first);
    }
    std::vector<double> made;
    const std::vector<double> other = linear[*term.second].at(second);
    for (const double a : linear[term.first].at(first)) {
      for (const double b : other) {
        made.push_back(a * b);
      }
    }
    return made;
  }
};

struct Wanted {
  std::size_t degree = 2;
  bool pairs = true;
};

Model model_of(const std::vector<std::size_t>& levels, const Wanted& wanted) {
  Model model;
  for (const std::size_t count : levels) {
    model.bases.push_back(count == 0 ? Basis::of_range(wanted.degree) : Basis::of_levels(count));
    model.linear.push_back(count == 0 ? Basis::of_range(1) : Basis::of_levels(count));
    model.quadratic = model.quadratic || (count == 0 && wanted.degree == 2);
  }
  const auto add = [&model](Term term, std::size_t size) {
    term.offset = model.columns;
    term.size = size;
    model.columns += size;
    model.terms.push_back(term);
  };
  for (std::size_t i = 0; i < levels.size(); ++i) {
    add({.first = i}, model.bases[i].size());
  }
  for (std::size_t i = 0; wanted.pairs && i < levels.size(); ++i) {
    for (std::size_t j = i + 1; j < levels.size(); ++j) {
      add({.first = i, .second = j}, model.linear[i].size() * model.linear[j].size());
    }
  }
  return model;
}

/// The functions of all terms at all points, without the constant.
MatrixXd design_matrix(const Model& model, const Samples& samples) {
  MatrixXd made(static_cast<Eigen::Index>(samples.at.size()), static_cast<Eigen::Index>(model.columns));
  for (std::size_t point = 0; point < samples.at.size(); ++point) {
    const std::vector<double>& at = samples.at[point];
    for (const Term& term : model.terms) {
      const std::vector<double> values = model.functions(term, at[term.first], term.second ? at[*term.second] : 0);
      for (std::size_t k = 0; k < values.size(); ++k) {
        made(static_cast<Eigen::Index>(point), static_cast<Eigen::Index>(term.offset + k)) = values[k];
      }
    }
  }
  return made;
}

/// What is known of one term: its coefficients, and what their sum of squares owes to chance.
struct Fitted {
  VectorXd coefficients;
  MatrixXd covariance;      // empty: not known
  std::size_t freedom = 0;  // of the covariance
  /// The variance that the term makes, less what chance makes of it.
  [[nodiscard]] double variance() const {
    const double noise = covariance.size() > 0 ? covariance.trace() : 0;
    return std::max(coefficients.squaredNorm() - noise, 0.0);
  }
};

struct Variances {
  std::vector<double> terms;
  double rest = 0;
  [[nodiscard]] double total() const {
    double sum = rest;
    for (const double term : terms) {
      sum += term;
    }
    return sum;
  }
  [[nodiscard]] std::vector<double> shares() const {
    std::vector<double> made = terms;
    made.push_back(rest);
    const double all = total();
    for (double& share : made) {
      share = all > 0 ? share / all : 0;
    }
    return made;
  }
};

/// Each share's mean of pseudo-values and its interval (Tukey's jackknife); `whole` is from all blocks.
std::vector<std::optional<Interval>> jackknife(const std::vector<double>& whole,
                                               const std::vector<std::vector<double>>& without) {
  std::vector<std::optional<Interval>> made(whole.size());
  const auto count = static_cast<double>(without.size());
  for (std::size_t k = 0; k < whole.size() && without.size() >= 2; ++k) {
    double mean = 0;
    for (const std::vector<double>& one : without) {
      mean += one[k] / count;
    }
    double squares = 0;
    for (const std::vector<double>& one : without) {
      squares += (one[k] - mean) * (one[k] - mean);
    }
    const double half = student_quantile(kConfidence, without.size() - 1) * std::sqrt(squares * (count - 1) / count);
    made[k] = Interval{.low = std::clamp(whole[k] - half, 0.0, 1.0), .high = std::clamp(whole[k] + half, 0.0, 1.0)};
  }
  return made;
}

/// What the terms of a model come to, however they were found.
struct Analysis {
  std::vector<Fitted> terms;
  std::vector<double> shares;  // of each term, and the rest
  std::vector<std::optional<Interval>> share_intervals;
};

VectorXd means_of(const Samples& samples) {
  VectorXd means(static_cast<Eigen::Index>(samples.values.size()));
  for (std::size_t i = 0; i < samples.values.size(); ++i) {
    double sum = 0;
    for (const double value : samples.values[i]) {
      sum += value;
    }
    means(static_cast<Eigen::Index>(i)) = sum / static_cast<double>(samples.values[i].size());
  }
  return means;
}

/// A grid, seed by seed: coefficients are means of products, since the functions are orthonormal over its points.
class Blocks {
 public:
  Blocks(const Model& model, const Samples& samples)
      : model_(model), points_(samples.values.size()), seeds_(samples.values.front().size()) {
    MatrixXd values(static_cast<Eigen::Index>(points_), static_cast<Eigen::Index>(seeds_));
    for (std::size_t p = 0; p < points_; ++p) {
      for (std::size_t s = 0; s < seeds_; ++s) {
        values(static_cast<Eigen::Index>(p), static_cast<Eigen::Index>(s)) = samples.values[p][s];
      }
    }
    centred_ = values.rowwise() - values.colwise().mean();  // without what a seed adds everywhere
    coefficients_ = design_matrix(model, samples).transpose() * centred_ / static_cast<double>(points_);
  }

  [[nodiscard]] Analysis analyse() const {
    std::vector<std::size_t> all;
    for (std::size_t s = 0; s < seeds_; ++s) {
      all.push_back(s);
    }
    Analysis made{.terms = fit(all), .shares = variances(all).shares(), .share_intervals = {}};
    std::vector<std::vector<double>> without;
    for (std::size_t out = 0; seeds_ >= 3 && out < seeds_; ++out) {
      std::vector<std::size_t> others = all;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(out));
      without.push_back(variances(others).shares());
    }
    made.share_intervals = jackknife(made.shares, without);
    return made;
  }

 private:
  [[nodiscard]] std::vector<Fitted> fit(const std::vector<std::size_t>& seeds) const {
    const auto count = static_cast<double>(seeds.size());
    std::vector<Fitted> made;
    for (const Term& term : model_.terms) {
      const auto size = static_cast<Eigen::Index>(term.size);
      const MatrixXd own = coefficients_.middleRows(static_cast<Eigen::Index>(term.offset), size);
      Fitted fitted{.coefficients = VectorXd::Zero(size), .covariance = {}, .freedom = 0};
      for (const std::size_t s : seeds) {
        fitted.coefficients += own.col(static_cast<Eigen::Index>(s)) / count;
      }
      if (seeds.size() >= 2) {
        double squares = 0;
        for (const std::size_t s : seeds) {
          squares += (own.col(static_cast<Eigen::Index>(s)) - fitted.coefficients).squaredNorm();
        }
        fitted.freedom = term.size * (seeds.size() - 1);
        const double variance = squares / static_cast<double>(fitted.freedom) / count;
        fitted.covariance = MatrixXd::Identity(size, size) * variance;
      }
      made.push_back(std::move(fitted));
    }
    return made;
  }

  [[nodiscard]] Variances variances(const std::vector<std::size_t>& seeds) const {
    Variances made;
    for (const Fitted& term : fit(seeds)) {
      made.terms.push_back(term.variance());
    }
    const auto count = static_cast<double>(seeds.size());
    VectorXd mean = VectorXd::Zero(static_cast<Eigen::Index>(points_));
    for (const std::size_t s : seeds) {
      mean += centred_.col(static_cast<Eigen::Index>(s)) / count;
    }
    double noise = 0;
    for (const std::size_t s : seeds) {
      noise += (centred_.col(static_cast<Eigen::Index>(s)) - mean).squaredNorm();
    }
    noise = seeds.size() >= 2 ? noise / (count - 1) / count : 0;
    const double total = (mean.squaredNorm() - noise) / static_cast<double>(points_);
    made.rest = std::max(total - made.total(), 0.0);
    return made;
  }

  const Model& model_;
  std::size_t points_;
  std::size_t seeds_;
  MatrixXd centred_;       // points by seeds
  MatrixXd coefficients_;  // columns by seeds
};

/// Any points, by their means over seeds.
class LeastSquares {
 public:
  LeastSquares(const Model& model, const Samples& samples) : model_(model), means_(means_of(samples)) {
    const auto points = static_cast<Eigen::Index>(samples.at.size());
    functions_.resize(points, static_cast<Eigen::Index>(model.columns) + 1);
    functions_.col(0).setOnes();
    functions_.rightCols(static_cast<Eigen::Index>(model.columns)) = design_matrix(model, samples);
    const Eigen::ColPivHouseholderQR<MatrixXd> factored(functions_);
    coefficients_ = factored.solve(means_);
    residuals_ = means_ - functions_ * coefficients_;
    const MatrixXd normal = functions_.transpose() * functions_;
    inverse_ = normal.completeOrthogonalDecomposition().pseudoInverse();
    freedom_ = samples.at.size() > model.columns + 1 ? samples.at.size() - model.columns - 1 : 0;
    seed_noise_ = noise_of(samples);
  }

  [[nodiscard]] double mean() const { return coefficients_(0); }

  [[nodiscard]] Analysis analyse() const {
    const double squares = residuals_.squaredNorm();
    Analysis made{.terms = fit(coefficients_, squares, freedom_), .shares = {}, .share_intervals = {}};
    made.shares = variances(made.terms, squares, freedom_).shares();
    std::vector<std::vector<double>> without;
    for (Eigen::Index i = 0; freedom_ >= 2 && i < means_.size(); ++i) {
      const VectorXd row = functions_.row(i);
      const VectorXd pulled = inverse_ * row;
      const double kept = 1 - row.dot(pulled);
      if (kept < 1e-9) {  // the fit goes through this point whatever it is
        continue;
      }
      const double left = std::max(squares - residuals_(i) * residuals_(i) / kept, 0.0);
      const VectorXd other = coefficients_ - pulled * (residuals_(i) / kept);
      without.push_back(variances(fit(other, left, freedom_ - 1), left, freedom_ - 1).shares());
    }
    made.share_intervals = jackknife(made.shares, without);
    return made;
  }

 private:
  /// Of a point's mean, by what its seeds differ in.
  static double noise_of(const Samples& samples) {
    const auto seeds = static_cast<double>(samples.values.front().size());
    if (seeds < 2) {
      return 0;
    }
    double sum = 0;
    for (const std::vector<double>& own : samples.values) {
      double mean = 0;
      for (const double value : own) {
        mean += value / seeds;
      }
      for (const double value : own) {
        sum += (value - mean) * (value - mean);
      }
    }
    return sum / static_cast<double>(samples.values.size()) / (seeds - 1) / seeds;
  }

  [[nodiscard]] std::vector<Fitted> fit(const VectorXd& coefficients, double squares, std::size_t freedom) const {
    std::vector<Fitted> made;
    for (const Term& term : model_.terms) {
      const auto offset = static_cast<Eigen::Index>(term.offset) + 1;
      const auto size = static_cast<Eigen::Index>(term.size);
      Fitted fitted{.coefficients = coefficients.segment(offset, size), .covariance = {}, .freedom = freedom};
      if (freedom > 0) {
        fitted.covariance = inverse_.block(offset, offset, size, size) * (squares / static_cast<double>(freedom));
      }
      made.push_back(std::move(fitted));
    }
    return made;
  }

  [[nodiscard]] Variances variances(const std::vector<Fitted>& terms, double squares, std::size_t freedom) const {
    Variances made;
    for (const Fitted& term : terms) {
      made.terms.push_back(term.variance());
    }
    made.rest = freedom > 0 ? std::max(squares / static_cast<double>(freedom) - seed_noise_, 0.0) : 0;
    return made;
  }

  const Model& model_;
  VectorXd means_;
  MatrixXd functions_;  // with the constant
  VectorXd coefficients_;
  VectorXd residuals_;
  MatrixXd inverse_;
  std::size_t freedom_ = 0;
  double seed_noise_ = 0;
};

/// Where a term is lowest and highest, and how sure their difference is.
Effect effect_of(const Model& model, const Term& term, const Fitted& fitted) {
  Effect effect{.first = term.first, .second = term.second};
  std::optional<VectorXd> low;
  std::optional<VectorXd> high;
  const auto& bases = term.second ? model.linear : model.bases;
  const std::vector<double> others = term.second ? bases[*term.second].places() : std::vector<double>{0};
  for (const double first : bases[term.first].places()) {
    for (const double second : others) {
      const std::vector<double> values = model.functions(term, first, second);
      const VectorXd functions = Eigen::Map<const VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
      const double part = functions.dot(fitted.coefficients);
      const std::vector<double> at = term.second ? std::vector<double>{first, second} : std::vector<double>{first};
      if (!low || part < effect.lowest) {
        low = functions;
        effect.lowest = part;
        effect.lowest_at = at;
      }
      if (!high || part > effect.highest) {
        high = functions;
        effect.highest = part;
        effect.highest_at = at;
      }
    }
  }
  effect.span = effect.highest - effect.lowest;
  if (fitted.freedom > 0 && fitted.covariance.size() > 0) {
    const VectorXd contrast = *high - *low;
    const double variance = std::max(contrast.dot(fitted.covariance * contrast), 0.0);
    const double scheffe = std::sqrt(static_cast<double>(term.size) *
                                     fisher_quantile(kConfidence, {.above = term.size, .below = fitted.freedom}));
    const double half = scheffe * std::sqrt(variance);
    effect.interval = Interval{.low = std::max(effect.span - half, 0.0), .high = effect.span + half};
  }
  return effect;
}

Effects put_together(const Model& model, const Analysis& analysis) {
  Effects made{.quadratic = model.quadratic};
  for (std::size_t i = 0; i < model.terms.size(); ++i) {
    Effect effect = effect_of(model, model.terms[i], analysis.terms[i]);
    effect.share = analysis.shares[i];
    effect.share_interval = analysis.share_intervals[i];
    (effect.second ? made.pairs : made.main).push_back(std::move(effect));
  }
  made.rest = analysis.shares.back();
  return made;
}

/// The richest model that leaves enough of the points to hold it against.
Result<Model> model_for(const Samples& samples) {
  const std::size_t points = samples.at.size();
  for (const Wanted wanted : {Wanted{.degree = 2, .pairs = true}, Wanted{.degree = 1, .pairs = true},
                              Wanted{.degree = 2, .pairs = false}, Wanted{.degree = 1, .pairs = false}}) {
    Model model = model_of(samples.levels, wanted);
    if (points >= model.columns + 1 + std::max<std::size_t>(3, model.columns / 2)) {
      return model;
    }
  }
  Model least = model_of(samples.levels, {.degree = 1, .pairs = false});
  if (points >= least.columns + 2) {
    return least;
  }
  return fail("{} points are too few for effects of {} keys: {} at least", points, samples.levels.size(),
              least.columns + 2);
}

}  // namespace

Result<Effects> effects_of(const Samples& samples) {
  WEFT_ASSERT(!samples.values.empty() && samples.values.size() == samples.at.size());
  const std::size_t seeds = samples.values.front().size();
  const bool blocks = samples.is_whole_grid && seeds >= 2;
  Effects made;
  if (blocks) {
    const Model model = model_of(samples.levels, {.degree = 1, .pairs = true});
    made = put_together(model, Blocks(model, samples).analyse());
    made.mean = means_of(samples).mean();
  } else {
    Result<Model> model = model_for(samples);
    if (!model) {
      return pass_on(model);
    }
    const LeastSquares fit(*model, samples);
    made = put_together(*model, fit.analyse());
    made.mean = fit.mean();
    made.method = Effects::Method::kLeastSquares;
  }
  made.pairs_left_out = made.pairs.empty() && samples.levels.size() > 1;
  made.points = samples.at.size();
  made.seeds = seeds;
  return made;
}

Importance importance_of(const Effect& effect, double mean, double tolerance) {
  const double small = tolerance * std::abs(mean);
  if (!effect.interval) {
    return Importance::kNotKnown;
  }
  if (effect.interval->high <= small) {
    return Importance::kDoesNot;
  }
  return effect.interval->low > 0 ? Importance::kMatters : Importance::kNotKnown;
}

}  // namespace weft::study::sweep
