// What pages of every kind are made of.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "engine/report/report.h"

namespace vq::cli {

// A page without reports. `about` says its kind and all that it shows; `summary` stands there where scripts
// do not run. Throws Error{kUsage} in a build without pages.
std::string page_about(const std::string& title, const std::string& summary,
                       const nlohmann::ordered_json& about);

// "banding", where all metrics measure that which judge, or where none judges, all that there are.
std::string subject_of(std::span<const Metric> metrics);

}  // namespace vq::cli
