// Which files were written, for people.
#pragma once

#include <string>
#include <vector>

#include "cli/system/messages.h"
#include "cli/system/output_file.h"

namespace vq::cli {

// "wrote run.json (2.5 kB)", with the verb that is given: a line for each file, and one for all pictures. What is written
// in place, such as a pipe, has none.
std::vector<std::string> written_lines(const std::string& verb, const std::vector<OutputFile*>& files);

// Notes these lines.
void tell_written(const std::string& verb, std::vector<OutputFile> files, Messages& messages);

}  // namespace vq::cli
