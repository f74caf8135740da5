// Text in tables of values between commas.
#pragma once

#include <string>

namespace vq {

// The text as one field: between quotes, with its own doubled, where it would change the columns.
std::string csv_field(const std::string& text);

}  // namespace vq
