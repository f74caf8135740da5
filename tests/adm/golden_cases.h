// The golden cases of ADM: clips, most of them behind a filter of FFmpeg's that is done here in a few lines.
#pragma once

#include <algorithm>
#include <charconv>
#include <functional>

#include "tests/support/sha256.h"
#include "tests/support/still_sequence.h"

namespace vq::adm::test {

using namespace cli::test;
using cli::open_video;
using cli::SourceOptions;
using cli::VideoSource;

inline const json& adm_cases() {
  static const json kCases = sequence_cases("adm.json", "adm");
  return kCases;
}

// The first `count` frames from `first` on.
inline std::vector<Still> decoded(const std::string& clip, int64_t first, size_t count) {
  SourceOptions options;
  options.path = testdata("clips/" + clip);
  options.threads = 1;
  const std::unique_ptr<VideoSource> source = open_video(options);
  source->skip(first);
  std::vector<Still> stills;
  while (stills.size() < count) {
    const std::optional<Frame> frame = source->read();
    if (!frame) throw std::runtime_error(clip + " has too few frames");
    stills.push_back(still_of(*frame));
  }
  return stills;
}

// The numbers in a text, in order.
inline std::vector<int> numbers_in(const std::string& text) {
  std::vector<int> numbers;
  for (size_t i = 0; i < text.size();) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data() + i, text.data() + text.size(), number);
    if (error == std::errc()) numbers.push_back(number);
    i = error == std::errc() ? static_cast<size_t>(end - text.data()) : i + 1;
  }
  return numbers;
}

inline void map_levels(Still& still, const std::function<int(int)>& map) {
  for (uint16_t& sample : still.samples) sample = static_cast<uint16_t>(map(sample));
}

inline void mirror(Still& still) {
  for (int y = 0; y < still.height; ++y) {
    const auto first = still.samples.begin() + y * still.width;
    std::reverse(first, first + still.width);
  }
}

// One of the filters of the golden file.
inline void apply_filter(const std::string& filter, Still& still) {
  const std::vector<int> numbers = numbers_in(filter);
  if (filter == "hflip") {
    mirror(still);
  } else if (filter == "negate") {
    map_levels(still, [&](int level) { return (1 << still.bit_depth) - 1 - level; });
  } else if (filter.starts_with("crop=")) {
    still = crop_of(still, numbers.at(2), numbers.at(3), numbers.at(0), numbers.at(1));
  } else if (filter.starts_with("lutyuv=y=floor")) {
    map_levels(still, [&](int level) { return level / numbers.at(0) * numbers.at(0); });
  } else if (filter.starts_with("lutyuv=y='if(gt(val,127),255,0)'")) {
    map_levels(still, [](int level) { return level > 127 ? 255 : 0; });
    if (filter.ends_with(",hflip")) mirror(still);
  } else {
    throw std::runtime_error("unknown filter " + filter);
  }
}

// A side of a case, "reference" or "distorted".
inline std::vector<Still> side_of(const json& golden, const std::string& side) {
  const std::string filter = golden.value(side + "_filter", "");
  const bool is_trim = filter.starts_with("trim=");
  const int64_t first = is_trim ? numbers_in(filter).at(0) : 0;
  std::vector<Still> stills = decoded(golden.at(side), first, golden.at("frames").size());
  if (filter.empty() || is_trim) return stills;
  for (Still& still : stills) apply_filter(filter, still);
  return stills;
}

// So that a decoder or a filter that differs is not taken for a score that does.
inline std::string luma_sum(const std::vector<Still>& stills) {
  std::string bytes;
  for (const Still& still : stills) {
    for (const uint16_t sample : still.samples) {
      bytes.push_back(static_cast<char>(sample & 0xFF));
      if (still.bit_depth > 8) bytes.push_back(static_cast<char>(sample >> 8));
    }
  }
  return sha256_of(bytes);
}

inline void expect_case(size_t number, const std::vector<GoldenWay>& ways) {
  const json& golden = adm_cases().at(number);
  SCOPED_TRACE("case " + std::to_string(number));
  const TemporaryFolder folder;
  std::vector<std::string> paths;
  for (const std::string side : {"reference", "distorted"}) {
    const std::vector<Still> stills = side_of(golden, side);
    ASSERT_EQ(luma_sum(stills), golden.at("luma_sha256").at(paths.size()).get<std::string>()) << side;
    paths.push_back(folder.path() + "/" + side + ".y4m");
    write_stills(paths.back(), stills);
  }
  for (const GoldenWay& way : ways) {
    const json frames = report_of_run({"-r", paths[0], "-d", paths[1]}, {feature_text(golden)},
                                      {"--backend", way.backend, "--cpumask", std::to_string(way.cpumask),
                                       "--compare-anyway"})
                            .at("frames");
    ASSERT_EQ(frames.size(), golden.at("frames").size());
    for (size_t i = 0; i < frames.size(); ++i) {
      expect_same(frames[i].at("metrics"), golden.at("frames")[i], text_of(golden, way));
    }
  }
}

}  // namespace vq::adm::test
