// What a run found, for people.
#pragma once

#include <string>
#include <vector>

#include "core/report.h"

namespace vq::cli {

struct SummaryStyle {
  bool colour = false;
  // Ends the line about the run, two spaces apart: "eotf=pq (from the stream)".
  std::vector<std::string> notes;
  size_t worst = 3;  // moments that are listed
};

// Lines about the inputs, the run, each metric and the worst moments, each with a line end. A moment is a
// frame at least one second from any worse one, so that a long bad scene is listed once; frames of score 0
// are never listed. Needs: as write_report(); inputs, backend, simd, device, driver and threads of
// report.run.
std::string summary_text(const Report& report, const SummaryStyle& style);

// h:mm:ss.cc, cut and not rounded, so that seeking there never goes past the frame. Negative times have a
// sign.
std::string timecode(double seconds);

}  // namespace vq::cli
