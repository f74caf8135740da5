// Which backend a run uses, and how it falls back.
#pragma once

#include <string>

#include "cli/messages.h"
#include "core/extractor.h"

namespace vq::cli {

// What the command line says.
struct BackendWish {
  std::optional<Backend> backend;  // none: auto
  std::string device;              // number or name; empty: any
  bool without_gpu = false;        // auto is to leave GPUs alone
  bool quiet = false;              // no remarks
};

struct BackendChoice {
  Backend backend = Backend::kCpu;
  std::string device;
  bool may_fall_back = false;  // to the CPU; only where the choice was left to the program
};

// An explicit backend is taken as it is; a device that only looks like a GPU is told, since it is slower than the
// CPU. Auto takes the whole-GPU backend where there is a usable device that
// is not software, and says so in one line, also why not where a device was asked for by name.
BackendChoice choose_backend(const BackendWish& wish, Messages& messages);

// The table of `cambi devices`, which fits `width` columns where it can; 0: any.
std::string device_table(size_t width = 0);

}  // namespace vq::cli
