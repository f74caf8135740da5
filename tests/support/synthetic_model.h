// A model file of the tests' own, over features that every build has, and what it makes of their values.
#pragma once

#include "tests/support/run_program.h"

namespace vq::cli::test {

// 100 times a bell over the distance to the origin.
inline constexpr double kSyntheticGamma = 1e-4;

inline json synthetic_model(const std::vector<std::string>& features, const json& options = nullptr) {
  std::string vector = "100";
  for (size_t k = 1; k <= features.size(); ++k) vector += " " + std::to_string(k) + ":0";
  return {{"model_dict",
           {{"model_type", "LIBSVMNUSVR"},
            {"norm_type", "none"},
            {"feature_names", features},
            {"feature_opts_dicts", options},
            {"score_clip", {0, 90}},
            {"model", "svm_type nu_svr\nkernel_type rbf\ngamma 0.0001\nnr_class 2\ntotal_sv 1\nrho 0\nSV\n" +
                          vector + " \n"}}}};
}

// Before it is clipped.
inline double synthetic_score(std::span<const double> values) {
  double distance = 0;
  for (const double value : values) distance += value * value;
  return 100 * std::exp(-kSyntheticGamma * distance);
}

}  // namespace vq::cli::test
