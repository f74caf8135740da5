#include "cli/run/trace_file.h"

#include <exception>

#include "cli/system/output_file.h"
#include "core/trace.h"
#include "engine/report/trace_json.h"

namespace vq::cli {

int traced(const std::string& path, const std::function<int()>& work) {
  if (path.empty()) return work();
  const Timeline timeline;
  name_thread("main");
  int code = 0;
  try {
    const TraceSpan all("run");
    code = work();
  } catch (...) {
    try {
      write_outputs({{path, trace_json(timeline)}});
    } catch (const std::exception&) {  // told is what the work failed of
    }
    throw;
  }
  write_outputs({{path, trace_json(timeline)}});
  return code;
}

}  // namespace vq::cli
