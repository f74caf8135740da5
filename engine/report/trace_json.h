// A timeline as the JSON file that Perfetto and Chrome's about:tracing open.
#pragma once

#include <string>

#include "core/trace.h"

namespace vq {

// "traceEvents" of the Trace Event Format: the name of each thread, and a complete event ("ph":"X") for each
// span, with its frame as an argument. Times are in microseconds since the timeline began.
std::string trace_json(const Timeline& timeline);

}  // namespace vq
