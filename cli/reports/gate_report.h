// What a gate found: the same run on several backends, every metric of every frame compared.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/reports/diff.h"
#include "cli/reports/junit.h"
#include "core/text/text_table.h"

namespace vq::cli {

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
