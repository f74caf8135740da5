// Measures whole frames on a Vulkan device: gpu_score_bench [--device N|NAME] [--frames N] [--window N]
// [--tiles THREADS,WORDS,ROWS,KEEP]... [--scan] [--rate] [--queues N] INPUT... Each INPUT is as in
// tests/program/raw_input.h. Every way to make c-values that is named, or else the one the device would get,
// is timed stage by stage;
// --scan adds the direct window scan; --rate measures frames a second from host memory through the extractor,
// copied by threads and from where decoders write; --queues is how many there are for stages at most.
//
// Or whole runs of any features over pairs of made-up pictures: gpu_score_bench --model SPEC|--feature F ...
// [--backend vulkan|hybrid|cpu|scalar]... [--threads N]... [--device N|NAME] [--frames N|--seconds S]
// [--pairs N] film:WxH@DEPTH...
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <thread>

#include "core/error.h"
#include "core/metric.h"
#include "core/worker_pool.h"
#include "feature/cambi/cambi.h"
#include "feature/cambi/device.h"
#include "feature/device_feature.h"
#include "tests/bench/bench_whole_runs.h"
#include "tests/program/raw_input.h"
#include "tests/support/cambi_host.h"
#include "tests/support/stored_frame.h"
#include "vulkan/shader.h"

namespace vq::cambi {
namespace {

using Clock = std::chrono::steady_clock;
using gpu::Scoring;
using gpu::ScoringChoice;
constexpr std::chrono::seconds kTimeout{60};
constexpr int kWarmUp = 5;

struct Arguments {
  std::string device;
  std::optional<int> frames;
  int window = 65;
  uint32_t queues = 8;
  bool scan = false, rate = false;
  std::vector<gpu::CValueTiles> tiles;
  std::vector<std::string> inputs;
  // Of whole runs.
  std::vector<std::string> models, features;
  std::vector<Backend> backends;
  std::vector<int> threads;
  double seconds = 3;
  int pairs = 12;

  int stage_frames() const { return frames.value_or(100); }
};

gpu::CValueTiles parse_tiles(const std::string& text) {
  gpu::CValueTiles tiles;
  int keep = 1;
  if (std::sscanf(text.c_str(), "%u,%u,%u,%d", &tiles.threads, &tiles.row_words, &tiles.rows_each, &keep) !=
      4) {
    throw Error(ErrorKind::kUsage, "tiles are THREADS,WORDS,ROWS,KEEP, not " + text);
  }
  tiles.keep_planes = keep != 0;
  return tiles;
}

Backend parse_backend(const std::string& text) {
  for (const Backend backend : {Backend::kScalar, Backend::kCpu, Backend::kHybrid, Backend::kVulkan}) {
    if (to_string(backend) == text) return backend;
  }
  throw Error(ErrorKind::kUsage, "there is no backend " + text);
}

int at_least_one(const std::string& text) {
  return std::max(1, std::atoi(text.c_str()));
}

void set(Arguments& result, const std::string& word, const std::string& value) {
  const std::map<std::string, std::function<void()>> setters = {
      {"--device", [&] { result.device = value; }},
      {"--frames", [&] { result.frames = at_least_one(value); }},
      {"--queues", [&] { result.queues = static_cast<uint32_t>(at_least_one(value)); }},
      {"--window", [&] { result.window = std::atoi(value.c_str()); }},
      {"--tiles", [&] { result.tiles.push_back(parse_tiles(value)); }},
      {"--model", [&] { result.models.push_back(value); }},
      {"--feature", [&] { result.features.push_back(value); }},
      {"--backend", [&] { result.backends.push_back(parse_backend(value)); }},
      {"--threads", [&] { result.threads.push_back(at_least_one(value)); }},
      {"--seconds", [&] { result.seconds = std::max(0.01, std::atof(value.c_str())); }},
      {"--pairs", [&] { result.pairs = at_least_one(value); }},
  };
  const auto setter = setters.find(word);
  if (setter == setters.end()) throw Error(ErrorKind::kUsage, "there is no flag " + word);
  setter->second();
}

Arguments parse(int count, char** words) {
  Arguments result;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--scan") {
      result.scan = true;
    } else if (word == "--rate") {
      result.rate = true;
    } else if (word.substr(0, 2) != "--") {
      result.inputs.push_back(word);
    } else if (i + 1 < count) {
      set(result, word, words[++i]);
    } else {
      throw Error(ErrorKind::kUsage, word + " lacks a value");
    }
  }
  return result;
}

// Prints the stages' median times in a row, and their sum without the upload.
void measure(vulkan::Context& context, const CambiPlan& plan, const Input& input, const ScoringChoice& choice,
             int frames) {
  gpu::ScoredPicture picture(context, plan, choice);
  vulkan::Recorder recorder(context.device());
  vulkan::DevicePicture luma(context.device(), input.format, 1);
  recorder.begin_stage("upload");
  luma.record(recorder);
  picture.record(recorder, luma.plane(0));
  vulkan::CommandList list = recorder.finish();
  std::map<std::string, std::vector<double>> times;
  std::vector<std::string> names;
  std::vector<double> inner;
  double score = 0;
  for (int i = 0; i < kWarmUp + frames; ++i) {
    luma.upload(input.frames[static_cast<size_t>(i) % input.frames.size()]);
    list.submit();
    list.wait(kTimeout);
    if (i < static_cast<int>(input.frames.size())) score += frame_score(plan, picture.sums());
    if (i < kWarmUp) continue;
    names.clear();
    double sum = 0;
    for (const vulkan::StageTime& time : list.times()) {
      names.push_back(time.stage);
      times[time.stage].push_back(time.milliseconds);
      if (time.stage != "upload") sum += time.milliseconds;
    }
    inner.push_back(sum);
  }
  const gpu::CValueTiles& tiles = choice.tiles;
  if (choice.method == Scoring::Method::kScan) {
    std::printf("  %-13s", "scan");
  } else {
    std::printf("  %3u,%u,%2u,%d   ", tiles.threads, tiles.row_words, tiles.rows_each,
                tiles.keep_planes ? 1 : 0);
  }
  for (const std::string& name : names) std::printf(" %s %.4f", name.c_str(), median(times[name]));
  std::printf(" | all but upload %.4f | scores %.12f\n", median(inner), score);
  std::fflush(stdout);
}

// From pictures in host memory to scores, the host's copies included.
void measure_rate(const std::shared_ptr<vulkan::Device>& device, const Input& input,
                  const Arguments& arguments) {
  VideoFormats formats;
  formats.distorted = input.format;
  CambiOptions options;
  options.window_size = arguments.window;
  for (const int threads : {1, 2, 4}) {
    WorkerPool pool(threads);
    const auto extractor = test::make_on_device(device, options, formats, {Backend::kVulkan, &pool});
    const int count = 8 * arguments.stage_frames();
    // As many as are on their way, so that none is fetched from the device's own cache.
    std::vector<Frame> stored;
    for (size_t i = 0; i < 8; ++i) {
      stored.push_back(
          vq::test::stored_copy(input.frames[i % input.frames.size()], *extractor->frame_store()));
    }
    const double copied = frames_a_second(*extractor, input.frames, count);
    const auto again = test::make_on_device(device, options, formats, {Backend::kVulkan, &pool});
    std::printf("  %d threads: %.1f frames/s from host memory, %.1f from where decoders write\n", threads,
                copied, frames_a_second(*again, stored, count));
  }
}

// Every backend that was named with every number of threads.
void measure_whole_runs(const Arguments& arguments) {
  const std::vector<std::string> usual = {"film:3840x2160@8"};
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  for (const std::string& text : arguments.inputs.empty() ? usual : arguments.inputs) {
    const auto [path, format] = parse_input(text);
    const std::optional<Synthetic> pictures = synthetic_kind(path);
    if (!pictures) throw Error(ErrorKind::kUsage, "whole runs are of made-up pictures, not of " + path);
    bench::WholeRun run = {
        .features = bench::requested_features(arguments.models, arguments.features, format),
        .format = format,
        .pictures = *pictures,
        .pairs = arguments.pairs,
        .device = arguments.device,
        .frames = arguments.frames.value_or(0),
        .seconds = arguments.seconds};
    std::printf("%s\n", text.c_str());
    for (const Backend backend :
         arguments.backends.empty() ? std::vector{Backend::kVulkan} : arguments.backends) {
      for (const int threads : arguments.threads.empty() ? std::vector{cores} : arguments.threads) {
        run.backend = backend;
        run.threads = threads;
        bench::measure_whole_run(run);
      }
    }
  }
}

void measure_stages(const Arguments& arguments) {
  const std::vector<std::string> usual = {"banded:3840x2160@8"};
  const auto device = vulkan::Device::open({.selector = arguments.device, .queues = arguments.queues});
  const vulkan::DeviceInfo& info = device->info();
  std::printf("%s, Vulkan %s, subgroups of %d, %lld bytes shared\n", device->label().c_str(),
              info.api_version.c_str(), info.subgroup_size, static_cast<long long>(info.shared_memory_bytes));
  std::printf("%u queues for stages\n", device->queues());
  const DeviceBandwidth bandwidth = measure_bandwidth(device);
  std::printf("copies: %.0f GB/s within the device (read + written), %.1f GB/s from the host\n",
              bandwidth.memory * 1e-9, bandwidth.upload * 1e-9);
  vulkan::Context context(device);
  for (const std::string& text : arguments.inputs.empty() ? usual : arguments.inputs) {
    const Input input = open_input(text);
    CambiOptions options;
    options.window_size = arguments.window;
    const CambiPlans plans = make_plans(options, {.distorted = input.format, .reference = {}});
    const CambiPlan& plan = plans.distorted;
    std::printf("%s, %zu frames, window %d\n", text.c_str(), input.frames.size(), plan.window);
    const std::vector<gpu::CValueTiles> chosen = {gpu::choose_tiles(plan, info)};
    for (const gpu::CValueTiles& tiles : arguments.tiles.empty() ? chosen : arguments.tiles) {
      const vulkan::ShaderNeeds needs = gpu::kCValuesShader.needs(tiles.constants(plan));
      if (!unsupported_reason(info, needs).empty()) continue;
      measure(context, plan, input, {.tiles = tiles}, arguments.stage_frames());
    }
    if (arguments.scan) {
      measure(context, plan, input, {.tiles = chosen[0], .method = Scoring::Method::kScan},
              std::max(3, arguments.stage_frames() / 20));
    }
    if (arguments.rate) measure_rate(device, input, arguments);
  }
}

}  // namespace
}  // namespace vq::cambi

int main(int count, char** words) {
  return vq::cambi::exit_code_of("gpu_score_bench", [&] {
    const vq::cambi::Arguments arguments = vq::cambi::parse(count, words);
    const bool are_whole = !arguments.models.empty() || !arguments.features.empty();
    are_whole ? vq::cambi::measure_whole_runs(arguments) : vq::cambi::measure_stages(arguments);
    return 0;
  });
}
