// Titles as they are planned from their videos.
#include "cli/cluster/planner.h"

#include <gmock/gmock.h>

#include <string>

#include "cli/cluster/input_check.h"
#include "feature/registry.h"
#include "tests/support/source_test.h"

namespace vq::cli {
namespace {

RunOptions pair(const std::string& distorted, const std::string& reference) {
  RunOptions options;
  options.distorted = clip_path(distorted);
  options.reference = clip_path(reference);
  const FeatureInfo& psnr = find_feature("psnr");
  options.features.push_back({&psnr, OptionSet(psnr.options)});
  return options;
}

// That of the last title is kept, as titles of a folder often have the same.
TEST(PlannerTest, EveryTitleHasItsOwnReference) {
  Planner planner({});
  for (const char* const reference :
       {"textured_480x270_12b.mkv", "textured_480x270_12b.mkv", "textured_480x270_16b.mkv"}) {
    const PlannedTitle title = planner.plan("one", pair("bright_480x270_8b.mkv", reference));
    EXPECT_EQ(title.name, "one");
    ASSERT_TRUE(title.reference);
    EXPECT_EQ(title.reference->file, look_at_file(clip_path(reference)));
    EXPECT_EQ(title.distorted.file, look_at_file(clip_path("bright_480x270_8b.mkv")));
    EXPECT_EQ(title.width, 480);
    EXPECT_EQ(title.height, 270);
    EXPECT_GT(title.memory_bytes, 480 * 270 * 2);
  }
}

}  // namespace
}  // namespace vq::cli
