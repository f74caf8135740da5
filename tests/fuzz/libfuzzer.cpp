// The entry point of libFuzzer. CAMBI_FUZZ_TARGET in the environment names the target.
#include <cstdlib>

#include "tests/fuzz/target.h"

namespace {

vq::fuzz::Target chosen_target() {
  const char* const name = std::getenv("CAMBI_FUZZ_TARGET");
  for (const vq::fuzz::Target& target : vq::fuzz::targets()) {
    if (name != nullptr && target.name == name) return target;
  }
  vq::fuzz::broken_promise("CAMBI_FUZZ_TARGET names no target");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const vq::fuzz::Target kTarget = chosen_target();
  kTarget.run({data, size});
  return 0;
}
