#include "cli/batch/batch_task.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "cli/decoding/open_video.h"
#include "cli/pictures/picture_tap.h"
#include "cli/reports/compare_files.h"
#include "cli/run/ending.h"
#include "cli/system/output_file.h"
#include "core/error.h"
#include "core/number_text.h"
#include "core/text.h"
#include "core/version.h"

namespace vq::cli {
namespace {

namespace fs = std::filesystem;

bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// Whether something is wanted that cannot be made of the report.
bool needs_frames(const RunOptions& own) {
  const auto has_folder = [](const FeatureRequest& feature) { return !heatmap_folder(feature).empty(); };
  return own.heatmaps.page || std::any_of(own.features.begin(), own.features.end(), has_folder);
}

// Looks for the folder of all videos' pictures only: a video without a flaw has none.
bool has_outputs(const BatchRequest& request, const RunOptions& own) {
  const auto is_there = [](const OutputRequest& output) { return exists(output.path); };
  const auto has_pictures = [](const FeatureRequest& feature) {
    return heatmap_folder(feature).empty() || exists(heatmap_folder(feature));
  };
  return std::all_of(own.outputs.begin(), own.outputs.end(), is_there) &&
         std::all_of(request.arguments.features.begin(), request.arguments.features.end(), has_pictures);
}

// The report that is there, if it is of the same scores.
std::optional<Report> saved(const RunOptions& own, const OriginFacts& origin) {
  const std::string& path = own.outputs.front().path;
  if (!exists(path)) return std::nullopt;
  try {
    Report report = read_report(path, own.stop).report;
    const std::optional<OriginFacts>& was = report.run.origin;
    if (report.version != version() || !report.run.complete || !was || was->files != origin.files ||
        was->scores != origin.scores)
      return std::nullopt;
    return report;
  } catch (const Error&) {  // as good as none
    return std::nullopt;
  }
}

void renew(Report& report, const BatchTask& task) {
  const RunOptions& own = task.arguments;
  check_segments(own.segments, report.metrics);
  report.run.segments = segments_of(report, own.segments);
  Messages unheard([](std::string_view) {});
  RunOutputs outputs(own, unheard);
  finish_task(report, task, outputs);
}

}  // namespace

std::string batch_output(const std::string& name, ReportFormat format) {
  constexpr std::pair<ReportFormat, const char*> kEndings[] = {{ReportFormat::kXml, ".xml"},
                                                               {ReportFormat::kJson, ".json"},
                                                               {ReportFormat::kCsv, ".csv"},
                                                               {ReportFormat::kSub, ".sub"},
                                                               {ReportFormat::kHtml, ".html"},
                                                               {ReportFormat::kSegmentTable, ".segments.csv"},
                                                               {ReportFormat::kChapters, ".chapters.txt"},
                                                               {ReportFormat::kSceneTable, ".scenes.csv"},
                                                               {ReportFormat::kAv1anScenes, ".scenes.json"},
                                                               {ReportFormat::kPlainCsv, ".csv"}};
  for (const auto& [known, ending] : kEndings) {
    if (known == format) return name + ending;
  }
  return name + ".zones.txt";
}

std::optional<std::string> reference_of(const BatchRequest& request, const ListedVideo& video) {
  return video.reference ? video.reference : request.arguments.reference;
}

RunOptions batch_options(const BatchRequest& request, const ListedVideo& video) {
  RunOptions own = request.arguments;
  own.distorted = video.path;
  own.reference = reference_of(request, video);
  own.extended = true;
  own.quiet = true;
  // Figures worked out from the report later must equal those worked out from the scores.
  if (!own.precision) own.precision = NumberStyle{NumberStyle::Kind::kShortest, 0};
  // About all of them there is one.
  own.junit.reset();
  own.github = false;
  std::error_code ignored;
  if (own.baseline && fs::is_directory(*own.baseline, ignored)) {
    own.baseline = *own.baseline + "/" + batch_output(video.name, ReportFormat::kJson);
  }
  const auto add = [&](ReportFormat format) {
    own.outputs.push_back({request.folder + "/" + batch_output(video.name, format), format});
    own.heatmaps.page = own.heatmaps.page || format == ReportFormat::kHtml;
  };
  add(ReportFormat::kJson);
  for (const ReportFormat format : request.formats) add(format);
  for (FeatureRequest& feature : own.features) {
    const std::string folder = heatmap_folder(feature);
    if (!folder.empty()) feature.options.resolve(feature.info->heatmap_option, folder + "/" + video.name);
  }
  return own;
}

BatchTask batch_task(const BatchRequest& request, const ListedVideo& video) {
  BatchTask task{.arguments = batch_options(request, video), .origin = {}, .baseline = {}};
  task.origin = origin_of(task.arguments);
  task.baseline = baseline_of(task.arguments);
  return task;
}

void finish_task(Report& report, const BatchTask& task, RunOutputs& outputs) {
  judge_report(report, task.arguments, task.baseline);
  report.run.origin = task.origin;
  outputs.write(report);
}

std::optional<Report> kept_report(const BatchRequest& request, const BatchTask& task) {
  const RunOptions& own = task.arguments;
  std::optional<Report> report = saved(own, task.origin);
  if (!report) return std::nullopt;
  if (report->run.origin->outputs != task.origin.outputs || !has_outputs(request, own)) {
    if (needs_frames(own)) return std::nullopt;
    renew(*report, task);
  }
  return report;
}

namespace {

std::string number(double value) {
  return number_text(value, {NumberStyle::Kind::kShortest, 0});
}

// Seconds and nanoseconds as one number.
std::string time_text(const struct timespec& time) {
  const std::string nanoseconds = std::to_string(time.tv_nsec);
  return words("{}.{}{}", time.tv_sec, std::string(9 - nanoseconds.size(), '0'), nanoseconds);
}

std::string absolute_path(const std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute.lexically_normal().string();
}

// Words with their values, one after another.
class Words {
 public:
  void add(const std::string& name, const std::string& value) {
    text_ += words("{}{}={}", text_.empty() ? "" : "; ", name, value);
  }
  void add(const std::string& name, int64_t value) { add(name, std::to_string(value)); }
  void add(const std::string& name, const std::optional<VideoPosition>& position) {
    if (!position) return;
    const int64_t* const frame = std::get_if<int64_t>(&*position);
    add(name, frame != nullptr ? std::to_string(*frame) : number(std::get<double>(*position)) + "s");
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

// The value of every option, also if it is left to the videos, but for where files go.
std::string feature_text(const FeatureRequest& request) {
  std::string text(request.info->name);
  if (request.asked_by != AskedBy::kProgram) text += ":exact";
  for (const OptionSpec& spec : request.info->options) {
    if (spec.name == request.info->heatmap_option || spec.name == request.info->histogram_option) continue;
    text += words(":{}={}", spec.name, request.options.text(spec.name));
  }
  return text;
}

// With the file as it is, if the model is one.
std::string model_text(const model::ModelSpec& spec) {
  std::string text = model::text_of(spec);
  if (!spec.version.empty()) return text;
  const OriginFacts::File file = file_facts(spec.path);
  return words("{},{},{}", text, file.bytes, file.modified);
}

// Each member is named, so that one which is added is not forgotten here: else this does not compile.
void add_inputs(const InputOptions& inputs, Words& text) {
  const auto& [distorted, reference, raw, stream, reference_stream, frame_rate, reference_frame_rate,
               pairs_by_time, skip_distorted, skip_reference, skip_distorted_seconds, skip_reference_seconds,
               frame_count, sampling, start, end, crop, reference_crop, align, film_grain, strict,
               allow_damage, compare_anyway, part] = inputs;
  if (raw) {
    text.add("raw", words("{}x{}:{}:{}", raw->width, raw->height, raw->bit_depth, to_string(raw->chroma)));
  }
  text.add("stream", stream);
  if (reference_stream) text.add("stream-ref", *reference_stream);
  const auto add_rate = [&](const char* word, const std::optional<FrameRate>& rate) {
    if (rate) text.add(word, words("{}/{}", rate->num, rate->den));
  };
  add_rate("fps", frame_rate);
  add_rate("fps-ref", reference_frame_rate);
  if (pairs_by_time) text.add("pair", "time");
  const auto add_seconds = [&](const char* word, const std::optional<double>& seconds) {
    if (seconds) text.add(word, std::optional<VideoPosition>(*seconds));
  };
  add_seconds("skip-dist-time", skip_distorted_seconds);
  add_seconds("skip-ref-time", skip_reference_seconds);
  text.add("skip", words("{},{}", skip_distorted, skip_reference));
  text.add("frames", frame_count);
  text.add("subsample", sampling.text());
  text.add("start", start);
  text.add("end", end);
  const auto add_crop = [&](const char* word, const std::optional<CropRequest>& request) {
    if (request) text.add(word, request->rectangle ? crop_text(*request->rectangle) : "auto");
  };
  add_crop("crop", crop);
  add_crop("crop-ref", reference_crop);
  if (align) text.add("align", align->finds ? "auto" : align->shift ? shift_text(*align->shift) : "off");
  if (film_grain == FilmGrainRequest::kOff) text.add("film-grain", "off");
  if (strict) text.add("strict", "yes");
  if (allow_damage) text.add("allow-damage", "yes");
  if (compare_anyway) text.add("compare-anyway", "yes");
}

// The same of what is asked. Features that were asked for, and settings of them, are in those that were
// selected.
void add_request(const Request& request, const std::vector<FeatureRequest>& selected, Words& text) {
  const auto& [model_specs, asked_features, settings, no_prediction, scale, scale_kernel, score_bits,
               as_stored] = request;
  for (const model::ModelSpec& spec : model_specs) text.add("model", model_text(spec));
  if (!model_specs.empty() && no_prediction) text.add("prediction", "no");
  for (const FeatureRequest& feature : selected) text.add("feature", feature_text(feature));
  if (scale) {
    const std::optional<PlaneSize>& size = scale->size;
    text.add("scale-to", size ? words("{}x{}", size->width, size->height) : "reference");
  }
  if (scale_kernel != ScaleKernel::kBicubic) text.add("scale-with", std::string(to_string(scale_kernel)));
  if (score_bits > 0) text.add("score-bits", score_bits);
  if (as_stored) text.add("as-stored", "yes");
}

std::string pictures_text(const HeatmapRequests& requests) {
  std::string text;
  for (const auto& [wanted, word] :
       {std::pair(requests.raw, "gray"), {requests.png, "png"}, {requests.video, "video"}}) {
    if (wanted) text += (text.empty() ? "" : ",") + std::string(word);
  }
  if (requests.video_size) text += words(":{}x{}", requests.video_size->width, requests.video_size->height);
  text += words(":{}", static_cast<int>(requests.frames));
  if (requests.frames == HeatmapRequests::Frames::kRange) {
    text += words(":{}-{}", requests.range.first, requests.range.last);
  }
  return text;
}

std::string outputs_text(const RunOptions& arguments) {
  Words text;
  for (const Threshold& threshold : arguments.thresholds) text.add("threshold", threshold.text);
  if (arguments.baseline) {
    const OriginFacts::File file = file_facts(*arguments.baseline);
    text.add("baseline", words("{},{},{}", file.path, file.bytes, file.modified));
  }
  for (const SegmentRequest& segments : arguments.segments) {
    text.add("segments", segments.text);
    if (segments.until) text.add("until", number(*segments.until));
    text.add("shortest", std::optional(segments.shortest));
  }
  if (arguments.worst) text.add("worst", static_cast<int64_t>(*arguments.worst));
  // An older file of one of these forms may lie there, made from something else.
  text.add("forms", join(arguments.outputs, ",", [](const OutputRequest& output) {
             return std::to_string(static_cast<int>(output.format.value_or(ReportFormat::kXml)));
           }));
  if (arguments.heatmaps.page_quality == PageQuality::kLossless) text.add("page-pictures", "lossless");
  for (const FeatureRequest& request : arguments.features) {
    const std::string folder = heatmap_folder(request);
    if (!folder.empty())
      text.add("pictures", pictures_text(arguments.heatmaps) + " in " + absolute_path(folder));
  }
  return text.take();
}

// All files of a sequence together, and when the latest of them was written.
OriginFacts::File sequence_facts(const std::string& path, const std::vector<std::string>& files) {
  OriginFacts::File facts{.path = absolute_path(path), .bytes = 0, .modified = {}};
  for (const std::string& file : files) {
    struct stat status = {};
    if (stat(file.c_str(), &status) != 0) throw input_error(file, "cannot be opened", errno);
    facts.bytes += status.st_size;
    facts.modified = std::max(facts.modified, time_text(status.st_mtim));
  }
  return facts;
}

}  // namespace

OriginFacts::File file_facts(const std::string& path) {
  if (const auto files = sequence_files(path)) return sequence_facts(path, *files);
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) throw input_error(path, "cannot be opened", errno);
  return {.path = absolute_path(path), .bytes = status.st_size, .modified = time_text(status.st_mtim)};
}

OriginFacts origin_of(const RunOptions& arguments) {
  std::vector<OriginFacts::File> files;
  for (const std::string& path : input_paths(arguments)) files.push_back(file_facts(path));
  return origin_of(arguments, std::move(files));
}

OriginFacts origin_of(const RunOptions& arguments, std::vector<OriginFacts::File> files) {
  OriginFacts origin;
  origin.files = std::move(files);
  Words text;
  add_request(arguments, arguments.features, text);
  add_inputs(arguments, text);
  // Digits that were not written cannot be got back.
  if (const std::optional<NumberStyle>& precision = arguments.precision) {
    text.add("precision",
             precision->kind == NumberStyle::Kind::kShortest ? "max" : std::to_string(precision->digits));
  }
  origin.scores = escaped_text(text.take());
  origin.outputs = escaped_text(outputs_text(arguments));
  for (OriginFacts::File& file : origin.files) file.path = escaped_text(file.path);
  return origin;
}

}  // namespace vq::cli
