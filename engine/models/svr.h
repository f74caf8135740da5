// Support vector regression: a model's raw score, before it is transformed.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace vq::model {

// A nu-SVR with a radial kernel.
class Svr {
 public:
  // Reads libsvm's format. Throws Error{kInput} that says what is wrong.
  static Svr parse(std::string_view text);

  // The sum over the support vectors, in their order, less rho; `x` are the inputs from 1 on. Summed one by
  // one in double, so that the last bit equals the reference's.
  double predict(std::span<const double> x) const;

  size_t inputs() const { return inputs_; }  // number of values of a vector

 private:
  double gamma_ = 0, rho_ = 0;
  size_t inputs_ = 0;
  std::vector<double> coefficients_;
  std::vector<double> vectors_;  // inputs_ values per vector; values that the text omits are 0
};

}  // namespace vq::model
