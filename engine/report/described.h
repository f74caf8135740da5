// The structs of a report as JSON: one list of members each, by which they are written and read back.
#pragma once

#include "core/frame.h"
#include "engine/report/json_values.h"
#include "engine/report/report.h"

namespace vq {

// A struct of facts, or a const one.
template <typename T, typename Facts>
concept Is = std::same_as<std::remove_const_t<T>, Facts>;

// The lists. What `visit` has: (name, value) for a member that is always there, null if it has no value;
// if_any() for one that is only there if it differs from its default; or_null() for one that is null instead
// of empty; number() for a real that is null if it is not finite, and not a number if it is absent; count()
// for a number of frames.

void describe(auto& visit, Is<InputFacts> auto& input) {
  visit("role", input.role);
  visit("path", input.path);
  visit("container", input.container);
  visit("codec", input.codec);
  visit("pixel_format", input.pixel_format);
  visit("width", input.width);
  visit("height", input.height);
  visit("bit_depth", input.bit_depth);
  visit("chroma", input.chroma);
  visit("range", input.range);
  visit("transfer", input.transfer);
  visit("matrix", input.matrix);
  visit("frame_rate", input.frame_rate);
  visit.count("frames", input.frames);
  visit.count("skipped", input.skipped);
  visit("file_bytes", input.file_bytes);
  visit("duration", input.duration);
  visit("bit_rate", input.bit_rate);
  visit("bit_rate_of", input.bit_rate_of);
  visit("encoder", input.encoder);
  visit("encoder_settings", input.encoder_settings);
  visit.if_any("maxcll", input.stored_light.maxcll);
  visit.if_any("maxfall", input.stored_light.maxfall);
  visit.if_any("mastering_peak", input.stored_light.mastering_peak);
  visit.if_any("bits_per_pixel", input.bits_per_pixel);
  visit.if_any("decoder", input.decoder);
  visit.if_any("film_grain", input.film_grain);
}

void describe(auto& visit, Is<ScoredBy> auto& member) {
  visit("backend", member.backend);
  visit("device", member.device);
  visit("driver", member.driver);
  visit("decoder", member.decoder);
  visit.count("frames", member.frames);
}

void describe(auto& visit, Is<Rectangle> auto& crop) {
  visit("width", crop.width);
  visit("height", crop.height);
  visit("x", crop.x);
  visit("y", crop.y);
}

void describe(auto& visit, Is<ThresholdFacts> auto& threshold) {
  visit("expression", threshold.expression);
  visit("metric", threshold.metric);
  visit("statistic", threshold.statistic);
  visit.number("value", threshold.value);
  visit.unless_null("crossed", threshold.crossed, threshold.judged);
  visit.number("baseline", threshold.baseline);
  visit.number("low", threshold.low);
  visit.number("high", threshold.high);
  visit.if_any("decided_after", threshold.decided_after);
}

void describe(auto& visit, Is<IntervalFacts> auto& interval) {
  visit("metric", interval.metric);
  visit("statistic", interval.statistic);
  visit.number("low", interval.low);
  visit.number("high", interval.high);
}

void describe(auto& visit, Is<CertaintyFacts> auto& certainty) {
  visit("confidence", certainty.confidence);
  visit.or_null("seed", certainty.seed);
  visit.count("frames", certainty.frames);
  visit.count("scored_frames", certainty.scored_frames);
  visit.count("decoded_frames", certainty.decoded_frames);
  visit.count("slices", certainty.slices);
  visit.count("claims", certainty.claims);
  visit("exact", certainty.exact);
  visit.or_null("reason", certainty.reason);
  visit("intervals", certainty.intervals);
}

void describe(auto& visit, Is<Segment> auto& segment) {
  visit("first", segment.first);
  visit("last", segment.last);
  visit("start", segment.start);
  visit("end", segment.end);
  visit.number("mean", segment.mean);
  visit.number("worst", segment.worst);
  visit("worst_frame", segment.worst_frame);
}

void describe(auto& visit, Is<SegmentFacts> auto& segments) {
  visit("metric", segments.metric);
  visit("from", segments.rule.from);
  visit("until", segments.rule.until);
  visit("smoothed_seconds", segments.rule.smoothed_seconds);
  visit("shortest_frames", segments.rule.shortest_frames);
  visit("shortest_seconds", segments.rule.shortest_seconds);
  visit("list", segments.list);
  visit.if_any("by_scene", segments.rule.by_scene);
}

void describe(auto& visit, Is<OriginFacts::File> auto& file) {
  visit("path", file.path);
  visit("bytes", file.bytes);
  visit("modified", file.modified);
}

void describe(auto& visit, Is<OriginFacts> auto& origin) {
  visit("files", origin.files);
  visit("scores", origin.scores);
  visit("outputs", origin.outputs);
}

void describe(auto& visit, Is<ModelFacts> auto& model) {
  visit("name", model.name);
  visit("source", model.source);
  visit("metrics", model.metrics);
  visit.or_null("scored_at", model.scored_at);
  visit.or_null("unsuited", model.unsuited);
}

// The members of `run` that have the same form in both; later() holds the place of one that has not.
void describe(auto& visit, Is<RunFacts> auto& run) {
  visit("complete", run.complete);
  visit.later("scored_frames");
  visit("repeated_frames", run.repeated_frames);
  visit("wall_seconds", run.wall_seconds);
  visit("backend", run.backend);
  visit("simd", run.simd);
  visit("device", run.device);
  visit("driver", run.driver);
  visit.if_any("scored_by", run.scored_by);
  visit("certificate", run.certificate);
  visit.if_any("on_host", run.on_host);
  visit.later("gpu_milliseconds");
  visit("bytes_uploaded", run.bytes_uploaded);
  visit("bytes_read", run.bytes_read);
  visit.later("stages");
  visit.later("pace");
  visit("threads", run.threads);
  visit("arguments", run.arguments);
  visit("crop", run.crop);
  visit("thresholds", run.thresholds);
  visit.if_any("certainty", run.certainty);
  visit.later("segments");
  visit("scene_cuts", run.scene_cuts);
  visit("inputs", run.inputs);
  visit.later("features");
  visit("notes", run.notes);
  visit("warnings", run.warnings);
}

// Writing.

class MemberWriter {
 public:
  template <typename T>
  void operator()(const char* name, const T& value) {
    members_[name] = json_of(value);
  }
  template <typename T>
  void if_any(const char* name, const T& value) {
    if (value != T()) members_[name] = json_of(value);
  }
  void or_null(const char* name, const std::string& text) { members_[name] = nullable(text); }
  void number(const char* name, std::optional<double> value) {
    if (value) members_[name] = finite_or_null(value);
  }
  void count(const char* name, int64_t value) { members_[name] = value; }
  void unless_null(const char* name, bool value, bool is_known) {
    members_[name] = is_known ? Json(value) : Json(nullptr);
  }
  void later(const char* name) { members_[name] = nullptr; }

  // A struct of facts, or what it is made of.
  template <typename T>
  static nlohmann::ordered_json json_of(const T& value) {
    if constexpr (requires(MemberWriter& writer) { describe(writer, value); }) {
      MemberWriter writer;
      describe(writer, value);
      return std::move(writer.members_);
    } else {
      return value;
    }
  }
  template <typename T>
  static nlohmann::ordered_json json_of(const std::optional<T>& value) {
    return value ? json_of(*value) : Json(nullptr);
  }
  template <typename T>
  static nlohmann::ordered_json json_of(const std::vector<T>& values) {
    return json_list(values, [](const T& value) { return json_of(value); });
  }

 private:
  using Json = nlohmann::ordered_json;
  Json members_ = Json::object();
};

template <typename Facts>
nlohmann::ordered_json described_json(const Facts& facts) {
  return MemberWriter::json_of(facts);
}

// Reading. A member that is missing, or of another type, becomes T().

class MemberReader {
 public:
  explicit MemberReader(const nlohmann::ordered_json& from) : from_(from) {}

  template <typename T>
  void operator()(const char* name, T& value) {
    value = value_or_default<T>(from_, name);
  }
  void operator()(const char* name, std::vector<std::string>& list) { list = strings(from_, name); }
  void operator()(const char* name, std::optional<std::vector<int64_t>>& list) {
    const nlohmann::ordered_json* const found = member(from_, name);
    if (found == nullptr || !found->is_array()) return;
    list.emplace();
    for (const nlohmann::ordered_json& number : *found) {
      if (number.is_number()) list->push_back(number_or_default<int64_t>(number));
    }
  }
  template <typename T>
    requires std::is_class_v<T>
  void operator()(const char* name, std::vector<T>& list) {
    for (const nlohmann::ordered_json& element : list_in(from_, name)) list.push_back(read<T>(element));
  }
  template <typename T>
    requires std::is_class_v<T>
  void operator()(const char* name, std::optional<T>& facts) {
    const nlohmann::ordered_json* const found = member(from_, name);
    if (found != nullptr && found->is_object()) facts = read<T>(*found);
  }
  template <typename T>
  void if_any(const char* name, T& value) {
    (*this)(name, value);
  }
  void or_null(const char* name, std::string& text) { (*this)(name, text); }
  void number(const char* name, double& value) {
    value = value_or_default<std::optional<double>>(from_, name)
                .value_or(std::numeric_limits<double>::quiet_NaN());
  }
  void number(const char* name, std::optional<double>& value) {
    if (member(from_, name) != nullptr) number(name, value.emplace());
  }
  // Sums of several such numbers fit into 64 bits.
  void count(const char* name, int64_t& value) {
    value = std::clamp<int64_t>(value_or_default<int64_t>(from_, name), 0, kMaxFrameNumber);
  }
  void unless_null(const char* name, bool& value, bool& is_known) {
    (*this)(name, value);
    const nlohmann::ordered_json* const found = member(from_, name);
    is_known = found == nullptr || !found->is_null();
  }
  void later(const char*) {}

  template <typename T>
  static T read(const nlohmann::ordered_json& from) {
    T facts;
    MemberReader reader(from);
    describe(reader, facts);
    return facts;
  }

 private:
  const nlohmann::ordered_json& from_;
};

}  // namespace vq
