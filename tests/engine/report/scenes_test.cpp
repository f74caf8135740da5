// Scores of scenes, and lists of scenes from files.
#include <nlohmann/json.hpp>

#include "engine/report/scenes.h"
#include "engine/report/segments.h"
#include "tests/support/expect_error.h"

namespace vq {
namespace {

using Cuts = std::vector<int64_t>;

// Every `step`-th frame of a video of ten frames a second, scored 1, 2, 3, ... by a metric for which higher
// is better.
Report scored(size_t count, std::optional<Cuts> cuts, int64_t step = 1) {
  Report report;
  InputFacts& video = report.run.inputs.emplace_back();
  video.role = "distorted";
  video.frame_rate = 10;
  video.frames = static_cast<int64_t>(count) * step;
  report.metrics = {{"psnr_y", {}}};
  for (size_t i = 0; i < count; ++i) {
    report.frames.push_back(static_cast<int64_t>(i) * step);
    report.timestamps.push_back(static_cast<double>(report.frames.back()) / 10);
    report.metrics[0].values.push_back(static_cast<double>(i) + 1);
  }
  report.run.subsample = step;
  report.run.scene_cuts = std::move(cuts);
  return report;
}

struct Part {
  int64_t first, last;
  size_t scored;
  double start, stop;
  bool operator==(const Part&) const = default;
};

std::vector<Part> parts_of(const Report& report) {
  std::vector<Part> parts;
  for (const Scene& scene : scenes_of(report)) {
    const auto settled = [](std::optional<double> time) { return std::round(time.value_or(-1) * 1e6) / 1e6; };
    parts.push_back(
        {scene.first, scene.last, scene.end - scene.begin, settled(scene.start), settled(scene.stop)});
  }
  return parts;
}

TEST(Scenes, LieBetweenCutsAndLeaveNoGap) {
  EXPECT_EQ(parts_of(scored(10, Cuts{4, 7})),
            (std::vector<Part>{{0, 3, 4, 0, 0.4}, {4, 6, 3, 0.4, 0.7}, {7, 9, 3, 0.7, 1.0}}));
  EXPECT_EQ(parts_of(scored(3, Cuts{})), (std::vector<Part>{{0, 2, 3, 0, 0.3}}));
  // Cuts outside the scored frames are none.
  EXPECT_EQ(parts_of(scored(3, Cuts{0, 2, 3, 9})),
            (std::vector<Part>{{0, 1, 2, 0, 0.2}, {2, 2, 1, 0.2, 0.3}}));
  EXPECT_TRUE(scenes_of(scored(10, std::nullopt)).empty());
  EXPECT_TRUE(scenes_of(scored(0, Cuts{})).empty());
}

TEST(Scenes, OfASampleHaveTheFramesBetween) {
  // Frames 0, 5, 10 and 15 of 20; nothing was scored of the scene from 6 to 8.
  const std::vector<Part> parts = parts_of(scored(4, Cuts{6, 9, 12}, 5));
  ASSERT_EQ(parts.size(), 4U);
  EXPECT_EQ(parts[0], (Part{0, 5, 2, 0, 0.6}));
  EXPECT_EQ(parts[1], (Part{6, 8, 0, 0.6, 0.9}));
  EXPECT_EQ(parts[2], (Part{9, 11, 1, 0.9, 1.2}));
  EXPECT_EQ(parts[3], (Part{12, 19, 1, 1.2, 2.0}));
}

TEST(Scenes, HaveNoTimesWhereNoneAreKnown) {
  Report report = scored(4, Cuts{2});
  report.timestamps.clear();
  EXPECT_EQ(parts_of(report)[1], (Part{2, 3, 2, 0.2, 0.4}));  // by the frame rate
  report.run.inputs[0].frame_rate.reset();
  EXPECT_EQ(parts_of(report)[1], (Part{2, 3, 2, -1, -1}));
}

TEST(Scenes, AreToldByStatisticsOfTheirFrames) {
  const Report report = scored(10, Cuts{4, 7});
  const std::vector<Scene> scenes = scenes_of(report);
  // 5, 6 and 7: the harmonic mean is 3 / (1/6 + 1/7 + 1/8) - 1.
  const std::vector<double> middle = statistics_in(report.metrics[0], scenes[1]);
  ASSERT_EQ(middle.size(), scene_statistics().size());
  EXPECT_DOUBLE_EQ(middle[0], 6);
  EXPECT_DOUBLE_EQ(middle[1], 3 / (1 / 6.0 + 1 / 7.0 + 1 / 8.0) - 1);
  EXPECT_DOUBLE_EQ(middle[2], 5);
  EXPECT_DOUBLE_EQ(middle[3], 5.1);
  EXPECT_DOUBLE_EQ(middle[4], 6.9);
  EXPECT_DOUBLE_EQ(middle[5], 7);
  EXPECT_TRUE(std::isnan(statistics_in(report.metrics[0], {.start = {}, .stop = {}})[0]));
}

TEST(Scenes, AreWrittenOneLineAMetric) {
  Report report = scored(4, Cuts{2});
  report.metrics.push_back({"integer_adm2", {1, 1, 1, 1}, nullptr, true});  // of a model
  report.metrics.push_back({"float_ssim", {1, 1, 0.5, 1}});
  EXPECT_EQ(
      scenes_csv(report),
      "scene,first_frame,last_frame,scored_frames,start,end,duration,metric,mean,harmonic_mean,min,p5,p95,"
      "max\n"
      "1,0,1,2,0.000000,0.200000,0.200000,psnr_y,1.500000,1.400000,1.000000,1.050000,1.950000,2.000000\n"
      "1,0,1,2,0.000000,0.200000,0.200000,float_ssim,1.000000,1.000000,1.000000,1.000000,1.000000,1.000000\n"
      "2,2,3,2,0.200000,0.400000,0.200000,psnr_y,3.500000,3.444444,3.000000,3.050000,3.950000,4.000000\n"
      "2,2,3,2,0.200000,0.400000,0.200000,float_ssim,0.750000,0.714286,0.500000,0.525000,0.975000,1."
      "000000\n");
  report = scored(2, Cuts{2, 4}, 5);
  report.run.inputs[0].frame_rate.reset();
  report.timestamps.clear();
  EXPECT_NE(scenes_csv(report).find("\n2,2,3,0,,,,psnr_y,,,,,,\n"), std::string::npos) << scenes_csv(report);
}

TEST(Scenes, GoToAv1anWithTheFramesOfTheVideo) {
  Report report = scored(10, Cuts{4});
  report.run.inputs[0].skipped = 3;
  const auto written = nlohmann::json::parse(scenes_for_av1an(report));
  const nlohmann::json scenes = {{{"start_frame", 3}, {"end_frame", 7}, {"zone_overrides", nullptr}},
                                 {{"start_frame", 7}, {"end_frame", 13}, {"zone_overrides", nullptr}}};
  EXPECT_EQ(written, (nlohmann::json{{"frames", 13}, {"scenes", scenes}, {"split_scenes", scenes}}));
  EXPECT_EQ(cuts_in(report, parse_scene_list(scenes_for_av1an(report), "s.json")), (Cuts{4}));
}

TEST(Scenes, ForPeopleAreTheWorstOfMany) {
  Cuts cuts;
  for (int64_t i = 2; i < 60; i += 2) cuts.push_back(i);
  const std::string all = scenes_text(scored(60, cuts), 0);
  EXPECT_TRUE(all.starts_with("30 scenes\nscene  ")) << all;
  EXPECT_NE(all.find("\n    1  0:00:00.00  0:00:00.20    0.20 s"), std::string::npos) << all;
  EXPECT_EQ(all.find("\n   30  "), std::string::npos) << all;  // the best, as higher is better
  EXPECT_NE(all.find("CSV file lists all 30.\n"), std::string::npos) << all;
  EXPECT_EQ(scenes_text(scored(4, Cuts{2}), 0).find("CSV file"), std::string::npos);
}

// Each feature by its leading metric, so that none is crowded out by the planes of another.
TEST(Scenes, ForPeopleHaveTheLeadingMetricOfEachFeature) {
  Report report = scored(4, Cuts{2});
  for (const char* const name : {"psnr_cb", "psnr_cr", "ssimulacra2", "cambi_source", "cambi"})
    report.metrics.push_back({name, report.metrics[0].values});
  report.metrics.push_back({"integer_adm2", report.metrics[0].values, nullptr, true});
  const std::string text = scenes_text(report, 0);
  const std::string heading = text.substr(text.find("\nscene") + 1);
  for (const char* const shown : {" psnr_y ", " ssimulacra2 ", " cambi "})
    EXPECT_NE(heading.find(shown), std::string::npos) << heading;
  for (const char* const hidden : {"psnr_cb", "psnr_cr", "cambi_source", "adm2"})
    EXPECT_EQ(heading.find(hidden), std::string::npos) << heading;
  EXPECT_NE(scenes_csv(report).find(",psnr_cb,"), std::string::npos);
}

TEST(Scenes, MayBeSegments) {
  const Report report = scored(10, Cuts{4, 7});  // means 2.5, 6 and 9
  const auto found = [&](const SegmentRequest& request) {
    std::vector<std::pair<int64_t, int64_t>> ends;
    for (const SegmentFacts& facts : segments_of(report, std::span(&request, 1))) {
      EXPECT_TRUE(facts.rule.by_scene);
      for (const Segment& segment : facts.list) ends.emplace_back(segment.first, segment.last);
    }
    return ends;
  };
  using Ends = std::vector<std::pair<int64_t, int64_t>>;
  EXPECT_EQ(found(parse_segments("scenes:psnr_y:6")), (Ends{{0, 3}, {4, 6}}));
  EXPECT_EQ(found(parse_segments("scenes:psnr_y:5.9")), (Ends{{0, 3}}));
  SegmentRequest of_four = parse_segments("scenes:psnr_y:6");
  of_four.shortest = int64_t{4};
  EXPECT_EQ(found(of_four), (Ends{{0, 3}}));
  // With the whole scene, its times and its worst frame.
  const SegmentRequest request = parse_segments("scenes:psnr_y:6");
  const Segment second = segments_of(report, std::span(&request, 1))[0].list[1];
  EXPECT_EQ(
      second,
      (Segment{.first = 4, .last = 6, .start = 0.4, .end = 0.7, .mean = 6, .worst = 5, .worst_frame = 4}));
}

TEST(Scenes, OfEachVerdictAreSegmentsByTheirNoteworthyLevel) {
  Report report = scored(6, Cuts{3});
  report.metrics = {{"cambi", {6, 6, 6, 1, 1, 1}}, {"psnr_y", {1, 1, 1, 1, 1, 1}}};
  const SegmentRequest request = parse_segments("scenes");
  check_segments(std::span(&request, 1), report.metrics);
  const std::vector<SegmentFacts> all = segments_of(report, std::span(&request, 1));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].metric, "cambi");
  EXPECT_EQ(all[0].rule.from, 5);
  ASSERT_EQ(all[0].list.size(), 1U);
  EXPECT_EQ(all[0].list[0].last, 2);
  const std::vector<Metric> none = {{"psnr_y", {}}};
  test::expect_error(ErrorKind::kUsage, {"scenes:METRIC:VALUE"},
                     [&] { check_segments(std::span(&request, 1), none); });
}

Cuts starts_of(const std::string& text) { return parse_scene_list(text, "s").starts; }

TEST(SceneLists, OfAv1an) {
  EXPECT_EQ(starts_of(R"({"scenes":[{"start_frame":0,"end_frame":24,"zone_overrides":null},)"
                      R"({"start_frame":24,"end_frame":48,"zone_overrides":null}],"frames":48})"),
            (Cuts{0, 24}));
}

TEST(SceneLists, OfPySceneDetectCountFromOne) {
  const std::string heading = "Scene Number,Start Frame,Start Timecode,Start Time (seconds),End Frame\r\n";
  EXPECT_EQ(starts_of("Timecode List:,00:00:03.333\r\n" + heading +
                      "1,1,00:00:00.000,0.000,100\r\n2,101,00:00:03.333,3.333,480\r\n"),
            (Cuts{0, 100}));
  EXPECT_EQ(starts_of(heading + "1,1,00:00:00.000,0.000,100\n2,101,00:00:03.333,3.333,480\n"),
            (Cuts{0, 100}));
  EXPECT_EQ(starts_of(heading + "1,0,00:00:00.000,0.000,100\n2,100,00:00:03.333,3.333,480\n"),
            (Cuts{0, 100}));
  EXPECT_EQ(starts_of("Start Frame\n100\n0\n"), (Cuts{0, 100}));
  // As spreadsheets save it.
  EXPECT_EQ(starts_of("\xef\xbb\xbf\"a, \"\"b\"\"\",\"Start Frame\"\r\n\"x, y\",\"1\"\r\n2,\"21\"\r\n"),
            (Cuts{0, 20}));
  EXPECT_EQ(starts_of("\xef\xbb\xbfTimecode List:,00:00:01\n" + heading + "1,1,x\n2,11,x\n"), (Cuts{0, 10}));
}

TEST(SceneLists, OfThisProgramCountAsTheReport) {
  Report report = scored(10, Cuts{4, 7});
  report.run.inputs[0].skipped = 3;
  report.metrics.push_back({"float_ssim", std::vector<double>(10, 1)});
  const SceneList list = parse_scene_list(scenes_csv(report), "s.csv");
  EXPECT_EQ(list.starts, (Cuts{0, 4, 7}));
  EXPECT_EQ(cuts_in(report, list), (Cuts{4, 7}));
  // Those of others count from the start of the video.
  EXPECT_EQ(cuts_in(report, {.starts = {0, 3, 7, 12, 13}}), (Cuts{4, 9}));
}

TEST(SceneLists, ThatAreNoneAreRefused) {
  for (const char* const text :
       {"", "\n", "{", "{}", "{\"scenes\": 5}", "{\"scenes\": []}", "{\"scenes\": [{\"start_frame\": -1}]}",
        "{\"scenes\": [{\"start_frame\": 1e30}]}", "{\"scenes\": [5]}", "a,b\n1,2\n", "Start Frame\n",
        "Start Frame\nx\n", "Start Frame\n-4\n", "a,Start Frame\n1\n", "Timecode List:\n"}) {
    SCOPED_TRACE(text);
    test::expect_error(ErrorKind::kInput, {"A list of scenes is"}, [&] { starts_of(text); });
  }
}

constexpr MetricInfo kLowIsGood = {.name = "flaws", .better = Better::kLower, .flawless = 0};
constexpr MetricInfo kHighIsGood = {.name = "merits", .better = Better::kHigher, .flawless = 0};

// A report of scores at 25 frames a second.
Report report_of(const std::vector<double>& values, bool timed = true) {
  Report report;
  for (size_t i = 0; i < values.size(); ++i) {
    report.frames.push_back(static_cast<int64_t>(i));
    report.timestamps.push_back(timed ? std::optional(static_cast<double>(i) / 25) : std::nullopt);
  }
  report.metrics = {{"flaws", values}};
  return report;
}

std::vector<size_t> moments_of(const Report& report, size_t count = 10) {
  return worst_moments(report, kLowIsGood, report.metrics[0].values, count);
}

TEST(Moments, AreTheHighestOfTheirSecond) {
  std::vector<double> values(200, 0.5);
  values[30] = 9;
  values[54] = 8;  // 0.96 s behind a higher one
  values[110] = 7;
  values[135] = 7;  // a second behind: a moment of its own
  EXPECT_THAT(moments_of(report_of(values), 3), ElementsAre(30, 110, 135));
  EXPECT_THAT(moments_of(report_of(values), 1), ElementsAre(30));
  EXPECT_THAT(moments_of(report_of(values), 0), IsEmpty());
  EXPECT_THAT(moments_of(report_of(values, false), 3), ElementsAre(30, 110, 135));
}

TEST(Moments, NothingAndNoNumberAreNone) {
  EXPECT_THAT(moments_of(report_of({0, 0, NAN, -1})), IsEmpty());
  EXPECT_THAT(moments_of(report_of({})), IsEmpty());
  EXPECT_THAT(moments_of(report_of({0, NAN, 2, NAN})), ElementsAre(2));
}

// Seen in a mirror, a metric of which higher is better has the same moments.
TEST(Moments, WhereHighIsGoodTheyAreTheLowest) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    std::mt19937 random(seed);
    std::vector<double> values(200), mirrored;
    for (double& value : values) value = static_cast<double>(random() % 30) - 1;
    for (const double value : values) mirrored.push_back(-value);
    const Report report = report_of(values);
    ASSERT_EQ(worst_moments(report, kHighIsGood, mirrored, 5), moments_of(report, 5)) << seed;
  }
}

TEST(Moments, WhatIsNeitherGoodNorBadHasNone) {
  EXPECT_THAT(worst_moments(report_of({1, 2}), {.name = "level"}, std::vector<double>{1, 2}, 3), IsEmpty());
}

// Without a flawless score the best of all frames is one, if nothing else is near.
TEST(Moments, WhereNothingIsFlawlessEveryFrameCounts) {
  const MetricInfo decibels = {.name = "db", .better = Better::kHigher};
  EXPECT_THAT(worst_moments(report_of({60, 60, 59}), decibels, std::vector<double>{60, 60, 59}, 3),
              ElementsAre(2));
}

// Frames of 1/24 s: 24 of them are a second, whatever the sum of rounding errors.
TEST(Moments, AFullSecondIsNotLess) {
  for (int start = 0; start < 1000; ++start) {
    Report report = report_of({5, 4});
    report.frames = {start, start + 24};
    report.timestamps = {start / 24.0, (start + 24) / 24.0};
    EXPECT_EQ(moments_of(report).size(), 2U) << start;
  }
}

// What the finder returns, of random scores in random scenes: the worst of each scene, then the worst of the
// others.
TEST(Moments, ScenesComeFirst) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    std::vector<double> values(random() % 400);
    for (double& value : values) value = static_cast<double>(random() % 30) - 1;
    Report report = report_of(values);
    report.run.scene_cuts.emplace();
    for (size_t i = 1; i < values.size(); ++i) {
      if (random() % 40 == 0) report.run.scene_cuts->push_back(static_cast<int64_t>(i));
    }
    std::vector<size_t> scenes, others;
    std::vector<int64_t> ends = *report.run.scene_cuts;
    ends.push_back(static_cast<int64_t>(values.size()));
    size_t begin = 0;
    for (const int64_t end : ends) {
      const auto stop = static_cast<size_t>(end);
      Report scene = report_of({values.begin() + static_cast<std::ptrdiff_t>(begin), values.begin() + end});
      const std::vector<size_t> all = moments_of(scene, values.size());
      for (size_t k = 0; k < all.size(); ++k) (k == 0 ? scenes : others).push_back(begin + all[k]);
      begin = stop;
    }
    const auto is_before = [&](size_t a, size_t b) {
      return values[a] != values[b] ? values[a] > values[b] : a < b;
    };
    std::ranges::sort(scenes, is_before);
    std::ranges::sort(others, is_before);
    for (const size_t count : {1, 4, 12}) {
      std::vector<size_t> expected(
          scenes.begin(), scenes.begin() + static_cast<std::ptrdiff_t>(std::min(count, scenes.size())));
      const size_t rest = std::min(count - expected.size(), others.size());
      expected.insert(expected.end(), others.begin(), others.begin() + static_cast<std::ptrdiff_t>(rest));
      std::ranges::sort(expected, is_before);
      ASSERT_EQ(moments_of(report, count), expected) << seed << ", " << count;
    }
  }
}

// The definition, frame by frame.
std::vector<size_t> by_definition(const Report& report, size_t count) {
  const std::vector<double>& values = report.metrics[0].values;
  std::vector<size_t> moments;
  for (size_t i = 0; i < values.size(); ++i) {
    bool highest = values[i] > 0;
    for (size_t j = 0; j < values.size(); ++j) {
      if (std::fabs(*report.timestamps[i] - *report.timestamps[j]) > 0.999 || j == i) continue;
      highest = highest && (j < i ? values[i] > values[j] : values[i] >= values[j]);
    }
    if (highest) moments.push_back(i);
  }
  std::ranges::stable_sort(moments, [&](size_t a, size_t b) { return values[a] > values[b]; });
  moments.resize(std::min(moments.size(), count));
  return moments;
}

TEST(Moments, RandomScoresAgreeWithTheDefinition) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const int levels = 2 + static_cast<int>(random() % 40);
    std::vector<double> values(random() % 400);
    for (double& value : values) value = static_cast<double>(random() % static_cast<unsigned>(levels)) - 1;
    const Report report = report_of(values);
    for (const size_t count : {1, 3, 100})
      ASSERT_EQ(moments_of(report, count), by_definition(report, count)) << "seed " << seed;
  }
}

// Pictures are only kept of frames that it holds: those it returns in the end must be among them all the
// time. Whoever takes pictures of moments should not take one of a moment that will not be kept.
TEST(Moments, AsksForNothingThatAnEarlierOneOutranks) {
  MomentFinder finder(kLowIsGood, 1);
  EXPECT_TRUE(finder.add({0, 0.0, 5.0}));
  EXPECT_FALSE(finder.add({50, 2.0, 5.0}));
  EXPECT_TRUE(finder.add({100, 4.0, 5.5}));
}

TEST(Moments, HoldsWhatItReturns) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    MomentFinder finder(kLowIsGood, 3);
    std::vector<int64_t> kept;
    for (int64_t i = 0; i < 500; ++i) {
      if (finder.add({i, std::nullopt, static_cast<double>(random() % 50)})) kept.push_back(i);
      std::erase_if(kept, [&](int64_t frame) { return !finder.holds(frame); });
      ASSERT_LE(kept.size(), 4U);
      for (const TimedScore& moment : finder.worst())
        ASSERT_NE(std::ranges::find(kept, moment.frame), kept.end()) << seed << " " << i;
    }
  }
}

}  // namespace

}  // namespace vq
