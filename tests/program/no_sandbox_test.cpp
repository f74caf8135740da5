// A build without libseccomp: a sandbox that cannot be kept is refused, before anything is read.
#include "tests/support/bad_input.h"

namespace vq::cli::test {
namespace {

class NoSandbox : public BadInputTest {};

TEST_F(NoSandbox, RefusesTheFlag) {
  const std::string video = clip("small_256x144_8b.mp4");
  refused({video, "--sandbox"}, 1, {"--sandbox", "libseccomp"});
  refused({in_folder("none.mkv"), "--sandbox"}, 1, {"libseccomp"});
}

}  // namespace
}  // namespace vq::cli::test
