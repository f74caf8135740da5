// The parts of the page, embedded during the build: cli/pages/assets/ and the plotting library.
#pragma once

#include <cstddef>
#include <string_view>

#include "core/error.h"

namespace vq::cli {

struct PageAssets {
  std::string_view template_html;  // with @NAME@ as placeholders
  std::string_view style, script;
  std::string_view plot_style, plot_script, plot_licence, plot_version;
};

// Throws Error{kUsage} in a build without the plotting library.
PageAssets page_assets();

// Whether this build has pages.
inline bool has_pages() {
  try {
    page_assets();
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace vq::cli
