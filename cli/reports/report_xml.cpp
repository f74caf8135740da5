#include "cli/reports/report_writer.h"
#include "core/text.h"

namespace vq::cli {
namespace {

constexpr int kFpsDecimals = 2;

// An attribute with a leading space. Control characters have no place in XML, escaped or not, and what is not
// UTF-8 makes the document unreadable, so both appear as printable() shows them.
std::string attribute(std::string_view name, std::string_view value) {
  std::string out = " ";
  out.append(name).append("=\"").append(value).append("\"");
  return out;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : printable(text, std::string_view::npos)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&apos;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

bool is_name_byte(char c, bool first) {
  const auto byte = static_cast<unsigned char>(c);
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || byte >= 0x80;
  return letter || (!first && ((c >= '0' && c <= '9') || c == '-' || c == '.'));
}

// A metric's name as the name of an attribute, where nothing can be escaped: what is not allowed becomes '_'.
std::string attribute_name(std::string_view name) {
  std::string out;
  for (const char c : printable(name, std::string_view::npos)) out += is_name_byte(c, out.empty()) ? c : '_';
  return out.empty() ? "_" : out;
}

}  // namespace

std::string write_xml(const Report& report, const NumberStyle& numbers) {
  std::string out = "<VMAF" + attribute("version", escaped(report.version)) + ">\n  <params";
  out += attribute("qualityWidth", std::to_string(report.width));
  out += attribute("qualityHeight", std::to_string(report.height)) + " />\n";
  out += "  <fyi" + attribute("fps", fixed_text(report.fps, kFpsDecimals)) + " />\n  <frames>\n";
  std::vector<std::string> names;
  for (const Metric& metric : report.metrics) names.push_back(attribute_name(metric.name));
  for (size_t i = 0; i < report.frames.size(); ++i) {
    out += "    <frame" + attribute("frameNum", std::to_string(report.frames[i]));
    for (size_t m = 0; m < names.size(); ++m) {
      out += attribute(names[m], number_text(report.metrics[m].values[i], numbers));
    }
    out += " />\n";
  }
  out += "  </frames>\n  <pooled_metrics>\n";
  for (const Metric& metric : report.metrics) {
    const auto pooled = pool_scores(metric.values);
    if (!pooled) continue;
    out += "    <metric" + attribute("name", escaped(metric.name));
    out += attribute("min", number_text(pooled->min, numbers));
    out += attribute("max", number_text(pooled->max, numbers));
    out += attribute("mean", number_text(pooled->mean, numbers));
    out += attribute("harmonic_mean", number_text(pooled->harmonic_mean, numbers)) + " />\n";
  }
  out += "  </pooled_metrics>\n  <aggregate_metrics";
  for (const auto& [name, value] : report.aggregates) out += attribute(attribute_name(name), number_text(value, numbers));
  return out + " />\n</VMAF>\n";
}

}  // namespace vq::cli
