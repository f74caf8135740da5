// Zones: stretches of a video that an encoder treats in another way, made of the segments of a report.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/text/argument_values.h"
#include "engine/report/report.h"

namespace vq {

enum class ZoneForm {
  kX264,   // what x264 takes as --zones: FIRST,LAST,OPTIONS/...
  kX265,   // the same for x265, which knows only two options there
  kAv1an,  // the file that Av1an takes as --zones, a line each: FIRST END ENCODER OPTIONS; END is not in it
  kSvtEssential,  // what SVT-AV1-Essential takes as --zones: FIRST,LAST,CRF;...
};

struct ZoneStyle {
  std::string options;       // what the encoder is to do in a zone
  VideoPosition snap = 1.0;  // how far a zone grows to reach a scene cut: frames or seconds
};

// What is done where nothing is asked for; empty where that cannot be known.
std::string default_zone_options(ZoneForm form);

// Why the encoder would not take such options, with what it would take; empty where it may.
std::string zone_options_fault(ZoneForm form, const std::string& options);

// Frames of the video itself, from 0 on, whatever the run left out.
struct Zone {
  int64_t first = 0, last = 0;  // both in it
  bool operator==(const Zone&) const = default;
};

// Ascending; neither overlapping nor adjacent. A zone begins and ends with a scene where its segment does so
// nearly enough, as far as the report knows of scene cuts, for a change of quality is hidden by a cut. The
// ends of what was scored count as cuts. Segments of several metrics count alike.
std::vector<Zone> zones_of(const Report& report, const VideoPosition& snap);

// Empty where there are none, else a line or more. Needs: options without a fault.
std::string zones_text(const Report& report, ZoneForm form, const ZoneStyle& style);

}  // namespace vq
