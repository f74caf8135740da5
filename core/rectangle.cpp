#include "core/rectangle.h"

namespace vq {

std::string crop_text(const Rectangle& rectangle) {
  return std::to_string(rectangle.width) + ":" + std::to_string(rectangle.height) + ":" +
         std::to_string(rectangle.x) + ":" + std::to_string(rectangle.y);
}

}  // namespace vq
