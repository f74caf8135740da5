// Scores the clips of golden cases on every backend: what they find in the clips' own pictures is the same to
// the last bit, with heatmaps and without. What it is to be is the business of the tests of the program.
// golden_on_device [--device N|NAME] [--backends hybrid,vulkan] [--validate] [--most SAMPLES] [--part I/N]
// GOLDEN.json INPUT... Each INPUT is FILE:WxH@DEPTH, a clip's bare luma as decode_luma.sh makes it: 8-bit
// samples in bytes, deeper ones in 16-bit words, frame after frame. With /420, /422 or /444 behind it each
// frame's chroma follows its luma. Needs no FFmpeg, so that it runs wherever there is a device.
//
// --validate makes any word of the validation layer a failure. --most leaves out the cases with larger
// pictures, --part all but every N-th case from the I-th (from 0). Cases whose videos are no whole clips, or
// that the feature refuses on every backend, are left out. The exit code is 1 if anything differs, or if no
// case was compared.
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "tests/support/gate_run.h"

namespace vq::test {
namespace {

using nlohmann::json;

struct Arguments {
  std::string device, golden;
  std::vector<Backend> backends = {Backend::kHybrid, Backend::kVulkan};
  bool validate = false;
  long long most_samples = 1LL << 40;
  size_t part = 0, parts = 1;
  std::map<std::string, std::string> inputs;  // by the clip's name without its ending
};

std::vector<Backend> parse_backends(const std::string& text) {
  if (text == "hybrid") return {Backend::kHybrid};
  if (text == "vulkan") return {Backend::kVulkan};
  if (text == "hybrid,vulkan") return {Backend::kHybrid, Backend::kVulkan};
  throw Error(ErrorKind::kUsage, "--backends is hybrid, vulkan or hybrid,vulkan, not " + text);
}

void parse_flag(const std::string& flag, const std::string& value, Arguments& result) {
  if (flag == "--device") {
    result.device = value;
  } else if (flag == "--backends") {
    result.backends = parse_backends(value);
  } else if (flag == "--most" && parse_int(value, result.most_samples)) {
    return;
  } else if (flag != "--part" || std::sscanf(value.c_str(), "%zu/%zu", &result.part, &result.parts) != 2) {
    throw Error(ErrorKind::kUsage, flag + " cannot be " + value);
  }
}

Arguments parse(int count, char** words) {
  Arguments result;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--validate") {
      result.validate = true;
    } else if (word.starts_with("--")) {
      parse_flag(word, ++i < count ? words[i] : "", result);
    } else if (result.golden.empty()) {
      result.golden = word;
    } else {
      result.inputs[std::filesystem::path(word.substr(0, word.rfind(':'))).stem()] = word;
    }
  }
  return result;
}

bool is_whole_clips(const json& golden) {
  for (const char* key : {"distorted_filter", "reference_filter", "bits", "tool", "model"}) {
    if (golden.contains(key)) return false;
  }
  const auto is_clip = [&](const char* key) { return golden.contains(key) && golden.at(key).is_string(); };
  return is_clip("clip") || (is_clip("distorted") && (is_clip("reference") || !golden.contains("reference")));
}

std::string feature_text(const json& golden, const std::string& feature) {
  std::string text = golden.value("feature", feature);
  char before = '=';
  for (const auto& [key, value] : golden.at("options").items()) {
    text += before + key + "=" + (value.is_string() ? value.get<std::string>() : value.dump());
    before = ':';
  }
  return text;
}

struct Clip {
  std::string path;
  VideoFormat format;
};

Clip parse_clip(const std::string& text) {
  const size_t colon = text.rfind(':'), slash = text.find('/', text.rfind('@'));
  Clip clip = {text.substr(0, colon), {.name = text, .chroma = Chroma::k400}};
  VideoFormat& format = clip.format;
  const std::map<std::string, Chroma> chromas = {
      {"/420", Chroma::k420}, {"/422", Chroma::k422}, {"/444", Chroma::k444}};
  const auto chroma = chromas.find(slash == std::string::npos ? "" : text.substr(slash));
  if (chroma != chromas.end()) format.chroma = chroma->second;
  if (colon == std::string::npos || (slash != std::string::npos && chroma == chromas.end()) ||
      std::sscanf(text.c_str() + colon, ":%dx%d@%d", &format.width, &format.height, &format.bit_depth) != 3)
    throw Error(ErrorKind::kUsage, "an input is FILE:WxH@DEPTH[/420, /422 or /444], not " + text);
  return clip;
}

// The next one, without an owner at the end.
Frame read_frame(const VideoFormat& format, std::istream& file) {
  const PlaneSize luma = {format.width, format.height};
  const int64_t sample_bytes = format.bit_depth == 8 ? 1 : 2;
  const int planes = plane_count(format.chroma);
  const auto bytes = std::make_shared<std::vector<char>>(
      static_cast<size_t>(sample_count(luma, format.chroma, planes) * sample_bytes));
  if (!file.read(bytes->data(), static_cast<std::streamsize>(bytes->size()))) return {};
  Frame frame;
  frame.bit_depth = format.bit_depth;
  const char* next = bytes->data();
  for (int i = 0; i < planes; ++i) {
    const PlaneSize size = plane_size(luma, format.chroma, i);
    SampleView& plane = frame.planes[static_cast<size_t>(i)];
    if (sample_bytes == 1) {
      plane.u8 = {reinterpret_cast<const uint8_t*>(next), size.width, size.height, size.width};
    } else {
      plane.u16 = {reinterpret_cast<const uint16_t*>(next), size.width, size.height, size.width};
    }
    next += sample_bytes * size.width * size.height;
  }
  frame.owner = bytes;
  return frame;
}
GateVideo read_clip(const Clip& clip) {
  GateVideo video = {.format = clip.format, .frames = {}};
  std::ifstream file(clip.path, std::ios::binary);
  for (Frame frame = read_frame(clip.format, file); frame.owner; frame = read_frame(clip.format, file)) {
    frame.index = static_cast<int64_t>(video.frames.size());
    video.frames.push_back(std::move(frame));
  }
  if (video.frames.empty()) throw Error(ErrorKind::kInput, clip.path + " holds no frame of that size");
  return video;
}

class Comparison {
 public:
  explicit Comparison(const Arguments& arguments)
      : arguments_(arguments),
        device_(vulkan::Device::open(
            {.selector = arguments.device,
             .cache_folder = {},
             .validation = arguments.validate ? vulkan::Validation::kCore : vulkan::Validation::kOff})) {
    std::printf("%s, Vulkan %s, validation %s\n", device_->label().c_str(),
                device_->info().api_version.c_str(), arguments.validate ? "on" : "off");
  }

  void compare(const json& golden) {
    const std::string feature = feature_text(golden, std::filesystem::path(arguments_.golden).stem());
    const std::string name = feature.substr(0, feature.find('='));
    // Some golden figures are of features that are not here.
    if (!is_whole_clips(golden) || std::ranges::count(features(), name, &FeatureInfo::name) == 0) {
      ++left_out_;
      return;
    }
    const std::string distorted_clip = golden.value("distorted", golden.value("clip", ""));
    const Clip clip = clip_of(distorted_clip);
    if (static_cast<long long>(clip.format.width) * clip.format.height > arguments_.most_samples) return;
    const GateVideo distorted = read_clip(clip);
    GateVideo reference = read_clip(clip_of(golden.value("reference", distorted_clip)));
    const auto skipped = golden.value("skip_reference", std::ptrdiff_t{0});
    reference.frames.erase(reference.frames.begin(), reference.frames.begin() + skipped);
    GateRun run = {.features = {feature}, .distorted = &distorted, .reference = &reference};
    const GateOutcome expected = outcome_of(run, {.backend = Backend::kScalar});
    std::string faults = faults_of(run, expected);
    if (find_feature(name).heatmaps != nullptr) {
      run.has_maps = true;
      faults += faults_of(run, outcome_of(run, {.backend = Backend::kScalar}));
    }
    const bool is_refused = expected.rows.empty() && !expected.error.empty();
    ++(faults.empty() ? is_refused ? left_out_ : cases_ : failed_);
    frames_ += expected.rows.size();
    std::printf("%s %s (%zu frames)\n%s", faults.empty() ? is_refused ? "left out" : "same" : "FAIL",
                to_string(run).c_str(), expected.rows.size(),
                (is_refused ? "  " + expected.error + "\n" : faults).c_str());
    std::fflush(stdout);
  }

  bool finish() const {
    std::printf("%zu cases the same, %zu with differences, %zu left out; %zu frames\n", cases_, failed_,
                left_out_, frames_);
    return cases_ > 0 && failed_ == 0;
  }

 private:
  Clip clip_of(const std::string& clip) const {
    const auto found = arguments_.inputs.find(std::filesystem::path(clip).stem());
    if (found == arguments_.inputs.end())
      throw Error(ErrorKind::kUsage, "no input has the samples of " + clip);
    return parse_clip(found->second);
  }

  std::string faults_of(const GateRun& run, const GateOutcome& expected) const {
    const auto differs = [&](const GateWay& way) {
      const GateOutcome actual = outcome_of(run, way);
      return actual == expected
                 ? ""
                 : " " + std::string(to_string(way.backend)) + ":\n" + difference(expected, actual);
    };
    std::string faults = differs({.backend = Backend::kCpu});
    for (const Backend backend : arguments_.backends) {
      if (is_left_to_host(run, backend)) continue;
      const Place own = device_->can_share_memory() ? Place::kDevice : Place::kEither;
      for (const Place place : {Place::kHost, Place::kStore, own}) {
        // Where frames lie is nothing that heatmaps depend on.
        if (place != Place::kHost && (expected.rows.empty() || run.has_maps)) continue;
        faults += differs({.backend = backend, .device = device_, .place = place});
      }
    }
    for (const std::string& message : device_->take_messages()) faults += "  " + message + "\n";
    return faults;
  }

  const Arguments& arguments_;
  const std::shared_ptr<vulkan::Device> device_;
  size_t cases_ = 0, failed_ = 0, left_out_ = 0, frames_ = 0;
};

int compare_all(const Arguments& arguments) {
  std::ifstream file(arguments.golden);
  const json cases = json::parse(file).at("cases");
  Comparison comparison(arguments);
  for (size_t i = arguments.part; i < cases.size(); i += arguments.parts) comparison.compare(cases[i]);
  return comparison.finish() ? 0 : 1;
}

}  // namespace
}  // namespace vq::test

int main(int count, char** words) {
  try {
    return vq::test::compare_all(vq::test::parse(count, words));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "golden_on_device: error: %s\n", error.what());
    return 2;
  }
}
