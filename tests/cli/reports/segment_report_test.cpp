// Segments as they are asked for, told and written.
#include "cli/reports/segment_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/reports/report_reader.h"
#include "cli/reports/report_writer.h"
#include "tests/support/golden_text.h"
#include "tests/support/report_test.h"

namespace vq::cli {
namespace {

using vq::test::GoldenTexts;

SegmentRequest request_of(const std::string& text) {
  return parse_segments(text);
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
  report.run.segments = segments_of(report, request_of(text));
  return report;
}

TEST(SegmentRequests, NameAMetricAndAValue) {
  EXPECT_EQ(request_of("5").metric, "");
  EXPECT_EQ(request_of("psnr_y:32.5").metric, "psnr_y");
  EXPECT_EQ(request_of("psnr_y:32.5").from, 32.5);
}

TEST(SegmentRequests, MustFitTheMetricsOfTheRun) {
  const std::vector<Metric> metrics = {{"unheard_of", {}}, {"psnr_y", {}}, {"cambi_eotf_pq", {}}}, neither = {{"unheard_of", {}}};
  check_segments(request_of("30"), metrics);
  check_segments(request_of("cambi:5"), metrics);
  GoldenTexts golden("reports/segment_refusals.txt");
  golden.add_refusals(ErrorKind::kUsage, {"cambi", "nan"}, request_of);
  for (const char* text : {"psnr_z:5", "unheard_of:5"}) {
    golden.add_refusal(text, ErrorKind::kUsage, [&] { check_segments(request_of(text), metrics); });
  }
  golden.add_refusal("5 of unheard_of alone", ErrorKind::kUsage, [&] { check_segments(request_of("5"), neither); });
  SegmentRequest backwards = request_of("cambi:5");
  backwards.until = 6;
  golden.add_refusal("cambi:5 until 6", ErrorKind::kUsage, [&] { check_segments(backwards, metrics); });
  backwards.metric = "psnr_y";  // where higher is better
  check_segments(backwards, metrics);
}

TEST(SegmentReports, TheFirstMetricWithAWorseSideIsMeant) {
  Report report = two_segments();
  report.metrics.insert(report.metrics.begin(), {"unheard_of", std::vector<double>(30, 9)});
  EXPECT_EQ(segments_of(report, request_of("5")).metric, "cambi");
  SegmentRequest longest = request_of("5");
  longest.shortest = int64_t{3};
  EXPECT_EQ(segments_of(report, longest).list.size(), 1U);
  longest.shortest = 0.51;
  EXPECT_EQ(segments_of(report, longest).list.size(), 0U);
}

TEST(SegmentReports, NoteworthyOnesLastHalfASecond) {
  const std::vector<Metric> none = {{"psnr_y", {}}, {"unheard_of", {}}}, second = {{"psnr_y", {}}, {"cambi", {}}};
  EXPECT_EQ(noteworthy_metric(none), std::nullopt);
  EXPECT_EQ(noteworthy_metric(second), 1U);
  const std::optional<SegmentFacts> facts = noteworthy_segments(two_segments());
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->metric, "cambi");
  EXPECT_EQ(facts->rule, (SegmentRule{.from = 5, .until = 5, .shortest_seconds = 0.5}));
  ASSERT_EQ(facts->list.size(), 1U);
  EXPECT_EQ(facts->list[0].worst_frame, 7);
  EXPECT_FALSE(noteworthy_segments(run_of("a", {1, 9}, "unheard_of").report));
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
    report.run.segments = segments_of(report, request);
    golden.add(title, segments_text(report, 0));
  };
  add("what a segment is, in frames", request_of("5"), 4.5, int64_t{13});
  report.metrics[0].name = "psnr_y";
  add("what a segment is, in seconds", request_of("psnr_y:0.5"), 0.75, 0.25);

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
  for (size_t i = 0; i < values.size(); ++i) values[i] = i % 2 == 0 ? 50 : 10 + static_cast<double>(i) / 100;
  report.metrics[0] = {"psnr_y", values};
  add("the worst of many where higher is better", request_of("psnr_y:20"));
}

TEST(SegmentReports, AreReadBack) {
  const Report report = with_segments("5");
  const std::string text = write_report(report, {.format = ReportFormat::kJson, .extended = true});
  EXPECT_EQ(to_report(parse_report(text, "a.json")).run.segments, report.run.segments);
}

}  // namespace
}  // namespace vq::cli
