// Scores golden cases on the CPU and on a Vulkan device and compares every value and heatmap:
// golden_on_device [--device N|NAME] [--backends hybrid,vulkan] [--validate] [--most SAMPLES] [--part I/N]
// GOLDEN.json INPUT... Each INPUT is raw luma as in raw_input.h, made by decode_luma.sh from the clip of that
// name. Needs no FFmpeg, so that it runs wherever there is a device.
//
// The CPU's values must equal the golden ones to 1e-9, the device's must equal the CPU's to the last bit: in
// a run with heatmaps, which must be equal too, and again in one without. Of a golden file of another
// feature, the backends are compared with each other: see golden_features.h. --validate makes any word of the
// validation layer a failure. --most leaves out the cases with larger pictures, --part all but every N-th
// case from the I-th (from 0). The exit code is 1 where anything differs, or where no case was compared.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/text.h"
#include "core/worker_pool.h"
#include "tests/program/golden_features.h"
#include "tests/program/raw_input.h"
#include "tests/support/cambi_host.h"
#include "vulkan/device.h"

namespace vq::cambi {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr double kGoldenTolerance = 1e-9;
constexpr size_t kAllFrames = 1000;

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

class Kept final : public ScoreSink {
 public:
  void scored(const FrameScores& scores) override {
    const FrameResult& result = scores.results.front();
    frames.push_back(result.values);
    for (const Plane<uint16_t>& map : result.heatmaps) {
      for (int y = 0; y < map.height(); ++y)
        heatmaps.insert(heatmaps.end(), map.row(y), map.row(y) + map.width());
    }
  }
  std::vector<std::vector<double>> frames;
  std::vector<uint16_t> heatmaps;
};

struct GoldenCase {
  std::string title;
  OptionSet options{Cambi::kOptions.specs()};
  Input distorted, reference;
  json frames;  // a value by each metric's name, for each frame
};

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

  void compare(const GoldenCase& golden) {
    const auto start = Clock::now();
    const Kept cpu = score(golden, Backend::kCpu, true);
    std::string faults = against_golden(golden, cpu);
    for (const Backend backend : arguments_.backends) {
      for (const bool heatmaps : {true, false}) {
        const Kept device = score(golden, backend, heatmaps);
        const std::string run =
            std::string(to_string(backend)) + (heatmaps ? " with heatmaps: " : " without heatmaps: ");
        faults += against_cpu(run, cpu, device);
        if (heatmaps && (cpu.heatmaps.empty() || device.heatmaps != cpu.heatmaps))
          faults += "  " + run + "other heatmaps\n";
      }
    }
    for (const std::string& message : device_->take_messages()) faults += "  " + message + "\n";
    ++cases_;
    samples_of_heatmaps_ += cpu.heatmaps.size();
    if (!faults.empty()) ++failed_;
    std::printf("%s %s (%zu frames, %.1f s)\n%s", faults.empty() ? "same" : "FAIL", golden.title.c_str(),
                cpu.frames.size(), std::chrono::duration<double>(Clock::now() - start).count(),
                faults.c_str());
    std::fflush(stdout);
  }

  const std::shared_ptr<vulkan::Device>& device() const { return device_; }

  bool finish() const {
    std::printf(
        "%zu cases, %zu with differences; %zu values and %zu samples of heatmaps of the CPU's; worst "
        "difference "
        "from the golden values %.3g, of the device from the CPU %.3g\n",
        cases_, failed_, values_, samples_of_heatmaps_, from_golden_, from_cpu_);
    return cases_ > 0 && failed_ == 0;
  }

 private:
  std::unique_ptr<FeatureExtractor> make(const GoldenCase& golden, const Execution& execution) const {
    const CambiOptions options = options_of<Cambi>(golden.options);
    const VideoFormats formats = {golden.distorted.format, golden.reference.format};
    return is_on_device(execution.backend) ? test::make_on_device(device_, options, formats, execution)
                                           : test::make_on_host(options, formats, execution);
  }

  Kept score(const GoldenCase& golden, Backend backend, bool heatmaps) {
    const auto extractor = make(golden, {.backend = backend, .pool = &pool_, .heatmaps = heatmaps});
    Kept kept;
    for (size_t i = 0; i < golden.distorted.frames.size(); ++i) {
      FramePair pair;
      pair.index = static_cast<int64_t>(i);
      pair.distorted = golden.distorted.frames[i];
      pair.reference = golden.reference.frames.at(i);
      extractor->push(pair, kept);
    }
    extractor->finish(kept);
    return kept;
  }

  std::string against_golden(const GoldenCase& golden, const Kept& cpu) {
    const std::vector<std::string> names = Cambi::metric_names(golden.options);
    if (cpu.frames.size() != golden.frames.size()) return "  another number of frames than the golden case\n";
    std::string faults;
    for (size_t i = 0; i < cpu.frames.size(); ++i) {
      if (golden.frames[i].size() != names.size()) faults += "  another number of metrics\n";
      for (size_t k = 0; k < names.size(); ++k) {
        const double difference = std::abs(golden.frames[i].at(names[k]).get<double>() - cpu.frames[i][k]);
        from_golden_ = std::max(from_golden_, difference);
        ++values_;
        if (difference <= kGoldenTolerance) continue;
        faults += "  cpu: frame " + std::to_string(i) + " " + names[k] + " is off by " +
                  std::to_string(difference) + "\n";
      }
    }
    return faults;
  }

  std::string against_cpu(const std::string& run, const Kept& cpu, const Kept& device) {
    if (device.frames.size() != cpu.frames.size()) return "  " + run + "another number of frames\n";
    std::string faults;
    for (size_t i = 0; i < cpu.frames.size(); ++i) {
      if (device.frames[i] == cpu.frames[i]) continue;
      double difference = 0;
      for (size_t k = 0; k < cpu.frames[i].size(); ++k)
        difference = std::max(difference, std::abs(device.frames[i].at(k) - cpu.frames[i][k]));
      from_cpu_ = std::max(from_cpu_, difference);
      faults += "  " + run + "frame " + std::to_string(i) + " is off by " + std::to_string(difference) + "\n";
    }
    return faults;
  }

  const Arguments& arguments_;
  std::shared_ptr<vulkan::Device> device_;
  WorkerPool pool_{2};
  size_t cases_ = 0, failed_ = 0, values_ = 0, samples_of_heatmaps_ = 0;
  double from_golden_ = 0, from_cpu_ = 0;
};

Input open_clip(const Arguments& arguments, const std::string& clip) {
  const auto found = arguments.inputs.find(std::filesystem::path(clip).stem());
  if (found == arguments.inputs.end()) throw Error(ErrorKind::kUsage, "no input is the luma of " + clip);
  return open_input(found->second, kAllFrames);
}

GoldenCase open_case(const Arguments& arguments, size_t number, const json& entry) {
  GoldenCase golden;
  const std::string distorted = entry.at("distorted"), reference = entry.value("reference", distorted);
  golden.title = std::to_string(number) + " " + distorted;
  for (const auto& [key, value] : entry.at("options").items()) {
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    golden.options.set(key, text);
    golden.title += " " + key + "=" + text;
  }
  golden.distorted = open_clip(arguments, distorted);
  golden.reference = reference == distorted ? golden.distorted : open_clip(arguments, reference);
  golden.frames = entry.at("frames");
  return golden;
}

// Cases that are not of two clips are not.
bool is_too_large(const Arguments& arguments, const json& entry) {
  const json clip = entry.value(entry.contains("clip") ? "clip" : "distorted", json());
  if (!clip.is_string()) return false;
  const auto found = arguments.inputs.find(std::filesystem::path(clip.get<std::string>()).stem());
  if (found == arguments.inputs.end()) return false;
  const VideoFormat format = parse_input(found->second).format;
  return static_cast<long long>(format.width) * format.height > arguments.most_samples;
}

// Luma alone is video without chroma.
vq::test::GateVideo whole_clip(const Arguments& arguments, const std::string& clip) {
  Input input = open_clip(arguments, clip);
  if (input.frames.front().planes[1].empty()) input.format.chroma = Chroma::k400;
  return {input.format, std::move(input.frames)};
}

bool run_features(const Arguments& arguments, const json& cases, std::shared_ptr<vulkan::Device> device) {
  vq::test::GoldenFeatures features(std::move(device), arguments.backends,
                                    [&](const std::string& clip) { return whole_clip(arguments, clip); });
  for (size_t i = arguments.part; i < cases.size(); i += arguments.parts) {
    if (!is_too_large(arguments, cases[i]))
      features.compare(cases[i], std::filesystem::path(arguments.golden).stem());
  }
  return features.finish();
}

bool run(const Arguments& arguments) {
  std::ifstream file(arguments.golden);
  const json cases = json::parse(file).at("cases");
  Comparison comparison(arguments);
  if (std::filesystem::path(arguments.golden).stem() != "cambi")
    return run_features(arguments, cases, comparison.device());
  for (size_t i = 0; i < cases.size(); ++i) {
    if (i % arguments.parts != arguments.part) continue;
    const GoldenCase golden = open_case(arguments, i, cases[i]);
    const VideoFormat& format = golden.distorted.format;
    if (static_cast<long long>(format.width) * format.height > arguments.most_samples) continue;
    comparison.compare(golden);
  }
  return comparison.finish();
}

}  // namespace
}  // namespace vq::cambi

int main(int count, char** words) {
  try {
    return vq::cambi::run(vq::cambi::parse(count, words)) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "golden_on_device: error: %s\n", error.what());
    return 2;
  }
}
