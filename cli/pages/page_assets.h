// The parts of the page, embedded during the build: cli/pages/assets/ and the plotting library.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/error.h"
#include "engine/report/report.h"

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

// Parts of all kinds of pages.

// A page without reports. `about` has its kind and its data; `summary` is shown if scripts do not run. Throws
// Error{kUsage} in a build without pages.
std::string page_about(const std::string& title, const std::string& summary,
                       const nlohmann::ordered_json& about);

// The common subject of all judging metrics, such as "banding", or of all metrics if none judges.
std::string subject_of(std::span<const Metric> metrics);

// Compressed text in a page, which cannot contain markup.

// Bytes as base64.
std::string base64(std::string_view bytes);

// The text deflated (the zlib format) as base64, which unpacked() in cli/pages/assets/base.js gives back byte
// for byte. Throws Error{kUsage} in a build without pages.
std::string packed_text(std::string_view text);

}  // namespace vq::cli
