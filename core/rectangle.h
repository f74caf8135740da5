// A rectangle in a picture.
#pragma once

#include <string>

namespace vq {

// In luma samples.
struct Rectangle {
  int x = 0, y = 0, width = 0, height = 0;
};

std::string crop_text(const Rectangle& rectangle);  // W:H:X:Y

}  // namespace vq
