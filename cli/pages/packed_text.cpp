#include "cli/pages/page_assets.h"

#include <zlib.h>

#include "core/error.h"

namespace vq::cli {

std::string packed_text(std::string_view text) {
  uLongf size = compressBound(static_cast<uLong>(text.size()));
  std::string packed(size, '\0');
  const int result =
      compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(text.data()),
                static_cast<uLong>(text.size()), Z_BEST_COMPRESSION);
  if (result == Z_MEM_ERROR) throw std::bad_alloc();
  if (result != Z_OK) throw Error(ErrorKind::kInternal, "zlib: error " + std::to_string(result));
  packed.resize(size);
  return base64(packed);
}

}  // namespace vq::cli
