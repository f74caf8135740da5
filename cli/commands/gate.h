// The cross-backend gate: the same run on several backends, every metric of every frame compared.
#pragma once

#include <string>
#include <vector>

#include "cli/commands/flag_parser.h"
#include "cli/output/messages.h"
#include "cli/reports/diff.h"
#include "cli/run/run_options.h"

namespace vq::cli {

// One backend's run, compared with the first one's.
struct GateEntry {
  std::string backend, device, driver, simd;  // what really ran
  int64_t frames = 0;
  double wall_seconds = 0;
  DiffResult diff;
};

struct GateResult {
  int places = kDefaultPlaces;
  std::vector<GateEntry> entries;  // the first is what the others are compared with

  bool passes() const;
};

// Scores the inputs once on each backend. Throws Error as a scoring run does: a gate never leaves a backend
// out.
GateResult run_backends(const RunOptions& arguments, const std::vector<Backend>& backends, int places,
                        Messages& messages);

// A table for people, which fits `width` columns where it can (0: any), and the same for programs: keys in
// docs/report.md.
std::string gate_text(const GateResult& result, size_t width = 0);
std::string gate_json(const GateResult& result);

// gate -r REF -d DIST [--backends cpu,hybrid,vulkan] [--places 4] [-o FILE.json] and the flags of a scoring run.
// Returns 7 where a backend differs. Throws Error.
int run_gate(const ParsedWords& words, Messages& messages);

}  // namespace vq::cli
