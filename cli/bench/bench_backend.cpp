#include "cli/bench/bench.h"

#include "cli/decoding/frame_reader.h"
#include "cli/decoding/hardware/hardware_pictures.h"
#include "cli/inputs/pair_reader.h"
#include "cli/inputs/run_inputs.h"
#include "cli/run/open_run.h"
#include "cli/run/run.h"
#include "cli/run/run_record.h"
#include "cli/system/process.h"
#include "cli/system/progress.h"
#include "core/error.h"
#include "core/metric.h"
#include "core/text.h"
#include "core/worker_pool.h"
#include "engine/report/report.h"
#include "feature/extractor.h"
#include "feature/stage_clock.h"

namespace vq::cli {
namespace {

// Devices bring their clocks up, and whatever learns from frames learns.
constexpr double kWarmUpSeconds = 0.2;
// One frame at a time, for the device's clock.
constexpr int kMostSingleFrames = 50;

class NoScores final : public ScoreSink {
 public:
  void scored(const FrameScores&) override {}
};

bool interrupted() { return interrupt_signal() != 0; }

// The frames of an input through a backend, by turns.
class Scoring {
 public:
  Scoring(const RunOptions& run, const BenchInput& input)
      : pool_(thread_count(run)),
        extractor_(make_extractor(input.features, input.formats,
                                  {.backend = run.backend.value(),
                                   .pool = &pool_,
                                   .cpumask = run.cpumask,
                                   .devices = {.selector = run.device, .cache_folder = cache_folder()},
                                   .time_stages = true,
                                   .clock = &clock_})),
        pairs_(input.frames),
        before_(frame_needs(input.features).before) {
    const std::shared_ptr<FrameStore> store = extractor_->frame_store();
    if (store == nullptr) return;
    for (FramePair& pair : pairs_) {
      pair.distorted = stored_frame(pair.distorted, *store);
      if (pair.reference) pair.reference = stored_frame(*pair.reference, *store);
    }
  }

  // Scores `count` frames, or fewer on an interrupt, and returns the seconds that this took.
  double score(int64_t count) {
    const StageTimer timer(&clock_, pace::kSubmitting);
    const double start = seconds_now();
    for (int64_t i = 0; i < count && !interrupted(); ++i) {
      FramePair pair = pairs_[static_cast<size_t>(next_) % pairs_.size()];
      pair.index = pair.distorted.index = next_;
      if (pair.reference) pair.reference->index = next_;
      ++next_;
      before_.give(pair);
      extractor_->push(pair, sink_);
    }
    extractor_->finish(sink_);
    return seconds_now() - start;
  }

  BackendReport report() const { return extractor_->backend_report(); }
  // The pace of what was scored since the last call.
  PaceFacts take_pace() { return pace_of(clock_.take(), 0); }
  int threads() const { return pool_.size(); }

 private:
  StageClock clock_;
  WorkerPool pool_;
  std::unique_ptr<FeatureExtractor> extractor_;
  std::vector<FramePair> pairs_;
  PreviousFrames before_;
  int64_t next_ = 0;
  NoScores sink_;
};

// The difference of two totals of stages.
std::vector<StageTotal> added_times(const std::vector<StageTotal>& after,
                                    const std::vector<StageTotal>& before) {
  std::vector<StageTotal> added = after;
  for (const StageTotal& total : before) add_stage_time(added, total.stage, -total.ms);
  return added;
}

class BackendBench {
 public:
  BackendBench(const RunOptions& run, const BenchInput& input, double upload_rate, const BenchTime& time)
      : run_(run), input_(input), upload_rate_(upload_rate), time_(time) {}

  void measure(BenchBackend& result) {
    measure_scoring(result);
    if (!input_.facts.synthetic && !interrupted()) measure_whole(result);
  }

 private:
  void measure_scoring(BenchBackend& result) {
    Scoring scoring(run_, input_);
    BackendReport before = scoring.report();
    result.backend = before.backend;
    result.device = before.device;
    result.driver = before.driver;
    result.simd = before.simd;
    const double each = warm_up(scoring);
    device_stages(scoring, result);
    before = scoring.report();
    const int64_t frames = frames_for(each);
    std::vector<double> rates;
    scoring.take_pace();
    for (int i = 0; i < time_.rounds && !interrupted(); ++i) {
      const double seconds = scoring.score(frames);
      rates.push_back(static_cast<double>(frames) / seconds);
      if (seconds > 3 * time_.seconds) break;
    }
    if (interrupted()) return;
    result.score_fps = median(rates);
    result.pace = scoring.take_pace();
    const double scored = static_cast<double>(rates.size()) * static_cast<double>(frames);
    for (const StageTotal& total : added_times(scoring.report().host_stages, before.host_stages)) {
      result.stages.push_back({total.stage, false, total.ms / scored / scoring.threads()});
    }
  }

  // Seconds that a frame takes among others.
  double warm_up(Scoring& scoring) const {
    double seconds = 0, together = 0;
    int64_t frames = 1;
    for (; !interrupted(); frames *= 2) {
      seconds = scoring.score(frames);
      together += seconds;
      if (together > kWarmUpSeconds || (time_.frames > 0 && frames >= time_.frames)) break;
    }
    return seconds / static_cast<double>(frames);
  }

  int64_t frames_for(double each) const {
    if (time_.frames > 0) return time_.frames;
    return std::max<int64_t>(1, static_cast<int64_t>(time_.seconds / std::max(each, 1e-7)));
  }

  // Frames one at a time, so that none waits for another on the device.
  void device_stages(Scoring& scoring, BenchBackend& result) const {
    if (!result.uses_device()) return;
    std::map<std::string, std::vector<double>> times;
    BackendReport before = scoring.report();
    const int64_t uploaded = before.bytes_uploaded;
    const double start = seconds_now();
    int frames = 0;
    for (; frames < kMostSingleFrames && !interrupted(); ++frames) {
      if (frames > 0 && seconds_now() - start > time_.seconds) break;
      if (time_.frames > 0 && frames >= time_.frames) break;
      scoring.score(1);
      BackendReport after = scoring.report();
      for (const StageTotal& total : added_times(after.stages, before.stages))
        times[total.stage].push_back(total.ms);
      before = std::move(after);
    }
    if (interrupted()) return;
    for (const StageTotal& total : before.stages) {
      if (!times[total.stage].empty())
        result.stages.push_back({total.stage, true, median(times[total.stage])});
    }
    const double upload = 1e-3 * result.upload_milliseconds() * frames * upload_rate_;
    const double share = upload > 0 ? static_cast<double>(before.bytes_uploaded - uploaded) / upload : 0;
    if (share > 0 && share <= 1) result.upload_share = share;  // more: caches had some of it
  }

  // As a run has it, from opening the video to the text of a report.
  void measure_whole(BenchBackend& result) const {
    RunOptions own = run_;
    own.quiet = true;
    own.outputs.clear();
    const double likely = std::min(*result.decode_fps, *result.score_fps);
    own.frame_count =
        std::clamp<int64_t>(static_cast<int64_t>(likely * time_.seconds), 1, result.decoded_frames);
    if (time_.frames > 0) own.frame_count = result.decoded_frames;
    std::vector<double> rates, starts;
    PaceFacts all;
    for (int i = 0; i < time_.rounds && !interrupted(); ++i) {
      const double start = seconds_now();
      Messages silent([](std::string_view) {});
      ScoringRun run(own, silent);
      starts.push_back(seconds_now() - start);
      run.score({});
      write_report(run.report(), {.format = ReportFormat::kJson});
      const double whole = seconds_now() - start, seconds = whole - starts.back();
      add_pace(run.report().run.pace.value(), whole, all);
      result.whole_frames = run.scored();
      rates.push_back(static_cast<double>(run.scored()) / seconds);
      if (seconds > 3 * time_.seconds) break;
    }
    if (interrupted() || rates.empty()) return;
    result.whole_fps = median(rates);
    result.start_seconds = median(starts);
    result.pace = all;
  }

  // Adds what comes after the run: writing the report.
  static void add_pace(PaceFacts pace, double seconds, PaceFacts& all) {
    pace.seconds.back() += std::max(0.0, seconds - total_seconds(pace));
    std::transform(pace.seconds.begin(), pace.seconds.end(), all.seconds.begin(), all.seconds.begin(),
                   std::plus<>());
  }

  const RunOptions& run_;
  const BenchInput& input_;
  const double upload_rate_;
  const BenchTime& time_;
};

// As many as make neighbours differ; more would only take memory.
constexpr size_t kFramesInMemory = 4;

struct Decoded {
  int64_t frames = 0;
  double seconds = 0;
  double fps = 0;  // once the first is there, if there are more
};

std::unique_ptr<PairReader> open(const RunOptions& run) {
  std::unique_ptr<FrameReader> reference;
  if (run.reference) reference = open_input(run, Role::kReference);
  return std::make_unique<PairReader>(open_input(run, Role::kDistorted), std::move(reference), run);
}

FramePair seen_by_host(FramePair pair) {
  pair.distorted = on_host(pair.distorted);
  if (pair.reference) pair.reference = on_host(*pair.reference);
  return pair;
}

// Pictures that hardware decodes stay on its device, as in a run.
void keep_on_device(HardwareRequest& request) {
  if (!request.api || request.devices.empty()) return;
  DeferredSharedPictures::Devices devices;
  for (const vulkan::DeviceInfo& device : request.devices) {
    try {
      const auto opened =
          vulkan::open_devices({.selector = std::to_string(device.index), .cache_folder = cache_folder()});
      devices.push_back(opened.front());
    } catch (const Error&) {
      return;  // the backend says why it cannot be used
    }
  }
  std::promise<DeferredSharedPictures::Devices> opened;
  opened.set_value(std::move(devices));
  request.pictures = std::make_shared<DeferredSharedPictures>(opened.get_future().share());
}

// Reads so many frames, or as many as fit the time, and keeps the first of them.
Decoded decode(const RunOptions& run, int64_t frames, double seconds, BenchInput& input) {
  const double start = seconds_now();
  const std::unique_ptr<PairReader> reader = open(run);
  Decoded decoded;
  // Hardware takes a while to open: time is counted from the first frame on.
  double first = start;
  while (frames > 0 ? decoded.frames < frames : decoded.frames == 0 || seconds_now() - first < seconds) {
    std::optional<FramePair> pair = reader->next();
    if (!pair) break;
    if (decoded.frames == 0) first = seconds_now();
    ++decoded.frames;
    if (input.frames.size() < kFramesInMemory) input.frames.push_back(seen_by_host(std::move(*pair)));
  }
  decoded.seconds = seconds_now() - start;
  decoded.fps = static_cast<double>(decoded.frames) / decoded.seconds;
  if (decoded.frames > 1) decoded.fps = static_cast<double>(decoded.frames - 1) / (seconds_now() - first);
  const VideoInfo& info = reader->distorted().info();
  input.facts.codec = info.codec;
  input.decoded.decoder = reader->distorted().report().decoders;
  input.formats.distorted = info.format;
  if (FrameReader* const reference = reader->reference()) {
    input.formats.reference = reference->info().format;
    input.reference_rate = reference->info().frame_rate();
  }
  return decoded;
}

void settle_input(BenchInput& input, const RunOptions& run) {
  const VideoFormat& format = input.formats.distorted;
  input.facts.width = format.width;
  input.facts.height = format.height;
  input.facts.bit_depth = format.bit_depth;
  Settled settled = settle(run, run, {.formats = input.formats, .reference_rate = input.reference_rate});
  input.features = std::move(settled.features);
  input.formats = std::move(settled.formats);
  for (const FeatureRequest& request : input.features) check_request(request, input.formats);
}

}  // namespace

std::optional<BenchBackend> bench_backend(const RunOptions& run, const BenchInput& input, double upload_rate,
                                          const BenchTime& time) {
  BenchBackend result = input.decoded;
  result.backend = to_string(run.backend.value());
  try {
    BackendBench(run, input, upload_rate, time).measure(result);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kBackend) throw;
    result.error = error.what();
  }
  if (interrupted()) return std::nullopt;
  return result;
}

BenchInput read_bench_input(const RunOptions& with, const BenchTime& time) {
  BenchInput input;
  // Finding devices is no decoding.
  RunOptions run = with;
  Messages unheard([](std::string_view) {});
  run.hardware = settle_decoder(run.hardware, choose_backend(run, unheard));
  keep_on_device(run.hardware);
  input.facts.name = run.distorted;
  std::vector<double> rates;
  // Drivers take their time for the first session of a process.
  if (run.hardware.api) {
    BenchInput warm_up;
    decode(run, 1, time.seconds, warm_up);
  }
  for (int i = 0; i < time.rounds && !run.stop.is_requested(); ++i) {
    int64_t& frames = input.decoded.decoded_frames;
    const Decoded decoded = decode(run, i == 0 ? time.frames : frames, time.seconds, input);
    frames = decoded.frames;
    if (decoded.frames == 0) break;
    rates.push_back(decoded.fps);
    if (decoded.seconds > 3 * time.seconds) break;
  }
  if (run.stop.is_requested()) return input;
  if (input.frames.empty()) throw Error(ErrorKind::kInput, "{}: the video has no frames.", run.distorted);
  input.decoded.decode_fps = median(rates);
  settle_input(input, run);
  return input;
}

Synthetic synthetic_kind_for(const RunOptions& run) {
  return frame_needs(run.features).reference ? Synthetic::kFilm : Synthetic::kBanded;
}

BenchInput make_bench_input(const RunOptions& run, const VideoFormat& format) {
  BenchInput input;
  input.facts.name = format.name;
  input.facts.synthetic = true;
  input.formats.distorted = format;
  const FrameNeeds use = frame_needs(run.features);
  if (use.reference) input.formats.reference = format;
  for (size_t i = 0; i < kFramesInMemory; ++i) {
    input.frames.push_back(synthetic_pair(synthetic_kind_for(run), format, static_cast<int64_t>(i), use));
  }
  settle_input(input, run);
  return input;
}

static int64_t stride_of(const SampleView& plane) {
  return stored_stride(plane.width() * int64_t{plane.is_u8() ? 1 : 2});
}

static int64_t bytes_of(const SampleView& plane) {
  return round_up(stride_of(plane) * plane.height(), kPlaneAlignment);
}

template <typename T>
static void move_plane(PlaneView<const T>& plane, int64_t stride, std::byte* to) {
  const PlaneView<T> moved{reinterpret_cast<T*>(to), plane.width, plane.height,
                           static_cast<ptrdiff_t>(stride / static_cast<int64_t>(sizeof(T)))};
  for (int y = 0; y < plane.height; ++y) std::copy_n(plane.row(y), plane.width, moved.row(y));
  plane = moved;
}

Frame stored_frame(const Frame& frame, FrameStore& store) {
  if (frame.place) return frame;
  int64_t bytes = 0;
  for (const SampleView& plane : frame.planes) bytes += bytes_of(plane);
  const std::shared_ptr<const HostVisibleMemory> piece = store.take(bytes);
  if (!piece) return frame;
  Frame stored = frame;
  std::byte* to = piece->data();
  for (SampleView& plane : stored.planes) {
    if (plane.empty()) continue;
    const int64_t stride = stride_of(plane), size = bytes_of(plane);
    plane.is_u8() ? move_plane(plane.u8, stride, to) : move_plane(plane.u16, stride, to);
    to += size;
  }
  stored.place = piece;
  stored.owner = nullptr;
  return stored;
}

}  // namespace vq::cli
