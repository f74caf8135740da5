// Segments as they are asked for, told and written.
#include "engine/report/segment_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/report/report_reader.h"
#include "engine/report/report_writer.h"
#include "tests/support/golden_text.h"
#include "tests/support/report_test.h"

namespace vq {
namespace {

using cli::run_of;

using vq::test::GoldenTexts;

SegmentRequest request_of(const std::string& text) {
  return parse_segments(text);
}

void check(const SegmentRequest& request, const std::vector<Metric>& metrics) {
  check_segments(std::span(&request, 1), metrics);
}

std::vector<SegmentFacts> asked(const Report& report, const SegmentRequest& request) {
  return segments_of(report, std::span(&request, 1));
}

// Two segments from 5 on, at 24 frames a second: frames 1 to 12 and 24 to 25.
Report two_segments() {
  std::vector<double> values(30, 1);
  for (size_t i = 1; i <= 12; ++i) values[i] = 6;
  values[7] = 9.25;
  values[24] = values[25] = 5;
  Report report = run_of("a.mkv", values).report;
  report.run.inputs[0].frame_rate = 24;
  return report;
}

Report with_segments(const std::string& text) {
  Report report = two_segments();
  report.run.segments = asked(report, request_of(text));
  return report;
}

TEST(SegmentRequests, NameAMetricAndAValue) {
  EXPECT_EQ(request_of("5").metric, "");
  EXPECT_EQ(request_of("psnr_y:32.5").metric, "psnr_y");
  EXPECT_EQ(request_of("psnr_y:32.5").from, 32.5);
}

TEST(SegmentRequests, MustFitTheMetricsOfTheRun) {
  const std::vector<Metric> metrics = {{"unheard_of", {}}, {"psnr_y", {}}, {"cambi_eotf_pq", {}}},
                            neither = {{"unheard_of", {}}};
  check(request_of("30"), metrics);
  check(request_of("cambi:5"), metrics);
  GoldenTexts golden("reports/segment_refusals.txt");
  golden.add_refusals(ErrorKind::kUsage, {"cambi", "nan"}, request_of);
  for (const char* text : {"psnr_z:5", "unheard_of:5"}) {
    golden.add_refusal(text, ErrorKind::kUsage, [&] { check(request_of(text), metrics); });
  }
  golden.add_refusal("5 of unheard_of alone", ErrorKind::kUsage, [&] { check(request_of("5"), neither); });
  SegmentRequest backwards = request_of("cambi:5");
  backwards.until = 6;
  golden.add_refusal("cambi:5 until 6", ErrorKind::kUsage, [&] { check(backwards, metrics); });
  backwards.metric = "psnr_y";  // where higher is better
  check(backwards, metrics);
}

TEST(SegmentReports, TheFirstMetricWithAWorseSideIsMeant) {
  Report report = two_segments();
  report.metrics.insert(report.metrics.begin(), {"unheard_of", std::vector<double>(30, 9)});
  EXPECT_EQ(asked(report, request_of("5")).at(0).metric, "cambi");
  SegmentRequest longest = request_of("5");
  longest.shortest = int64_t{3};
  EXPECT_EQ(asked(report, longest).at(0).list.size(), 1U);
  longest.shortest = 0.51;
  EXPECT_EQ(asked(report, longest).at(0).list.size(), 0U);
}

TEST(SegmentReports, NoteworthyOnesLastHalfASecond) {
  const std::vector<Metric> none = {{"psnr_y", {}}, {"unheard_of", {}}},
                            second = {{"psnr_y", {}}, {"cambi", {}}};
  EXPECT_FALSE(may_have_segments(none));
  EXPECT_TRUE(may_have_segments(second));
  const std::vector<SegmentFacts> facts = noteworthy_segments(two_segments());
  ASSERT_EQ(facts.size(), 1U);
  EXPECT_EQ(facts[0].metric, "cambi");
  EXPECT_EQ(facts[0].rule, (SegmentRule{.from = 5, .until = 5, .shortest_seconds = 0.5}));
  ASSERT_EQ(facts[0].list.size(), 1U);
  EXPECT_EQ(facts[0].list[0].worst_frame, 7);
  EXPECT_TRUE(noteworthy_segments(run_of("a", {1, 9}, "unheard_of").report).empty());
}

// Of every metric by which a run is judged, also of one that only a model asked for.
TEST(SegmentReports, NoteworthyOnesAreOfEachMetricWithAVerdict) {
  Report report = two_segments();
  report.metrics[0].is_inner = true;
  // Frames of two types, most of which are low.
  std::vector<double> values;
  for (int i = 0; i < 30; ++i) values.push_back(i % 3 == 0 ? 78 : 62);
  report.metrics.push_back({"vmaf", values});
  const std::vector<SegmentFacts> facts = noteworthy_segments(report);
  ASSERT_EQ(facts.size(), 2U);
  EXPECT_EQ(facts[0].metric, "vmaf");
  EXPECT_EQ(facts[0].rule,
            (SegmentRule{.from = 70, .until = 70, .smoothed_seconds = 0.5, .shortest_seconds = 0.5}));
  ASSERT_EQ(facts[0].list.size(), 1U);
  EXPECT_EQ(facts[0].list[0].first, 0);
  EXPECT_EQ(facts[0].list[0].last, 29);
  EXPECT_EQ(facts[1].metric, "cambi");
  EXPECT_EQ(facts[1].list.size(), 1U);
  EXPECT_EQ(segments_of(report, {}), facts);
}

TEST(SegmentReports, TextsAreAsReviewed) {
  GoldenTexts golden("reports/segments.txt");
  golden.add("two segments", segments_text(with_segments("5"), 0));
  golden.add("none", segments_text(with_segments("10"), 0));
  golden.add("CSV", segments_csv(with_segments("5")));
  golden.add("chapters", segment_chapters(with_segments("5")));

  Report report = two_segments();
  const auto add = [&](const std::string& title, SegmentRequest request, std::optional<double> until = {},
                       std::optional<VideoPosition> shortest = {}) {
    if (until) request.until = *until;
    if (shortest) request.shortest = *shortest;
    report.run.segments = asked(report, request);
    golden.add(title, segments_text(report, 0));
  };
  add("what a segment is, in frames", request_of("5"), 4.5, int64_t{13});
  report.metrics[0].name = "psnr_y";
  add("what a segment is, in seconds", request_of("psnr_y:0.5"), 0.75, 0.25);
  report = two_segments();
  report.metrics.push_back({"psnr_y", std::vector<double>(30, 28)});
  const std::vector<SegmentRequest> both = {request_of("cambi:5"), request_of("psnr_y:30")};
  report.run.segments = segments_of(report, both);
  golden.add("two metrics", segments_text(report, 0));
  golden.add("CSV of two metrics", segments_csv(report));
  golden.add("chapters of two metrics", segment_chapters(report));

  // Neither the container nor the frame rate tells when.
  report = two_segments();
  report.timestamps.assign(report.frames.size(), std::nullopt);
  report.run.inputs[0].frame_rate.reset();
  add("times are not known", request_of("9"));
  golden.add("CSV without times", segments_csv(report));

  // Of many, the summary has the worst, the worst first.
  std::vector<double> values;
  for (int i = 0; i < 50; ++i) values.push_back(i % 2 == 0 ? 9 + i / 100.0 : 0);
  report = run_of("a.mkv", values).report;
  add("the worst of many", request_of("5"));
  values.clear();
  for (int i = 0; i < 1000; ++i) values.push_back(i / 20 % 2 == 0 ? 50 : 10 + i / 100.0);
  report = run_of("a.mkv", values, "psnr_y").report;
  add("the worst of many where higher is better", request_of("psnr_y:20"));
}

TEST(SegmentReports, AreReadBack) {
  Report report = with_segments("5");
  report.run.segments.push_back(
      {.metric = "vmaf", .rule = {.from = 70, .until = 75, .smoothed_seconds = 0.5}, .list = {}});
  const std::string text = write_report(report, {.format = ReportFormat::kJson, .extended = true});
  EXPECT_EQ(to_report(parse_report(text, "a.json")).run.segments, report.run.segments);
}

}  // namespace
}  // namespace vq
