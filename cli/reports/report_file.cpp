#include "cli/reports/report_file.h"

#include <utility>

#include "cli/decoding/uncompressed/byte_source.h"

namespace vq::cli {
namespace {

constexpr size_t kMaxReportBytes = size_t{512} << 20;

}  // namespace

ScoreTable read_report(const std::string& path, StopToken stop) {
  return parse_report(read_file(path, kMaxReportBytes, std::move(stop)), path);
}

Baseline read_baseline(const std::string& path, StopToken stop) {
  return {path, to_report(read_report(path, std::move(stop)))};
}

}  // namespace vq::cli
