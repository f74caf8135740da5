#include "cli/reports/gate_report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/text.h"
#include "core/text/number_text.h"
#include "core/text/text_table.h"
#include "core/version.h"
#include "engine/report/json_text.h"

namespace vq::cli {
namespace {

double worst_difference(const DiffResult& diff) {
  return diff.worst ? std::abs(*diff.worst->a - *diff.worst->b) : 0.0;
}

std::string where(const DiffResult& diff) {
  if (diff.worst && worst_difference(diff) != 0) return place_of(*diff.worst) + " " + diff.worst->metric;
  if (diff.first_text) return "frame " + std::to_string(diff.first_text->frame) + " " + diff.first_text->name;
  return "-";
}

// Words are as far apart as they can be.
std::string worst_text(const DiffResult& diff) {
  if (worst_difference(diff) == 0 && diff.first_text) return "other text";
  return number_text(worst_difference(diff), {NumberStyle::Kind::kSignificant, 3});
}

std::string decoders_text(const GateEntry& entry) {
  std::string text;
  for (const std::string& decoder : entry.decoders) {
    if (decoder != text) text += (text.empty() ? "" : ", ") + decoder;
  }
  return text.empty() ? "-" : printable(text);
}

bool tells_decoders(const GateResult& result) {
  return std::any_of(result.entries.begin(), result.entries.end(), [&](const GateEntry& entry) {
    return entry.decoders != result.entries.front().decoders;
  });
}

nlohmann::ordered_json entry_json(const GateEntry& entry) {
  nlohmann::ordered_json json = {{"backend", entry.backend},
                                 {"device", entry.device},
                                 {"driver", entry.driver},
                                 {"simd", entry.simd},
                                 {"decoders", entry.decoders},
                                 {"frames", entry.frames},
                                 {"wall_seconds", entry.wall_seconds},
                                 {"compared", entry.diff.compared},
                                 {"different", entry.diff.different},
                                 {"worst_difference", worst_difference(entry.diff)}};
  if (entry.diff.worst) {
    const std::optional<int64_t>& frame = entry.diff.worst->frame;
    json["worst"] = {{"frame", frame ? nlohmann::ordered_json(*frame) : nullptr},
                     {"metric", entry.diff.worst->metric}};
  }
  if (entry.diff.texts > 0) {
    json["texts_compared"] = entry.diff.texts;
    json["texts_different"] = entry.diff.different_texts;
  }
  return json;
}

}  // namespace

bool GateResult::passes() const {
  return std::all_of(entries.begin(), entries.end(),
                     [](const GateEntry& entry) { return entry.diff.same(); });
}

TextTable gate_table(const GateResult& result) {
  constexpr auto kLeft = TextColumn::Align::kLeft;
  std::vector<TextColumn> columns = {{"backend", kLeft},   {"device", kLeft, 2},
                                     {"frames"},           {"fps", TextColumn::Align::kRight, 1},
                                     {"worst difference"}, {"where", kLeft, 0, 12}};
  const bool with_decoders = tells_decoders(result);
  if (with_decoders) columns.insert(columns.begin() + 2, {"decoder", kLeft});
  TextTable table(columns);
  for (const GateEntry& entry : result.entries) {
    const double fps = static_cast<double>(entry.frames) / std::max(entry.wall_seconds, 1e-6);
    std::vector<std::string> cells = {
        entry.backend,
        entry.device.empty() ? "CPU (" + entry.simd + ")" : printable(entry.device),
        std::to_string(entry.frames),
        fixed_text(fps, 1),
        worst_text(entry.diff),
        where(entry.diff)};
    if (with_decoders) cells.insert(cells.begin() + 2, decoders_text(entry));
    table.add(cells);
  }
  return table;
}

std::string gate_text(const GateResult& result, size_t width) {
  const std::string extent =
      result.places < kAllPlaces ? counted(result.places, "decimal place") : "the last bit";
  return gate_table(result).text(width) +
         (result.passes() ? "pass: scores are equal to " + extent
                          : "FAIL: scores are not equal to " + extent + ", see the worst difference above") +
         "\n";
}

JunitSuite gate_suite(const std::string& video, const GateResult& result) {
  JunitSuite suite{.name = video, .seconds = 0, .cases = {}};
  for (const GateEntry& entry : result.entries) {
    suite.seconds += entry.wall_seconds;
    JunitCase& one = suite.cases.emplace_back(JunitCase{.name = entry.backend});
    if (entry.diff.same()) continue;
    one.outcome = JunitCase::Outcome::kFailed;
    const std::string text = diff_text(entry.diff);
    one.message = text.substr(0, text.find('\n'));
  }
  return suite;
}

std::string gate_json(const GateResult& result) {
  nlohmann::ordered_json json = {
      {"version", version()}, {"places", result.places}, {"pass", result.passes()}};
  for (const GateEntry& entry : result.entries) json["backends"].push_back(entry_json(entry));
  return json_file_text(json);
}

}  // namespace vq::cli
