#include "engine/report/report_writer.h"

#include <unordered_map>

#include "core/error.h"
#include "core/number_text.h"
#include "core/text.h"
#include "engine/known_metrics.h"
#include "engine/models/model_spec.h"
#include "engine/report/described.h"
#include "engine/report/json_values.h"
#include "engine/report/sampled.h"
#include "engine/report/statistic.h"

namespace vq {
namespace {

using json = nlohmann::ordered_json;

// Frames times metrics; every pair takes memory, whether the report has a score for it or not.
constexpr size_t kMaxCells = size_t{1} << 25;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Error bad_report(const std::string& path, const std::string& what) {
  return Error(ErrorKind::kInput, "{}: {}", shown_path(path), what);
}

JsonDocument document_of(std::string_view text, const std::string& path, const ElementSink& frames) {
  JsonDocument document;
  try {
    document = parse_json(text, "frames", frames);
  } catch (const json::exception& error) {
    const auto* syntax = dynamic_cast<const json::parse_error*>(&error);
    const std::string where = syntax ? words(" (byte {})", syntax->byte) : " (a number out of range)";
    throw bad_report(path, words("is not JSON{}. Try: a report in JSON", where));
  } catch (const Error& error) {
    throw bad_report(path, error.what());
  }
  if (!document->is_object()) throw bad_report(path, "is JSON, but no report: the top is no object");
  return document;
}

// The length of the longest of the members that are lists.
std::optional<size_t> longest_list(const json& document, const char* key) {
  const json* lists = member(document, key);
  if (!lists || !lists->is_object()) return std::nullopt;
  size_t longest = 0;
  for (const json& list : *lists) longest = std::max(longest, list.is_array() ? list.size() : 0);
  return longest;
}

bool is_score(const json& value) { return value.is_number() || value.is_null(); }

// Null stands for what is not finite; which of that it is, is said elsewhere. Needs: is_score(value).
double score_of(const json& value) { return value.is_null() ? kNaN : real_number(value); }

std::vector<std::pair<std::string, double>> aggregates_of(const json& document, const std::string& path) {
  std::vector<std::pair<std::string, double>> aggregates;
  for (const auto& [name, value] : object_in(document, "aggregate_metrics").items()) {
    if (!is_score(value)) {
      throw bad_report(path, words("aggregate \"{}\" is neither a number nor null", printable(name)));
    }
    aggregates.emplace_back(name, score_of(value));
  }
  return aggregates;
}

std::vector<SceneAggregates> scene_aggregates_of(const json& document, const std::string& path) {
  std::vector<SceneAggregates> all;
  for (const json& scene : list_in(document, "scenes")) {
    SceneAggregates of_scene{value_or_default<int64_t>(scene, "first"), aggregates_of(scene, path)};
    if (!of_scene.figures.empty()) all.push_back(std::move(of_scene));
  }
  return all;
}

// The models of a plain report.
std::vector<ModelFacts> models_of(const json& document) {
  std::vector<ModelFacts> models;
  for (const auto& [name, source] : object_in(document, "models").items()) {
    if (source.is_string()) models.push_back({.name = name, .source = source.get<std::string>()});
  }
  return models;
}

// Statistics that JSON has no number for are worked out again.
void settle_thresholds(Report& report) {
  for (ThresholdFacts& threshold : report.run.thresholds) {
    const Metric* const metric = find_metric(report, threshold.metric);
    if (metric == nullptr || !std::isnan(threshold.value)) continue;
    try {
      threshold.value = statistic_of(*metric, parse_statistic(threshold.statistic, ""));
    } catch (const Error&) {  // of a later version
    }
  }
}

// Names of models as the report lists them, or as they are known if it does not.
std::vector<std::string> model_names(const Report& report, bool has_run) {
  std::vector<std::string> names = mapped(report.run.models, &ModelFacts::name);
  return has_run || !names.empty() ? names : scores_of_models(names_of(report.metrics));
}

// Whether only a model asked for the metric, as `inner` says. A report that does not say it has models' own
// metrics in the list of what they take, or with options in their names.
bool is_inner(const Report& report, const Metric& metric, bool has_run,
              const std::optional<std::vector<std::string>>& inner) {
  const auto lists = [&](const std::vector<std::string>& names) { return contains(names, metric.name); };
  if (inner) return lists(*inner);
  if (model_part(metric_info(metric)) != ModelPart::kNone) return false;
  if (!has_run) return is_known(metric_info(metric)) && metric.name != metric_info(metric).name;
  return std::ranges::any_of(report.run.models,
                             [&](const ModelFacts& model) { return lists(model.metrics); });
}

// Gathers the scores and texts of the frames.
class FrameColumns {
 public:
  FrameColumns(Report& report, const std::string& path) : report_(report), path_(path) {}

  void begin() {
    report_ = {};
    places_.clear();
    total_ = 0;
    fault_.reset();
    excess_ = nullptr;
  }

  // Keeps the first error for the end, as the text may not be JSON either.
  void add(const json& frame) {
    ++total_;
    if (fault_) return;
    try {
      read(frame);
    } catch (const Error& error) {
      fault_ = error;
    }
  }

  void finish() {
    if (excess_ != nullptr)
      throw bad(words("has {} {} or more for {} frames, too many", kMaxCells / total_ + 1, excess_, total_));
    if (fault_) throw *fault_;
    // Reports of the reference tool, and compatible ones, do not say which scores are infinite.
    for (size_t m = 0; m < report_.metrics.size(); ++m) {
      if (!known_metric(report_.metrics[m].name).is_unbounded) continue;
      for (size_t i = 0; i < report_.frames.size(); ++i) settle_infinite(m, i);
    }
  }

 private:
  void read(const json& frame) {
    const size_t position = report_.frames.size();
    const std::string where = words("frames[{}]", position);
    const json* number = member(frame, "frameNum");
    if (!number || !number->is_number_integer()) throw bad(where + " has no \"frameNum\" that is an integer");
    const int64_t index = number->get<int64_t>();
    if (index < 0 || (position > 0 && index <= report_.frames.back())) {
      throw bad(words("{}: frame number {} does not ascend from the one before it", where, number->dump()));
    }
    if (index > kMaxFrameNumber) throw bad(words("{}: frame number {} is too large", where, number->dump()));
    add_row(index, value_or_default<std::optional<double>>(frame, "timestamp"));
    const json* metrics = member(frame, "metrics");
    if (!metrics || !metrics->is_object()) throw bad(where + " has no \"metrics\"");
    for (const auto& [name, value] : metrics->items()) {
      if (!is_score(value)) {
        throw bad(words("{}: \"{}\" is neither a number nor null", where, printable(name)));
      }
      const size_t place = place_of(name);
      report_.metrics[place].values[position] = score_of(value);
      report_.missing[place][position] = false;
    }
    for (const std::string& name : strings(frame, "infinite")) {
      if (const auto found = places_.find(name); found != places_.end())
        settle_infinite(found->second, position);
    }
    for (const auto& [name, value] : object_in(frame, "texts").items()) {
      std::string& text = series(name).values[position];
      if (value.is_string()) text = value.get<std::string>();
    }
  }

  void add_row(int64_t frame, std::optional<double> timestamp) {
    check_cells(report_.metrics.size(), "metrics");
    check_cells(report_.texts.size(), "texts");
    report_.frames.push_back(frame);
    report_.timestamps.push_back(timestamp);
    for (Metric& metric : report_.metrics) metric.values.push_back(kNaN);
    for (std::vector<bool>& missing : report_.missing) missing.push_back(true);
    for (TextSeries& text : report_.texts) text.values.emplace_back();
  }

  void settle_infinite(size_t metric, size_t position) {
    double& value = report_.metrics[metric].values[position];
    if (std::isnan(value) && !report_.missing[metric][position]) value = kInfinity;
  }

  size_t place_of(const std::string& name) {
    const auto [place, is_new] = places_.emplace(name, report_.metrics.size());
    if (!is_new) return place->second;
    check_cells(report_.metrics.size() + 1, "metrics");
    report_.metrics.push_back({name, std::vector<double>(report_.frames.size(), kNaN)});
    report_.missing.emplace_back(report_.frames.size(), true);
    return place->second;
  }

  TextSeries& series(const std::string& name) {
    const auto found = std::ranges::find(report_.texts, name, &TextSeries::name);
    if (found != report_.texts.end()) return *found;
    check_cells(report_.texts.size() + 1, "texts");
    return report_.texts.emplace_back(TextSeries{name, std::vector<std::string>(report_.frames.size())});
  }

  // How many frames there are is known at the end, so the sentence is made there.
  void check_cells(size_t columns, const char* what) {
    if (columns <= kMaxCells / total_) return;
    excess_ = what;
    throw bad({});
  }

  Error bad(const std::string& what) const { return bad_report(path_, what); }

  Report& report_;
  const std::string& path_;
  std::unordered_map<std::string, size_t> places_;  // of metrics
  size_t total_ = 0;                                // frames in the list, whether they could be read or not
  std::optional<Error> fault_;                      // the first
  const char* excess_ = nullptr;                    // what there are too many of
};

// The members of an object that are of type T, in the order of the document.
template <typename T>
std::vector<std::pair<std::string, T>> members_of(const json& parent, const char* key) {
  std::vector<std::pair<std::string, T>> members;
  for (const auto& [name, value] : object_in(parent, key).items()) {
    const bool fits = std::is_same_v<T, double> ? value.is_number() : value.is_string();
    if (fits) members.emplace_back(name, value.template get<T>());
  }
  return members;
}

ReadingFacts reading_facts(const json& feature) {
  const json& input = object_in(feature, "input");
  return {.distorted = members_of<std::string>(input, "distorted"),
          .reference = members_of<std::string>(input, "reference")};
}

std::vector<SegmentFacts> all_segment_facts(const json& run) {
  const json* const first = member(run, "segments");
  if (first == nullptr || !first->is_object()) return {};
  std::vector<SegmentFacts> all = {MemberReader::read<SegmentFacts>(*first)};
  for (const json& segments : list_in(run, "more_segments")) {
    if (segments.is_object()) all.push_back(MemberReader::read<SegmentFacts>(segments));
  }
  return all;
}

// Reports of earlier versions have sentences alone.
PairFault pair_fault(const json& fault) {
  if (fault.is_string()) return {.diagnostic = {fault.get<std::string>()}};
  PairFault found{.diagnostic = {value_or_default<std::string>(fault, "text")}};
  found.kind = find_pair_fault_kind(value_or_default<std::string>(fault, "kind")).value_or(found.kind);
  const json* const certain = member(fault, "certain");
  found.is_certain = certain == nullptr || !certain->is_boolean() || certain->get<bool>();
  for (const json& span : list_in(fault, "frames")) {
    const bool are_two =
        span.is_array() && span.size() == 2 && span[0].is_number_integer() && span[1].is_number_integer();
    if (!are_two || span[1].get<int64_t>() == std::numeric_limits<int64_t>::max()) continue;
    found.frames.push_back({span[0].get<int64_t>(), span[1].get<int64_t>() + 1});
  }
  return found;
}

// The faults of the run, or of a plain report.
std::vector<PairFault> pair_faults(const json& object) {
  return mapped(list_in(object, "pair_faults"), [&](const json& fault) { return pair_fault(fault); });
}

std::optional<PaceFacts> pace_facts(const json& run) {
  const json* const parts = member(object_in(run, "pace"), "parts");
  if (parts == nullptr || !parts->is_object()) return std::nullopt;
  PaceFacts facts;
  for (size_t i = 0; i < pace::kParts.size(); ++i) {
    facts.seconds[i] = value_or_default<double>(*parts, std::string(pace::kParts[i]).c_str());
  }
  return facts;
}

// Leaves what is missing, or of another type, as it starts.
RunFacts read_run_facts(const json& run) {
  constexpr size_t kMostModels = 32;
  RunFacts facts;
  MemberReader read(run);
  describe(read, facts);
  read("crop_reference", facts.reference_crop);
  read("origin", facts.origin);
  read("models", facts.models);
  read("sample_is_spread", facts.sample_is_spread);
  read.count("subsample", facts.subsample);
  facts.subsample = std::max<int64_t>(1, facts.subsample);
  if (facts.models.size() > kMostModels) facts.models.resize(kMostModels);
  for (const auto& [stage, milliseconds] : members_of<double>(run, "gpu_milliseconds"))
    facts.stages.push_back({stage, milliseconds});
  for (const json& stage : list_in(run, "stages")) {
    if (value_or_default<std::string>(stage, "on") == "device") continue;
    facts.host_stages.push_back(
        {value_or_default<std::string>(stage, "name"), value_or_default<double>(stage, "milliseconds")});
  }
  facts.pace = pace_facts(run);
  facts.segments = all_segment_facts(run);
  facts.pair_faults = pair_faults(run);
  for (const json& feature : list_in(run, "features")) {
    facts.features.emplace_back(value_or_default<std::string>(feature, "name"),
                                members_of<std::string>(feature, "options"));
    facts.readings.push_back(reading_facts(feature));
  }
  return facts;
}

void set_size(Report& report) {
  if (const InputFacts* const input = distorted_input(report)) {
    report.width = input->width;
    report.height = input->height;
  }
  if (report.run.crop) {
    report.width = report.run.crop->width;
    report.height = report.run.crop->height;
  }
}

// The meaning of each metric. `run` is null for a plain report.
void settle_metrics(Report& report, const json* run) {
  std::optional<std::vector<std::string>> inner;
  if (run != nullptr && member(*run, "inner_metrics") != nullptr) inner = strings(*run, "inner_metrics");
  const std::vector<std::string> models = model_names(report, run != nullptr);
  for (Metric& metric : report.metrics) {
    metric.info = find_model_score(metric.name, models);
    metric.is_inner = (inner || !models.empty()) && is_inner(report, metric, run != nullptr, inner);
    for (const ModelFacts& model : report.run.models) {
      if (model.name == metric.name) metric.model = model.source;
    }
  }
}

void settle_missing(Report& report, const std::string& path, MissingScores missing) {
  bool has_any = false;
  for (size_t m = 0; m < report.metrics.size(); ++m) {
    const auto found = std::ranges::find(report.missing[m], true);
    if (found == report.missing[m].end()) continue;
    has_any = true;
    if (missing == MissingScores::kKept) continue;
    const auto frame = static_cast<size_t>(found - report.missing[m].begin());
    throw bad_report(
        path, words("frame {} has no \"{}\"", report.frames[frame], printable(report.metrics[m].name)));
  }
  if (!has_any) report.missing.clear();
}

}  // namespace

ParsedReport parse_report(std::string_view text, const std::string& path, MissingScores missing,
                          OfSample samples) {
  ParsedReport parsed;
  Report& report = parsed.report;
  FrameColumns frames(report, path);
  const JsonDocument document = document_of(
      text, path, [&](const json* frame) { frame == nullptr ? frames.begin() : frames.add(*frame); });
  const json* const run = member(*document, "run");
  report.aggregates = aggregates_of(*document, path);
  report.scene_aggregates = scene_aggregates_of(*document, path);
  const json* const list = member(*document, "frames");
  if (!list || !list->is_array()) throw bad_report(path, "is JSON, but no report: it has no list \"frames\"");
  frames.finish();
  if (report.metrics.empty()) throw bad_report(path, "is a report without scores");
  report.version = value_or_default<std::string>(*document, "version");
  report.fps = value_or_default<std::optional<double>>(*document, "fps").value_or(kNaN);
  if (run != nullptr) {
    report.run = read_run_facts(*run);
  } else {
    report.run.models = models_of(*document);
    report.run.pair_faults = pair_faults(*document);
  }
  if (is_sample(report) && samples == OfSample::kRefused)
    throw bad_report(path, "has the scores of a sample, whose statistics are not known. Score all frames");
  set_size(report);
  settle_metrics(report, run);
  settle_missing(report, path, missing);
  is_sample(report) ? restore_sample(report) : settle_thresholds(report);
  parsed.style = {.format = ReportFormat::kJson,
                  .numbers = kShortestNumbers,
                  .extended = run != nullptr,
                  .worst = longest_list(*document, "worst").value_or(ReportStyle().worst)};
  return parsed;
}

}  // namespace vq
