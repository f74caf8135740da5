// Stands in for the embedded assets where the plotting library was not found when the program was built.
#include "cli/pages/page_assets.h"
#include "core/error.h"

namespace vq::cli {

PageAssets page_assets() {
  throw Error(ErrorKind::kUsage,
              "this build has no HTML pages: the plotting library uPlot was not found when it was built. "
              "Try --json and --extended, or install uPlot with npm and build again.");
}

}  // namespace vq::cli
