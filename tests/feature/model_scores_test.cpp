// Names of scores that no table of features has.
#include "feature/model_scores.h"

#include <gtest/gtest.h>

#include "feature/registry.h"

namespace vq {
namespace {

TEST(ModelScores, VmafIsKnown) {
  EXPECT_EQ(metric_info("vmaf").better, Better::kHigher);
  EXPECT_EQ(metric_info("vmaf").usual_top, 100);
  EXPECT_EQ(metric_info("vmaf_neg").name, "vmaf_neg");
  EXPECT_EQ(metric_info("vmaf_4k").better, Better::kHigher);
  EXPECT_TRUE(is_model_score("vmaf"));
  EXPECT_FALSE(is_model_score("vmafx"));
  EXPECT_FALSE(is_model_score("cambi"));
  EXPECT_EQ(feature_of_metric("vmaf"), nullptr);
}

TEST(ModelScores, WhatACollectionAddsIsOfItsModel) {
  EXPECT_EQ(metric_info("vmaf_stddev").better, Better::kNeither);
  EXPECT_TRUE(is_neutral("vmaf_stddev"));
  EXPECT_EQ(metric_info("vmaf_bagging").better, Better::kHigher);
  EXPECT_EQ(metric_info("vmaf_ci_p95_lo").name, "vmaf_ci_p95_lo");
  EXPECT_TRUE(metric_info("vmaf_0007").is_detail);
  EXPECT_FALSE(is_model_score("vmaf_0007"));
  EXPECT_FALSE(is_model_score("vmaf_bagging"));
}

TEST(ModelScores, ANameIsKnownOnceItIsAdded) {
  EXPECT_EQ(metric_info("of_mine").better, Better::kNeither);
  add_model_name("of_mine");
  add_model_name("of_mine");
  EXPECT_EQ(metric_info("of_mine").better, Better::kHigher);
  EXPECT_EQ(metric_info("of_mine_0001").name, "of_mine");
  EXPECT_EQ(metric_info("of_mine_else").better, Better::kNeither);
  // It wins over a feature's metric of the same beginning.
  add_model_name("psnr_y_model");
  EXPECT_TRUE(is_model_score("psnr_y_model"));
  EXPECT_EQ(metric_info("psnr_y_model").title, "VMAF");
}

TEST(ModelScores, TheScoreOfAModelLeads) {
  const std::string names[] = {"cambi", "psnr_y", "vmaf_bagging", "vmaf"};
  EXPECT_EQ(leading_metric(names), 3U);
  const std::string without[] = {"cambi", "psnr_y"};
  EXPECT_EQ(leading_metric(without), 0U);
}

}  // namespace
}  // namespace vq
