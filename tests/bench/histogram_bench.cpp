// Measures ways to count R, G, B and luminance of a frame on a Vulkan device and on the CPU: histogram_bench
// [--device N|NAME] [--frames N] [--no-cpu] [--chroma 420|422|444]... INPUT... Each INPUT is as in
// gpu_bench_input.h; its chroma is made of its luma. Every way is checked against plain C++: where one counts
// otherwise, the exit code is 1.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "core/error.h"
#include "core/median.h"
#include "feature/histogram/device.h"
#include "feature/histogram/figures.h"
#include "feature/simd_targets.h"
#include "shaders/histogram/shared.h"
#include "tests/bench/gpu_bench_input.h"
#include "tests/bench/histogram_bench_ways.h"

namespace vq::histogram {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kTimeout{60};
constexpr int kWarmUp = 5;
// Devices lower their clocks where they have little to do.
constexpr std::chrono::milliseconds kWarmUpTime{200};

struct Arguments {
  std::string device;
  int frames = 50;
  bool cpu = true;
  std::vector<Chroma> chroma;
  std::vector<std::string> inputs;
};

Arguments parse(int count, char** words) {
  Arguments result;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const std::string value = i + 1 < count ? words[i + 1] : "";
    if (word == "--no-cpu") {
      result.cpu = false;
    } else if (word.substr(0, 2) != "--") {
      result.inputs.push_back(word);
    } else {
      ++i;
      if (word == "--device") result.device = value;
      if (word == "--frames") result.frames = std::max(1, std::atoi(value.c_str()));
      if (word == "--chroma") result.chroma.push_back(cambi::parse_chroma(value));
    }
  }
  if (result.chroma.empty()) result.chroma = {Chroma::k420, Chroma::k444};
  if (result.inputs.empty()) {
    for (const char* size : {":2560x1440@8", ":3840x2160@8"}) {
      for (const char* kind : {"noise", "flat", "ramps", "textured"})
        result.inputs.push_back(std::string(kind) + size);
    }
  }
  return result;
}

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// A frame of three planes, of which chroma is luma from elsewhere with a quarter of its contrast.
class Picture {
 public:
  Picture(const cambi::Input& input, Chroma chroma) : format_(input.format) {
    format_.chroma = chroma;
    format_.matrix = Matrix::kBt709;
    luma_ = input.frames.front();
    frame_ = luma_;
    for (int i = 1; i < kMaxPlanes; ++i) {
      if (format_.bit_depth == 8) {
        bytes_[i] = make_chroma<uint8_t>(luma_.luma().u8, i);
        frame_.planes[static_cast<size_t>(i)].u8 = bytes_[i].view();
      } else {
        words_[i] = make_chroma<uint16_t>(luma_.luma().u16, i);
        frame_.planes[static_cast<size_t>(i)].u16 = words_[i].view();
      }
    }
  }
  const VideoFormat& format() const { return format_; }
  const Frame& frame() const { return frame_; }

 private:
  template <typename T>
  Plane<T> make_chroma(PlaneView<const T> luma, int plane) const {
    const PlaneSize size = plane_size({luma.width, luma.height}, format_.chroma, plane);
    const auto [shift_x, shift_y] = chroma_shifts(format_.chroma);
    const int grey = 1 << (format_.bit_depth - 1);
    Plane<T> result(size.width, size.height);
    for (int y = 0; y < size.height; ++y) {
      const T* const row = luma.row(((y << shift_y) + 17 * plane) % luma.height);
      for (int x = 0; x < size.width; ++x) {
        result.row(y)[x] =
            static_cast<T>(grey + (row[((x << shift_x) + 31 * plane) % luma.width] - grey) / 4);
      }
    }
    return result;
  }
  VideoFormat format_;
  Frame luma_, frame_;
  Plane<uint8_t> bytes_[kMaxPlanes];
  Plane<uint16_t> words_[kMaxPlanes];
};

struct Times {
  double upload = 0, kernel = 0, readback = 0;  // by the device's clock
  double whole = 0;                             // from the frame in host memory to the counts there
};

// Prints a row of the table. `ms_cpu` is that of plain C++, 0 where it was not measured.
void print_row(const std::string& name, const Times& times, double ms_reading, double ms_cpu) {
  std::printf("| %-32s | %8.4f | %8.4f | %8.4f | %8.3f | %6.2f |", name.c_str(), times.kernel, times.upload,
              times.readback, times.whole, ms_reading > 0 ? times.kernel / ms_reading : 0);
  if (ms_cpu > 0) std::printf(" %7.1f |", ms_cpu / times.whole);
  std::printf("\n");
  std::fflush(stdout);
}

class Measured {
 public:
  Measured(vulkan::Context& context, const Picture& picture, const Arguments& arguments)
      : context_(context),
        picture_(picture),
        arguments_(arguments),
        plan_(make_plan({.planes = Planes::kRgb}, picture.format())),
        on_device_(context.device(), picture.format(), kMaxPlanes),
        expected_(plan_) {
    scalar::count_rgb(picture.frame().planes, plan_.rgb, expected_.channels);
  }

  // Whether every way counts what plain C++ does.
  bool print() {
    const double ms_cpu = arguments_.cpu ? measure_cpu() : 0;
    std::printf("| way | kernel ms | upload ms | readback ms | whole ms | times reading |%s\n",
                ms_cpu > 0 ? " times plain C++ |" : "");
    std::printf("| --- | --- | --- | --- | --- | --- |%s\n", ms_cpu > 0 ? " --- |" : "");
    Ways ways(context_, plan_, on_device_);
    double ms_reading = 0;
    bool all_same = true;
    for (const Way& way : ways.all()) {
      bool is_same = true;
      const Times times = measure(way, is_same);
      if (way.is_yardstick) ms_reading = times.kernel;
      print_row(way.name + (is_same ? "" : ": WRONG"), times, ms_reading, ms_cpu);
      all_same = all_same && is_same;
    }
    return all_same;
  }

 private:
  double measure_cpu() {
    const auto time = [&](CountRgb count_rgb) {
      std::vector<double> times;
      for (int i = 0; i < 5; ++i) {
        FrameCounts counts(plan_);
        const auto start = Clock::now();
        count_rgb(picture_.frame().planes, plan_.rgb, counts.channels);
        times.push_back(milliseconds_since(start));
      }
      return median(times);
    };
    const double plain = time(scalar::count_rgb);
    std::printf("plain C++, one thread: %.2f ms\n", plain);
    for (const SimdTarget& target : allowed_simd_targets(0)) {
      std::printf("Highway, %s, one thread: %.2f ms\n", std::string(target.name).c_str(),
                  time(simd::count_rgb_for(target.id)));
    }
    return plain;
  }

  static void warm_up(vulkan::CommandList& list) {
    const auto start = Clock::now();
    do {
      list.submit();
      list.wait(kTimeout);
    } while (Clock::now() - start < kWarmUpTime);
  }

  Times measure(const Way& way, bool& is_same) {
    const int64_t each = gpu::channel_bytes(plan_.bins), bytes = each * int64_t{gpu::kRgbChannels};
    const vulkan::Buffer counts(context_.device(), vulkan::Memory::kDevice, bytes);
    const vulkan::Buffer readback(context_.device(), vulkan::Memory::kReadback, bytes);
    vulkan::Recorder recorder(context_.device());
    recorder.begin_stage("upload");
    on_device_.record(recorder);
    recorder.begin_stage("kernel");
    recorder.fill(counts, 0);
    way.record(recorder, counts);
    recorder.begin_stage("readback");
    recorder.copy(counts, readback);
    vulkan::CommandList list = recorder.finish();
    warm_up(list);
    std::vector<double> upload, kernel, back, whole;
    for (int i = 0; i < kWarmUp + arguments_.frames; ++i) {
      FrameCounts counted(plan_);
      const auto start = Clock::now();
      on_device_.upload(picture_.frame());
      list.submit();
      list.wait(kTimeout);
      for (size_t c = 0; c < plan_.channels.size(); ++c) {
        gpu::add_counts(readback.mapped() + static_cast<int64_t>(c) * each, plan_.bins, counted.channels[c]);
      }
      if (i >= kWarmUp) whole.push_back(milliseconds_since(start));
      is_same = is_same && (way.is_yardstick || counted.bins == expected_.bins);
      if (i < kWarmUp || list.times().size() != 3) continue;
      upload.push_back(list.times()[0].milliseconds);
      kernel.push_back(list.times()[1].milliseconds);
      back.push_back(list.times()[2].milliseconds);
    }
    if (kernel.empty()) return {.whole = median(whole)};
    return {median(upload), median(kernel), median(back), median(whole)};
  }

  vulkan::Context& context_;
  const Picture& picture_;
  const Arguments& arguments_;
  const HistogramPlan plan_;
  vulkan::DevicePicture on_device_;
  FrameCounts expected_;
};

bool run(const Arguments& arguments) {
  const auto device = vulkan::Device::open({.selector = arguments.device});
  const vulkan::DeviceInfo& info = device->info();
  std::printf("%s, Vulkan %s, subgroups of %d, %lld bytes shared\n", device->label().c_str(),
              info.api_version.c_str(), info.subgroup_size, static_cast<long long>(info.shared_memory_bytes));
  bool all_same = true;
  for (const std::string& text : arguments.inputs) {
    const cambi::Input input = cambi::open_input(text, 1);
    for (const Chroma chroma : arguments.chroma) {
      std::printf("\n## %s, %s\n\n", text.c_str(), std::string(to_string(chroma)).c_str());
      vulkan::Context context(device);
      const Picture picture(input, chroma);
      Measured measured(context, picture, arguments);
      all_same = measured.print() && all_same;
    }
  }
  return all_same;
}

}  // namespace
}  // namespace vq::histogram

int main(int count, char** words) {
  return vq::cambi::exit_code_of(
      "histogram_bench", [&] { return vq::histogram::run(vq::histogram::parse(count, words)) ? 0 : 1; });
}
