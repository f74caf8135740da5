// Reports that several tests use.
#pragma once

#include <cmath>
#include <fstream>
#include <iterator>

#include "engine/report/report.h"

namespace vq {

inline std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline InputFacts sample_input(const std::string& role, const std::string& path) {
  InputFacts input;
  input.role = role;
  input.path = path;
  input.container = "matroska,webm";
  input.codec = "hevc";
  input.pixel_format = "yuv420p10le";
  input.width = 3840;
  input.height = 2160;
  input.bit_depth = 10;
  input.chroma = "4:2:0";
  input.range = "limited";
  input.transfer = "pq";
  input.matrix = "bt2020";
  input.frame_rate = 24000.0 / 1001;
  input.frames = 1440;
  input.skipped = 12;
  input.file_bytes = 225225000;
  input.duration = 60.06;
  input.bit_rate = 29500000;
  input.bit_rate_of = "stream";
  input.encoder = "x265 (build 199)";
  input.encoder_settings = "crf=18.0 preset=slow";
  input.decoder = "hevc (cuda)";
  input.film_grain = "applied";
  return input;
}

// A run over one video of 1440 frames at 24000/1001 frames a second: scores rise from 0 to 1439/240 and the
// last frame of all has the highest.
inline Report sample_report() {
  Report report;
  report.version = "0.1.0";
  report.fps = 41.2;
  report.width = 3840;
  report.height = 2160;
  Metric& metric = report.metrics.emplace_back();
  metric.name = "cambi_eotf_pq";
  for (int i = 0; i < 1440; ++i) {
    report.frames.push_back(i);
    report.timestamps.push_back(i * 1001 / 24000.0);
    metric.values.push_back(i / 240.0);
  }
  report.run.inputs = {sample_input("distorted", "show.mkv")};
  report.run.arguments = {"cambi", "show.mkv", "-o", "show.json"};
  // Two that call options alike, and have them in another order.
  report.run.features = {{"cambi", {{"window_size", "65"}, {"eotf", "pq"}}},
                         {"psnr", {{"eotf", "hlg"}, {"window_size", "3"}}}};
  report.run.models = {{.name = "of_tests",
                        .source = "a \"model\".json",
                        .metrics = {"cambi", "psnr_y"},
                        .unsuited = "of_tests is for tests"}};
  report.run.backend = "cpu";
  report.run.simd = "AVX2";
  report.run.threads = 2;
  report.run.wall_seconds = 34.95;
  return report;
}

// A report with every fact there is about a run, none of them as it is where nothing was said. It has more
// than ten moments.
inline Report full_report() {
  Report report = sample_report();
  for (size_t i = 0; i < 14; ++i) report.metrics[0].values[i * 100] = 7 + static_cast<double>(i * i % 11) / 3;
  report.texts = {{"mark", {}}, {"label", {}}};
  for (const int64_t frame : report.frames) {
    report.texts[0].values.push_back(std::to_string(frame * 7919));
    report.texts[1].values.push_back("\"shot\" " + std::to_string(frame / 100));
  }
  report.aggregates = {{"zulu", 41.25}, {"alpha", 38.5}};
  RunFacts& run = report.run;
  run.inputs.push_back(sample_input("reference", "master.mov"));
  run.device = "GPU 0";
  run.driver = "580.1";
  run.certificate = "0123456789abcdef";
  run.stages = {{"upload", 1.5}, {"preprocess", 2}, {"mask", 0.25}, {"readback", 3.125}};
  run.host_stages = {{"c_values", 812.5}};
  run.bytes_uploaded = 3041280;
  run.pace = PaceFacts{.seconds = {0.25, 1.5, 0.125, 0.0625, 0.5, 0.03125}};
  run.bytes_read = 1640;
  run.crop = Rectangle{0, 280, 3840, 1600};
  run.reference_crop = Rectangle{0, 300, 3840, 1600};
  run.complete = false;
  run.repeated_frames = 3;
  run.thresholds = {{"p95>+1", "cambi_eotf_pq", "p95", 5.5, true, 4.25},
                    {"max>=9", "cambi_eotf_pq", "max", 8.75, false}};
  run.segments = {
      SegmentFacts{.metric = "cambi_eotf_pq",
                   .rule = {.from = 5, .until = 4.5, .shortest_frames = 2, .shortest_seconds = 0.25},
                   .list = {{.first = 100,
                             .last = 101,
                             .start = 4.125,
                             .end = 4.25,
                             .mean = 7.5,
                             .worst = 8,
                             .worst_frame = 101},
                            {.first = 1200,
                             .last = 1439,
                             .start = std::nullopt,
                             .end = std::nullopt,
                             .mean = 5.5,
                             .worst = 6,
                             .worst_frame = 1439}}},
      SegmentFacts{
          .metric = "psnr_y", .rule = {.from = 30, .until = 30, .smoothed_seconds = 0.5}, .list = {}}};
  run.scene_cuts = {100, 624};
  run.origin = OriginFacts{.files = {{"/films/show.mkv", 225225000, "1732299999.012345678"}},
                           .scores = "feature=cambi:topk=0.6; frames=0",
                           .outputs = "threshold=p95>5"};
  run.notes = {"crop=3840:1600:0:280 (without black bars)", "eotf=pq (from the stream)"};
  run.warnings = {"one", "two"};
  return report;
}

// Everything that is awkward in a document: names that need escapes or are not UTF-8, scores that are not
// finite, times that are unknown, a device, warnings, two inputs.
inline Report awkward_report() {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  Report report = sample_report();
  report.frames = {0, 4, 8};
  report.timestamps = {0.0, std::nullopt, kNaN};
  report.metrics = {{"cambi", {1.5, HUGE_VAL, 2.25}}, {"a<b>&\"c'\n\x1b\xff", {0.0, kNaN, -0.0}}};
  report.run.inputs = {sample_input("distorted", "caf\xe9 \"x\"\n.mkv"),
                       sample_input("reference", "\xf0\x28.mkv")};
  InputFacts& unknown = report.run.inputs[1];
  unknown.frame_rate.reset();
  unknown.file_bytes.reset();
  unknown.duration.reset();
  unknown.bit_rate.reset();
  unknown.bit_rate_of = unknown.encoder = unknown.encoder_settings = unknown.decoder = unknown.film_grain =
      "";
  report.run.arguments = {"cambi", "-r", "\xf0\x28.mkv", "-d", "caf\xe9 \"x\"\n.mkv"};
  report.run.device = "GPU \"0\"";
  report.run.driver = "1.2\\3";
  report.run.stages = {{"upload", 1.5}, {"mask", 0.25}};
  report.run.bytes_uploaded = int64_t{1} << 40;
  report.run.bytes_read = 164;
  report.run.complete = false;
  report.run.warnings = {"it ended early\x01"};
  return report;
}

}  // namespace vq
