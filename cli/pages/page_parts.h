// Parts of all kinds of pages.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "engine/report/report.h"

namespace vq::cli {

// A page without reports. `about` has its kind and its data; `summary` is shown if scripts do not run. Throws
// Error{kUsage} in a build without pages.
std::string page_about(const std::string& title, const std::string& summary,
                       const nlohmann::ordered_json& about);

// The common subject of all judging metrics, such as "banding", or of all metrics if none judges.
std::string subject_of(std::span<const Metric> metrics);

}  // namespace vq::cli
