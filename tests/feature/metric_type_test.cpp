// What features say of themselves and refuse alike, whatever they compute.
#include "feature/metric_type.h"

#include "engine/known_metrics.h"
#include "tests/support/decoded_plane.h"
#include "tests/support/expect_error.h"

namespace vq {
namespace {

using namespace vq::test;

TEST(Registry, FindsTheFeatureOfAMetric) {
  for (const FeatureInfo* info : features()) {
    for (const MetricInfo& metric : info->metrics) {
      const std::string name(metric.name);
      EXPECT_TRUE(is_known(metric)) << name;
      EXPECT_EQ(feature_of_metric({name, {}}), info) << name;
      EXPECT_EQ(feature_of_metric({name + "_option_1", {}}), info) << name;
    }
  }
  EXPECT_EQ(feature_of_metric({"unheard_of", {}}), nullptr);
}

TEST(Registry, MetricsReferToMetricsOfTheirFeature) {
  size_t referring = 0;
  for (const FeatureInfo* info : features()) {
    for (const MetricInfo& metric : info->metrics) {
      for (const std::string_view other : {metric.reference_of, metric.excess_of}) {
        if (other.empty()) continue;
        ++referring;
        EXPECT_TRUE(contains(info->metrics, other, &MetricInfo::name))
            << metric.name << " refers to " << other;
        EXPECT_NE(metric.name, other);
      }
    }
  }
  EXPECT_GT(referring, 0U);
}

FeatureRequest default_request(const FeatureInfo& info) {
  return {.info = &info, .options = OptionSet(info.options)};
}

bool has_option(const FeatureInfo& info, std::string_view name) {
  return contains(info.options, name, &OptionSpec::name);
}

VideoFormat video_of(int width, Chroma chroma) {
  return {.name = "a", .width = width, .height = 360, .chroma = chroma};
}

TEST(Registry, FeaturesThatCompareVideosRefuseThoseThatDoNotFit) {
  const VideoFormat video = video_of(640, Chroma::k420), wider = video_of(642, Chroma::k420),
                    finer = video_of(640, Chroma::k444);
  for (const FeatureInfo* info : features()) {
    SCOPED_TRACE(info->name);
    FeatureRequest request = default_request(*info);
    if (!info->needs_reference(request.options)) continue;
    expect_error(ErrorKind::kUsage, {"reference"}, [&] { check_request(request, {video, {}}); });
    expect_error(ErrorKind::kMismatch, {"640x360", "642x360"}, [&] {
      check_request(request, {video, wider});
    });
    if (!has_option(*info, "enable_chroma")) continue;
    request.options.set("enable_chroma", "true");
    expect_error(ErrorKind::kMismatch, {"4:2:0", "4:4:4", "enable_chroma=false"}, [&] {
      check_request(request, {video, finer});
    });
    FeatureRequest luma = default_request(*info);
    luma.options.set("enable_chroma", "false");
    EXPECT_NO_THROW(check_request(luma, {video, finer}));
  }
}

// Also where the chroma was asked for.
TEST(Registry, VideoWithoutChromaIsComparedByItsLuma) {
  const VideoFormat grey = video_of(640, Chroma::k400);
  int comparing = 0;
  for (const FeatureInfo* info : features()) {
    SCOPED_TRACE(info->name);
    FeatureRequest request = default_request(*info);
    if (!has_option(*info, "enable_chroma") || !info->needs_reference(request.options)) continue;
    request.options.set("enable_chroma", "true");
    EXPECT_THAT(info->resolve(request.options, {grey, grey}, AskedBy::kUser).notes,
                ::testing::Contains(::testing::HasSubstr("luma alone")));
    EXPECT_FALSE(request.options.get_bool("enable_chroma"));
    ++comparing;
  }
  EXPECT_GT(comparing, 1);
}

const VideoFormat kEncode{
    .name = "show.mkv", .width = 640, .height = 360, .bit_depth = 8, .chroma = Chroma::k420};
const VideoFormat kMaster{
    .name = "master.mov", .width = 640, .height = 360, .bit_depth = 12, .chroma = Chroma::k422};

TEST(ComparedVideos, AreTwoOfOneSizeBroughtToTheDeeperOfTheirDepths) {
  const ComparedVideos videos = compared_videos("sharpness", {kEncode, kMaster});
  EXPECT_EQ(videos.size, (PlaneSize{640, 360}));
  EXPECT_EQ(videos.bit_depth, 12);
  EXPECT_EQ(videos.distorted_shift, 4);
  EXPECT_EQ(videos.reference_shift, 0);
  EXPECT_EQ(compared_videos("sharpness", {kMaster, kEncode}).reference_shift, 4);
  EXPECT_EQ(compared_videos("sharpness", {kEncode, kEncode}).bit_depth, 8);
  VideoFormat narrower = kMaster, lower = kMaster;
  narrower.width = 639;
  lower.height = 2;
  const auto refuses = [](ErrorKind kind, const VideoFormats& formats,
                          std::initializer_list<std::string_view> parts) {
    expect_error(kind, parts, [&] { compared_videos("sharpness", formats); });
  };
  refuses(ErrorKind::kUsage, {kEncode, {}}, {"sharpness", "reference"});
  refuses(ErrorKind::kMismatch, {kEncode, narrower},
          {"show.mkv is 640x360", "master.mov is 639x360", "sharpness"});
  refuses(ErrorKind::kMismatch, {kEncode, lower}, {"640x2"});
}

TEST(ComparedVideos, MayNeedChromaOfOneSamplingAndSidesOfSomeLength) {
  const VideoFormats same = {kEncode, kEncode}, others = {kEncode, kMaster};
  VideoFormat grey = kMaster;
  grey.chroma = Chroma::k400;
  EXPECT_NO_THROW(require_same_chroma("sharpness", same));
  expect_error(ErrorKind::kMismatch, {"show.mkv is 4:2:0", "master.mov is 4:2:2", "sharpness"},
               [&] { require_same_chroma("sharpness", others); });
  expect_error(ErrorKind::kMismatch, {"4:2:0", "4:2:2", "sharpness", "luma_only=true"},
               [&] { require_same_chroma("sharpness", others, "luma_only=true"); });
  EXPECT_NO_THROW(require_chroma("sharpness", others));
  for (const VideoFormats& videos : {VideoFormats{kEncode, grey}, VideoFormats{grey, kEncode}}) {
    expect_error(ErrorKind::kMismatch, {"master.mov", "4:0:0", "sharpness"},
                 [&] { require_chroma("sharpness", videos); });
  }
  EXPECT_NO_THROW(require_sides("sharpness", same, 360));
  expect_error(ErrorKind::kMismatch, {"show.mkv is 640x360", "sharpness", "361"},
               [&] { require_sides("sharpness", same, 361); });
}

VideoFormat deep_video(int bit_depth, const char* name = "show.mkv") {
  return {.name = name, .bit_depth = bit_depth};
}

TEST(LumaRange, NamesTheFirstSampleThatIsBeyondTheDepth) {
  DecodedPlane plane = DecodedPlane(5, 4, 10).flat(1023), bytes = DecodedPlane(5, 4, 8).flat(255);
  const auto require = [&](int bit_depth) {
    require_luma_in_range(luma_frame(plane, 3), deep_video(bit_depth));
  };
  EXPECT_NO_THROW(require_luma_in_range(luma_frame(bytes), deep_video(8)));
  EXPECT_NO_THROW(require(10));
  plane.set(3, 2, 1024);
  plane.set(4, 3, 5000);
  expect_error(ErrorKind::kMismatch, {"show.mkv", "1024", "x=3, y=2", "1023", "10-bit"},
               [&] { require(10); });
  expect_error(ErrorKind::kMismatch, {"5000", "x=4, y=3"}, [&] { require(12); });
  EXPECT_NO_THROW(require(16));
}

// What a device found is looked for in the videos' order. If it is not there, the device is wrong, and
// another may do better.
TEST(LumaRange, ASampleThatADeviceFoundIsNamed) {
  const DecodedPlane plane = DecodedPlane(5, 4, 10).flat(1023),
                     other = DecodedPlane(5, 4, 10).fill([](int x, int y) { return 1000 + 10 * x + y; });
  const Frame good = luma_frame(plane, 3), bad = luma_frame(other, 3);
  const VideoFormat video = deep_video(10), reference = deep_video(10, "reference.mkv");
  expect_error(ErrorKind::kMismatch, {"reference.mkv: frame 3: ", "1030", "x=3, y=0"}, [&] {
    refuse_luma({{good, video}, {bad, reference}});
  });
  expect_error(ErrorKind::kMismatch, {"show.mkv: frame 3: "}, [&] {
    refuse_luma({{bad, video}, {bad, reference}});
  });
  expect_error(ErrorKind::kBackend, {"show.mkv: frame 3: ", "device"}, [&] { refuse_luma({{good, video}}); });
}

TEST(MemoryCount, CountsWhatIsMadeInItsThread) {
  const MemoryCount outer;
  {
    const MemoryCount count;
    Plane<float> plane(100, 10);
    const std::vector<uint64_t> values(counted_size<uint64_t>(7));
    EXPECT_EQ(plane.width(), 100);
    EXPECT_EQ(plane.view().data, nullptr);
    EXPECT_TRUE(values.empty());
    EXPECT_EQ(count.bytes(), (448 + 64) * 10 + 2 * 64 + 7 * 8);
    EXPECT_TRUE(MemoryCount::takes(4, true));
    EXPECT_EQ(count.largest_buffer(), 4);
  }
  EXPECT_EQ(outer.bytes(), 0);
  std::thread([] { EXPECT_NE(Plane<float>(100, 10).view().data, nullptr); }).join();
}

}  // namespace
}  // namespace vq
