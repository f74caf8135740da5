#include "cli/cluster/shard_facts.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.h"
#include "engine/report/json_text.h"
#include "engine/report/json_values.h"
#include "engine/report/report_reader.h"
#include "engine/report/report_writer.h"

namespace vq::cli {
namespace {

using nlohmann::json;

json format_json(const VideoFormat& format) {
  return {{"name", format.name},
          {"width", format.width},
          {"height", format.height},
          {"bit_depth", format.bit_depth},
          {"chroma", static_cast<int>(format.chroma)},
          {"range", static_cast<int>(format.range)},
          {"transfer", static_cast<int>(format.transfer)},
          {"matrix", static_cast<int>(format.matrix)},
          {"primaries", static_cast<int>(format.primaries)},
          {"chroma_location", static_cast<int>(format.chroma_location)},
          {"frame_rate", format.frame_rate}};
}

int number_of(const json& from, int least, int most) {
  return static_cast<int>(whole_number(from, least, most));
}

size_t size_of(const json& from) {
  return static_cast<size_t>(whole_number(from));
}

template <typename Enumeration>
Enumeration one_of(const json& from, Enumeration last) {
  return static_cast<Enumeration>(number_of(from, 0, static_cast<int>(last)));
}

VideoFormat format_of(const json& from) {
  return {.name = from.at("name"),
          .width = number_of(from.at("width"), 1, kMaxSide),
          .height = number_of(from.at("height"), 1, kMaxSide),
          .bit_depth = number_of(from.at("bit_depth"), 8, 16),
          .chroma = one_of(from.at("chroma"), Chroma::kOther),
          .range = one_of(from.at("range"), Range::kFull),
          .transfer = one_of(from.at("transfer"), Transfer::kLinear),
          .matrix = one_of(from.at("matrix"), Matrix::kRgb),
          .primaries = one_of(from.at("primaries"), Primaries::kOther),
          .chroma_location = one_of(from.at("chroma_location"), ChromaLocation::kBottom),
          .frame_rate = from.at("frame_rate")};
}

json formats_json(const VideoFormats& formats) {
  return {{"distorted", format_json(formats.distorted)},
          {"reference", formats.reference ? format_json(*formats.reference) : json(nullptr)}};
}

VideoFormats formats_of(const json& from) {
  VideoFormats formats{.distorted = format_of(from.at("distorted")), .reference = {}};
  if (!from.at("reference").is_null()) formats.reference = format_of(from.at("reference"));
  return formats;
}

json area_json(const ActiveArea& area) {
  return {area.left, area.top, area.right, area.bottom};
}

ActiveArea area_of(const json& from) {
  const auto place = [&](size_t i) { return number_of(from.at(i), 0, kMaxSide); };
  return {place(0), place(1), place(2), place(3)};
}

json bars_json(const BarsSeen& bars) {
  return {area_json(bars.lit), area_json(bars.plainly)};
}

BarsSeen bars_of(const json& from) {
  return {area_of(from.at(0)), area_of(from.at(1))};
}

json looked_bars_json(const std::vector<LookedBars>& looked) {
  json list = json::array();
  for (const LookedBars& bars : looked)
    list.push_back({bars.frame, bars_json(bars.reference), bars_json(bars.distorted)});
  return list;
}

std::vector<LookedBars> looked_bars_of(const json& from) {
  std::vector<LookedBars> looked;
  for (const json& bars : from) {
    looked.push_back({bars.at(0).get<int64_t>(), bars_of(bars.at(1)), bars_of(bars.at(2))});
  }
  return looked;
}

json optional_json(const std::optional<int64_t>& number) {
  return number ? json(*number) : json(nullptr);
}

std::optional<int64_t> optional_of(const json& from) {
  return from.is_null() ? std::nullopt : std::optional(whole_number(from));
}

json shape_json(const ShardShape& shape) {
  json features = json::array();
  for (const FeatureShape& feature : shape.features)
    features.push_back({feature.values, feature.tallies, feature.texts});
  return {{"frames", shape.frames}, {"pairs", shape.pairs}, {"features", std::move(features)}};
}

ShardShape shape_of(const json& from) {
  ShardShape shape{.frames = size_of(from.at("frames")), .pairs = size_of(from.at("pairs")), .features = {}};
  for (const json& feature : from.at("features"))
    shape.features.push_back({size_of(feature.at(0)), size_of(feature.at(1)), size_of(feature.at(2))});
  return shape;
}

PaddedDepth::State padding_of(const json& from) {
  const auto bits = [&](size_t i) { return static_cast<uint16_t>(number_of(from.at(i), 0, UINT16_MAX)); };
  return {bits(0), bits(1), number_of(from.at(2), 0, 16)};
}

SampledTypes::Counts counts_of(const json& from) {
  SampledTypes::Counts counts;
  for (size_t i = 0; i < counts.size(); ++i) counts[i] = whole_number(from.at(i));
  return counts;
}

// Reports have a frame at the least.
Report with_one_frame(Report report) {
  report.frames = {0};
  report.timestamps = {std::nullopt};
  for (Metric& metric : report.metrics) metric.values = {0};
  report.texts.clear();
  report.run.scene_cuts.reset();
  report.run.segments.clear();
  return report;
}

}  // namespace

std::string facts_text(const ShardShape& shape, const ShardFacts& facts, const PartFindings& findings) {
  const NumberStyle exact = {NumberStyle::Kind::kShortest, 0};
  const std::string report = write_json(with_one_frame(facts.report),
                                        {.format = ReportFormat::kJson, .numbers = exact, .extended = true});
  return json_text(
      json{{"shape", shape_json(shape)},
           {"report", report},
           {"opening_warnings", facts.opening_warnings},
           {"watches_pairs", findings.watches_pairs},
           {"bars", looked_bars_json(findings.bars)},
           {"padding", {findings.padding.first, findings.padding.differing, findings.padding.bit_depth}},
           {"types", {findings.types.all, findings.types.scored}},
           {"pairs_read", findings.pairs_read},
           {"shorter", static_cast<int>(findings.shorter)},
           {"distorted_frames", optional_json(findings.distorted_frames)},
           {"reference_frames", optional_json(findings.reference_frames)},
           {"formats", formats_json(findings.formats)}});
}

void read_facts_text(const std::string& text, ShardShape& shape, ShardFacts& facts, PartFindings& findings) {
  const json from = json::parse(text);
  shape = shape_of(from.at("shape"));
  facts.report = to_report(parse_report(from.at("report").get<std::string>(), "shard"));
  facts.opening_warnings = size_of(from.at("opening_warnings"));
  findings.watches_pairs = from.at("watches_pairs");
  findings.bars = looked_bars_of(from.at("bars"));
  findings.padding = padding_of(from.at("padding"));
  findings.types = {counts_of(from.at("types").at(0)), counts_of(from.at("types").at(1))};
  findings.pairs_read = whole_number(from.at("pairs_read"));
  findings.shorter = one_of(from.at("shorter"), ShorterVideo::kReference);
  const size_t least = findings.shorter == ShorterVideo::kNone ? 1 : 2;
  if (facts.report.run.inputs.size() < least) throw Error(ErrorKind::kInput, "it does not name its videos");
  findings.distorted_frames = optional_of(from.at("distorted_frames"));
  findings.reference_frames = optional_of(from.at("reference_frames"));
  findings.formats = formats_of(from.at("formats"));
}

}  // namespace vq::cli
