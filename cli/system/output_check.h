// What can be known about outputs before any work is done.
#pragma once

#include <string>
#include <vector>

namespace vq::cli {

struct OutputPlace {
  std::string path;
  std::string partial = {};  // what is left of it by a run that ends early; empty: nothing
};

// Throws Error{kUsage} where an output, or what may be left of it, is the same file as an input or another
// output
// ("-" is standard input and standard output), and Error{kOutput} where one cannot be written.
void check_outputs(const std::vector<OutputPlace>& outputs, const std::vector<std::string>& inputs);

// The same for outputs that leave nothing when a run ends early.
void check_outputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs);

// The first half of it, for files that are checked in another way.
void check_distinct(const std::vector<OutputPlace>& outputs, const std::vector<std::string>& inputs);

// Checks before any work is done that the output can be written: its folder exists and takes new files, it is
// no folder, socket or block device and may be replaced. Leaves nothing behind. Throws Error{kOutput}.
void check_writable(const std::string& path);

// The same for a file that replaces even a link of that name (see OutputFile::move_to()), in a folder that
// takes new files.
void check_replaceable(const std::string& path);

}  // namespace vq::cli
