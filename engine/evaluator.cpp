#include "engine/evaluator.h"

#include <cmath>
#include <iterator>

#include "core/error.h"
#include "core/text.h"
#include "core/trace.h"
#include "engine/known_metrics.h"
#include "engine/models/model.h"
#include "feature/extractor.h"
#include "feature/stage_clock.h"
#include "vulkan/device.h"

namespace vq {
namespace {

// The successor of a device in `failed`.
struct Successor {
  Execution execution;
  std::string name;
};

// None if devices could not be opened.
std::vector<std::shared_ptr<vulkan::Device>> devices_of(const Execution& execution) {
  if (!execution.devices.opened.valid()) return {};
  try {
    return execution.devices.opened.get();
  } catch (const Error&) {
    return {};
  }
}

std::optional<Successor> without_failed(const Execution& failed) {
  const std::vector<std::shared_ptr<vulkan::Device>> all = devices_of(failed);
  std::vector<std::shared_ptr<vulkan::Device>> working;
  Successor successor{failed, ""};
  for (const std::shared_ptr<vulkan::Device>& device : all) {
    if (device->has_failed()) continue;
    successor.name += (working.empty() ? "" : ", ") + device->info().name;
    working.push_back(device);
  }
  if (working.empty() || working.size() == all.size()) return std::nullopt;
  DeviceSelection& devices = successor.execution.devices;
  devices.count = static_cast<int>(working.size());
  std::promise<std::vector<std::shared_ptr<vulkan::Device>>> opened;
  opened.set_value(std::move(working));
  devices.opened = opened.get_future().share();
  return successor;
}

std::optional<Successor> successor_of(const Execution& failed, const RunContext& use) {
  if (!is_on_device(failed.backend)) return std::nullopt;
  if (std::optional<Successor> working = without_failed(failed)) return working;
  if (!use.may_use_cpu) return std::nullopt;
  Successor cpu{failed, "the CPU"};
  cpu.execution.backend = Backend::kCpu;
  cpu.execution.devices = {};
  return cpu;
}

class ExtractorMaker {
 public:
  ExtractorMaker(const std::vector<FeatureRequest>& requests, const VideoFormats& formats,
                 const RunContext& use)
      : requests_(requests), formats_(formats), use_(use) {}

  std::unique_ptr<FeatureExtractor> make(const Execution& execution) const {
    try {
      return guarded(make_extractor(requests_, formats_, execution), execution);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kBackend) throw;
      const std::optional<Successor> successor = successor_of(execution, use_);
      if (!successor) throw;
      tell(error.what(), *successor);
      return make(successor->execution);
    }
  }

 private:
  std::unique_ptr<FeatureExtractor> guarded(std::unique_ptr<FeatureExtractor> extractor,
                                            const Execution& execution) const {
    const bool may_be_followed = execution.devices.count > 1 || use_.may_use_cpu;
    if (!is_on_device(execution.backend) || !may_be_followed) return extractor;
    const auto next = std::make_shared<Execution>();
    Fallback fallback;
    fallback.on_fallback = [maker = *this, execution, next](const std::string& reason) {
      const std::optional<Successor> successor = successor_of(execution, maker.use_);
      if (!successor) throw;
      maker.tell(reason, *successor);
      *next = successor->execution;
    };
    fallback.make = [maker = *this, next] { return maker.make(*next); };
    fallback.read_again = use_.read_again;
    return with_fallback(std::move(extractor), std::move(fallback));
  }

  void tell(const std::string& reason, const Successor& successor) const {
    if (use_.on_takeover) use_.on_takeover(reason, successor.name);
  }

  std::vector<FeatureRequest> requests_;
  VideoFormats formats_;
  RunContext use_;
};

}  // namespace

Evaluator::Evaluator(std::vector<FeatureRequest> features, std::vector<ModelOfRun> models,
                     const VideoFormats& formats, const RunContext& context,
                     std::vector<EvaluationObserver*> observers)
    : features_(std::move(features)),
      models_(std::move(models)),
      formats_(formats),
      observers_(std::move(observers)),
      places_(report_places(features_, models_)),
      clock_(context.execution.clock),
      columns_(features_.size() + 1) {
  for (size_t i = 0; i < features_.size(); ++i) {
    const FeatureInfo& info = *features_[i].info;
    columns_[i].metrics = metrics_of(features_[i]);
    if (info.make_sequence != nullptr) columns_[i].sequence = info.make_sequence(features_[i].options);
    if (info.text_names == nullptr) continue;
    for (const std::string& name : info.text_names(features_[i].options))
      columns_[i].texts.push_back({name, {}});
  }
  columns_.back().metrics = model_scores(models_);
  for (const ModelOfRun& model : models_) inputs_.push_back(input_places(model, features_));
  const MetricPlace& leading = places_[leading_metric(report_metrics(features_, models_))];
  leading_ = &columns_[leading.feature].metrics[leading.value];
  const TraceSpan span("make the extractor");
  extractor_ =
      context.make ? context.make() : ExtractorMaker(features_, formats_, context).make(context.execution);
  if (!context.takes_results) return;
  auto replay = std::make_unique<ReplayExtractor>(frame_needs(features_), std::move(extractor_));
  replay_ = replay.get();
  extractor_ = std::move(replay);
}

void Evaluator::push(const FramePair& frames, std::vector<FrameResult>& results) {
  replay_->set_results(results);
  push(frames);
}

void Evaluator::push(const FramePair& frames) {
  const StageTimer timer(clock_, pace::kSubmitting);
  if (frames.is_reported) {
    frames_.push_back(frames.index);
    timestamps_.push_back(frames.distorted.timestamp);
    for (EvaluationObserver* observer : observers_)
      observer->pushed(frames, static_cast<int64_t>(frames_.size()) - 1);
  }
  failed_ = true;  // until the opposite is known
  extractor_->push(frames, *this);
  failed_ = false;
}

void Evaluator::end_scoring() {
  const StageTimer timer(clock_, pace::kReporting);
  failed_ = true;
  replay_->end_first(*this);
  failed_ = false;
}

// Frames behind one that failed are not scored, so that the last before it ends the video.
void Evaluator::finish() {
  const StageTimer timer(clock_, pace::kReporting);
  if (!std::exchange(failed_, true)) {
    extractor_->finish(*this);
    failed_ = false;
  }
  if (std::exchange(finished_, true)) return;
  for (Column& column : columns_) {
    if (column.sequence) column.take(column.sequence->finish());
  }
  complete_rows();
  for (EvaluationObserver* observer : observers_) observer->counted(nullptr, scored_);
}

void Evaluator::Column::take(std::vector<FrameValues> complete) {
  for (const FrameValues& values : complete) {
    const bool is_reported = reported.front();
    reported.pop_front();
    if (!is_reported) continue;
    for (size_t k = 0; k < metrics.size(); ++k) metrics[k].values.push_back(values[k]);
    ++rows;
  }
}

void Evaluator::scored(const FrameScores& scores) {
  const StageTimer timer(clock_, pace::kReporting);
  // First, since it may fail: then the frame counts as not scored.
  for (EvaluationObserver* observer : observers_) observer->found(scores);
  try {
    for (size_t i = 0; i < features_.size(); ++i) {
      Column& column = columns_[i];
      const FrameResult& result = scores.results[i];
      if (!scores.is_reported && !needs_every_frame(features_[i])) continue;
      column.totals.resize(std::max(column.totals.size(), result.tallies.size()));
      for (size_t k = 0; k < result.tallies.size(); ++k) column.totals[k] += result.tallies[k];
      column.reported.push_back(scores.is_reported);
      column.take(column.sequence ? column.sequence->next(result) : std::vector<FrameValues>{result.values});
      if (!scores.is_reported) continue;
      for (size_t k = 0; k < column.texts.size(); ++k) column.texts[k].values.push_back(result.texts[k]);
    }
    complete_rows();
  } catch (...) {
    // Complete rows stay. A sequence that failed amid a frame would end with another frame's scores.
    finished_ = true;
    throw;
  }
  for (EvaluationObserver* observer : observers_) observer->counted(&scores, scored_);
}

void Evaluator::complete_rows() {
  const auto fewer = [](const Column& a, const Column& b) { return a.rows < b.rows; };
  const int64_t complete = std::min_element(columns_.begin(), columns_.end() - 1, fewer)->rows;
  for (; scored_ < complete; ++scored_) add_scores(scored_);
}

// In the order of model_scores().
void Evaluator::add_scores(int64_t row) {
  std::vector<double> scores, of_collections;
  for (size_t i = 0; i < models_.size(); ++i) {
    if (!models_[i].has_scores) continue;
    std::vector<std::vector<double>> values;
    for (const std::vector<MetricPlace>& inputs : inputs_[i]) {
      values.emplace_back();
      for (const MetricPlace& input : inputs) values.back().push_back(input_value(input, models_[i], row));
    }
    const model::FrameScores found = model::predict(*models_[i].model.models, values);
    scores.push_back(found.score);
    of_collections.insert(of_collections.end(), found.of_collection.begin(), found.of_collection.end());
  }
  scores.insert(scores.end(), of_collections.begin(), of_collections.end());
  for (size_t k = 0; k < scores.size(); ++k) columns_.back().metrics[k].values.push_back(scores[k]);
}

double Evaluator::input_value(const MetricPlace& input, const ModelOfRun& model, int64_t row) const {
  const double value = value_at(input, row);
  if (std::isfinite(value)) return value;
  throw Error(ErrorKind::kInput, "frame {}: {} is not a finite number, so there is no score of {}",
              frames_[static_cast<size_t>(row)], input.metric.name, model::source_of(model.model.spec));
}

double Evaluator::value_at(const MetricPlace& place, int64_t row) const {
  return columns_[place.feature].metrics[place.value].values[static_cast<size_t>(row)];
}

ScoredRow Evaluator::row(int64_t position) const {
  const auto i = static_cast<size_t>(position);
  ScoredRow row{.frame = frames_[i], .timestamp = timestamps_[i], .metrics = {}, .texts = {}};
  for (const Column& column : columns_) {
    for (const TextSeries& text : column.texts) row.texts.emplace_back(text.name, text.values[i]);
  }
  for (const MetricPlace& place : places_)
    row.metrics.emplace_back(place.metric.name, value_at(place, position));
  return row;
}

void Evaluator::fill(Report& report) const {
  const ptrdiff_t count = static_cast<ptrdiff_t>(scored_);
  report.frames.assign(frames_.begin(), frames_.begin() + count);
  report.timestamps.assign(timestamps_.begin(), timestamps_.begin() + count);
  report.metrics.clear();
  for (const MetricPlace& place : places_) {
    const std::vector<double>& values = columns_[place.feature].metrics[place.value].values;
    report.metrics.push_back(place.metric);
    report.metrics.back().values.assign(values.begin(), values.begin() + count);
  }
  fill_rest(report);
}

void Evaluator::give(Report& report) {
  const auto count = static_cast<size_t>(scored_);
  frames_.resize(count);
  timestamps_.resize(count);
  report.frames = std::exchange(frames_, {});
  report.timestamps = std::exchange(timestamps_, {});
  report.metrics.clear();
  for (const MetricPlace& place : places_) {
    std::vector<double>& values = columns_[place.feature].metrics[place.value].values;
    values.resize(count);
    report.metrics.push_back(place.metric);
    report.metrics.back().values = std::exchange(values, {});
  }
  fill_rest(report);
}

// Fills the members of which there are few. Needs: the report has its metrics.
void Evaluator::fill_rest(Report& report) const {
  const ptrdiff_t count = static_cast<ptrdiff_t>(scored_);
  report.texts.clear();
  report.aggregates.clear();
  for (size_t i = 0; i < features_.size(); ++i) {
    for (const TextSeries& text : columns_[i].texts) {
      report.texts.push_back({text.name, {text.values.begin(), text.values.begin() + count}});
    }
    const FeatureRequest& request = features_[i];
    if (scored_ == 0) continue;
    const auto add = [&](std::vector<std::pair<std::string, double>> figures) {
      std::ranges::move(figures, std::back_inserter(report.aggregates));
    };
    if (request.info->of_frames != nullptr) {
      std::vector<std::span<const double>> columns;
      for (const Metric& metric : columns_[i].metrics)
        columns.emplace_back(find_metric(report, metric.name)->values);
      add(request.info->of_frames(request.options, columns));
    }
    if (request.info->aggregates != nullptr)
      add(request.info->aggregates(request.options, formats_of(request, formats_), columns_[i].totals));
  }
}

void ReplayExtractor::set_results(std::vector<FrameResult>& results) {
  next_.swap(results);
  has_results_ = true;
}

void ReplayExtractor::push(const FramePair& frames, ScoreSink& sink) {
  if (has_results_) {
    end_first(sink);
    return give(frames, next_, sink);
  }
  FramePair& kept = pushed_.emplace_back();
  kept.index = frames.index;
  kept.is_reported = frames.is_reported;
  kept.distorted.repeated_planes = frames.distorted.repeated_planes;
  if (frames.reference) kept.reference.emplace().repeated_planes = frames.reference->repeated_planes;
  sink_ = &sink;
  first_->push(frames, *this);
}

void ReplayExtractor::end_first(ScoreSink& sink) {
  if (!first_) return;
  finish(sink);
  report_ = first_->backend_report();
  first_.reset();
}

void ReplayExtractor::finish(ScoreSink& sink) {
  sink_ = &sink;
  if (first_) first_->finish(*this);
}

void ReplayExtractor::scored(const FrameScores& scores) {
  const FramePair frames = std::move(pushed_.front());
  pushed_.pop_front();
  copied_.clear();
  for (const FrameResult& result : scores.results) copied_.push_back(result.without_pictures());
  give(frames, copied_, *sink_);
}

void ReplayExtractor::give(const FramePair& frames, std::vector<FrameResult>& results, ScoreSink& sink) {
  FrameJob& job = jobs_.add(frames);
  if (!job.repeats) {
    job.results.swap(results);
    std::promise<void> done;
    done.set_value();
    job.done = done.get_future();
  }
  jobs_.deliver_first(sink);
}

BackendReport ReplayExtractor::backend_report() const {
  BackendReport report = first_ ? first_->backend_report() : report_;
  report.repeated_frames = jobs_.repeated_frames();
  return report;
}

int read_ahead(int threads) {
  // A thread that reads would only take the core from what it reads for.
  return usable_cores() == 1 ? 0 : std::min(threads, 4);
}

int64_t decoding_bytes(const DecodedVideo& video, const DecodingUse& use) {
  // Decoders keep reference pictures (16 at most in common codecs, at most a few for the largest pictures)
  // and one more for each thread, with all their planes; y4m and raw video only what is queued.
  constexpr int64_t kReferencePictures = 6;
  const VideoFormat& format = video.format;
  // As if it had chroma in full if nothing is known of that.
  const Chroma chroma = format.chroma == Chroma::kOther && !video.is_planar ? Chroma::k444 : format.chroma;
  const int planes = video.is_planar ? std::min(use.planes, plane_count(chroma)) : plane_count(chroma);
  int64_t frame = 0;
  for (int i = 0; i < planes; ++i) {
    const PlaneSize size = plane_size({format.width, format.height}, chroma, i);
    frame += stored_stride(size.width * int64_t{format.bit_depth > 8 ? 2 : 1}) * size.height;
  }
  // Several decoders share the threads.
  return frame * (use.queued + (video.is_planar ? 0 : video.decoders * kReferencePictures + use.threads));
}

int64_t run_bytes(const VideoReading& reading, const std::vector<FeatureRequest>& features,
                  const VideoFormats& formats, const Execution& execution) {
  constexpr int64_t kReadAndCompared =
      2;  // the frame that is being read, and the one that the next is compared with
  const FrameNeeds looked_at = frame_needs(features);
  const int64_t before =
      std::max(looked_at.before.distorted, looked_at.before.references) + std::ssize(looked_at.before.noises);
  const auto in_flight = static_cast<int64_t>(frames_in_flight(features, execution));
  const DecodingUse use = {
      looked_at.planes, read_ahead(reading.threads) + in_flight + kReadAndCompared + before, reading.threads};
  int64_t bytes = extractor_bytes(features, formats, execution);
  for (const ReadVideo& video : reading.videos) {
    DecodingUse last = use;
    last.queued += video.held;
    bytes += decoding_bytes(video.decoded, video.fitted ? use : last);
    if (video.fitted) bytes += decoding_bytes(*video.fitted, last);
  }
  return bytes;
}

}  // namespace vq
