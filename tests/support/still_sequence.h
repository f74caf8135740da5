// Golden cases whose videos may be sequences of stills: crops of clips, and noise.
#pragma once

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/decoding/open_video.h"
#include "tests/support/golden_cases.h"
#include "tests/support/test_video.h"

namespace vq::cli::test {

// The luma of a frame.
struct Still {
  int width = 0, height = 0, bit_depth = 8;
  std::vector<uint16_t> samples = {};
};

inline Still still_of(const Frame& frame) {
  const SampleView& luma = frame.luma();
  Still still = {.width = luma.width(), .height = luma.height(), .bit_depth = frame.bit_depth};
  for (int y = 0; y < still.height; ++y) {
    for (int x = 0; x < still.width; ++x)
      still.samples.push_back(luma.is_u8() ? luma.u8.row(y)[x] : luma.u16.row(y)[x]);
  }
  return still;
}

inline Still decoded_still(const std::string& clip, int number) {
  static std::map<std::pair<std::string, int>, Still> known;
  Still& still = known[{clip, number}];
  if (!still.samples.empty()) return still;
  SourceOptions options;
  options.path = testdata("clips/" + clip);
  options.threads = 1;
  const std::unique_ptr<VideoSource> source = open_video(options);
  std::optional<Frame> frame = source->read();
  for (int i = 0; i < number && frame; ++i) frame = source->read();
  if (!frame) throw std::runtime_error(clip + " has no frame " + std::to_string(number));
  return still = still_of(*frame);
}

inline Still crop_of(const Still& still, int x, int y, int width, int height) {
  Still crop = {.width = width, .height = height, .bit_depth = still.bit_depth};
  for (int row = y; row < y + height; ++row) {
    const auto first = still.samples.begin() + row * still.width + x;
    crop.samples.insert(crop.samples.end(), first, first + width);
  }
  return crop;
}

// One of ["random" or "binary", seed, low, high], in raster order.
inline Still noise_still(const json& noise, int width, int height, int bit_depth) {
  Still still = {.width = width, .height = height, .bit_depth = bit_depth};
  uint32_t state = noise[1].get<uint32_t>();
  const auto low = noise[2].get<uint32_t>(), high = noise[3].get<uint32_t>();
  for (int i = 0; i < width * height; ++i) {
    state = 1664525 * state + 1013904223;
    const uint64_t within = (uint64_t{state >> 8} * (high - low + 1)) >> 24;
    const uint32_t binary = state >= 0x80000000 ? high : low;
    still.samples.push_back(static_cast<uint16_t>(noise[0] == "binary" ? binary : low + within));
  }
  return still;
}

inline std::vector<Still> stills_of(const json& sequence, int bit_depth) {
  const int width = sequence.at("size")[0], height = sequence.at("size")[1];
  std::vector<Still> stills;
  for (const json& one : sequence.at("frames")) {
    const std::string first = one[0];
    const bool is_noise = first == "random" || first == "binary";
    stills.push_back(is_noise ? noise_still(one, width, height, bit_depth)
                              : crop_of(decoded_still(first, one[1]), one[2], one[3], width, height));
  }
  return stills;
}

inline void write_stills(const std::string& path, const std::vector<Still>& stills) {
  const Still& first = stills.front();
  std::string text = y4m_header(
      {.width = first.width, .height = first.height, .bit_depth = first.bit_depth, .chroma = "400"});
  for (const Still& still : stills) {
    text += "FRAME\n";
    for (const uint16_t sample : still.samples) {
      text.push_back(static_cast<char>(sample & 0xFF));
      if (still.bit_depth > 8) text.push_back(static_cast<char>(sample >> 8));
    }
  }
  write_file(path, text);
}

// The path of a golden case's video; a sequence of stills is written to `path`.
inline std::string video_path(const json& video, int bit_depth, const std::string& path) {
  if (video.is_string()) return testdata("clips/" + video.get<std::string>());
  write_stills(path, stills_of(video, bit_depth));
  return path;
}

// Samples of a frame, for those who choose cases that take little time; those of a clip are many.
inline int64_t frame_samples(const json& golden) {
  const json& video = golden.at("reference");
  return video.is_string() ? int64_t{1} << 20
                           : video.at("size")[0].get<int64_t>() * video.at("size")[1].get<int64_t>();
}

// Videos that are sequences of stills are written to the folder.
inline json sequence_report(const json& golden, const GoldenWay& way, const std::string& folder) {
  const int depth = golden.at("depth");
  std::vector<std::string> words = {"-r",
                                    video_path(golden.at("reference"), depth, folder + "/reference.y4m"),
                                    "-d",
                                    video_path(golden.at("distorted"), depth, folder + "/distorted.y4m"),
                                    "--backend",
                                    way.backend,
                                    "--cpumask",
                                    std::to_string(way.cpumask),
                                    "--compare-anyway"};  // whatever they show
  const json tool = golden.value("tool", json::object());
  for (const auto& [flag, value] : tool.items()) words.insert(words.end(), {"--" + flag, value.dump()});
  if (!golden.contains("frame_numbers"))
    words.insert(words.end(), {"--frame_cnt", std::to_string(golden.at("frames").size())});
  return report_of_run(words, {feature_text(golden)});
}

// Frame by frame the same metrics with the same values, to the last bit.
inline void expect_sequence(const json& golden, const GoldenWay& way) {
  const TemporaryFolder folder;
  const json frames = sequence_report(golden, way, folder.path()).at("frames");
  const json& expected = golden.at("frames");
  // Of sampled frames the file may have the first alone.
  if (golden.contains("frame_numbers")) {
    ASSERT_GE(frames.size(), expected.size());
  } else {
    ASSERT_EQ(frames.size(), expected.size());
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    const json number = golden.contains("frame_numbers") ? golden["frame_numbers"][i] : json(i);
    EXPECT_EQ(frames[i].at("frameNum"), number);
    expect_same(frames[i].at("metrics"), expected[i], text_of(golden, way) + ", frame " + number.dump());
  }
}

// The cases of a golden file whose videos are clips or sequences of stills, as the golden tests of several
// features go through them.

class SequenceGolden {
 public:
  // `file` is below testdata/golden.
  SequenceGolden(const std::string& file, const std::string& feature)
      : cases_(sequence_cases(file, feature)) {}

  size_t size() const { return cases_.size(); }

  // That the program scores these as the reference does, in each of these ways.
  void expect(const std::vector<size_t>& cases, const std::vector<GoldenWay>& ways) const {
    for (const size_t i : cases) {
      SCOPED_TRACE("case " + std::to_string(i));
      for (const GoldenWay& way : ways) expect_sequence(cases_.at(i), way);
    }
  }
  void expect_all(const std::vector<GoldenWay>& ways) const { expect(up_to(int64_t{1} << 62), ways); }

  // Those whose frames have no more samples.
  std::vector<size_t> up_to(int64_t samples) const {
    std::vector<size_t> found;
    for (size_t i = 0; i < size(); ++i) {
      if (frame_samples(cases_[i]) <= samples) found.push_back(i);
    }
    return found;
  }

 private:
  const json cases_;
};

// Both backends that use a device.
inline std::vector<GoldenWay> device_ways() {
  return {{"hybrid"}, {"vulkan"}};
}

}  // namespace vq::cli::test
