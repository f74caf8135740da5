// Stands in for the pages' parts if a library that they need was not found when the program was built.
#include "cli/pages/page_assets.h"
#include "core/error.h"

namespace vq::cli {

[[noreturn]] static void refuse() {
  throw usage_error(
      "this build has no HTML pages: the plotting library uPlot or zlib was not found when it was built. Try "
      "--json and --extended, or install uPlot with npm, and zlib, and build again.");
}

PageAssets page_assets() { refuse(); }

std::string packed_text(std::string_view) { refuse(); }

}  // namespace vq::cli
