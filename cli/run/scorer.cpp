#include "cli/run/scorer.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "cli/system/output_path.h"
#include "core/copy_plane.h"
#include "core/error.h"
#include "core/frame_place.h"
#include "engine/known_metrics.h"
#include "engine/models/predictor.h"
#include "engine/report/metric_choice.h"
#include "feature/extractor.h"
#include "feature/fallback_extractor.h"
#include "feature/stage_clock.h"

namespace vq::cli {
namespace {

std::unique_ptr<FeatureExtractor> make_with_fallback(const std::vector<FeatureRequest>& requests,
                                                     const InputFormats& formats, const BackendUse& use) {
  if (use.make) return use.make();
  if (!use.on_fallback) return make_extractor(requests, formats, use.execution);
  Execution without_devices = use.execution;
  without_devices.backend = Backend::kCpu;
  without_devices.devices = {};
  auto on_cpu = [requests, formats, execution = without_devices] {
    return make_extractor(requests, formats, execution);
  };
  try {
    return with_fallback(make_extractor(requests, formats, use.execution), {on_cpu, use.on_fallback});
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kBackend) throw;
    use.on_fallback(error.what());
    return on_cpu();
  }
}

// Empty where the feature has no such option, or it was not given.
std::string path_option(const FeatureRequest& request, std::string_view option) {
  const std::optional<OptionValue> path = request.options.find(option);
  return path ? std::get<std::string>(*path) : std::string();
}

}  // namespace

std::string heatmap_folder(const FeatureRequest& request) {
  return path_option(request, request.info->heatmap_option);
}

std::string histogram_path(const FeatureRequest& request) {
  return path_option(request, request.info->histogram_option);
}

std::optional<size_t> histogram_feature(std::span<const FeatureRequest> requests) {
  const auto delivers = [](const FeatureRequest& request) { return request.histograms; };
  const auto found = std::find_if(requests.begin(), requests.end(), delivers);
  return found == requests.end() ? std::nullopt : std::optional(static_cast<size_t>(found - requests.begin()));
}

MetricPlace shown_metric(const std::vector<FeatureRequest>& requests, const std::vector<ModelOfRun>& models) {
  const auto leading_of = [](const FeatureRequest& request) {
    const std::vector<Metric> metrics = metrics_of(request);
    const size_t value = leading_metric(metrics);
    return MetricPlace{.metric = metrics[value], .value = value};
  };
  const auto has_folder = [](const FeatureRequest& request) { return !heatmap_folder(request).empty(); };
  // Of frames of which no score is worse than another there is nothing to show.
  const auto is_judged = [&](const FeatureRequest& request) { return !is_neutral(leading_of(request).metric); };
  auto found = std::find_if(requests.begin(), requests.end(), has_folder);
  const std::vector<Metric> scores = model_scores(models);
  if (found == requests.end() && !scores.empty()) return {.metric = scores.front(), .feature = requests.size()};
  if (found == requests.end()) found = std::find_if(requests.begin(), requests.end(), is_judged);
  if (found == requests.end()) found = requests.begin();
  MetricPlace place = leading_of(*found);
  place.feature = static_cast<size_t>(found - requests.begin());
  return place;
}

OtherMetrics other_metrics(const std::vector<FeatureRequest>& requests,
                           const std::vector<ModelOfRun>& models) {
  const MetricPlace shown = shown_metric(requests, models);
  const auto is_same = [](const MetricPlace& a, const MetricPlace& b) {
    return a.feature == b.feature && a.value == b.value;
  };
  const std::vector<MetricPlace> all = report_places(requests, models);
  std::vector<MetricPlace> judged, rest;
  const std::vector<size_t> verdicts = verdict_metrics(report_metrics(requests, models));
  for (size_t i = 0; i < all.size(); ++i) {
    if (is_same(all[i], shown) || is_neutral(all[i].metric)) continue;
    const bool is_judged = std::find(verdicts.begin(), verdicts.end(), i) != verdicts.end();
    (is_judged ? judged : rest).push_back(all[i]);
  }
  // What was asked for before what models score from, as everywhere.
  std::stable_partition(rest.begin(), rest.end(),
                        [](const MetricPlace& place) { return !place.metric.is_inner; });
  OtherMetrics others{.places = judged, .judged = judged.size()};
  others.places.insert(others.places.end(), rest.begin(), rest.end());
  return others;
}

Scorer::Scorer(std::vector<FeatureRequest> requests, const InputFormats& formats, const BackendUse& use,
               const HeatmapTaps& taps, std::vector<ModelOfRun> models)
    : requests_(std::move(requests)),
      formats_(formats),
      taps_(taps),
      models_(std::move(models)),
      shown_(shown_metric(requests_, models_)),
      others_(other_metrics(requests_, models_).places),
      histograms_of_(histogram_feature(requests_)),
      places_(report_places(requests_, models_)),
      found_(use.found),
      clock_(use.execution.clock),
      columns_(requests_.size() + 1) {
  for (size_t i = 0; i < requests_.size(); ++i) {
    const auto& [info, options] = std::tie(requests_[i].info, requests_[i].options);
    columns_[i].metrics = metrics_of(requests_[i]);
    if (info->make_sequence != nullptr) columns_[i].sequence = info->make_sequence(options);
    if (info->text_names == nullptr) continue;
    for (const std::string& name : info->text_names(options)) columns_[i].texts.push_back({name, {}});
  }
  columns_.back().metrics = model_scores(models_);
  for (const ModelOfRun& model : models_) inputs_.push_back(input_places(model, requests_));
  const MetricPlace& leading = places_[leading_metric(report_metrics(requests_, models_))];
  leading_ = &columns_[leading.feature].metrics[leading.value];
  extractor_ = make_with_fallback(requests_, formats_, use);
  for (size_t i = 0; taps_.raw_files && i < requests_.size(); ++i) {
    if (!heatmap_folder(requests_[i]).empty()) open_heatmaps(i);
  }
  for (size_t i = 0; i < requests_.size(); ++i) {
    const std::string path = histogram_path(requests_[i]);
    if (!path.empty()) columns_[i].histograms = std::make_unique<HistogramFile>(path, histograms_of(requests_[i], formats_));
  }
  if (!taps_.levels || !histograms_of_) return;
  levels_ = std::make_unique<LevelRecorder>(histograms_of(requests_[*histograms_of_], formats_));
}

void Scorer::open_heatmaps(size_t i) {
  const FeatureRequest& request = requests_[i];
  const std::string folder = heatmap_folder(request);
  const auto meets = [&](const std::string& other) { return same_file(folder, other); };
  if (std::any_of(folders_.begin(), folders_.end(), meets)) {
    throw Error(ErrorKind::kUsage,
                "two features would write heatmaps into " + folder + ". Give each its own folder.");
  }
  folders_.push_back(folder);
  columns_[i].heatmaps = std::make_unique<HeatmapFiles>(folder, request.info->name,
                                                        request.info->heatmaps(request.options, formats_));
}

void Scorer::push(const FramePair& frames) {
  const StageTimer timer(clock_, pace::kSubmitting);
  if (frames.is_reported) {
    frames_.push_back(frames.index);
    timestamps_.push_back(frames.distorted.timestamp);
    const auto wants = [&](const FrameObserver* observer) { return observer->wants(frames.distorted.index); };
    if (std::any_of(taps_.observers.begin(), taps_.observers.end(), wants)) keep_picture(frames);
  }
  failed_ = true;  // until the opposite is known
  extractor_->push(frames, *this);
  failed_ = false;
}

void Scorer::keep_picture(const FramePair& frames) {
  WantedPicture& wanted = pictures_.emplace_back();
  wanted.frame = frames.index;
  wanted.row = static_cast<int64_t>(frames_.size()) - 1;
  wanted.distorted = frames.distorted;
  wanted.reference = frames.reference;
}

// Frames behind one that failed are not scored, so that the last before it ends the video.
void Scorer::finish() {
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
}

void Scorer::Column::take(std::vector<FrameValues> complete) {
  for (const FrameValues& values : complete) {
    const bool is_reported = reported.front();
    reported.pop_front();
    if (!is_reported) continue;
    for (size_t k = 0; k < metrics.size(); ++k) metrics[k].values.push_back(values[k]);
    ++rows;
  }
}

void Scorer::scored(const FrameScores& scores) {
  const StageTimer timer(clock_, pace::kReporting);
  if (found_) found_(scores);
  // First, since it may fail: then the frame counts as not scored.
  if (scores.is_reported) {
    write_heatmaps(scores);
    take_histograms(scores);
  }
  for (size_t i = 0; i < requests_.size(); ++i) {
    Column& column = columns_[i];
    const FrameResult& result = scores.results[i];
    if (!scores.is_reported && !needs_every_frame(requests_[i])) continue;
    column.totals.resize(std::max(column.totals.size(), result.tallies.size()));
    for (size_t k = 0; k < result.tallies.size(); ++k) column.totals[k] += result.tallies[k];
    column.reported.push_back(scores.is_reported);
    column.take(column.sequence ? column.sequence->next(result) : std::vector<FrameValues>{result.values});
    if (!scores.is_reported) continue;
    for (size_t k = 0; k < column.texts.size(); ++k) column.texts[k].values.push_back(result.texts[k]);
  }
  complete_rows();
  show_with(scores);
}

void Scorer::complete_rows() {
  const auto fewer = [](const Column& a, const Column& b) { return a.rows < b.rows; };
  const int64_t complete = std::min_element(columns_.begin(), columns_.end() - 1, fewer)->rows;
  for (; scored_ < complete; ++scored_) add_scores(scored_);
  while (!pictures_.empty() && pictures_.front().row < scored_ && pictures_.front().is_delivered) {
    show(pictures_.front(), pictures_.front().heatmaps, pictures_.front().histograms);
    pictures_.pop_front();
  }
}

// In the order of model_scores().
void Scorer::add_scores(int64_t row) {
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

double Scorer::input_value(const MetricPlace& input, const ModelOfRun& model, int64_t row) const {
  const double value = value_at(input, row);
  if (std::isfinite(value)) return value;
  throw Error(ErrorKind::kInput, "frame " + std::to_string(frames_[static_cast<size_t>(row)]) + ": " + input.metric.name +
                                     " is not a finite number, so there is no score of " +
                                     model::source_of(model.model.spec));
}

// The frame that has just been delivered; where its values come later, copies of what else observers want of it are kept.
void Scorer::show_with(const FrameScores& scores) {
  const auto is_it = [&](const WantedPicture& wanted) { return wanted.frame == scores.frame; };
  const auto wanted = std::find_if(pictures_.begin(), pictures_.end(), is_it);
  if (wanted == pictures_.end()) return;
  std::span<const Plane<uint16_t>> heatmaps;
  if (shown_.feature < scores.results.size()) heatmaps = scores.results[shown_.feature].heatmaps;
  std::span<const std::vector<uint32_t>> histograms;
  if (histograms_of_) histograms = scores.results[*histograms_of_].histograms;
  if (wanted->row < scored_) {
    show(*wanted, heatmaps, histograms);
    pictures_.erase(wanted);
    return;
  }
  for (const Plane<uint16_t>& map : heatmaps) wanted->heatmaps.push_back(copy_plane(map.view()));
  wanted->histograms.assign(histograms.begin(), histograms.end());
  wanted->is_delivered = true;
}

void Scorer::write_heatmaps(const FrameScores& scores) {
  if (!taps_.raw_frames.contains(scores.frame)) return;
  for (size_t i = 0; i < requests_.size(); ++i) {
    if (!columns_[i].heatmaps) continue;
    const std::vector<Plane<uint16_t>>& maps = scores.results[i].heatmaps;
    for (size_t k = 0; k < maps.size(); ++k) columns_[i].heatmaps->write(static_cast<int>(k), maps[k].view());
  }
}

void Scorer::take_histograms(const FrameScores& scores) {
  for (size_t i = 0; i < requests_.size(); ++i) {
    if (columns_[i].histograms) columns_[i].histograms->add(scores.frame, scores.results[i].histograms);
  }
  if (levels_) levels_->add(scores.results[*histograms_of_].histograms);
}

void Scorer::show(const WantedPicture& wanted, std::span<const Plane<uint16_t>> heatmaps,
                  std::span<const std::vector<uint32_t>> histograms) {
  const Frame distorted = on_host(wanted.distorted);
  const std::optional<Frame> reference = wanted.reference ? std::optional(on_host(*wanted.reference)) : std::nullopt;
  ScoredFrame frame = {distorted, value_at(shown_, wanted.row), heatmaps, histograms};
  if (reference) frame.reference = &*reference;
  std::vector<double> others;
  for (const MetricPlace& place : others_) others.push_back(value_at(place, wanted.row));
  frame.others = others;
  for (FrameObserver* observer : taps_.observers) {
    if (observer->wants(wanted.frame)) observer->frame(frame);
  }
}

double Scorer::value_at(const MetricPlace& place, int64_t row) const {
  return columns_[place.feature].metrics[place.value].values[static_cast<size_t>(row)];
}

std::vector<std::string> Scorer::heatmap_paths() const {
  std::vector<std::string> paths;
  for (const Column& column : columns_) {
    if (column.heatmaps)
      paths.insert(paths.end(), column.heatmaps->paths().begin(), column.heatmaps->paths().end());
  }
  return paths;
}

std::vector<OutputFile*> Scorer::heatmap_outputs(bool partial) {
  std::vector<OutputFile*> all;
  for (Column& column : columns_) {
    if (!column.heatmaps) continue;
    const std::vector<OutputFile*> files =
        partial ? column.heatmaps->partial_outputs() : column.heatmaps->outputs();
    all.insert(all.end(), files.begin(), files.end());
  }
  return all;
}

std::vector<OutputFile*> Scorer::histogram_outputs(bool partial) {
  std::vector<OutputFile*> all;
  for (Column& column : columns_) {
    if (!column.histograms) continue;
    OutputFile* const file = partial ? column.histograms->partial_output() : column.histograms->output();
    if (file != nullptr) all.push_back(file);
  }
  return all;
}

std::vector<ChannelLevels> Scorer::levels() const {
  return levels_ ? levels_->channels() : std::vector<ChannelLevels>();
}

ScoredRow Scorer::row(int64_t position) const {
  const auto i = static_cast<size_t>(position);
  ScoredRow row{.frame = frames_[i], .timestamp = timestamps_[i], .metrics = {}, .texts = {}};
  for (const Column& column : columns_) {
    for (const TextSeries& text : column.texts) row.texts.emplace_back(text.name, text.values[i]);
  }
  for (const MetricPlace& place : places_) row.metrics.emplace_back(place.metric.name, value_at(place, position));
  return row;
}

void Scorer::fill(Report& report) const {
  const ptrdiff_t count = static_cast<ptrdiff_t>(scored_);
  report.frames.assign(frames_.begin(), frames_.begin() + count);
  report.timestamps.assign(timestamps_.begin(), timestamps_.begin() + count);
  report.metrics.clear();
  for (const MetricPlace& place : places_) {
    const std::vector<double>& values = columns_[place.feature].metrics[place.value].values;
    report.metrics.push_back({place.metric.name, {values.begin(), values.begin() + count}, place.metric.info, place.metric.is_inner});
  }
  fill_rest(report);
}

void Scorer::give(Report& report) {
  const auto count = static_cast<size_t>(scored_);
  frames_.resize(count);
  timestamps_.resize(count);
  report.frames = std::exchange(frames_, {});
  report.timestamps = std::exchange(timestamps_, {});
  report.metrics.clear();
  for (const MetricPlace& place : places_) {
    std::vector<double>& values = columns_[place.feature].metrics[place.value].values;
    values.resize(count);
    report.metrics.push_back({place.metric.name, std::exchange(values, {}), place.metric.info, place.metric.is_inner});
  }
  fill_rest(report);
}

// What there is little of.
void Scorer::fill_rest(Report& report) const {
  const ptrdiff_t count = static_cast<ptrdiff_t>(scored_);
  report.texts.clear();
  report.aggregates.clear();
  for (size_t i = 0; i < requests_.size(); ++i) {
    for (const TextSeries& text : columns_[i].texts) {
      report.texts.push_back({text.name, {text.values.begin(), text.values.begin() + count}});
    }
    const FeatureRequest& request = requests_[i];
    if (request.info->aggregates == nullptr || scored_ == 0) continue;
    for (auto& aggregate :
         request.info->aggregates(request.options, formats_of(request, formats_), columns_[i].totals)) {
      report.aggregates.push_back(std::move(aggregate));
    }
  }
}

}  // namespace vq::cli
