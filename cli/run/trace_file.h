// The file of --trace.
#pragma once

#include <functional>
#include <string>

namespace vq::cli {

// Does the work, and writes a timeline of it to `path`; without a path, only the work. The file is written
// after everything the work used is gone, also if it throws; then its exception is the one to tell. Returns
// the work's exit code. Throws Error{kOutput}.
int traced(const std::string& path, const std::function<int()>& work);

}  // namespace vq::cli
