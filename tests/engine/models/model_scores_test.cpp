// Names of scores that no table of features has.
#include "engine/models/model_scores.h"

#include <gtest/gtest.h>

#include "engine/known_metrics.h"

namespace vq {
namespace {

// The metric of a report whose models these are.
Metric of_models(const std::string& name, const std::vector<std::string>& models) {
  return {name, {}, find_model_score(name, models)};
}

TEST(ModelScores, VmafIsKnown) {
  EXPECT_EQ(known_metric("vmaf").better, Better::kHigher);
  EXPECT_EQ(known_metric("vmaf").usual_top, 100);
  EXPECT_EQ(known_metric("vmaf_4k").better, Better::kHigher);
  EXPECT_TRUE(is_model_score({"vmaf", {}}));
  EXPECT_TRUE(is_model_score({"vmaf_neg", {}}));
  EXPECT_TRUE(is_model_score({"vmaf_4k", {}}));
  EXPECT_FALSE(is_model_score({"vmafx", {}}));
  EXPECT_FALSE(is_model_score({"cambi", {}}));
  EXPECT_EQ(feature_of_metric({"vmaf", {}}), nullptr);
}

TEST(ModelScores, WhatACollectionAddsIsOfItsModel) {
  EXPECT_EQ(known_metric("vmaf_stddev").better, Better::kNeither);
  EXPECT_TRUE(is_neutral({"vmaf_stddev", {}}));
  EXPECT_EQ(known_metric("vmaf_bagging").better, Better::kHigher);
  EXPECT_EQ(known_metric("vmaf_neg_ci_p95_lo").title, "VMAF, lower end");
  for (const char* const name : {"vmaf_0007", "vmaf_neg_0007"}) {
    EXPECT_TRUE(known_metric(name).is_detail) << name;
    EXPECT_EQ(model_part(known_metric(name)), ModelPart::kOfCollection) << name;
    EXPECT_FALSE(is_model_score({name, {}})) << name;
  }
  EXPECT_FALSE(is_model_score({"vmaf_bagging", {}}));
  EXPECT_EQ(model_part(known_metric("cambi")), ModelPart::kNone);
}

TEST(ModelScores, AnyNameMayBeThatOfAModel) {
  const std::vector<std::string> models = {"of_mine", "of_mine_0001", "psnr_y_model"};
  EXPECT_FALSE(is_known(known_metric("of_mine")));
  EXPECT_TRUE(is_model_score(of_models("of_mine", models)));
  EXPECT_EQ(model_part(metric_info(of_models("of_mine_0002", models))), ModelPart::kOfCollection);
  EXPECT_EQ(find_model_score("of_mine_else", models), nullptr);
  EXPECT_EQ(find_model_score("_bagging", std::vector<std::string>{""}), nullptr);
  // The longest name is the model's.
  EXPECT_TRUE(is_model_score(of_models("of_mine_0001", models)));
  // It wins over a feature's metric of the same beginning.
  EXPECT_EQ(metric_info(of_models("psnr_y_model", models)).title, "VMAF");
  EXPECT_EQ(feature_of_metric(of_models("psnr_y_model", models)), nullptr);
  EXPECT_EQ(base_name(of_models("psnr_y_model", models)), "psnr_y_model");
  EXPECT_EQ(base_name({"psnr_y_model", {}}), "psnr_y");
}

TEST(ModelScores, TheScoreOfAModelLeads) {
  const Metric metrics[] = {{"cambi", {}}, {"psnr_y", {}}, {"vmaf_bagging", {}}, {"vmaf", {}}};
  EXPECT_EQ(leading_metric(metrics), 3U);
  EXPECT_EQ(leading_metric(std::span(metrics).first(2)), 0U);
}

}  // namespace
}  // namespace vq
