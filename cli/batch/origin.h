// The origin of a report, by which a later run knows whether it would be the same.
#pragma once

#include <string>
#include <vector>

#include "cli/inputs/run_options.h"
#include "engine/report/report.h"

namespace vq::cli {

// A file as it is now. Throws Error{kInput} where it cannot be looked at.
OriginFacts::File file_facts(const std::string& path);

// Everything that scores and reports follow from, but for the program's version: the inputs as they are now,
// and what is asked of them. Bytes that are not UTF-8 are escaped, so that a report which is read back says
// the same. Scores are the same on every backend and with any number of threads, so none of those is in it.
// Throws Error{kInput} where an input cannot be looked at.
OriginFacts origin_of(const RunOptions& arguments);
// The same of inputs that were looked at before.
OriginFacts origin_of(const RunOptions& arguments, std::vector<OriginFacts::File> files);

}  // namespace vq::cli
