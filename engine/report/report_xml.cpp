#include "core/pooling.h"
#include "core/text/xml_text.h"
#include "engine/report/report_writer.h"

namespace vq {
std::string write_xml(const Report& report, const NumberStyle& numbers) {
  std::string out = "<VMAF" + xml_attribute("version", xml_escaped(report.version)) + ">\n  <params";
  out += xml_attribute("qualityWidth", std::to_string(report.width));
  out += xml_attribute("qualityHeight", std::to_string(report.height)) + " />\n";
  out += "  <fyi" + xml_attribute("fps", fixed_text(report.fps, kFpsDecimals)) + " />\n  <frames>\n";
  std::vector<std::string> names;
  for (const Metric& metric : report.metrics) names.push_back(attribute_name(metric.name));
  for (size_t i = 0; i < report.frames.size(); ++i) {
    out += "    <frame" + xml_attribute("frameNum", std::to_string(report.frames[i]));
    for (size_t m = 0; m < names.size(); ++m) {
      out += xml_attribute(names[m], number_text(report.metrics[m].values[i], numbers));
    }
    out += " />\n";
  }
  out += "  </frames>\n  <pooled_metrics>\n";
  for (const Metric& metric : report.metrics) {
    const auto pooled = pool_scores(metric.values);
    if (!pooled) continue;
    out += "    <metric" + xml_attribute("name", xml_escaped(metric.name));
    out += xml_attribute("min", number_text(pooled->min, numbers));
    out += xml_attribute("max", number_text(pooled->max, numbers));
    out += xml_attribute("mean", number_text(pooled->mean, numbers));
    out += xml_attribute("harmonic_mean", number_text(pooled->harmonic_mean, numbers)) + " />\n";
  }
  out += "  </pooled_metrics>\n  <aggregate_metrics";
  for (const auto& [name, value] : report.aggregates)
    out += xml_attribute(attribute_name(name), number_text(value, numbers));
  return out + " />\n</VMAF>\n";
}

}  // namespace vq
