#include "core/metric.h"
#include "engine/known_metrics.h"
#include "engine/report/described.h"
#include "engine/report/json_values.h"
#include "engine/report/report_writer.h"
#include "engine/report/scenes.h"

namespace vq {
namespace {

using nlohmann::ordered_json;

// The members or elements of one object or array, one a line, as the reference tool lays them out: an empty
// one closes on a line of its own.
class Block {
 public:
  Block(std::string& out, int depth, char open, char close) : out_(out), depth_(depth), close_(close) {
    out_ += open;
  }
  // Starts the next member; what is appended to the text after that is its value.
  void next(std::string_view key = {}) {
    out_ += first_ ? "\n" : ",\n";
    first_ = false;
    out_.append(2 * static_cast<size_t>(depth_ + 1), ' ');
    if (!key.empty()) out_.append(key).append(": ");
  }
  // The next member with its value.
  void add(std::string_view key, std::string_view value) {
    next(key);
    out_ += value;
  }
  // As next(), behind a value that is none: the reference tool forgets to end its line.
  void next_on_line(std::string_view key) {
    out_ += ',';
    out_.append(2 * static_cast<size_t>(depth_ + 1), ' ');
    out_.append(key).append(": ");
  }
  void end(bool ends_line = true) {
    if (ends_line) out_ += '\n';
    out_.append(2 * static_cast<size_t>(depth_), ' ');
    out_ += close_;
  }

 private:
  std::string& out_;
  int depth_;
  char close_;
  bool first_ = true;
};

class JsonWriter {
 public:
  // `report`: whose scores they are; an empty one if it is not extended.
  JsonWriter(const ScoreView& scores, const Report& report, const ReportStyle& style, const TextSink& sink)
      : scores_(scores),
        report_(report),
        numbers_(style.numbers),
        extended_(style.extended),
        worst_(style.worst),
        sink_(sink) {
    for (const ScoreView::Column& column : scores.columns) quoted_names_.push_back(json_quoted(column.name));
  }

  void write() {
    Block top(out_, 0, '{', '}');
    top.add("\"version\"", json_quoted(scores_.version));
    top.add("\"fps\"", std::isfinite(scores_.fps) ? fixed_text(scores_.fps, kFpsDecimals) : "null");
    if (extended_) {
      top.next("\"run\"");
      add_run();
    }
    top.next("\"frames\"");
    add_frames();
    top.next("\"pooled_metrics\"");
    add_pooled();
    if (extended_) {
      top.next("\"worst\"");
      add_worst();
    }
    if (extended_ && has_scenes(report_)) {
      top.next("\"scenes\"");
      add_scenes();
    }
    top.next("\"aggregate_metrics\"");
    add_aggregates(1, scores_.aggregates);
    if (!extended_ && !report_.run.models.empty()) {
      top.next("\"models\"");
      add_models();
    }
    if (!extended_ && is_not_comparable(report_.run.pair_faults))
      top.add("\"pair_faults\"", json_text(pair_faults_json(report_.run.pair_faults)));
    top.end();
    out_ += '\n';
    sink_(out_);
  }

 private:
  // Pieces that are worth a call.
  void pass_on() {
    constexpr size_t kPiece = 1 << 16;
    if (out_.size() < kPiece) return;
    sink_(out_);
    out_.clear();
  }

  std::string number(double value) const {
    return std::isfinite(value) ? number_text(value, numbers_) : "null";
  }
  static std::string seconds(std::optional<double> time) {
    return time && std::isfinite(*time) ? fixed_text(*time, kTimestampDecimals) : "null";
  }

  void add_aggregates(int depth, std::span<const std::pair<std::string, double>> figures) {
    Block aggregates(out_, depth, '{', '}');
    for (const auto& [name, value] : figures) aggregates.add(json_quoted(name), number(value));
    aggregates.end();
  }

  // The model of each score; readers of libvmaf's reports look at what comes before it.
  void add_models() {
    Block models(out_, 1, '{', '}');
    for (const ModelFacts& model : report_.run.models)
      models.add(json_quoted(model.name), json_quoted(model.source));
    models.end();
  }

  void add_frames() {
    Block frames(out_, 1, '[', ']');
    for (size_t i = 0; i < scores_.frames.size(); ++i) {
      frames.next();
      Block frame(out_, 2, '{', '}');
      frame.add("\"frameNum\"", std::to_string(scores_.frames[i]));
      if (extended_) frame.add("\"timestamp\"", seconds(timestamp_at(report_, i)));
      frame.next("\"metrics\"");
      add_frame_scores(i);
      if (extended_) add_infinite(frame, i);
      if (extended_ && !report_.texts.empty()) add_texts(frame, i);
      frame.end();
      pass_on();
    }
    frames.end();
  }

  void add_frame_scores(size_t row) {
    Block metrics(out_, 3, '{', '}');
    bool follows_none = false;
    for (size_t m = 0; m < scores_.columns.size(); ++m) {
      const std::optional<double> score = scores_.columns[m].score(row);
      if (!score) continue;
      follows_none ? metrics.next_on_line(quoted_names_[m]) : metrics.next(quoted_names_[m]);
      out_ += number(*score);
      follows_none = !std::isfinite(*score);
    }
    metrics.end(!follows_none || !scores_.is_of_library);
  }

  // JSON has null for both, so that it says which scores are infinite rather than missing.
  void add_infinite(Block& frame, size_t position) {
    bool any = false;
    for (size_t m = 0; m < report_.metrics.size(); ++m) {
      if (report_.metrics[m].values[position] != std::numeric_limits<double>::infinity()) continue;
      if (!any) frame.next("\"infinite\"");
      out_ += (any ? ", " : "[") + quoted_names_[m];
      any = true;
    }
    if (any) out_ += ']';
  }

  void add_texts(Block& frame, size_t position) {
    frame.next("\"texts\"");
    Block texts(out_, 3, '{', '}');
    for (const TextSeries& column : report_.texts)
      texts.add(json_quoted(column.name), json_quoted(column.values[position]));
    texts.end();
  }

  void add_pooled() {
    Block pooled(out_, 1, '{', '}');
    for (size_t m = 0; m < scores_.columns.size(); ++m) {
      const std::optional<PooledScores> statistics = scores_.columns[m].pool();
      if (!statistics && !scores_.is_of_library) continue;
      pooled.next(quoted_names_[m]);
      add_statistics(statistics);
    }
    pooled.end();
  }

  void add_statistics(const std::optional<PooledScores>& scores) {
    Block block(out_, 2, '{', '}');
    if (!scores) return block.end();
    const size_t count = extended_ ? std::size(kPooledMembers) : kPooledOfLibrary;
    for (const auto& [name, value] : std::span(kPooledMembers).first(count))
      block.add(words("\"{}\"", name), number((*scores).*value));
    block.end();
  }

  void add_worst() {
    Block worst(out_, 1, '{', '}');
    for (size_t m = 0; m < report_.metrics.size(); ++m) {
      worst.next(quoted_names_[m]);
      Block list(out_, 2, '[', ']');
      for (const size_t position :
           worst_moments(report_, metric_info(report_.metrics[m]), report_.metrics[m].values, worst_)) {
        list.add(
            {}, words("{ \"frameNum\": {}, \"timestamp\": {}, \"score\": {} }", report_.frames[position],
                      seconds(timestamp_at(report_, position)), number(report_.metrics[m].values[position])));
      }
      list.end();
    }
    worst.end();
  }

  // A scene without scored frames has no statistics.
  void add_scenes() {
    Block scenes(out_, 1, '[', ']');
    const std::vector<const Metric*> metrics = scene_metrics(report_);
    for (const Scene& scene : scenes_of(report_)) {
      scenes.next();
      Block block(out_, 2, '{', '}');
      block.add("\"first\"", std::to_string(scene.first));
      block.add("\"last\"", std::to_string(scene.last));
      block.add("\"start\"", seconds(scene.start));
      block.add("\"end\"", seconds(scene.stop));
      block.add("\"scored_frames\"", std::to_string(scene.end - scene.begin));
      block.next("\"metrics\"");
      Block all(out_, 3, '{', '}');
      for (const Metric* const metric : scene.begin < scene.end ? metrics : std::vector<const Metric*>()) {
        all.next(json_quoted(metric->name));
        add_scene_statistics(statistics_in(*metric, scene));
      }
      all.end();
      if (const auto figures = aggregates_in(report_, scene); !figures.empty()) {
        block.next("\"aggregate_metrics\"");
        add_aggregates(3, figures);
      }
      block.end();
      pass_on();
    }
    scenes.end();
  }

  void add_scene_statistics(const std::vector<double>& values) {
    out_ += "{ ";
    for (size_t i = 0; i < values.size(); ++i)
      out_ +=
          words("{}{}: {}", i > 0 ? ", " : "", json_quoted(scene_statistics()[i].name), number(values[i]));
    out_ += " }";
  }

  static ordered_json object_of(std::span<const std::pair<std::string, std::string>> words) {
    ordered_json object = ordered_json::object();
    for (const auto& [key, value] : words) object[key] = value;
    return object;
  }

  static void add_reading(const ReadingFacts& reading, ordered_json& feature) {
    if (!reading.distorted.empty()) feature["input"]["distorted"] = object_of(reading.distorted);
    if (!reading.reference.empty()) feature["input"]["reference"] = object_of(reading.reference);
  }

  void add_run() {
    const RunFacts& run = report_.run;
    ordered_json members = described_json(run);
    members["scored_frames"] = report_.frames.size();
    members["gpu_milliseconds"] = ordered_json::object();
    for (const StageTotal& total : run.stages) members["gpu_milliseconds"][total.stage] = total.ms;
    members["stages"] = ordered_json::array();
    const auto add_stages = [&](const std::vector<StageTotal>& stages, const char* place) {
      for (const StageTotal& total : stages)
        members["stages"].push_back({{"name", total.stage}, {"on", place}, {"milliseconds", total.ms}});
    };
    add_stages(run.stages, "device");
    add_stages(run.host_stages, "host");
    members["pace"] = pace_json(run);
    for (const SegmentFacts& segments : run.segments) {
      if (&segments == &run.segments.front()) {
        members["segments"] = described_json(segments);
      } else {
        members["more_segments"].push_back(described_json(segments));
      }
    }
    if (run.origin) members["origin"] = described_json(*run.origin);
    members["features"] = ordered_json::array();
    for (size_t i = 0; i < run.features.size(); ++i) {
      const auto& [name, options] = run.features[i];
      ordered_json feature = {{"name", name}, {"options", object_of(options)}};
      if (i < run.readings.size()) add_reading(run.readings[i], feature);
      members["features"].push_back(std::move(feature));
    }
    if (run.reference_crop) members["crop_reference"] = described_json(*run.reference_crop);
    if (run.subsample > 1) members["subsample"] = run.subsample;
    if (run.sample_is_spread) members["sample_is_spread"] = true;
    if (is_not_comparable(run.pair_faults)) members["comparable"] = false;
    if (!run.pair_faults.empty()) members["pair_faults"] = pair_faults_json(run.pair_faults);
    if (!run.models.empty()) {
      members["inner_metrics"] = ordered_json::array();
      for (const Metric& metric : report_.metrics) {
        if (metric.is_inner) members["inner_metrics"].push_back(metric.name);
      }
    }
    if (!run.models.empty()) members["models"] = described_json(run.models);
    // Strings hold no raw line ends once written, so every line end is layout.
    for (const char c : json_text(members, 2)) {
      out_ += c;
      if (c == '\n') out_ += "  ";
    }
  }

  const ScoreView& scores_;
  const Report& report_;
  const NumberStyle& numbers_;
  const bool extended_;
  const size_t worst_;
  const TextSink& sink_;
  std::vector<std::string> quoted_names_;
  std::string out_;
};

}  // namespace

std::string write_json(const Report& report, const ReportStyle& style) {
  std::string text;
  write_json(report, style, [&](std::string_view piece) { text += piece; });
  return text;
}

void write_json(const Report& report, const ReportStyle& style, const TextSink& sink) {
  JsonWriter(view_of(report), report, style, sink).write();
}

std::string write_json(const ScoreView& scores, const NumberStyle& numbers) {
  std::string text;
  JsonWriter(scores, Report(), {.numbers = numbers}, [&](std::string_view piece) { text += piece; }).write();
  return text;
}

}  // namespace vq
