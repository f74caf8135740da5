// What can be known about outputs before any work is done.
#pragma once

#include <string>
#include <vector>

namespace vq::cli {

// Throws Error{kUsage} where an output, or the FILE.partial it may leave, is the same file as an input or
// another output ("-" is standard input and standard output), and Error{kOutput} where one cannot be written.
void check_outputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs);

// The first half of it, for files that are checked in another way.
void check_distinct(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs);

}  // namespace vq::cli
