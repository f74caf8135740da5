// The page of a run: what it carries, that nothing in a report can become markup, and that it needs nothing
// else.
#include "cli/pages/page_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "cli/pages/page_assets.h"
#include "tests/support/report_samples.h"

namespace vq::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

size_t occurrences(const std::string& text, const std::string& wanted) {
  size_t count = 0;
  for (size_t at = text.find(wanted); at != text.npos; at = text.find(wanted, at + 1)) ++count;
  return count;
}

// What stands between `opening` and the end of its script element, at its n-th occurrence.
std::string element(const std::string& page, const std::string& opening, size_t n = 0) {
  size_t start = page.find(opening);
  for (size_t i = 0; i < n; ++i) start = page.find(opening, start + 1);
  if (start == page.npos) return "none";
  start += opening.size();
  return page.substr(start, page.find("</script", start) - start);
}

constexpr const char* kAbout = "id=\"about\">";
constexpr const char* kPictures = "id=\"pictures\">";

std::string unpacked(std::string_view packed) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  uint32_t group = 0;
  for (size_t i = 0; i < packed.size() && packed[i] != '='; ++i) {
    group = group << 6 | static_cast<uint32_t>(kDigits.find(packed[i]));
    if (i % 4 != 0) bytes += static_cast<char>(group >> (6 - 2 * (i % 4)) & 255);
  }
  std::string text(size_t{64} << 20, '\0');
  uLongf size = text.size();
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(text.data()), &size,
                       reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()),
            Z_OK);
  text.resize(size);
  return text;
}

// The n-th report of a page, as a reader would download it.
std::string report_in(const std::string& page, size_t n = 0) {
  return unpacked(element(page, "class=\"report\">", n));
}

Report report_of(size_t frames) {
  Report report = sample_report();
  report.frames.clear();
  report.timestamps.clear();
  report.metrics[0].values.clear();
  for (size_t i = 0; i < frames; ++i) {
    report.frames.push_back(static_cast<int64_t>(i));
    report.timestamps.push_back(static_cast<double>(i) / 24);
    report.metrics[0].values.push_back(static_cast<double>(i * 7919 % 1009) / 100);
  }
  return report;
}

json about_of(const Report& report) { return json::parse(element(write_page(report, {}), kAbout)); }

// What is downloaded from a page is the report as it was asked for, and from the page of a saved report that
// one.
TEST(Page, KeepsThePrecisionAndTheNumberOfMoments) {
  Report report = sample_report();
  for (size_t i = 0; i < report.frames.size(); i += 48)
    report.metrics[0].values[i] = 9 + 1.0 / static_cast<double>(i + 3);
  const ReportStyle exact{ReportFormat::kJson, {NumberStyle::Kind::kShortest, 17}, true, 12};
  const std::string embedded = report_in(write_page(report, {}, "", exact));
  EXPECT_EQ(embedded, write_report(report, exact));
  const ParsedReport read = parse_report(embedded, "page");
  EXPECT_EQ(report_in(write_page(read.report, {}, "", read.style)), embedded);
}

TEST(Page, IsNamedAfterTheVideoOrAsWanted) {
  EXPECT_THAT(write_page(sample_report(), {}),
              HasSubstr("<title>show.mkv \u00b7 cambi_eotf_pq 2.998</title>"));
  EXPECT_THAT(write_page(sample_report(), {}, "runs/a.json"),
              HasSubstr("<title>a.json \u00b7 cambi_eotf_pq 2.998</title>"));
  Report nameless = sample_report();
  nameless.run.inputs.clear();
  EXPECT_THAT(write_page(nameless, {}), HasSubstr("<title>Video \u00b7 cambi_eotf_pq 2.998</title>"));
}

TEST(Page, HasTheScoresOfItsVerdictsInTheTitle) {
  Report report = report_of(2);
  report.metrics = {{"cambi", {9, 10}}, {"vmaf", {60.126, 61}}};
  EXPECT_THAT(write_page(report, {}), HasSubstr(" \u00b7 VMAF 60.6, CAMBI 9.500</title>"));
}

TEST(Page, IsAboutTheMetricsThatJudge) {
  const auto about = [](const std::vector<std::string>& metrics) {
    Report report = report_of(2);
    report.metrics.clear();
    for (const std::string& metric : metrics) report.metrics.push_back({metric, {1, 2}});
    return about_of(report)["subject"].get<std::string>();
  };
  EXPECT_EQ(about({"cambi"}), "banding");
  EXPECT_EQ(about({"bounds_share", "bounds_x"}), "picture area");
  EXPECT_EQ(about({"bounds_share", "bounds_x", "cambi"}), "banding");
  EXPECT_EQ(about({"cambi", "bounds_share", "psnr_y"}), "quality");
  EXPECT_EQ(about({"bounds_share", "histogram_y_mean"}), "measurements");
  EXPECT_EQ(about({"unheard_of"}), "quality");
}

TEST(Page, NoNameBecomesMarkup) {
  const std::string evil = "</script><script>alert(1)</script><!--<img src=x onerror=alert(2)>&\"'@CSS@";
  Report report = sample_report();
  report.metrics[0].name = evil;
  report.run.inputs[0].path = evil;
  report.run.inputs[0].codec = evil;
  report.run.arguments = {evil};
  report.run.device = evil;
  report.run.warnings = {evil};
  report.run.features = {{evil, {{evil, evil}}}};
  const std::string page = write_page(report, {}), tame = write_page(sample_report(), {});
  EXPECT_EQ(occurrences(page, "<script"), occurrences(tame, "<script"));
  EXPECT_EQ(occurrences(page, "</script"), occurrences(tame, "</script"));
  EXPECT_EQ(occurrences(page, "<!--"), occurrences(tame, "<!--"));
  EXPECT_THAT(page, Not(HasSubstr("<img src=x")));
  EXPECT_EQ(json::parse(report_in(page))["run"]["warnings"][0], evil);
  EXPECT_EQ(json::parse(element(page, kAbout))["name"], evil);
}

TEST(Page, NamesFaultsAndThresholdsWithoutScripts) {
  Report report = sample_report();
  report.run.pair_faults = {{PairFaultKind::kShift, {"a is late"}}};
  report.run.thresholds = {{"mean>1.5", "cambi", "mean", 2, true}};
  EXPECT_THAT(element(write_page(report, {}), "<noscript>"),
              AllOf(HasSubstr("not comparable: a is late"),
                    HasSubstr("threshold crossed: mean of cambi is 2 (mean&gt;1.5)")));
}

TEST(Page, NeedsNothingElse) {
  const std::string page = write_page(sample_report(), {});
  const std::regex outside(
      R"re((?:src|href|action|data)\s*=\s*["']?\s*(?:https?:)?//|url\(\s*["']?(?:https?:)?//|@import|fetch\(|XMLHttpRequest|WebSocket)re");
  std::smatch found;
  EXPECT_FALSE(std::regex_search(page, found, outside)) << found.str();
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
}

TEST(Page, KeepsTheLicenceOfTheLibrary) {
  const std::string page = write_page(sample_report(), {});
  EXPECT_THAT(page, HasSubstr("The MIT License (MIT)"));
  EXPECT_THAT(page, HasSubstr("Copyright (c) 2022 Leon Sorokin"));
}

TEST(Page, LeavesNoPartOfTheTemplateOpen) {
  const std::string page = write_page(sample_report(), {});
  EXPECT_FALSE(std::regex_search(page.substr(0, 2000), std::regex("@[A-Z_]+@")));
  EXPECT_FALSE(std::regex_search(page.substr(page.size() - 300), std::regex("@[A-Z_]+@")));
}

TEST(PackedText, IsGivenBackByteForByte) {
  for (const std::string& text :
       {std::string(), std::string("</script>"), std::string("a\0\xff\n  b", 8), std::string(100000, 'x')}) {
    const std::string packed = packed_text(text);
    EXPECT_EQ(unpacked(packed), text);
    EXPECT_EQ(packed.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="),
              packed.npos);
  }
  EXPECT_LT(packed_text(std::string(100000, 'x')).size(), 1000U);
}

TEST(Page, HasPicturesAsData) {
  std::vector<FramePicture> pictures(2);
  pictures[0] = {{1439, 60.0, 5.99},
                 {"image/png", "M"},
                 {"image/webp", "Ma"},
                 {"image/png", "fo"},
                 {"image/png", "Man"}};
  pictures[0].tone_mapped = "PQ";
  pictures[0].light = {812, 0.5, 0.25};
  pictures[0].scaled_from = {426, 240};
  pictures[1] = {{7, std::nullopt, 0.03}, {"image/webp", std::string("\0\xff", 2), false}};
  const json read = json::parse(element(write_page(sample_report(), {pictures}), kPictures));
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0]["frame"], 1439);
  EXPECT_EQ(read[0]["timestamp"], 60.0);
  EXPECT_EQ(read[0]["picture"], "data:image/png;base64,TQ==");
  EXPECT_EQ(read[0]["reference"], "data:image/webp;base64,TWE=");
  EXPECT_EQ(read[0]["difference"], "data:image/png;base64,Zm8=");
  EXPECT_EQ(read[0]["heat"], "data:image/png;base64,TWFu");
  EXPECT_EQ(read[0]["tone_mapped"], "PQ");
  EXPECT_EQ(read[0]["light"], json({{"peak", 812.0}, {"outside_bt709", 0.5}, {"outside_p3", 0.25}}));
  EXPECT_EQ(read[0]["scaled_from"], json({426, 240}));
  EXPECT_FALSE(read[1].contains("tone_mapped") || read[1].contains("scaled_from") ||
               read[1].contains("difference"));
  EXPECT_FALSE(read[0].contains("exact"));
  EXPECT_TRUE(read[1]["timestamp"].is_null());
  EXPECT_EQ(read[1]["picture"], "data:image/webp;base64,AP8=");
  EXPECT_FALSE(read[1].contains("reference") || read[1].contains("heat"));
  EXPECT_EQ(read[1]["exact"], false);
}

TEST(Page, SaysWhatColoursMean) {
  MetricInfo metric;
  metric.subject = "banding";
  metric.noteworthy = 5;
  metric.usual_top = 24;
  const json heat = json::parse(element(write_page(sample_report(), {{}, {}, metric}), kAbout))["heat"];
  EXPECT_EQ(heat["subject"], "banding");
  EXPECT_EQ(heat["top"], 24);
  EXPECT_EQ(heat["noteworthy"], 5);
  EXPECT_EQ(heat["colours"].size(), 17U);
  EXPECT_EQ(heat["colours"].back(), "rgb(252 255 164 / 0.600)");
  EXPECT_TRUE(about_of(sample_report())["heat"].is_null());
}

TEST(Page, OfNothingIsAFault) { EXPECT_THROW(write_page(report_of(0), {}), Error); }

// A writer that takes quadratic time over these millions of characters does not come back before the test's
// time is up.
TEST(Page, GrowsLinearlyWithTheFrames) {
  const size_t empty = write_page(report_of(1), {}).size();
  const size_t size = write_page(report_of(100000), {}).size();
  EXPECT_LT(size - empty, 100000U * 30);
}

TEST(Page, KnowsWhichMetricIsOfTheReference) {
  Report report = report_of(2);
  report.metrics = {{"cambi_eotf_pq", {1, 2}}, {"cambi_source", {1, 2}}, {"cambi_full_reference", {0, 0}}};
  const json metrics = about_of(report)["metrics"];
  EXPECT_EQ(metrics["cambi_source"]["reference_of"], "cambi_eotf_pq");
  EXPECT_EQ(metrics["cambi_full_reference"]["excess_of"], "cambi_eotf_pq");
  EXPECT_EQ(metrics["cambi_eotf_pq"]["reference_of"], "");
  report.metrics.erase(report.metrics.begin());
  EXPECT_EQ(about_of(report)["metrics"]["cambi_source"]["reference_of"], "");
}

TEST(Page, ExplainsEveryStatisticThatItShows) {
  Report report = report_of(2);
  report.metrics = {{"psnr_y", {31, 32}}, {"bounds_x", {0, 140}}};
  const json about = about_of(report);
  std::set<std::string> explained;
  for (const json& one : about["statistics"]) {
    EXPECT_FALSE(one["meaning"].get<std::string>().empty()) << one["name"];
    explained.insert(one["name"].get<std::string>());
  }
  for (const json& metric : about["metrics"]) {
    EXPECT_FALSE(metric["figures"].empty());
    for (const json& figure : metric["figures"])
      EXPECT_TRUE(explained.contains(figure["name"].get<std::string>())) << figure;
  }
  const json pooled = json::parse(report_in(write_page(report, {})))["pooled_metrics"]["psnr_y"];
  for (const auto& [name, value] : pooled.items()) EXPECT_TRUE(explained.contains(name)) << name;
  EXPECT_EQ(about["metrics"]["bounds_x"]["decimals"], 0);
  EXPECT_EQ(about["metrics"]["bounds_x"]["mean_decimals"], 2);
}

TEST(Page, NamesTheMetricsThatHaveAVerdict) {
  Report report = report_of(2);
  report.metrics = {{"cambi_cmxv_17", {9, 9}, nullptr, true},
                    {"integer_motion2", {1, 2}, nullptr, true},
                    {"vmaf", {60, 61}}};
  const json about = about_of(report);
  EXPECT_EQ(about["verdicts"], json({"vmaf", "cambi_cmxv_17"}));
  EXPECT_EQ(about["metrics"]["vmaf"]["grades"][2], json({{"from", 70.0}, {"word", "fair"}}));
  EXPECT_EQ(about["metrics"]["cambi_cmxv_17"]["grades"][1],
            json({{"from", 5.0}, {"word", "slightly annoying"}}));
  EXPECT_EQ(about["metrics"]["integer_motion2"]["grades"], json::array());
}

TEST(Page, ShowsScoresWithTheDecimalsThatSaySomething) {
  Report report = report_of(2);
  report.metrics = {
      {"vmaf", {60.126, 61}}, {"cambi_cmxv_17_vlt_0.06", {9, 17}, nullptr, true}, {"cambi", {9, 17}}};
  const json metrics = about_of(report)["metrics"];
  const auto figure = [&](const char* metric, const std::string& name, const char* member) {
    for (const json& one : metrics[metric]["figures"]) {
      if (one["name"] == name) return one[member].get<std::string>();
    }
    return std::string();
  };
  EXPECT_EQ(metrics["vmaf"]["decimals"], 1);
  EXPECT_EQ(metrics["vmaf"]["exact_decimals"], 3);
  EXPECT_EQ(figure("vmaf", "min", "text"), "60.1");
  EXPECT_EQ(figure("vmaf", "min", "exact"), "60.126");
  // A model cuts scores off.
  EXPECT_EQ(metrics["cambi_cmxv_17_vlt_0.06"]["limit"], 17);
  EXPECT_EQ(figure("cambi_cmxv_17_vlt_0.06", "max", "text"), "\u2265\u00a017");
  EXPECT_EQ(figure("cambi_cmxv_17_vlt_0.06", "mean", "text"), "13.000");
  EXPECT_TRUE(metrics["cambi"]["limit"].is_null());
  EXPECT_EQ(figure("cambi", "max", "text"), "17.000");
}

TEST(Page, OfSeveralRunsKeepsTheirOrderAndReports) {
  Report other = sample_report();
  other.metrics[0].values.assign(other.frames.size(), 1.25);
  const std::string page = write_comparison_page({{"b<i>.mkv", other}, {"dir/a.json", sample_report()}},
                                                 {"cambi_eotf_pq", parse_statistic("p95", "")});
  const json about = json::parse(element(page, kAbout));
  EXPECT_EQ(about["kind"], "comparison");
  EXPECT_EQ(about["choices"].size(), 1U);
  EXPECT_EQ(about["choices"][0]["metric"], "cambi_eotf_pq");
  EXPECT_EQ(about["by"], "p95");
  EXPECT_EQ(about["runs"][0]["name"], "b<i>.mkv");
  EXPECT_EQ(about["runs"][0]["download"], "b<i>.mkv.json");
  EXPECT_EQ(about["runs"][1]["download"], "a.json");
  EXPECT_EQ(json::parse(report_in(page, 0))["frames"][5]["metrics"]["cambi_eotf_pq"], 1.25);
  EXPECT_NEAR(json::parse(report_in(page, 1))["frames"][240]["metrics"]["cambi_eotf_pq"], 1, 1e-6);
  EXPECT_THAT(page, Not(HasSubstr("b<i>")));
}

// Everything about a run is in the order of the page, whatever another metric's ranking is.
TEST(Page, OfSeveralRunsHasTheRankingByEveryMetric) {
  std::vector<NamedReport> runs = {{"low", sample_report()}, {"high", sample_report()}};
  for (size_t i = 0; i < runs.size(); ++i) {
    Report& report = runs[i].report;
    report.metrics = {{"cambi", std::vector<double>(report.frames.size(), 1.0 + static_cast<double>(i))},
                      {"psnr_y", std::vector<double>(report.frames.size(), 40.0 + static_cast<double>(i))}};
    report.metrics[1].values[700] = 30;
    runs[i].thresholds = {{"mean>1.5", "cambi", "mean", 1.0 + static_cast<double>(i), i == 1}};
  }
  runs[0].report.metrics[1].values[700] = 20;
  const std::string page = write_comparison_page(runs, {"cambi", parse_statistic("mean", ""), {"psnr_y"}});
  const json about = json::parse(element(page, kAbout));
  const json &first = about["choices"][0], &other = about["choices"][1];
  EXPECT_EQ(first["order"], (std::vector<int>{0, 1}));
  EXPECT_EQ(first["descending"], false);
  EXPECT_EQ(other["order"], (std::vector<int>{1, 0}));
  EXPECT_EQ(other["descending"], true);
  EXPECT_EQ(other["differing"][0]["frame"], 700);
  EXPECT_EQ(other["differing"][0]["scores"], (std::vector<double>{20, 30}));
  EXPECT_EQ(other["worst"][0]["scores"], (std::vector<double>{20, 30}));
  EXPECT_EQ(about["runs"][0]["thresholds"][0]["crossed"], false);
  EXPECT_EQ(about["runs"][1]["thresholds"][0]["text"], "mean of cambi is 2 (mean>1.5)");
  EXPECT_THAT(element(page, "<noscript>"), HasSubstr("threshold crossed: mean of cambi is 2"));
}

}  // namespace
}  // namespace vq::cli
