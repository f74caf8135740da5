#include "tests/support/golden_text.h"
#include "tests/support/report_test.h"

namespace vq {
namespace {

constexpr double kNoScore = std::numeric_limits<double>::quiet_NaN();
constexpr MetricInfo kBanding = {.name = "m", .better = Better::kLower};
constexpr MetricInfo kDecibels = {.name = "m", .better = Better::kHigher};

// Every `step`-th frame, at ten frames a second.
Report segmented_report(size_t count, int64_t step = 1) {
  Report report;
  report.run.inputs.push_back({});
  report.run.inputs[0].role = "distorted";
  report.run.inputs[0].frame_rate = 10;
  for (size_t i = 0; i < count; ++i) {
    report.frames.push_back(static_cast<int64_t>(i) * step);
    report.timestamps.push_back(static_cast<double>(report.frames.back()) / 10);
  }
  return report;
}

std::vector<Segment> segments_of(const std::vector<double>& values, const SegmentRule& rule,
                                 const MetricInfo& metric = kBanding, int64_t step = 1) {
  return find_segments(segmented_report(values.size(), step), metric, values, rule);
}

std::vector<std::pair<int64_t, int64_t>> ends_of(const std::vector<Segment>& segments) {
  std::vector<std::pair<int64_t, int64_t>> ends;
  for (const Segment& segment : segments) ends.emplace_back(segment.first, segment.last);
  return ends;
}
using Ends = std::vector<std::pair<int64_t, int64_t>>;

TEST(Segments, AreStretchesBeyondTheThreshold) {
  const auto segments = segments_of({0, 5, 7, 6, 7, 4, 9}, {.from = 5, .until = 5});
  ASSERT_EQ(ends_of(segments), (Ends{{1, 4}, {6, 6}}));
  EXPECT_EQ(
      segments[0],
      (Segment{.first = 1, .last = 4, .start = 0.1, .end = 0.5, .mean = 6.25, .worst = 7, .worst_frame = 2}));
  EXPECT_EQ(segments[1].end, 0.7);  // when the frame behind the last would be shown
}

TEST(Segments, GoOnUntilScoresAreGoodAgain) {
  const std::vector<double> values = {3, 5, 3, 3, 5, 2, 3};
  EXPECT_EQ(ends_of(segments_of(values, {.from = 5, .until = 5})), (Ends{{1, 1}, {4, 4}}));
  EXPECT_EQ(ends_of(segments_of(values, {.from = 5, .until = 3})), (Ends{{1, 4}}));
}

TEST(Segments, OfWhatIsBetterHigherLieBelow) {
  const auto segments = segments_of({50, 30, 20, 31, 45}, {.from = 30, .until = 31}, kDecibels);
  ASSERT_EQ(ends_of(segments), (Ends{{1, 3}}));
  EXPECT_EQ(segments[0].worst, 20);
  EXPECT_EQ(segments[0].worst_frame, 2);
}

TEST(Segments, ShortOnesAreLeftOut) {
  const std::vector<double> values = {9, 0, 9, 9, 0, 9, 9, 9};
  EXPECT_EQ(ends_of(segments_of(values, {.from = 5, .until = 5, .shortest_frames = 2})),
            (Ends{{2, 3}, {5, 7}}));
  EXPECT_EQ(ends_of(segments_of(values, {.from = 5, .until = 5, .shortest_seconds = 0.3})), (Ends{{5, 7}}));
  EXPECT_TRUE(segments_of(values, {.from = 5, .until = 5, .shortest_seconds = 0.31}).empty());
}

// Two frames at 24 a second, of a container that rounds times to milliseconds.
TEST(Segments, LengthsAllowForTimesThatTheContainerRounds) {
  Report report = segmented_report(3);
  report.timestamps = {0.0, 0.042, 0.083};
  const std::vector<double> values = {9, 9, 0};
  EXPECT_EQ(
      find_segments(report, kBanding, values, {.from = 5, .until = 5, .shortest_seconds = 2 / 24.0}).size(),
      1U);
  EXPECT_EQ(
      find_segments(report, kBanding, values, {.from = 5, .until = 5, .shortest_seconds = 0.084}).size(), 0U);
}

// At ten frames a second half a second is the frame and two on either side.
TEST(Segments, MayBeJudgedByTheMeanAroundAFrame) {
  const SegmentRule rule = {.from = 70, .until = 70, .smoothed_seconds = 0.4};
  const std::vector<double> alternating = {90, 90, 90, 80, 60, 80, 60, 80, 60, 60, 80, 60, 90, 90, 90};
  EXPECT_EQ(ends_of(segments_of(alternating, {.from = 70, .until = 70}, kDecibels)).size(), 4U);
  const std::vector<Segment> segments = segments_of(alternating, rule, kDecibels);
  ASSERT_EQ(ends_of(segments), (Ends{{6, 10}}));
  EXPECT_EQ(segments[0].worst, 60);  // of the scores themselves
  EXPECT_EQ(segments[0].mean, 68);
  EXPECT_EQ(segments[0].worst_frame, 6);
  // Means do not drift, and what is not a number counts for no neighbour.
  EXPECT_EQ(ends_of(segments_of(std::vector<double>(1000, 95.3),
                                {.from = 95.3, .until = 95.3, .smoothed_seconds = 0.4}, kDecibels)),
            (Ends{{0, 999}}));
  EXPECT_EQ(ends_of(segments_of({60, kNoScore, 60, 60}, rule, kDecibels)), (Ends{{0, 0}, {2, 3}}));
  // Where a frame equals its reference there is no mean.
  EXPECT_EQ(ends_of(segments_of({60, 60, 60, HUGE_VAL, 60, 60, 60, 60}, rule, kDecibels)),
            (Ends{{0, 0}, {6, 7}}));
  // Frames that the run left out have no scores.
  EXPECT_EQ(ends_of(segments_of({60, 80, 60, 60}, rule, kDecibels, 2)), (Ends{{0, 6}}));
}

TEST(Segments, HaveTheFramesThatWereLeftOut) {
  EXPECT_EQ(ends_of(segments_of({0, 9, 9, 0}, {.from = 5, .until = 5}, kBanding, 5)), (Ends{{5, 14}}));
  EXPECT_EQ(ends_of(segments_of({0, 9, 9}, {.from = 5, .until = 5}, kBanding, 5)), (Ends{{5, 10}}));
}

TEST(Segments, WhatIsNoNumberEndsOne) {
  EXPECT_EQ(ends_of(segments_of({9, kNoScore, 9}, {.from = 5, .until = 0})), (Ends{{0, 0}, {2, 2}}));
  EXPECT_TRUE(segments_of({}, {.from = 5, .until = 5}).empty());
}

TEST(Segments, DoWithoutTimes) {
  Report report = segmented_report(3);
  report.timestamps.clear();
  const std::vector<double> values = {0, 9, 9};
  const SegmentRule rule = {.from = 5, .until = 5, .shortest_seconds = 0.2};
  report.run.inputs[0].skipped = 3;
  std::vector<Segment> segments = find_segments(report, kBanding, values, rule);
  ASSERT_EQ(ends_of(segments), (Ends{{1, 2}}));
  EXPECT_EQ(segments[0].start, 0.4);  // by the frame rate
  EXPECT_EQ(segments[0].end, 0.6);
  report.run.inputs[0].frame_rate.reset();
  segments = find_segments(report, kBanding, values, {.from = 5, .until = 5, .shortest_seconds = 0.08});
  ASSERT_EQ(ends_of(segments), (Ends{{1, 2}}));
  EXPECT_EQ(segments[0].start, std::nullopt);
  EXPECT_EQ(segments[0].end, std::nullopt);
  EXPECT_TRUE(
      find_segments(report, kBanding, values, {.from = 5, .until = 5, .shortest_seconds = 0.09}).empty());
}

// Zones for encoders, made of segments.

using cli::run_of;

constexpr VideoPosition kNever = int64_t{0};

// 100 frames at ten a second, with segments that long.
Report with(const std::vector<Zone>& segments, std::optional<std::vector<int64_t>> cuts = std::nullopt) {
  Report report = run_of("a.mkv", std::vector<double>(100, 0)).report;
  report.run.inputs[0].frame_rate = 10;
  report.run.inputs[0].skipped = 0;
  report.run.segments = {{.metric = "cambi", .rule = {}, .list = {}}};
  for (const auto& [first, last] : segments)
    report.run.segments[0].list.push_back({.first = first, .last = last, .start = {}, .end = {}});
  report.run.scene_cuts = std::move(cuts);
  return report;
}

using Zones = std::vector<Zone>;

TEST(Zones, AreTheSegmentsWhereNothingIsKnownOfScenes) {
  EXPECT_EQ(zones_of(with({{10, 19}, {30, 30}}), 1.0), (Zones{{10, 19}, {30, 30}}));
  EXPECT_EQ(zones_of(with({}), 1.0), Zones());
}

TEST(Zones, GrowToSceneCutsThatAreNear) {
  // Frame 5 begins a scene, and so does 25.
  EXPECT_EQ(zones_of(with({{10, 19}}, {{5, 25}}), int64_t{5}), (Zones{{5, 24}}));
  EXPECT_EQ(zones_of(with({{10, 19}}, {{5, 25}}), int64_t{4}), (Zones{{10, 19}}));
  EXPECT_EQ(zones_of(with({{10, 19}}, {{5, 25}}), 0.5), (Zones{{5, 24}}));
  EXPECT_EQ(zones_of(with({{10, 19}}, {{5, 25}}), kNever), (Zones{{10, 19}}));
  EXPECT_EQ(zones_of(with({{10, 19}}, {{10, 20}}), int64_t{5}), (Zones{{10, 19}}));  // a scene already
  EXPECT_EQ(zones_of(with({{10, 19}}, {{12, 15}}), int64_t{5}), (Zones{{10, 19}}));  // never smaller
}

TEST(Zones, GrowToTheEndsOfTheVideo) {
  EXPECT_EQ(zones_of(with({{3, 96}}, std::vector<int64_t>()), int64_t{3}), (Zones{{0, 99}}));
  EXPECT_EQ(zones_of(with({{3, 96}}, std::vector<int64_t>()), int64_t{2}), (Zones{{3, 96}}));
  Report every_fifth = with({{90, 97}}, std::vector<int64_t>());
  every_fifth.frames.assign({85, 90, 95});  // and the last segment has those behind
  EXPECT_EQ(zones_of(every_fifth, int64_t{5}), (Zones{{85, 97}}));
}

TEST(Zones, DoNotOverlap) {
  // The first one grows over the second, and meets the third at the cut.
  EXPECT_EQ(zones_of(with({{10, 19}, {22, 24}, {40, 41}}, {{30}}), int64_t{10}), (Zones{{0, 41}}));
  EXPECT_EQ(zones_of(with({{11, 19}, {22, 24}, {45, 46}}, {{30}}), int64_t{10}), (Zones{{11, 29}, {45, 46}}));
}

TEST(Zones, AreOfAllMetricsTogether) {
  Report report = with({{10, 19}, {60, 69}});
  report.run.segments.push_back({.metric = "vmaf", .rule = {}, .list = {}});
  const auto add = [&](int64_t first, int64_t last) {
    report.run.segments[1].list.push_back({.first = first, .last = last, .start = {}, .end = {}});
  };
  add(5, 14);
  add(40, 41);
  add(62, 63);
  EXPECT_EQ(zones_of(report, kNever), (Zones{{5, 19}, {40, 41}, {60, 69}}));
  add(90, 99);
  report.run.scene_cuts = std::vector<int64_t>();
  report.frames.resize(85);  // the last segment has frames behind those that were scored
  EXPECT_EQ(zones_of(report, int64_t{1}).back(), (Zone{90, 99}));
}

// An encoder counts from the first frame of the video.
TEST(Zones, CountWhatTheRunSkipped) {
  Report report = with({{10, 19}}, {{5, 25}});
  report.run.inputs[0].skipped = 1000;
  report.run.inputs.push_back(report.run.inputs[0]);
  report.run.inputs[1].role = "reference";
  report.run.inputs[1].skipped = 7;
  EXPECT_EQ(zones_of(report, int64_t{5}), (Zones{{1005, 1024}}));
}

TEST(Zones, AreWrittenAsEncodersTakeThem) {
  const Report report = with({{1, 12}, {24, 25}});
  const auto text = [&](ReportFormat format, const std::string& options) {
    return write_report(report, {.format = format, .zones = {.options = options}});
  };
  EXPECT_EQ(text(ReportFormat::kX264Zones, "q=18"), "1,12,q=18/24,25,q=18\n");
  EXPECT_EQ(text(ReportFormat::kX265Zones, "q=18"), "1,12,q=18/24,25,q=18\n");
  EXPECT_EQ(text(ReportFormat::kAv1anZones, "svt-av1 --crf 20"),
            "1 13 svt-av1 --crf 20\n24 26 svt-av1 --crf 20\n");
  EXPECT_EQ(text(ReportFormat::kSvtEssentialZones, "20"), "1,12,20;24,25,20\n");
  for (const ReportFormat format :
       {ReportFormat::kX264Zones, ReportFormat::kAv1anZones, ReportFormat::kSvtEssentialZones}) {
    EXPECT_EQ(write_report(with({}), {.format = format}), "");
  }
}

TEST(Zones, OptionsMustSuitTheEncoder) {
  EXPECT_EQ(default_zone_options(ZoneForm::kX264), "b=1.5");
  EXPECT_EQ(default_zone_options(ZoneForm::kX265), "b=1.5");
  EXPECT_EQ(default_zone_options(ZoneForm::kAv1an), "");
  const std::pair<ZoneForm, std::vector<const char*>> fitting[] = {
      {ZoneForm::kX265, {"b=1.5", "q=18"}},
      {ZoneForm::kX264, {"b=1.5", "q=18", "crf=18,aq-mode=3"}},
      {ZoneForm::kAv1an, {"svt-av1 --crf 20", "x264 --crf 18", "aom"}},
      {ZoneForm::kSvtEssential, {"20"}},
  };
  for (const auto& [form, options] : fitting) {
    for (const char* text : options) EXPECT_EQ(zone_options_fault(form, text), "") << text;
  }
  const std::tuple<const char*, ZoneForm, std::vector<const char*>> not_so[] = {
      {"x265", ZoneForm::kX265, {"", "crf=18", "b=", "q=18,b=2", "q=x"}},
      {"x264", ZoneForm::kX264, {"", "20", "--crf 20", "b=1/q=2", "b=1:q=2", "b=1 "}},
      {"av1an", ZoneForm::kAv1an, {"", "--crf 20", "svtav1 --crf 20", "svt-av1 --crf 20\n"}},
      {"svt-essential", ZoneForm::kSvtEssential, {"", "crf=20", "20;"}},
  };
  vq::test::GoldenTexts golden("reports/zone_options.txt");
  for (const auto& [name, form, options] : not_so) {
    for (const char* text : options)
      golden.add(std::string(name) + " " + printable(text), zone_options_fault(form, text));
  }
}

// Segments as they are asked for, told and written.

using vq::test::GoldenTexts;

SegmentRequest request_of(const std::string& text) { return parse_segments(text); }

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
  for (const char* text : {"psnr_z:5", "unheard_of:5"})
    golden.add_refusal(text, ErrorKind::kUsage, [&] { check(request_of(text), metrics); });
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
  report.run.segments = asked(report, request_of("psnr_y:20"));
  const std::string many = segments_text(report, 0);
  golden.add("the first of many where higher is better", many.substr(0, many.find("\n      3 ")));
}

}  // namespace

}  // namespace vq
