// A build without pages refuses to make one, before anything is scored.
#include "tests/support/bad_input.h"

namespace vq::cli::test {
namespace {

using ::testing::HasSubstr;

class NoHtml : public BadInputTest {};

TEST_F(NoHtml, IsToldBeforeTheFirstFrame) {
  refused({clip("small_256x144_8b.mp4"), "--html", in_folder("page.html"), "--progress", "plain"}, 1,
          {"uPlot"});
  refused({in_folder("missing.mp4"), "--html", in_folder("page.html")}, 1, {"uPlot"});
}

TEST_F(NoHtml, IsToldByTheCommandsThatMakePages) {
  scored({clip("small_256x144_8b.mp4")});
  for (const Words& words : {Words{"report", out(), "-o", in_folder("page.html")},
                             Words{"compare", out(), out(), "--html", in_folder("page.html")}}) {
    const ProgramResult result = run_program(words);
    EXPECT_EQ(result.code, 1) << result.err;
    EXPECT_THAT(result.err, HasSubstr("uPlot"));
  }
}

}  // namespace
}  // namespace vq::cli::test
