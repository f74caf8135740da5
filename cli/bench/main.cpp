// The program behind `cambi bench`.

#include "cli/bench/bench.h"
#include "cli/commands/arguments.h"
#include "cli/commands/program.h"
#include "cli/inputs/run_inputs.h"
#include "cli/inputs/run_options.h"
#include "cli/run/ending.h"
#include "cli/run/run.h"
#include "cli/system/messages.h"
#include "cli/system/output_file.h"
#include "cli/system/process.h"
#include "cli/system/progress.h"
#include "core/error.h"
#include "core/metric.h"
#include "core/number_text.h"
#include "core/text.h"
#include "core/worker_pool.h"
#include "feature/device_feature.h"
#include "feature/extractor.h"
#include "vulkan/device.h"

namespace vq::cli {
namespace {

// More than most caches hold, over all threads.
constexpr size_t kBytes = size_t{128} << 20;
constexpr int kRuns = 5;

// Memory that each thread copies from and to.
struct Memory {
  std::vector<char> from, to;
};

template <typename Task>
void on_each(WorkerPool& pool, std::vector<Memory>& memory, Task task) {
  std::vector<std::future<void>> done;
  for (Memory& own : memory)
    done.push_back(pool.submit(std::packaged_task<void()>([&own, &task] { task(own); })));
  for (std::future<void>& one : done) one.get();
}

// Bytes per second of copies within memory on all threads of the pool together, reads and writes counted: the
// median of several. Throws std::bad_alloc.
double host_bandwidth(WorkerPool& pool) {
  std::vector<Memory> memory(static_cast<size_t>(pool.size()));
  const size_t each = kBytes / memory.size();
  on_each(pool, memory, [&](Memory& own) {
    own.from.assign(each, 1);
    own.to.assign(each, 2);
  });
  std::vector<double> rates;
  for (int i = 0; i < kRuns; ++i) {
    const double start = seconds_now();
    on_each(pool, memory, [&](Memory& own) { std::memcpy(own.to.data(), own.from.data(), each); });
    rates.push_back(2.0 * static_cast<double>(each * memory.size()) / (seconds_now() - start));
  }
  return median(rates);
}

// A video that is over after less of the time for decoding is mostly opened.
constexpr double kTelling = 0.5;

bool has_backend(const RunOptions& run, Backend backend) {
  return std::ranges::all_of(run.features, [&](const FeatureRequest& request) {
    const std::span<const Backend> all = request.info->backends;
    return contains(all, backend);
  });
}

// One backend and the device that it runs on.
struct Candidate {
  Backend backend = Backend::kCpu;
  std::string device;  // what selects it; empty on the CPU
};

// Measures all backends of a machine, with a video or synthetic pictures. `tell` is called with the current
// activity.
class Bench {
 public:
  // `run`: its backend is the only one to measure; if there is none, all that are available are. Without a
  // video pictures are made.
  Bench(const RunOptions& run, const BenchTime& time, const std::function<void(const std::string&)>& tell)
      : run_(run), time_(time), tell_(tell) {}

  // A backend that fails does not stop the others and says why; after an interrupt the result has what was
  // measured before. Throws Error if the inputs cannot be read or do not fit, and kBackend if there is
  // nothing to measure.
  BenchResult run() {
    find_candidates();
    measure_copies();
    run_.distorted.empty() ? measure_synthetic() : measure_video();
    return std::move(result_);
  }

 private:
  void find_candidates() {
    const std::optional<Backend> only = run_.backend;
    if (only && !is_on_device(*only)) return candidates_.push_back({*only, {}});
    if (only) return candidates_.push_back({*only, selector_for(*only)});
    if (has_backend(run_, Backend::kCpu)) candidates_.push_back({Backend::kCpu, {}});
    if (run_.gpumask != 0) return;
    std::string reason;  // the last one that was told
    for (const Backend backend : {Backend::kHybrid, Backend::kVulkan}) add_device_backend(backend, reason);
  }

  vulkan::DeviceList devices_for(Backend backend) const {
    return vulkan::list_devices(device_requirement(infos_of(run_.features), backend));
  }

  std::string selector_for(Backend backend) const {
    const vulkan::DeviceList list = devices_for(backend);
    return vulkan::selector_of(vulkan::choose_devices(list, run_.device));
  }

  // Features that a device leaves to the host are measured there, beside those that it has.
  void require_feature(Backend backend) const {
    if (left_to_host(run_.features, {.backend = backend}).size() < run_.features.size()) return;
    throw Error(ErrorKind::kBackend, "no feature of this run has a {} backend", to_string(backend));
  }

  void add_device_backend(Backend backend, std::string& told) {
    std::string reason;
    try {
      require_feature(backend);
      const vulkan::DeviceList list = devices_for(backend);
      const vulkan::DeviceChoice devices = vulkan::choose_devices(list, run_.device);
      const vulkan::DeviceInfo& device = list.devices[static_cast<size_t>(devices.devices.front())];
      const bool is_meant = !run_.device.empty() || device.type != vulkan::DeviceType::kSoftware;
      if (is_meant) return candidates_.push_back({backend, vulkan::selector_of(devices)});
      reason =
          words("{} is a software device; --device {} measures it all the same", device.name, device.index);
    } catch (const Error& error) {
      if (!run_.device.empty()) throw;  // a device that is named is meant
      reason = error.what();
    }
    if (reason == told) {
      result_.notes.back() = words("Without hybrid and vulkan: {}", reason);
      return;
    }
    told = reason;
    result_.notes.push_back(words("Without {}: {}", to_string(backend), reason));
  }

  void measure_copies() {
    result_.cores = usable_cores();
    tell_("copies");
    WorkerPool pool(thread_count(run_));
    result_.threads = pool.size();
    result_.host_memory = host_bandwidth(pool);
    for (const Candidate& candidate : candidates_) {
      if (!candidate.device.empty() && interrupt_signal() == 0) measure_device(candidate);
    }
  }

  // A device that fails here may do the rest.
  void measure_device(const Candidate& candidate) {
    if (devices_.contains(candidate.device)) return;
    double& upload_rate = devices_[candidate.device];
    const vulkan::DeviceList list = devices_for(candidate.backend);
    // Several are of one kind as a rule.
    const int first = vulkan::choose_devices(list, candidate.device).devices.front();
    const std::string& name = list.devices[static_cast<size_t>(first)].name;
    try {
      result_.devices.push_back({name, device_bandwidth(std::to_string(first))});
      upload_rate = result_.devices.back().rates.upload;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kBackend) throw;
      result_.notes.push_back(words("Copies on {} could not be measured: {}", name, error.what()));
    }
  }

  RunOptions run_on(const Candidate& candidate) const {
    RunOptions own = run_;
    own.backend = candidate.backend;
    own.device = candidate.device;
    return own;
  }

  void measure_synthetic() {
    constexpr std::pair<int, int> kSizes[] = {{1920, 1080}, {3840, 2160}};
    for (const auto& [width, height] : kSizes) {
      for (const int depth : {8, 10}) {
        if (interrupt_signal() != 0) return;
        const bool is_film = synthetic_kind_for(run_) == Synthetic::kFilm;
        const BenchInput input = make_bench_input(run_, {.name = is_film ? "made-up film" : "made-up bands",
                                                         .width = width,
                                                         .height = height,
                                                         .bit_depth = depth});
        BenchVideo video = input.facts;
        for (const Candidate& candidate : candidates_) measure(candidate, input, video);
        add(std::move(video));
      }
    }
  }

  // Once for each device, on which hardware may decode, and once without.
  void measure_video() {
    std::map<std::string, BenchInput> inputs;
    std::optional<BenchVideo> video;
    for (const Candidate& candidate : candidates_) {
      if (!inputs.contains(candidate.device)) {
        if (interrupt_signal() != 0) break;
        tell_("decoding");
        inputs[candidate.device] = read_bench_input(run_on(candidate), time_);
      }
      const BenchInput& input = inputs[candidate.device];
      if (!video) video = input.facts;
      measure(candidate, input, *video);
    }
    if (!video) return;
    add(std::move(*video));
    if (!inputs.empty()) note_short(inputs.begin()->second);
  }

  void measure(const Candidate& candidate, const BenchInput& input, BenchVideo& video) {
    if (interrupt_signal() != 0) return;
    const double upload_rate = candidate.device.empty() ? 0 : devices_.at(candidate.device);
    tell_(
        words("{}, {}x{} {}-bit", to_string(candidate.backend), video.width, video.height, video.bit_depth));
    std::optional<BenchBackend> measured = bench_backend(run_on(candidate), input, upload_rate, time_);
    if (measured) video.backends.push_back(std::move(*measured));
  }

  void add(BenchVideo video) {
    if (!video.backends.empty()) result_.videos.push_back(std::move(video));
  }

  void note_short(const BenchInput& input) {
    const BenchBackend& decoded = input.decoded;
    if (time_.frames > 0 || !decoded.decode_fps) return;
    const double seconds = static_cast<double>(decoded.decoded_frames) / *decoded.decode_fps;
    if (seconds > kTelling * time_.seconds) return;
    result_.notes.push_back(
        words("The video is short: of the {} ms for {} opening it is a good part. A longer one says more of "
              "decoding.",
              fixed_text(1e3 * seconds, 0), counted(decoded.decoded_frames, "frame")));
  }

  const RunOptions& run_;
  const BenchTime& time_;
  const std::function<void(const std::string&)>& tell_;
  std::vector<Candidate> candidates_;
  // Bytes a second of copies to devices, by what selects them; 0 if measuring failed.
  std::map<std::string, double> devices_;
  BenchResult result_;
};

constexpr int64_t kMostBenchFrames = 1'000'000;

BenchResult measure(const RunOptions& run, const BenchTime& time) {
  const ProgressSettings settings = progress_settings(run, std::nullopt);
  StatusLine line({}, {.colour = settings.colour, .can_erase = settings.can_erase});
  const auto tell = [&](const std::string& what) {
    if (settings.form == ProgressForm::kBar) line.draw({{"measuring " + what}}, std::nullopt);
  };
  return Bench(run, time, tell).run();
}

void write(const BenchResult& result, const RunOptions& run, Messages& messages) {
  std::vector<OutputText> outputs;
  for (const OutputRequest& output : run.outputs) outputs.push_back({output.path, bench_json(result)});
  const bool is_shown = !run.quiet || outputs.empty();
  Ending ending(messages, ending_options(run));
  ending.write(std::move(outputs));
  ending.show(is_shown ? bench_text(result, stdout_width()) : "", Ending::Text::kResult);
}

bool has_failed(const BenchResult& result) {
  const auto failed = [](const BenchBackend& backend) { return !backend.error.empty(); };
  return std::ranges::any_of(
      result.videos, [&](const BenchVideo& video) { return std::ranges::any_of(video.backends, failed); });
}

// Called by itself, it leaves help, version and the number of arguments to `cambi bench`.
int run_bench_command(std::string_view, const std::vector<std::string>& words, Messages& messages) {
  if (!is_external()) {
    std::vector<std::string> all = {"bench"};
    all.insert(all.end(), words.begin(), words.end());
    become_other("cambi", all);
  }
  constexpr Flag kOwn[] = {Flag("--frames", "N", "")};
  const ParsedArguments parsed = parse_run_words(words, kOwn);
  RunOptions run = run_options_of_any(parsed);
  if (run.skip_distorted_seconds || run.skip_reference_seconds)
    throw usage_error("bench does not take --frame_skip_dist or --frame_skip_ref with a time.");
  check_json_run(run, "bench", "figures");
  run.frame_count = parsed.number("--frames", {1, kMostBenchFrames}, run.frame_count);
  enter_sandbox_of(run, {}, messages);
  const BenchResult result = measure(run, {.frames = run.frame_count});
  const int signal = interrupt_signal();
  if (signal == 0 || !result.videos.empty()) write(result, run, messages);
  if (signal != 0) {
    messages.error("interrupted");
    return interrupt_exit_code(signal);
  }
  return has_failed(result) ? exit_code(ErrorKind::kBackend) : 0;
}

}  // namespace

}  // namespace vq::cli

int main(int argc, char** argv) { return vq::cli::run_program(argc, argv, vq::cli::run_bench_command); }
