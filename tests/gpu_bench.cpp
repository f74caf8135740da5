// Measures the stages of CAMBI on a Vulkan device: gpu_bench [--device N|NAME] [--frames N] [--threads N]
// INPUT... An input is raw luma, FILE:WxH@DEPTH (8-bit samples in bytes, deeper ones in 16-bit words, frame
// after frame), or made up: banded:WxH@DEPTH, noise:WxH@DEPTH.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

#include "core/error.h"
#include "core/worker_pool.h"
#include "feature/cambi_hybrid.h"
#include "feature/cambi_jobs.h"
#include "feature/cambi_readback.h"
#include "tests/gpu_bench_input.h"

namespace vq::cambi {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kTimeout{60};
constexpr int kWarmUp = 10;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

struct Arguments {
  std::string device;
  int frames = 100;
  int threads = static_cast<int>(std::thread::hardware_concurrency());
  std::vector<std::string> inputs;
};

Arguments parse(int count, char** words) {
  Arguments result;
  const std::vector<std::string> all(words + 1, words + count);
  for (size_t i = 0; i < all.size(); ++i) {
    const bool more = i + 1 < all.size();
    if (all[i] == "--device" && more) {
      result.device = all[++i];
    } else if (all[i] == "--frames" && more) {
      result.frames = std::max(1, std::atoi(all[++i].c_str()));
    } else if (all[i] == "--threads" && more) {
      result.threads = std::max(1, std::atoi(all[++i].c_str()));
    } else {
      result.inputs.push_back(all[i]);
    }
  }
  if (result.inputs.empty()) result.inputs = {"banded:3840x2160@8"};
  return result;
}

// Median device time of copying one buffer to another, in ms.
double copy_ms(const std::shared_ptr<vulkan::Device>& device, const vulkan::Buffer& from,
               const vulkan::Buffer& to) {
  vulkan::Recorder recorder(device);
  recorder.begin_stage("copy");
  recorder.copy(from, to);
  vulkan::CommandList list = recorder.finish();
  std::vector<double> times;
  for (int i = 0; i < 15; ++i) {
    list.submit();
    list.wait(kTimeout);
    times.push_back(list.times().empty() ? 0 : list.times()[0].milliseconds);
  }
  return median(times);
}

// Returns the bandwidth of copies within the device, read and written bytes together, in bytes per ms.
double measure_bandwidth(const std::shared_ptr<vulkan::Device>& device) {
  using vulkan::Memory;
  const int64_t large = std::min<int64_t>(device->info().max_buffer_bytes / 4 * 4, int64_t{1} << 30);
  double inside = 0;
  {
    const vulkan::Buffer a(device, Memory::kDevice, large), b(device, Memory::kDevice, large);
    inside = 2.0 * static_cast<double>(large) / copy_ms(device, a, b);
  }
  const int64_t frame = int64_t{32} << 20;
  const vulkan::Buffer on(device, Memory::kDevice, frame), up(device, Memory::kUpload, frame),
      back(device, Memory::kReadback, frame);
  std::vector<char> host(static_cast<size_t>(frame), 1);
  const auto memcpy_ms = [&](void* to, const void* from) {
    std::vector<double> times;
    for (int i = 0; i < 9; ++i) {
      const auto start = Clock::now();
      std::memcpy(to, from, host.size());
      times.push_back(1e3 * seconds_since(start));
    }
    return median(times);
  };
  const double mb = static_cast<double>(frame) * 1e-6;
  std::printf("  copy within the device     %8.1f GB/s (read + written)\n", inside * 1e-6);
  std::printf("  upload, device fetches     %8.1f GB/s; host writes %6.1f GB/s\n",
              mb / copy_ms(device, up, on), mb / memcpy_ms(up.mapped(), host.data()));
  std::printf("  readback, device stores    %8.1f GB/s; host reads  %6.1f GB/s\n",
              mb / copy_ms(device, on, back), mb / memcpy_ms(host.data(), back.mapped()));
  return inside;
}

// Bytes a stage cannot do without moving.
double least_bytes(const std::string& stage, const CambiPlan& plan) {
  const auto samples = [](int64_t width, int64_t height) { return static_cast<double>(width * height); };
  const double in = samples(plan.input_width, plan.input_height) * (plan.input_depth == 8 ? 1 : 2);
  const double whole = samples(plan.width, plan.height);
  double scales = 0, filter = 0, decimate = 0, rows = whole;
  int last_width = plan.width;
  for (const ScalePlan& scale : plan.scales) {
    const bool halved = scale.width != last_width;
    const double own = samples(scale.width, scale.height);
    filter += 2 * own + 2 * (halved ? samples(last_width, scale.height) : rows);
    if (halved) decimate += 2 * own;
    scales += 3 * own;
    last_width = scale.width;
    rows = own;
  }
  if (stage == "upload") return in;
  if (stage == "preprocess") return in + 2 * whole;
  if (stage == "mask") return 3 * whole;
  if (stage == "mode_filter") return filter;
  if (stage == "decimate") return decimate;
  return scales;
}

struct Lane {
  Lane(gpu::Kernels& kernels, const CambiPlan& plan)
      : picture(kernels, plan), readback(kernels.device(), picture) {
    vulkan::Recorder recorder(kernels.device());
    picture.record(recorder);
    readback.record(recorder);
    list = recorder.finish();
  }
  gpu::Picture picture;
  gpu::Readback readback;
  vulkan::CommandList list;
};

void print_stages(gpu::Kernels& kernels, const CambiPlan& plan, const Input& input,
                  const Arguments& arguments, double bandwidth) {
  Lane lane(kernels, plan);
  std::vector<std::string> names;
  std::vector<std::vector<double>> times;
  std::vector<double> inner, whole;
  for (int i = 0; i < kWarmUp + arguments.frames; ++i) {
    lane.picture.upload(input.frames[static_cast<size_t>(i) % input.frames.size()].luma);
    const auto start = Clock::now();
    lane.list.submit();
    lane.list.wait(kTimeout);
    if (i < kWarmUp) continue;
    whole.push_back(1e3 * seconds_since(start));
    double sum = 0;
    const std::vector<vulkan::StageTime>& stages = lane.list.times();
    times.resize(stages.size());
    names.resize(stages.size());
    for (size_t k = 0; k < stages.size(); ++k) {
      names[k] = stages[k].stage;
      times[k].push_back(stages[k].milliseconds);
      if (names[k] != "upload" && names[k] != "readback") sum += stages[k].milliseconds;
    }
    inner.push_back(sum);
  }
  std::printf("  %-12s %9s %9s %11s %9s\n", "stage", "median ms", "best ms", "least MB", "of copy");
  for (size_t k = 0; k < names.size(); ++k) {
    const double bytes = least_bytes(names[k], plan), ms = median(times[k]);
    std::printf("  %-12s %9.4f %9.4f %11.2f %8.0f%%\n", names[k].c_str(), ms,
                *std::min_element(times[k].begin(), times[k].end()), bytes * 1e-6,
                100 * bytes / ms / bandwidth);
  }
  std::printf(
      "  stages of the device, without upload and readback: %.4f ms; submit to answer: %.4f ms; %d "
      "barriers\n",
      median(inner), median(whole), lane.list.barriers());
}

// What the device alone sustains: upload, stages and readback, with the host only copying luma.
void print_device_rate(gpu::Kernels& kernels, const CambiPlan& plan, const Input& input, int frames) {
  std::vector<std::unique_ptr<Lane>> lanes;
  for (int i = 0; i < 3; ++i) lanes.push_back(std::make_unique<Lane>(kernels, plan));
  const auto start = Clock::now();
  for (int i = 0; i < frames + 3; ++i) {
    Lane& lane = *lanes[static_cast<size_t>(i) % 3];
    if (i >= 3) lane.list.wait(kTimeout);
    if (i >= frames) continue;
    lane.picture.upload(input.frames[static_cast<size_t>(i) % input.frames.size()].luma);
    lane.list.submit();
  }
  std::printf("  device with upload and readback: %.1f frames/s\n", frames / seconds_since(start));
}

class NoSink final : public ScoreSink {
 public:
  void scores(int64_t, std::span<const double> values) override { last = values[0]; }
  double last = 0;
};

void print_hybrid_rate(const std::shared_ptr<vulkan::Device>& device, const Input& input,
                       const Arguments& arguments) {
  InputFormats formats;
  formats.distorted = input.format;
  WorkerPool pool(arguments.threads);
  const auto extractor = make_hybrid_extractor_on(device, {}, formats, {Backend::kHybrid, &pool});
  NoSink sink;
  // No more than about ten seconds.
  const auto start = Clock::now();
  int frames = 0;
  for (; frames < arguments.frames && seconds_since(start) < 10; ++frames) {
    FramePair pair;
    pair.index = frames;
    pair.distorted = input.frames[static_cast<size_t>(frames) % input.frames.size()];
    extractor->push(pair, sink);
  }
  extractor->finish(sink);
  const double seconds = seconds_since(start);
  std::printf("  hybrid on %d threads: %.2f frames/s (%d frames, last score %.6f)\n", arguments.threads,
              frames / seconds, frames, sink.last);
}

// The host's part of the hybrid on one thread, fed with what the device made.
void print_host_part(gpu::Kernels& kernels, const CambiPlans& plans, const Input& input) {
  Lane lane(kernels, plans.distorted);
  lane.picture.upload(input.frames[0].luma);
  lane.list.submit();
  lane.list.wait(kTimeout);
  Workspace workspace(plans, WorkspaceUse::kScalesOnly);
  const HostStages host({});
  HeatmapPlanes none;
  std::vector<double> times;
  for (int i = 0; i < 5; ++i) {
    const auto start = Clock::now();
    for (int k = 0; k < kScales; ++k) {
      score_scale(lane.readback.image(k), lane.readback.mask(k), k, plans.distorted, scalar_stages(),
                  workspace, none);
    }
    times.push_back(1e3 * seconds_since(start));
  }
  std::printf("  host's part on one thread: %.2f ms a frame\n", median(times));
}

void run(const Arguments& arguments) {
  const auto device = vulkan::Device::open({.selector = arguments.device});
  const vulkan::DeviceInfo& info = device->info();
  std::printf("%s, Vulkan %s, subgroups of %d, %.1f GB\n", device->label().c_str(), info.api_version.c_str(),
              info.subgroup_size, static_cast<double>(info.memory_bytes) * 1e-9);
  const double bandwidth = measure_bandwidth(device);
  gpu::Kernels kernels(device);
  for (const std::string& text : arguments.inputs) {
    const Input input = open_input(text);
    std::printf("%s, %zu frames\n", text.c_str(), input.frames.size());
    const CambiPlans plans = make_plans({}, {.distorted = input.format, .reference = {}});
    print_stages(kernels, plans.distorted, input, arguments, bandwidth);
    print_device_rate(kernels, plans.distorted, input, arguments.frames);
    print_host_part(kernels, plans, input);
    print_hybrid_rate(device, input, arguments);
  }
}

}  // namespace
}  // namespace vq::cambi

int main(int count, char** words) {
  try {
    vq::cambi::run(vq::cambi::parse(count, words));
    return 0;
  } catch (const vq::Error& error) {
    std::fprintf(stderr, "gpu_bench: error: %s\n", error.what());
    return error.exit_code();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gpu_bench: error: %s\n", error.what());
    return 70;
  }
}
