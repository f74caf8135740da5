// What becomes of a score after the regression, and of chroma that says nothing.
#include "engine/models/model.h"

#include <gtest/gtest.h>

#include <cmath>

namespace vq::model {
namespace {

// y = exp(-d) of the distance to the origin.
Svr bell() {
  return Svr::parse("svm_type nu_svr\nkernel_type rbf\ngamma 1\ntotal_sv 1\nrho 0\nSV\n1 1:0 \n");
}

Model shaped_by(const Transform& transform) {
  Model model;
  model.transform = transform;
  return model;
}

TEST(Model, RescalesInputsAndTheScore) {
  Model model{
      .features = {{"a"}}, .rescales = true, .slopes = {2, 3}, .intercepts = {0.5, -1}, .svr = bell()};
  const double value[] = {0.5};
  const double x = 3 * 0.5 + -1;
  EXPECT_EQ(regress(model, value), (std::exp(-(x * x)) - 0.5) / 2);
  model.rescales = false;
  EXPECT_EQ(regress(model, value), std::exp(-0.25));
}

TEST(Model, ThePolynomialHasTheTermsThatAreGiven) {
  EXPECT_EQ(shape(shaped_by({.is_enabled = true, .p0 = 1, .p1 = 2, .p2 = 3}), 10), 321);
  EXPECT_EQ(shape(shaped_by({.is_enabled = true, .p2 = 3}), 10), 300);
  EXPECT_EQ(shape(shaped_by({.is_enabled = true}), 10), 10);
  EXPECT_EQ(shape(shaped_by({.is_enabled = false, .p0 = 1}), 10), 10);
}

TEST(Model, LinesBetweenKnotsGoOnAtBothEnds) {
  const Model model = shaped_by({.is_enabled = true, .knots = {{0, 10}, {10, 30}, {20, 30}, {40, 70}}});
  EXPECT_EQ(shape(model, -5), 0);
  EXPECT_EQ(shape(model, 5), 20);
  EXPECT_EQ(shape(model, 10), 30);
  EXPECT_EQ(shape(model, 15), 30);
  EXPECT_EQ(shape(model, 30), 50);
  EXPECT_EQ(shape(model, 50), 90);
}

TEST(Model, BoundsAreByWhatTheScoreWas) {
  EXPECT_EQ(shape(shaped_by({.is_enabled = true, .p0 = 5, .p1 = 1, .at_most_input = true}), 10), 10);
  EXPECT_EQ(shape(shaped_by({.is_enabled = true, .p0 = -5, .p1 = 1, .at_least_input = true}), 10), 10);
  EXPECT_EQ(shape(shaped_by({.is_enabled = true, .p0 = 5, .p1 = 1, .at_least_input = true}), 10), 15);
}

TEST(Model, ClipsAfterTheTransform) {
  Model model = shaped_by({.is_enabled = true, .p1 = 10});
  model.clip.emplace(0, 100);
  EXPECT_EQ(shape(model, 11), 100);
  EXPECT_EQ(shape(model, -1), 0);
  EXPECT_EQ(shape(model, 5), 50);
}

TEST(Model, ChromaThatIsExactlyNothingIsTakenFromLuma) {
  const Svr sum =
      Svr::parse("svm_type nu_svr\nkernel_type rbf\ngamma 1\ntotal_sv 1\nrho 0\nSV\n1 1:0 2:0 \n");
  Model model{.features = {{"adm3"}, {"speed_chroma"}}, .svr = sum};
  model.chroma_from_luma = {.factor = 4, .luma = 0, .chroma = 1};
  const double without[] = {0.75, 0}, with[] = {0.75, 1e-9};
  EXPECT_EQ(regress(model, without), std::exp(-(0.75 * 0.75 + 1.0 * 1.0)));  // 4 * (1 - 0.75)
  EXPECT_EQ(regress(model, with), std::exp(-(0.75 * 0.75 + 1e-18)));
}

}  // namespace
}  // namespace vq::model
