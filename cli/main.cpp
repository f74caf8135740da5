#include <hwy/nanobenchmark.h>

#include "cli/commands/program.h"

// Highway's shared library takes this function of the program for its own. It calls it when it is loaded, for
// benchmarks that nobody runs here; its own takes milliseconds.
namespace hwy::platform {
[[gnu::visibility("default")]] uint64_t TimerResolution() { return 1; }
}  // namespace hwy::platform

int main(int argc, char** argv) { return vq::cli::run_program(argc, argv, vq::cli::run_command); }
