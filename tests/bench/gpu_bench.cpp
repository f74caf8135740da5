// Measures the hybrid's stages on a Vulkan device, and whole frames beside the host's part alone: gpu_bench
// [--device N|NAME] [--frames N] [--threads N]... INPUT... An input is raw luma, FILE:WxH@DEPTH (8-bit
// samples in bytes, deeper ones in 16-bit words, frame after frame), or made up: banded:WxH@DEPTH,
// noise:WxH@DEPTH.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

#include "core/error.h"
#include "core/median.h"
#include "core/worker_pool.h"
#include "feature/cambi/cambi.h"
#include "feature/cambi/device_passes.h"
#include "feature/cambi/host.h"
#include "feature/device_bandwidth.h"
#include "tests/bench/gpu_bench_input.h"
#include "tests/support/cambi_device.h"
#include "tests/support/cambi_host.h"

namespace vq::cambi {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kTimeout{60};
constexpr int kWarmUp = 10;
constexpr double kMostSeconds = 6;  // for one rate

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Arguments {
  std::string device;
  int frames = 100;
  std::vector<int> threads;
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
      result.threads.push_back(std::max(1, std::atoi(all[++i].c_str())));
    } else {
      result.inputs.push_back(all[i]);
    }
  }
  if (result.threads.empty()) result.threads = {1, static_cast<int>(std::thread::hardware_concurrency())};
  if (result.inputs.empty()) result.inputs = {"banded:3840x2160@8"};
  return result;
}

// What the host reaches on the memory that the device fetches from and stores to.
void print_host_copies(const std::shared_ptr<vulkan::Device>& device) {
  const int64_t frame = int64_t{32} << 20;
  const vulkan::Buffer up(device, vulkan::Memory::kUpload, frame),
      back(device, vulkan::Memory::kReadback, frame);
  std::vector<char> host(static_cast<size_t>(frame), 1);
  const auto memcpy_seconds = [&](void* to, const void* from) {
    std::vector<double> times;
    for (int i = 0; i < 9; ++i) {
      const auto start = Clock::now();
      std::memcpy(to, from, host.size());
      times.push_back(seconds_since(start));
    }
    return median(times);
  };
  const double gb = static_cast<double>(frame) * 1e-9;
  std::printf("  the host writes for the device %.1f GB/s, reads of it %.1f GB/s\n",
              gb / memcpy_seconds(up.mapped(), host.data()), gb / memcpy_seconds(host.data(), back.mapped()));
}

DeviceBandwidth print_bandwidth(const std::shared_ptr<vulkan::Device>& device) {
  const DeviceBandwidth bandwidth = measure_bandwidth(device);
  std::printf("  copies by a shader %.1f GB/s (read + written), upload %.1f GB/s, readback %.1f GB/s\n",
              bandwidth.memory * 1e-9, bandwidth.upload * 1e-9, bandwidth.readback * 1e-9);
  print_host_copies(device);
  return bandwidth;
}

// Bytes that a stage must move, and the bandwidth that it has for that, in bytes a second.
struct Floor {
  double bytes = 0, bandwidth = 0;
};

Floor floor_of(const std::string& stage, const CambiPlans& plans, const VideoFormat& format,
               const DeviceBandwidth& bandwidth) {
  if (stage == kUploadStage) return {static_cast<double>(frame_bytes(format, 1)), bandwidth.upload};
  for (const StageBytes& known : stage_bytes(plans, Backend::kHybrid)) {
    if (known.stage != stage) continue;
    return {static_cast<double>(known.bytes),
            stage == kReadbackStage ? bandwidth.readback : bandwidth.memory};
  }
  return {0, bandwidth.memory};
}

struct Lane {
  Lane(vulkan::Context& context, const CambiPlan& plan, const VideoFormat& format)
      : luma(context.device(), format, 1), picture(context, plan), readback(context.device(), picture) {
    vulkan::Recorder recorder(context.device());
    recorder.begin_stage("upload");
    luma.record(recorder);
    picture.record(recorder, luma.plane(0));
    readback.record(recorder);
    list = recorder.finish();
  }
  vulkan::DevicePicture luma;
  gpu::Picture picture;
  gpu::Readback readback;
  vulkan::CommandList list;
};

void print_stages(vulkan::Context& context, const CambiPlans& plans, const Input& input,
                  const Arguments& arguments, const DeviceBandwidth& bandwidth) {
  Lane lane(context, plans.distorted, input.format);
  std::vector<std::string> names;
  std::vector<std::vector<double>> times;
  std::vector<double> inner, whole;
  for (int i = 0; i < kWarmUp + arguments.frames; ++i) {
    lane.luma.upload(input.frames[static_cast<size_t>(i) % input.frames.size()]);
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
    const Floor floor = floor_of(names[k], plans, input.format, bandwidth);
    const double ms = median(times[k]);
    std::printf("  %-12s %9.4f %9.4f %11.2f %8.0f%%\n", names[k].c_str(), ms,
                *std::min_element(times[k].begin(), times[k].end()), floor.bytes * 1e-6,
                1e5 * floor.bytes / ms / floor.bandwidth);
  }
  std::printf(
      "  stages of the device, without upload and readback: %.4f ms; submit to answer: %.4f ms; %d "
      "barriers\n",
      median(inner), median(whole), lane.list.barriers());
}

// What the device alone sustains: upload, stages and readback, with the host only copying luma.
void print_device_rate(vulkan::Context& context, const CambiPlan& plan, const Input& input, int frames) {
  std::vector<std::unique_ptr<Lane>> lanes;
  for (int i = 0; i < 3; ++i) lanes.push_back(std::make_unique<Lane>(context, plan, input.format));
  const auto start = Clock::now();
  for (int i = 0; i < frames + 3; ++i) {
    Lane& lane = *lanes[static_cast<size_t>(i) % 3];
    if (i >= 3) lane.list.wait(kTimeout);
    if (i >= frames) continue;
    lane.luma.upload(input.frames[static_cast<size_t>(i) % input.frames.size()]);
    lane.list.submit();
  }
  std::printf("  device with upload and readback: %.1f frames/s\n", frames / seconds_since(start));
}

// The host's part of the hybrid, fed with what the device made of the first frames: as many threads as the
// pool would have, each scoring one frame after another, with nothing to wait for. As many frames' worth of
// memory as the hybrid has, so that caches do not hold it.
double host_part_rate(vulkan::Context& context, const CambiPlans& plans, const Input& input, int threads,
                      int frames) {
  std::vector<std::unique_ptr<Lane>> lanes;
  for (size_t i = 0; i < static_cast<size_t>(threads) + 8; ++i) {
    lanes.push_back(std::make_unique<Lane>(context, plans.distorted, input.format));
    lanes[i]->luma.upload(input.frames[i % input.frames.size()]);
    lanes[i]->list.submit();
    lanes[i]->list.wait(kTimeout);
  }
  const HostStages host({});
  std::atomic<int> next = 0, done = 0;
  const auto start = Clock::now();
  const auto score = [&] {
    Workspace workspace(plans, WorkspaceUse::kScalesOnly);
    HeatmapPlanes none;
    for (int i = next++; i < frames && seconds_since(start) < kMostSeconds; i = next++) {
      const gpu::Readback& from = lanes[static_cast<size_t>(i) % lanes.size()]->readback;
      for (int k = 0; k < kScales; ++k)
        score_scale(from.image(k), from.mask(k), k, plans.distorted, host.stages, workspace, none);
      ++done;
    }
  };
  std::vector<std::thread> team;
  for (int i = 0; i < threads; ++i) team.emplace_back(score);
  for (std::thread& thread : team) thread.join();
  return done / seconds_since(start);
}

void print_rates(vulkan::Context& context, const CambiPlans& plans, const Input& input,
                 const Arguments& arguments) {
  VideoFormats formats;
  formats.distorted = input.format;
  std::printf("  frames/s on threads of the host: its part alone, hybrid, cpu\n");
  for (const int threads : arguments.threads) {
    WorkerPool pool(threads);
    const double host = host_part_rate(context, plans, input, threads, arguments.frames);
    const double hybrid =
        frames_a_second(*test::make_on_device(context.device(), {}, formats, {Backend::kHybrid, &pool}),
                        input.frames, arguments.frames, kMostSeconds);
    const double cpu = frames_a_second(*test::make_on_host({}, formats, {Backend::kCpu, &pool}), input.frames,
                                       arguments.frames, kMostSeconds);
    std::printf("  %3d threads: %9.2f %9.2f (%.0f%% of its part alone) %9.2f\n", threads, host, hybrid,
                100 * hybrid / host, cpu);
    std::fflush(stdout);
  }
}

void run(const Arguments& arguments) {
  const auto device = vulkan::Device::open({.selector = arguments.device});
  const vulkan::DeviceInfo& info = device->info();
  std::printf("%s, Vulkan %s, subgroups of %d, %.1f GB\n", device->label().c_str(), info.api_version.c_str(),
              info.subgroup_size, static_cast<double>(info.memory_bytes) * 1e-9);
  const DeviceBandwidth bandwidth = print_bandwidth(device);
  vulkan::Context context(device);
  for (const std::string& text : arguments.inputs) {
    const Input input = open_input(text);
    std::printf("%s, %zu frames\n", text.c_str(), input.frames.size());
    const CambiPlans plans = make_plans({}, {.distorted = input.format, .reference = {}});
    print_stages(context, plans, input, arguments, bandwidth);
    print_device_rate(context, plans.distorted, input, arguments.frames);
    print_rates(context, plans, input, arguments);
  }
}

}  // namespace
}  // namespace vq::cambi

int main(int count, char** words) {
  return vq::cambi::exit_code_of("gpu_bench", [&] {
    vq::cambi::run(vq::cambi::parse(count, words));
    return 0;
  });
}
