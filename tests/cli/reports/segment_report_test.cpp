// Segments as they are asked for, told and written.
#include "cli/reports/segment_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/reports/report_reader.h"
#include "cli/reports/report_writer.h"
#include "tests/support/report_test.h"

namespace vq::cli {
namespace {

using testing::HasSubstr;

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
  EXPECT_EQ(message_of(ErrorKind::kUsage, [] { request_of("cambi"); }),
            "--segments \"cambi\": \"cambi\" is not a number. It takes [METRIC:]VALUE, such as 5.");
  EXPECT_THAT(message_of(ErrorKind::kUsage, [] { request_of("nan"); }), HasSubstr("is not a number"));
}

TEST(SegmentRequests, MustFitTheMetricsOfTheRun) {
  const std::vector<Metric> metrics = {{"unheard_of", {}}, {"psnr_y", {}}, {"cambi_eotf_pq", {}}};
  check_segments(request_of("30"), metrics);
  check_segments(request_of("cambi:5"), metrics);
  EXPECT_THAT(message_of(ErrorKind::kUsage, [&] { check_segments(request_of("psnr_z:5"), metrics); }),
              HasSubstr("no metric \"psnr_z\" here. Did you mean \"psnr_y\"?"));
  EXPECT_THAT(message_of(ErrorKind::kUsage, [&] { check_segments(request_of("unheard_of:5"), metrics); }),
              HasSubstr("neither side of unheard_of is worse"));
  const std::vector<Metric> neither = {{"unheard_of", {}}};
  EXPECT_THAT(message_of(ErrorKind::kUsage, [&] { check_segments(request_of("5"), neither); }),
              HasSubstr("no metric of this run has a worse side"));
  SegmentRequest backwards = request_of("cambi:5");
  backwards.until = 6;
  EXPECT_THAT(message_of(ErrorKind::kUsage, [&] { check_segments(backwards, metrics); }),
              HasSubstr("--segments-until must be as good"));
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

TEST(SegmentReports, SummaryHasATable) {
  EXPECT_EQ(segments_text(with_segments("5"), 0),
            "2 segments of cambi at 5 or more: 0:00:00.58 together, 46.7 %\n"
            "segment        from          to  duration   mean  worst      frames\n"
            "      1  0:00:00.04  0:00:00.54    0.50 s  6.271  9.250   #1 to #12\n"
            "      2  0:00:01.00  0:00:01.08    0.08 s  5.000  5.000  #24 to #25\n");
  EXPECT_EQ(segments_text(with_segments("10"), 0), "segments: none of cambi at 10 or more\n");
}

TEST(SegmentReports, SayWhatASegmentIs) {
  Report report = two_segments();
  SegmentRequest request = request_of("5");
  request.until = 4.5;
  request.shortest = int64_t{13};
  report.run.segments = segments_of(report, request);
  EXPECT_EQ(segments_text(report, 0),
            "segments: none of cambi at 5 or more (until under 4.5), of 13 frames or more\n");
  report.metrics[0].name = "psnr_y";
  request = request_of("0.5");
  request.until = 0.75;
  request.shortest = 0.25;
  report.run.segments = segments_of(report, request);
  EXPECT_EQ(segments_text(report, 0),
            "segments: none of psnr_y at 0.5 or less (until over 0.75), of 0.25 s or more\n");
}

// Neither the container nor the frame rate tells when.
TEST(SegmentReports, TellFramesWhereTimesAreUnknown) {
  Report report = two_segments();
  report.timestamps.assign(report.frames.size(), std::nullopt);
  report.run.inputs[0].frame_rate.reset();
  report.run.segments = segments_of(report, request_of("9"));
  EXPECT_EQ(segments_text(report, 0),
            "1 segment of cambi at 9 or more: 3.3 %\n"
            "segment  from  to  duration   mean  worst    frames\n"
            "      1     -   -   1 frame  9.250  9.250  #7 to #7\n");
  EXPECT_THAT(segments_csv(report), HasSubstr("\n1,cambi,7,7,,,,9.250000,9.250000,7\n"));
}

// Of many, the summary has the worst, the worst first.
TEST(SegmentReports, TheTableEndsSomewhere) {
  std::vector<double> values;
  for (int i = 0; i < 50; ++i) values.push_back(i % 2 == 0 ? 9 + i / 100.0 : 0);
  Report report = run_of("a.mkv", values).report;
  report.run.segments = segments_of(report, request_of("5"));
  const std::string text = segments_text(report, 0);
  EXPECT_THAT(
      text,
      HasSubstr("frames\n     25  0:00:02.00  0:00:02.04    0.04 s  9.480  9.480  #48 to #48\n     24 "));
  EXPECT_THAT(
      text, testing::EndsWith(
                "#10 to #10\nThese are the worst; --segments-output csv:FILE lists the other 5 as well.\n"));
  for (size_t i = 0; i < values.size(); ++i) values[i] = i % 2 == 0 ? 50 : 10 + static_cast<double>(i) / 100;
  report.metrics[0] = {"psnr_y", values};
  report.run.segments = segments_of(report, request_of("20"));
  EXPECT_THAT(segments_text(report, 0),
              HasSubstr("frames\n      1  0:00:00.04  0:00:00.08    0.04 s  10.010  10.010"));
}

TEST(SegmentReports, Files) {
  const Report report = with_segments("5");
  EXPECT_EQ(segments_csv(report),
            "segment,metric,first_frame,last_frame,start,end,duration,mean,worst,worst_frame\n"
            "1,cambi,1,12,0.041667,0.541667,0.500000,6.270833,9.250000,7\n"
            "2,cambi,24,25,1.000000,1.083333,0.083333,5.000000,5.000000,24\n");
  EXPECT_EQ(segment_chapters(report),
            ";FFMETADATA1\n"
            "[CHAPTER]\nTIMEBASE=1/1000\nSTART=42\nEND=542\ntitle=cambi 9.250 at worst\n"
            "[CHAPTER]\nTIMEBASE=1/1000\nSTART=1000\nEND=1083\ntitle=cambi 5.000 at worst\n");
}

TEST(SegmentReports, AreReadBack) {
  const Report report = with_segments("5");
  const std::string text = write_report(report, {.format = ReportFormat::kJson, .extended = true});
  EXPECT_EQ(to_report(parse_report(text, "a.json")).run.segments, report.run.segments);
}

}  // namespace
}  // namespace vq::cli
