// The layouts of libvmaf's library, which differ from those of its tool if scores are missing.
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <optional>
#include <string>

#include "core/number_text.h"
#include "core/platform.h"
#include "core/text.h"
#include "engine/libvmaf/context.h"
#include "engine/libvmaf/interface.h"
#include "engine/libvmaf/log.h"
#include "engine/libvmaf/score_store.h"
#include "engine/report/json_values.h"

namespace vq::libvmaf {
namespace {

constexpr std::pair<const char*, VmafPoolingMethod> kMethods[] = {
    {"min", VMAF_POOL_METHOD_MIN},
    {"max", VMAF_POOL_METHOD_MAX},
    {"mean", VMAF_POOL_METHOD_MEAN},
    {"harmonic_mean", VMAF_POOL_METHOD_HARMONIC_MEAN}};

// Facts for a report.
struct Facts {
  const Context& context;
  const ScoreTable& table;
  std::vector<unsigned> frames;  // with a score, of those that count
};

std::vector<unsigned> frames_of(const Context& context, const ScoreTable& table) {
  std::vector<unsigned> frames;
  for (const ScoreTable::Column& column : table.columns) column.values->add_indices(frames);
  std::erase_if(frames, [&](unsigned index) { return !context.counts(index); });
  std::sort(frames.begin(), frames.end());
  frames.erase(std::unique(frames.begin(), frames.end()), frames.end());
  return frames;
}

std::string number(double value) {
  return number_text(value, {});
}

double speed(const Facts& facts) {
  const double seconds = facts.table.seconds;
  return seconds > 0 ? static_cast<double>(facts.context.reads()) / seconds : 0;
}

// The scores of all frames that were read and count; nothing if one has no score.
std::optional<Pool> pool_of(const Facts& facts, const ScoreTable::Column& column) {
  if (facts.context.reads() == 0) return std::nullopt;
  Pool pool;
  for (uint64_t index = 0; index < facts.context.reads(); ++index) {
    const auto frame = static_cast<unsigned>(index);
    if (!facts.context.counts(frame)) continue;
    const std::optional<double> value = column.values->find(frame);
    if (!value) return std::nullopt;
    pool.add(*value, index == 0);
  }
  return pool;
}

// Calls add(name, value) for each score of a frame.
template <typename Add>
void for_each_score(const Facts& facts, unsigned frame, Add add) {
  for (const ScoreTable::Column& column : facts.table.columns) {
    if (const std::optional<double> value = column.values->find(frame)) add(column.name, *value);
  }
}

std::string xml(const Facts& facts) {
  const PictureShape& shape = facts.context.shape();
  std::string out = "<VMAF" + xml_attribute("version", xml_escaped(vmaf_version())) + ">\n  <params" +
                    xml_attribute("qualityWidth", std::to_string(shape.width)) +
                    xml_attribute("qualityHeight", std::to_string(shape.height)) + " />\n  <fyi" +
                    xml_attribute("fps", fixed_text(speed(facts), kFpsDecimals)) + " />\n  <frames>\n";
  for (const unsigned frame : facts.frames) {
    out += "    <frame" + xml_attribute("frameNum", std::to_string(frame));
    for_each_score(facts, frame, [&](const std::string& name, double value) {
      out += xml_attribute(attribute_name(name), number(value));
    });
    out += " />\n";
  }
  out += "  </frames>\n  <pooled_metrics>\n";
  for (const ScoreTable::Column& column : facts.table.columns) {
    out += "    <metric" + xml_attribute("name", xml_escaped(column.name));
    const std::optional<Pool> pool = pool_of(facts, column);
    for (const auto& [name, method] : kMethods) {
      if (pool) out += xml_attribute(name, number(*pool->pooled(method)));
    }
    out += " />\n";
  }
  out += "  </pooled_metrics>\n  <aggregate_metrics";
  for (const auto& [name, value] : facts.table.aggregates)
    out += xml_attribute(attribute_name(name), number(value));
  return out + " />\n</VMAF>\n";
}

std::string json_number(double value) {
  return std::isfinite(value) ? number(value) : "null";
}

// The members of an object, a line each; behind a score that is no number the reference forgets to end it.
class JsonMembers {
 public:
  JsonMembers(std::string& out, size_t indent, bool forgets_ends)
      : out_(out), indent_(indent), forgets_ends_(forgets_ends) {}

  void add(const std::string& name, double value) {
    begin(name);
    out_ += json_number(value);
    is_ended_ = !forgets_ends_ || std::isfinite(value);
  }
  // The text of the value follows.
  void begin(const std::string& name) {
    if (!is_first_) out_ += ',';
    if (is_ended_) out_ += '\n';
    is_first_ = false;
    is_ended_ = true;
    out_.append(indent_, ' ').append(json_quoted(name)).append(": ");
  }
  void end() {
    if (is_ended_) out_ += '\n';
  }

 private:
  std::string& out_;
  const size_t indent_;
  const bool forgets_ends_;
  bool is_first_ = true, is_ended_ = true;
};

void add_json_frames(const Facts& facts, std::string& out) {
  for (const unsigned frame : facts.frames) {
    out += frame == facts.frames.front() ? "\n" : ",\n";
    out += "    {\n      \"frameNum\": " + std::to_string(frame) + ",\n      \"metrics\": {";
    JsonMembers metrics(out, 8, true);
    for_each_score(facts, frame, [&](const std::string& name, double value) { metrics.add(name, value); });
    metrics.end();
    out += "      }\n    }";
  }
}

std::string json(const Facts& facts) {
  std::string out = "{\n  \"version\": " + json_quoted(vmaf_version()) +
                    ",\n  \"fps\": " + fixed_text(speed(facts), kFpsDecimals) + ",\n  \"frames\": [";
  add_json_frames(facts, out);
  out += "\n  ],\n  \"pooled_metrics\": {";
  JsonMembers metrics(out, 4, false);
  for (const ScoreTable::Column& column : facts.table.columns) {
    metrics.begin(column.name);
    out += '{';
    JsonMembers statistics(out, 6, false);
    const std::optional<Pool> pool = pool_of(facts, column);
    for (const auto& [name, method] : kMethods) {
      if (pool) statistics.add(name, *pool->pooled(method));
    }
    statistics.end();
    out += "    }";
  }
  metrics.end();
  out += "  },\n  \"aggregate_metrics\": {";
  JsonMembers aggregates(out, 4, false);
  for (const auto& [name, value] : facts.table.aggregates) aggregates.add(name, value);
  aggregates.end();
  return out + "  }\n}\n";
}

// Where a score is missing, those behind it move to the left, as in the reference.
std::string csv(const Facts& facts) {
  std::string out = "Frame,";
  for (const ScoreTable::Column& column : facts.table.columns) out += csv_field(column.name) + ',';
  out += '\n';
  for (const unsigned frame : facts.frames) {
    out += std::to_string(frame) + ',';
    for_each_score(facts, frame, [&](const std::string&, double value) { out += number(value) + ','; });
    out += '\n';
  }
  return out;
}

std::string sub(const Facts& facts) {
  std::string out;
  for (const unsigned frame : facts.frames) {
    const std::string shown = std::to_string(frame);
    out += '{' + shown + "}{" + std::to_string(uint64_t{frame} + 1) + "}frame: " + shown + '|';
    for_each_score(facts, frame,
                   [&](const std::string& name, double value) { out += name + ": " + number(value) + '|'; });
    out += '\n';
  }
  return out;
}

std::optional<std::string> text_of(const Facts& facts, int format) {
  switch (format) {
    case VMAF_OUTPUT_FORMAT_XML:
      return xml(facts);
    case VMAF_OUTPUT_FORMAT_JSON:
      return json(facts);
    case VMAF_OUTPUT_FORMAT_CSV:
      return csv(facts);
    case VMAF_OUTPUT_FORMAT_SUB:
      return sub(facts);
    default:
      return std::nullopt;
  }
}

// Throws away what cannot be written.
int write(const std::string& path, const std::string& text) {
  std::ofstream file(path_of(path), std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (file) return 0;
  log(LogLevel::kError, path + " cannot be written");
  return -EINVAL;
}

// The report in one of VmafOutputFormat; nothing for another number.
std::optional<std::string> report_text(const Context& context, int format) {
  std::optional<std::string> text;
  context.scores().look_at([&](const ScoreTable& table) {
    text = text_of({context, table, frames_of(context, table)}, format);
  });
  return text;
}

}  // namespace
}  // namespace vq::libvmaf

int vmaf_write_output(VmafContext* vmaf, const char* output_path, VmafOutputFormat fmt) {
  if (vmaf == nullptr || output_path == nullptr) return -EINVAL;
  return vq::libvmaf::guarded([&] {
    vmaf->context.wait_for_all();
    const std::optional<std::string> text =
        vq::libvmaf::report_text(vmaf->context, vq::libvmaf::number_of(fmt));
    const int written = vq::libvmaf::write(output_path, text.value_or(""));
    return text ? written : -EINVAL;
  });
}
