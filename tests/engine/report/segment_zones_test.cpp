// Zones for encoders, made of segments.
#include "engine/report/segment_zones.h"

#include <gtest/gtest.h>

#include <tuple>

#include "engine/report/report_writer.h"
#include "tests/support/golden_text.h"
#include "tests/support/report_test.h"

namespace vq {
namespace {

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

}  // namespace
}  // namespace vq
