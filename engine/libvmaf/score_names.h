// The two names that a score has: the one that functions take, and the one in reports.
#pragma once

#include <string>

namespace vq::libvmaf {

// Of what a feature calls a metric: where no option stands behind its name it has a full one, if the
// reference has.
std::string stored_name(const std::string& metric);

// Of what scores are stored by.
std::string reported_name(const std::string& stored);

}  // namespace vq::libvmaf
