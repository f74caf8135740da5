// Two reports compared, score by score and word by word.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/reports/ci_formats.h"
#include "core/text_table.h"
#include "engine/report/report_reader.h"

namespace vq::cli {

inline constexpr int kDefaultPlaces = 4;
inline constexpr int kAllPlaces = 17;  // every bit

// A score that is not the same in both reports; a side without it has nothing.
struct Difference {
  std::optional<int64_t> frame;  // none: of the whole run, an aggregate
  std::string metric;
  std::optional<double> a, b;
};

// What two reports say differently of a frame in words; a side that says nothing is empty.
struct TextDifference {
  int64_t frame = 0;
  std::string name, a, b;
};

struct DiffResult {
  std::string name_a, name_b;
  int places = kDefaultPlaces;
  int64_t compared = 0;   // scores in either report
  int64_t different = 0;  // of these, those not equal, missing ones included
  int64_t missing = 0;    // of the different, those that only one report has
  int64_t frames = 0;     // in either report
  std::vector<std::string> metrics_only_in_a, metrics_only_in_b;  // and texts
  int64_t frames_only_in_a = 0, frames_only_in_b = 0;
  // The largest difference of two scores that both exist; of equals the first. One that is not finite is the
  // largest.
  std::optional<Difference> worst;
  std::optional<Difference> first_missing;
  int64_t texts = 0;            // in either report
  int64_t different_texts = 0;  // of these, those not equal, missing ones included
  std::optional<TextDifference> first_text;

  bool same() const { return different == 0 && different_texts == 0; }
};

// Every metric and every text of every frame of either report, and their aggregates. Scores are equal where
// |a - b| < 0.5 * 10^-places (a == b for kAllPlaces), where both are infinite, and where both are not a
// number; `places` is 0..kAllPlaces. Linear in the size of the reports.
DiffResult diff_reports(const ScoreTable& a, const ScoreTable& b, int places = kDefaultPlaces);

// "frame 7", or "the whole run".
std::string place_of(const Difference& difference);

// A few lines for people, each with a line end. The first says whether the reports agree.
std::string diff_text(const DiffResult& result);

// What a gate found: the same run on several backends, every metric of every frame compared.

// One backend's run, compared with the first one's.
struct GateEntry {
  std::string backend, device, driver, simd;  // what really ran
  std::vector<std::string> decoders = {};     // of each input; empty where nothing is decoded
  int64_t frames = 0;
  double wall_seconds = 0;
  DiffResult diff;
};

struct GateResult {
  int places = kAllPlaces;
  std::vector<GateEntry> entries;  // the first is what the others are compared with

  bool passes() const;
};

// A row for each backend; with decoders where they are not the same on all.
TextTable gate_table(const GateResult& result);
// A case for each backend.
JunitSuite gate_suite(const std::string& video, const GateResult& result);
// The table for people, which fits `width` columns where it can (0: any), and the same for programs: keys in
// docs/report.md.
std::string gate_text(const GateResult& result, size_t width = 0);
std::string gate_json(const GateResult& result);

}  // namespace vq::cli
