#include "cli/run/run_outputs.h"

#include "cli/inputs/run_inputs.h"
#include "cli/pictures/heatmap_outputs.h"
#include "core/error.h"
#include "core/text.h"
#include "engine/known_metrics.h"
#include "engine/report/json_values.h"
#include "feature/extractor.h"

namespace vq::cli {

// Place of the feature whose heatmaps pictures and pages show; none if they show frames by the score of a
// model.
static std::optional<size_t> shown_feature(const RunOptions& options) {
  const size_t place = shown_metric(options.features, options.models).feature;
  return place < options.features.size() ? std::optional(place) : std::nullopt;
}

static HeatmapPlace heatmap_place(const SettledRun& run, std::function<void(const std::string&)> tell) {
  const RunOptions& options = run.options;
  HeatmapPlace place;
  if (const auto shown = shown_feature(options)) place.folder = heatmap_folder(options.features[*shown]);
  place.origin =
      picture_origin(options.distorted, shown_metric(options.features, options.models).metric.name);
  place.threads = options.threads;
  place.tell = std::move(tell);
  for (const OutputRequest& output : options.outputs) {
    place.other_outputs.insert(place.other_outputs.end(), {output.path, partial_output(output)});
  }
  return place;
}

// At most this number, if it is known.
static std::optional<int64_t> raw_heatmap_frames(const SettledRun& run) {
  const std::optional<int64_t> scored = run.expected_frames();
  const HeatmapRequests& requests = run.options.heatmaps;
  if (requests.frames != HeatmapRequests::Frames::kRange) return scored;
  const Sampling& sampling = run.options.sampling;
  const int64_t in_range =
      (requests.range.last - requests.range.first) / sampling.every + (sampling.is_spread ? 2 : 1);
  return std::min(in_range, scored.value_or(in_range));
}

// Requests of raw heatmaps, which can be larger than any other output, so their size is announced first.
static const HeatmapRequests& announced(const SettledRun& run, Messages& messages) {
  const auto note = [&](const std::string& text) {
    if (!run.options.quiet) messages.note(text);
  };
  for (const FeatureRequest& request : run.options.features) {
    const std::string folder = heatmap_folder(request);
    if (!run.options.heatmaps.raw || folder.empty()) continue;
    const int64_t frame_bytes = raw_frame_bytes(heatmaps_of(request, run.formats));
    const std::optional<int64_t> frames = raw_heatmap_frames(run);
    if (!frames) {
      note(words("writing raw heatmaps to {}: {} a frame", shown_path(folder), bytes_text(frame_bytes)));
      continue;
    }
    const std::string what = words("raw heatmaps of {} to {}", counted(*frames, "frame"), shown_path(folder));
    const std::string size = bytes_text(*frames * frame_bytes);
    check_free_space(folder, *frames * frame_bytes, words("{} take about {}", what, size));
    note(words("writing {}: about {}", what, size));
  }
  return run.options.heatmaps;
}

// Has the heatmaps of single frames drawn once it is known which are shown.
static void draw_later(FeatureRequest request, const SettledRun& run, ObservedVideo& video) {
  request.heatmaps = true;
  const Execution execution{
      .backend = run.backend.backend == Backend::kScalar ? Backend::kScalar : Backend::kCpu,
      .threads = std::min(run.threads(), static_cast<int>(kDefaultPagePictures)),
      .cpumask = run.options.cpumask};
  video.drawing_bytes = extractor_bytes(std::span(&request, 1), run.formats, execution);
  video.draw = [request, execution, formats = run.formats](const std::vector<FramePair>& frames) {
    return score_again(request, formats, frames, execution);
  };
}

void ask_for_maps(RunOptions& options) {
  const HeatmapRequests& requests = options.heatmaps;
  for (FeatureRequest& request : options.features) {
    request.heatmaps = requests.raw && !heatmap_folder(request).empty();
    request.histograms =
        request.info->histograms != nullptr && (requests.page || !histogram_path(request).empty());
  }
  if (const auto shown = shown_feature(options)) {
    FeatureRequest& request = options.features[*shown];
    if (requests.draws_range() && request.info->heatmaps != nullptr) request.heatmaps = true;
  }
}

ObservedVideo observed_video(const SettledRun& run, std::function<bool(int64_t, int64_t)> may_begin_scene) {
  const std::vector<FeatureRequest>& features = run.options.features;
  const std::optional<size_t> with_histograms = histogram_feature(features),
                              shown = shown_feature(run.options);
  const OtherMetrics others = other_metrics(features, run.options.models);
  ObservedVideo video{
      .format = run.formats.distorted,
      .reference = run.formats.reference,
      .metric = metric_info(shown_metric(features, run.options.models).metric),
      .heatmaps = shown ? heatmaps_of(features[*shown], run.formats) : std::vector<HeatmapInfo>(),
      .others = mapped(others.places, [](const MetricPlace& place) { return metric_info(place.metric); }),
      .judged_others = others.judged,
      .may_begin_scene = std::move(may_begin_scene),
      .histograms = with_histograms ? histograms_of(features[*with_histograms], run.formats)
                                    : std::vector<HistogramInfo>(),
      .frame_rate = run.reader->distorted().info().frame_rate(),
      .frames = run.expected_frames()};
  const HeatmapRequests& requests = run.options.heatmaps;
  if (!video.heatmaps.empty() && (requests.page || requests.worst_pictures()))
    draw_later(features[*shown], run, video);
  return video;
}

void check_run_outputs(const RunOptions& arguments) {
  refuse_idle_flags(arguments, true);
  std::vector<std::string> inputs = input_paths(arguments);
  // A run that is worse than its baseline must not become the next one.
  if (arguments.baseline) inputs.push_back(*arguments.baseline);
  if (arguments.scenes) inputs.push_back(arguments.scenes->path);
  check_outputs(output_places(arguments), inputs);
}

struct RunOutputs::Pictures {
  Pictures(const SettledRun& run, PictureTellers tellers, Messages& messages)
      : threads(thread_count(run.options)),
        video(observed_video(run, std::move(tellers.may_begin_scene))),
        heatmaps(run.options.heatmaps, heatmap_place(run, std::move(tellers.tell)), video),
        map_files(run.options.features, run.formats, announced(run, messages)),
        tap(run.options.features, run.options.models, heatmaps.observers()) {}

  const int threads;
  const ObservedVideo video;
  HeatmapOutputs heatmaps;
  MapFiles map_files;
  PictureTap tap;
};

RunOutputs::RunOutputs(const RunOptions& arguments, Messages& messages)
    : arguments_(arguments), messages_(messages) {}

RunOutputs::RunOutputs(const SettledRun& run, Messages& messages, PictureTellers tellers)
    : arguments_(run.options),
      messages_(messages),
      pictures_(std::make_unique<Pictures>(run, std::move(tellers), messages)) {
  std::vector<OutputPlace> all = output_places(arguments_);
  for (const OutputFile* file : pictures_->map_files.heatmap_outputs(false))
    all.push_back({file->path(), partial_path(file->path())});
  check_distinct(all, input_paths(arguments_));
  for (const FeatureRequest& request : arguments_.features) {
    const std::string folder = heatmap_folder(request);
    for (const OutputPlace& place : all) {
      if (folder.empty() || !(same_file(place.path, folder) || same_file(place.partial, folder))) continue;
      throw usage_error("the output {} and the folder for heatmaps {} have the same name.",
                        shown_path(place.path), shown_path(folder));
    }
  }
}

RunOutputs::~RunOutputs() = default;

std::vector<EvaluationObserver*> RunOutputs::observers() { return {&pictures_->map_files, &pictures_->tap}; }

void RunOutputs::attach(const Evaluator& evaluator) { pictures_->tap.attach(evaluator); }

// The worst frames so far and the levels of all frames, if the options ask for a page.
PagePictures RunOutputs::page_pictures() const {
  if (!pictures_) return {};
  PagePictures found{pictures_->heatmaps.page_pictures(pictures_->threads, picture_made_),
                     pictures_->map_files.levels()};
  if (!pictures_->video.heatmaps.empty()) found.coloured_by = pictures_->video.metric;
  return found;
}

std::vector<OutputFile*> RunOutputs::picture_files() {
  if (!pictures_) return {};
  std::vector<OutputFile*> all = pictures_->map_files.heatmap_outputs(false);
  for (const std::vector<OutputFile*>& more :
       {pictures_->heatmaps.outputs(false), pictures_->map_files.histogram_outputs(false)})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

bool RunOutputs::any() const {
  const auto writes_files = [](const FeatureRequest& request) {
    return !heatmap_folder(request).empty() || !histogram_path(request).empty();
  };
  return !arguments_.outputs.empty() || arguments_.junit ||
         std::ranges::any_of(arguments_.features, writes_files);
}

// Reports of long videos are large, so they go to the file in pieces.
OutputText RunOutputs::text_of(const Report& report, const OutputRequest& request,
                               const std::string& path) const {
  const ReportStyle style{.format = request.format.value_or(ReportFormat::kXml),
                          .numbers = arguments_.precision.value_or(NumberStyle()),
                          .extended = arguments_.extended,
                          .worst = arguments_.worst.value_or(ReportStyle().worst),
                          .zones = request.zones};
  if (style.format == ReportFormat::kHtml) return {path, write_page(report, page_pictures(), "", style)};
  const auto write = [&report, style](OutputFile& file) {
    write_report(report, style, [&](std::string_view text) { file.write(text); });
  };
  return {.path = path, .write = write};
}

// Says that no scored frame lies in the range of --heatmap-frames; empty if one does.
static std::string range_remark(const HeatmapRequests& requests, const Report& report) {
  const auto is_shown = [&](int64_t frame) { return requests.shown_range().contains(frame); };
  if (report.frames.empty() || std::ranges::any_of(report.frames, is_shown)) return {};
  return words("--heatmap-frames: none of the scored frames, {} to {}, lies in that range.",
               report.frames.front(), report.frames.back());
}

// Outputs written in place, such as pipes, come after everything else is complete, as they cannot be taken
// back.
void RunOutputs::write(const Report& report, std::vector<OutputText> others) {
  std::vector<OutputText> texts;
  for (const OutputRequest& request : arguments_.outputs)
    texts.push_back(text_of(report, request, request.path));
  std::move(others.begin(), others.end(), std::back_inserter(texts));
  const std::vector<OutputFile*> files = picture_files();
  for (OutputFile* file : files) file->finish();
  std::vector<OutputFile> reports;
  try {
    reports = finish_outputs(texts);
  } catch (const ClosedPipe&) {
    if (files.empty()) throw;
  }
  std::vector<OutputFile*> all = pointers_to(reports);
  all.insert(all.end(), files.begin(), files.end());
  commit_outputs({all.rbegin(), all.rend()});  // a report comes after the files of its run
  if (pictures_) pictures_->heatmaps.committed();
  note_written("wrote", all);
  if (const std::string remark = range_remark(arguments_.heatmaps, report); !remark.empty())
    messages_.warn(remark);
}

// The error that ended the run is the one to report, so failures here are ignored.
void RunOutputs::write_partial_files(const char* what, const std::function<std::vector<OutputFile*>()>& files,
                                     std::vector<std::string>& kept) {
  try {
    const std::vector<OutputFile*> all = files();
    kept.reserve(kept.size() + all.size());
    commit_outputs(all);
    for (const OutputFile* file : all) kept.push_back(file->path());
    note_written("kept", all);
  } catch (const Error& error) {
    messages_.warn(words("cannot keep the {} so far: {}", what, error.what()));
  } catch (const std::bad_alloc&) {
    write_stderr(words("cambi: warning: cannot keep the {} so far: out of memory\n", what));
  }
}

// Each report by itself: one that cannot be written takes no other with it.
std::vector<std::string> RunOutputs::write_partial(const Report& report) {
  std::vector<std::string> kept;
  for (const OutputRequest& request : arguments_.outputs) {
    const std::string path = partial_output(request);
    if (path.empty()) continue;
    std::vector<OutputFile> part;
    const auto write = [&] {
      part.emplace_back(path, OutputFile::Place::kReplaced);
      text_of(report, request, path).write_to(part.back());
      return pointers_to(part);
    };
    write_partial_files("scores", write, kept);
  }
  if (!pictures_) return kept;
  write_partial_files(
      "raw heatmaps", [&] { return pictures_->map_files.heatmap_outputs(true); }, kept);
  write_partial_files(
      "histograms", [&] { return pictures_->map_files.histogram_outputs(true); }, kept);
  write_partial_files(
      "pictures", [&] { return pictures_->heatmaps.outputs(true); }, kept);
  return kept;
}

void RunOutputs::note_written(const char* verb, const std::vector<OutputFile*>& files) {
  const std::vector<std::string> lines = written_lines(verb, files);
  lines_.insert(lines_.end(), lines.begin(), lines.end());
}

std::string score_line(const ScoredRow& row, const NumberStyle& numbers) {
  const bool timed = row.timestamp && std::isfinite(*row.timestamp);
  std::string line = words(R"({"frameNum": {}, "timestamp": {})", row.frame,
                           timed ? fixed_text(*row.timestamp, kTimestampDecimals) : "null");
  std::vector<std::string> metrics, infinite, texts;
  for (const auto& [name, value] : row.metrics) {
    metrics.push_back(
        words("{}: {}", json_quoted(name), std::isfinite(value) ? number_text(value, numbers) : "null"));
    if (value == std::numeric_limits<double>::infinity()) infinite.push_back(json_quoted(name));
  }
  for (const auto& [name, text] : row.texts)
    texts.push_back(words("{}: {}", json_quoted(name), json_quoted(text)));
  line += words(R"(, "metrics": {{}})", join(metrics, ", "));
  if (!infinite.empty()) line += words(R"(, "infinite": [{}])", join(infinite, ", "));
  if (!texts.empty()) line += words(R"(, "texts": {{}})", join(texts, ", "));
  return line + "}\n";
}

}  // namespace vq::cli
