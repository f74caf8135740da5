#include "tests/bench/bench_whole_runs.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <future>
#include <map>
#include <optional>

#include "cli/bench/frame_ring.h"
#include "cli/commands/feature_spec.h"
#include "core/metric.h"
#include "core/worker_pool.h"
#include "engine/models/catalogue.h"
#include "engine/models/model_features.h"
#include "feature/extractor.h"

namespace vq::bench {
namespace {

using Clock = std::chrono::steady_clock;

// Each slot of a device records its work anew for each place that frames have.
constexpr int kWarmUpRounds = 10;
// One frame at a time, for the device's clock.
constexpr int kMostSingleFrames = 50;
constexpr std::string_view kAllButUpload = "all but upload";

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Keeps the values of the first frames, so that runs on several backends can be compared.
class FirstValues final : public ScoreSink {
 public:
  explicit FirstValues(int64_t frames) : frames_(frames) {}
  void scored(const FrameScores& scores) override {
    if (scores.frame >= frames_) return;
    sums_.resize(scores.results.size());
    for (size_t i = 0; i < sums_.size(); ++i) {
      const FrameValues& values = scores.results[i].values;
      sums_[i].resize(values.size());
      for (size_t k = 0; k < values.size(); ++k) sums_[i][k] += values[k] / static_cast<double>(frames_);
    }
  }
  // Means of the values of each feature.
  const std::vector<FrameValues>& means() const { return sums_; }

 private:
  const int64_t frames_;
  std::vector<FrameValues> sums_;
};

std::vector<FramePair> draw(const WholeRun& run, const FrameNeeds& use, WorkerPool& pool) {
  std::vector<FramePair> pairs(static_cast<size_t>(run.pairs));
  std::vector<std::future<void>> drawn;
  for (size_t i = 0; i < pairs.size(); ++i) {
    drawn.push_back(pool.submit(std::packaged_task<void()>(
        [&, i] { pairs[i] = synthetic_pair(run.pictures, run.format, static_cast<int64_t>(i), use); })));
  }
  for (std::future<void>& one : drawn) one.get();
  return pairs;
}

VideoFormats formats_of(const WholeRun& run, const FrameNeeds& use) {
  return {run.format, use.reference ? std::optional(run.format) : std::nullopt};
}

// The pairs through an extractor, by turns.
class Ring {
 public:
  explicit Ring(const WholeRun& run)
      : pool_(run.threads),
        use_(frame_needs(run.features)),
        ring_(extractor(run), draw(run, use_, pool_), use_.before),
        values_(run.pairs) {}

  // Seconds that so many frames take.
  double push(int64_t count) { return ring_.push(count, values_); }

  BackendReport report() const { return ring_.report(); }
  const std::vector<FrameValues>& values() const { return values_.means(); }
  int threads() const { return pool_.size(); }
  bool is_stored() const {
    const auto has_place = [](const FramePair& pair) {
      return pair.distorted.place != nullptr && (!pair.reference || pair.reference->place != nullptr);
    };
    return std::all_of(ring_.pairs().begin(), ring_.pairs().end(), has_place);
  }

 private:
  std::unique_ptr<FeatureExtractor> extractor(const WholeRun& run) {
    return make_extractor(
        run.features, formats_of(run, use_),
        {.backend = run.backend, .pool = &pool_, .devices = {.selector = run.device}, .time_stages = true});
  }

  WorkerPool pool_;
  const FrameNeeds use_;
  cli::FrameRing ring_;
  FirstValues values_;
};

// Seconds a frame, once every slot has recorded and clocks are up.
double warm_up(Ring& ring, const WholeRun& run) {
  const double most = run.seconds;
  double together = 0, each = 0;
  for (int i = 0; i < kWarmUpRounds && (i == 0 || together < most); ++i) {
    const double seconds = ring.push(run.pairs);
    together += seconds;
    each = seconds / run.pairs;
  }
  return each;
}

// Medians of stages on the device, of frames one at a time.
std::map<std::string, double> alone(Ring& ring, const WholeRun& run) {
  std::map<std::string, std::vector<double>> times;
  BackendReport before = ring.report();
  if (before.stages.empty()) return {};
  const auto start = Clock::now();
  for (int i = 0; i < kMostSingleFrames && (i == 0 || seconds_since(start) < run.seconds); ++i) {
    ring.push(1);
    BackendReport after = ring.report();
    for (const StageTotal& total : cli::added_times(after.stages, before.stages))
      times[total.stage].push_back(total.ms);
    before = std::move(after);
  }
  std::map<std::string, double> medians;
  for (auto& [stage, all] : times) medians[stage] = median(all);
  return medians;
}

void print_stages(const BackendReport& after, const BackendReport& before,
                  const std::map<std::string, double>& alone, double frames) {
  const std::vector<StageTotal> device = cli::added_times(after.stages, before.stages);
  const std::vector<StageTotal> host = cli::added_times(after.host_stages, before.host_stages);
  size_t longest = kAllButUpload.size();
  for (const StageTotal& total : device) longest = std::max(longest, total.stage.size());
  for (const StageTotal& total : host) longest = std::max(longest, total.stage.size());
  const int width = static_cast<int>(longest);
  std::printf("  %-*s  %-6s  among others     alone\n", width, "milliseconds a frame", "on");
  double among_others = 0, one_by_one = 0;
  for (const StageTotal& total : device) {
    std::printf("  %-*s  %-6s  %12.4f  %8.4f\n", width, total.stage.c_str(), "device", total.ms / frames,
                alone.at(total.stage));
    if (total.stage == kUploadStage) continue;
    among_others += total.ms / frames;
    one_by_one += alone.at(total.stage);
  }
  if (!device.empty())
    std::printf("  %-*s  %-6s  %12.4f  %8.4f\n", width, kAllButUpload.data(), "device", among_others,
                one_by_one);
  for (const StageTotal& total : host)
    std::printf("  %-*s  %-6s  %12.4f\n", width, total.stage.c_str(), "host", total.ms / frames);
}

// As features find them in single frames, so that two backends can be compared.
void print_values(const WholeRun& run, const std::vector<FrameValues>& means) {
  std::printf("  means of the first %d frames:", run.pairs);
  for (size_t i = 0; i < means.size(); ++i) {
    std::printf("%s %s", i == 0 ? "" : ",", std::string(run.features[i].info->name).c_str());
    for (const double mean : means[i]) std::printf(" %.17g", mean);
  }
  std::printf("\n");
}

// What the host computes, beside what features on the device leave to it.
std::string features_on_host(const WholeRun& run) {
  if (!is_on_device(run.backend)) return "all";
  std::string text;
  for (const std::string& name : left_to_host(run.features, {.backend = run.backend}))
    text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

void add(FeatureRequest request, std::vector<FeatureRequest>& all) {
  const auto is_same = [&](const FeatureRequest& known) {
    return model::instance_of(known) == model::instance_of(request);
  };
  if (std::none_of(all.begin(), all.end(), is_same)) all.push_back(std::move(request));
}

std::vector<FeatureRequest> features_of(const std::string& text, const VideoFormat& format) {
  model::ModelSpec spec = model::parse_model_spec(text);
  if (spec.is_automatic) spec.version = model::suited_model(format, {}).model;
  model::RequestedModel model = model::request_model(spec);
  for (const model::OpenOption& open : model.open_options)
    model::fill(model.features[open.feature], open.option, format);
  return std::move(model.features);
}

}  // namespace

std::vector<FeatureRequest> requested_features(const std::vector<std::string>& models,
                                               const std::vector<std::string>& features,
                                               const VideoFormat& format) {
  std::vector<FeatureRequest> all;
  for (const std::string& text : models) {
    for (FeatureRequest& request : features_of(text, format)) add(std::move(request), all);
  }
  for (const std::string& text : features) add(cli::parse_feature(text), all);
  const VideoFormats formats = {format, format};
  for (FeatureRequest& request : all) resolve(request, formats);
  return all;
}

void measure_whole_run(const WholeRun& run) {
  Ring ring(run);
  const double each = warm_up(ring, run);
  const std::map<std::string, double> singles = alone(ring, run);
  const BackendReport before = ring.report();
  const int64_t frames =
      run.frames > 0 ? run.frames : std::max<int64_t>(run.pairs, static_cast<int64_t>(run.seconds / each));
  const double seconds = ring.push(frames);
  const BackendReport after = ring.report();
  const auto count = static_cast<double>(frames);
  std::printf("  %s%s%s, %s, %d threads: %.1f frames/s (%lld in %.2f s)\n", after.backend.c_str(),
              after.device.empty() ? "" : " on ", after.device.c_str(), after.simd.c_str(), ring.threads(),
              count / seconds, static_cast<long long>(frames), seconds);
  std::printf(
      "  %d pairs, %s; uploaded %.3f MB a frame, read back %.4f MB a frame; features on the CPU: %s\n",
      run.pairs, ring.is_stored() ? "where decoders write" : "in ordinary memory",
      1e-6 * static_cast<double>(after.bytes_uploaded - before.bytes_uploaded) / count,
      1e-6 * static_cast<double>(after.bytes_read - before.bytes_read) / count,
      features_on_host(run).c_str());
  print_stages(after, before, singles, count);
  print_values(run, ring.values());
  std::fflush(stdout);
}

}  // namespace vq::bench
