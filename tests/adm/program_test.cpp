// ADM as a user meets it.
#include "tests/support/bad_input.h"

namespace vq::cli::test {
namespace {

using AdmProgram = BadInputTest;

TEST_F(AdmProgram, ASampleAboveTheDepthIsToldWithItsFrame) {
  const VideoShape shape = {.width = 64, .height = 48, .frames = 2, .bit_depth = 10, .chroma = "400"};
  const std::string good = y4m_video(shape);
  std::string bad = good;
  bad[bad.size() - 1] = '\x07';  // the high byte of the last sample of frame 1
  cut_short({"-r", made("good.y4m", good), "-d", made("bad.y4m", bad), "--feature", "adm"}, 3,
            {"bad.y4m", "frame 1", "x=63", "y=47", "1023"}, 1);
}

}  // namespace
}  // namespace vq::cli::test
