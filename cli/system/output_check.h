// Checks of outputs before any work is done.
#pragma once

#include <string>
#include <vector>

namespace vq::cli {

struct OutputPlace {
  std::string path;
  std::string partial = {};  // name of the partial output of a run that ends early; empty: none
};

// Throws Error{kUsage} if an output, or its partial output, is the same file as an input or another output
// ("-" is standard input and standard output), and Error{kOutput} if one cannot be written.
void check_outputs(const std::vector<OutputPlace>& outputs, const std::vector<std::string>& inputs);

// The same for outputs without partial outputs.
void check_outputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs);

// The check for identical files alone, for outputs that are otherwise checked differently.
void check_distinct(const std::vector<OutputPlace>& outputs, const std::vector<std::string>& inputs);

// Checks that the output can be written: its folder exists and accepts new files, it is no folder, socket or
// block device and may be replaced. Leaves nothing behind. Throws Error{kOutput}.
void check_writable(const std::string& path);

// The same for a file that also replaces a link of that name (see OutputFile::move_to()), in a folder that
// accepts new files.
void check_replaceable(const std::string& path);

}  // namespace vq::cli
