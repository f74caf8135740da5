// Support vector regression: what a model makes of the features of a frame, before its score is shaped.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace vq::model {

// A nu-SVR with a radial kernel.
class Svr {
 public:
  // From libsvm's text. Throws Error{kInput} that says what is wrong in it.
  static Svr parse(std::string_view text);

  // The sum over the support vectors, in their order, less rho; `x` are the inputs from 1 on. Sums are made
  // one by one, in double, so that the last bit is the reference's.
  double predict(std::span<const double> x) const;

  size_t inputs() const { return inputs_; }  // that a vector has a value for

 private:
  double gamma_ = 0, rho_ = 0;
  size_t inputs_ = 0;
  std::vector<double> coefficients_;
  std::vector<double> vectors_;  // inputs_ of each, one vector after another; what the text leaves out is 0
};

}  // namespace vq::model
