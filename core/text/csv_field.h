// Fields of CSV files.
#pragma once

#include <string>

namespace vq {

// The text as one field: quoted, with quotes doubled, if it would otherwise change the columns.
std::string csv_field(const std::string& text);

}  // namespace vq
