// The golden cases of SSIMULACRA 2, on the CPU: this program's definition, and the reference's figures.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/decoding/open_video.h"
#include "feature/ssimulacra2/ssimulacra2.h"
#include "tests/support/paths.h"

namespace vq::ssimulacra2 {
namespace {

using nlohmann::json;

json golden_cases() {
  std::ifstream stream(testdata("golden/ssimulacra2.json"));
  return json::parse(stream).at("cases");
}

struct Decoded {
  VideoFormat format;
  Frame frame;
};

Decoded decoded(const std::string& clip, int number) {
  cli::SourceOptions options;
  options.path = testdata("clips/" + clip);
  options.threads = 1;
  options.planes = kMaxPlanes;
  const std::unique_ptr<cli::VideoSource> source = cli::open_video(options);
  std::optional<Frame> frame = source->read();
  for (int i = 0; i < number && frame; ++i) frame = source->read();
  if (!frame) throw std::runtime_error(clip + " has no frame " + std::to_string(number));
  return {source->info().format, *frame};
}

// A frame with a pattern of -4 to 4 levels of 8 bits added to every plane.
struct Stirred {
  std::array<Plane<uint8_t>, kMaxPlanes> bytes;
  std::array<Plane<uint16_t>, kMaxPlanes> words;
  Frame frame;
};

template <typename T>
Plane<T> stirred_plane(PlaneView<const T> from, int plane, int number, int bit_depth) {
  Plane<T> to(from.width, from.height);
  const int most = (1 << bit_depth) - 1;
  for (int y = 0; y < from.height; ++y) {
    for (int x = 0; x < from.width; ++x) {
      const int change = ((7 * x + 13 * y + 5 * number + 3 * plane) % 9 - 4) * (1 << (bit_depth - 8));
      to.row(y)[x] = static_cast<T>(std::clamp(from.row(y)[x] + change, 0, most));
    }
  }
  return to;
}

Stirred stirred(const Decoded& from, int number) {
  Stirred result;
  result.frame.bit_depth = from.frame.bit_depth;
  for (int plane = 0; plane < plane_count(from.format.chroma); ++plane) {
    const auto i = static_cast<size_t>(plane);
    const SampleView& view = from.frame.planes[i];
    if (view.is_u8()) {
      result.bytes[i] = stirred_plane(view.u8, plane, number, 8);
      result.frame.planes[i].u8 = result.bytes[i].view();
    } else {
      result.words[i] = stirred_plane(view.u16, plane, number, from.frame.bit_depth);
      result.frame.planes[i].u16 = result.words[i].view();
    }
  }
  return result;
}

OptionSet options_of(const json& input, const char* form) {
  OptionSet set(feature_info().options);
  const std::string location = input.at("location");
  set.set("form", form);
  set.set("matrix", "bt" + input.at("matrix").get<std::string>());
  set.set("primaries", "bt" + input.value("primaries", "709"));
  set.set("transfer", input.at("transfer").get<std::string>());
  set.set("range", input.at("range").get<std::string>());
  set.set("chroma_location", location == "centre" ? "center" : location);
  return set;
}

void expect_case(const json& golden) {
  const std::string reference_clip = golden.at("reference");
  const int number = golden.at("frame");
  const Decoded reference = decoded(reference_clip, number);
  const bool is_stirred = golden.contains("stir");
  const Decoded distorted = is_stirred ? reference : decoded(golden.at("distorted"), number);
  const Stirred stir = is_stirred ? stirred(reference, number) : Stirred();
  const FramePair pair{.distorted = is_stirred ? stir.frame : distorted.frame, .reference = reference.frame};
  const VideoFormats formats = {distorted.format, reference.format};
  SCOPED_TRACE(golden.dump());
  for (const char* const form : {"short", "exact"}) {
    const OptionSet set = options_of(golden.at("input"), form);
    std::optional<double> first;
    for (const Execution& execution :
         {Execution{.backend = Backend::kCpu}, Execution{.backend = Backend::kCpu, .cpumask = 0x38},
          Execution{.backend = Backend::kScalar}}) {
      const double score = feature_info().make(set, formats, execution)->score(pair).values.at(0);
      EXPECT_NEAR(score, golden.at(std::string(form) + "_form").get<double>(), 0.001);
      if (!first) first = score;
      EXPECT_EQ(score, *first);
    }
  }
  // What the reference's rounding errors take away.
  const double theirs = golden.at("ssimulacra2"), ours = golden.at("short_form");
  EXPECT_GT(ours - theirs, -0.05);
  EXPECT_LT(ours - theirs, ours < 70 ? 0.1 : 2);
}

int64_t samples_of(const std::string& clip) {
  for (const auto& [text, samples] : {std::pair{"3840x2160", int64_t{3840} * 2160},
                                      {"1920x1080", int64_t{1920} * 1080},
                                      {"1280x720", int64_t{1280} * 720}}) {
    if (clip.find(text) != std::string::npos) return samples;
  }
  return 640 * 360;
}

TEST(Ssimulacra2GoldenFile, HasAllItsCases) {
  EXPECT_EQ(golden_cases().size(), 51U);
}

TEST(Ssimulacra2Golden, SmallPicturesHaveTheirScores) {
  for (const json& golden : golden_cases()) {
    if (samples_of(golden.at("reference")) <= 640 * 360) expect_case(golden);
  }
}

TEST(Ssimulacra2GoldenOfEverySize, PicturesHaveTheirScores) {
  for (const json& golden : golden_cases()) {
    if (samples_of(golden.at("reference")) > 640 * 360) expect_case(golden);
  }
}

}  // namespace
}  // namespace vq::ssimulacra2
