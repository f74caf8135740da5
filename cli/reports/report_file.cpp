#include "cli/reports/report_file.h"

#include <optional>
#include <utility>

#include "cli/decoding/uncompressed/byte_source.h"
#include "core/error.h"
#include "core/text.h"

namespace vq::cli {
namespace {

constexpr size_t kMaxReportBytes = size_t{512} << 20;

}  // namespace

ScoreTable read_report(const std::string& path, StopToken stop) {
  const auto fault = [&](const std::string& what) {
    return Error(ErrorKind::kInput, shown_path(path) + ": " + what);
  };
  const auto source = open_byte_source(path, std::move(stop));
  try {
    const std::optional<std::string> text = read_all_bytes(*source, kMaxReportBytes);
    if (!text) throw fault("over 512 MiB, too large for a report");
    return parse_report(*text, path);
  } catch (const ReadError& error) {
    throw fault(error.what());
  }
}

Baseline read_baseline(const std::string& path, StopToken stop) {
  return {path, to_report(read_report(path, std::move(stop)))};
}

}  // namespace vq::cli
