// What a run says of two videos whose frames, or samples, do not belong together, and the options with which
// its videos are read.
#include "cli/inputs/remarks.h"

#include "cli/decoding/hardware/hardware_pictures.h"
#include "cli/inputs/pair_crop.h"
#include "cli/inputs/run_inputs.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden_text.h"
#include "tests/support/test.h"

namespace vq::cli::test {
namespace {

VideoInfo video(const std::string& path, int width = 640, int height = 360) {
  VideoInfo info;
  info.path = path;
  info.format = {.name = path, .width = width, .height = height, .bit_depth = 8, .chroma = Chroma::k420};
  info.rate.num = 24;
  info.frames = 240;
  return info;
}

std::vector<FeatureRequest> request(std::string_view name) {
  const FeatureInfo& info = find_feature(name);
  return {{.info = &info, .options = OptionSet(info.options)}};
}

TEST(PairRemarks, AreAsReviewed) {
  vq::test::GoldenTexts golden("inputs/pair_remarks.txt");
  VideoInfo distorted, reference;
  const auto begin = [&](const VideoInfo& first, const VideoInfo& second) {
    distorted = first;
    reference = second;
  };
  const auto add = [&](const std::string& title, std::string_view feature = "psnr") {
    PairHeaders pair = headers_of(distorted, reference);
    pair.is_as_stored = true;
    std::string text;
    for (const PairFault& fault : pair_faults(request(feature), pair)) {
      text += std::string(to_string(fault.kind)) + (fault.is_certain ? ": " : ", a doubt: ") +
              in_words(fault.diagnostic) + "\n";
    }
    golden.add(title, text.empty() ? "nothing" : text);
  };
  const auto add_remedy = [&](const std::string& title) {
    golden.add(title, size_remedy(headers_of(distorted, reference)));
  };
  const VideoInfo show = video("show.mp4"), master = video("master.mov"),
                  upright = video("show.mp4", 360, 640);

  begin(show, master);
  add("a pair that fits");

  distorted.rate.num = 30;
  distorted.frames = 300;
  reference.rate.num = 24000;
  reference.rate.den = 1001;
  add("other frame rates");
  add("other frame rates; the feature needs no reference", "cambi");
  distorted.frames.reset();
  reference.frames.reset();
  distorted.duration = reference.duration = 10;
  add("other frame rates, by durations");
  distorted.duration.reset();
  add("other frame rates, and nothing else is known");
  distorted.rate.num = 0;
  add("a frame rate is not known");

  begin(show, master);
  distorted.rate.num = 25;
  add("it plays faster");
  distorted.frames = 238;
  add("it plays faster, and is a little shorter");
  distorted.rate.num = 24000;
  distorted.rate.den = 1001;
  distorted.frames = 100;
  add("rates of the same name");

  begin(show, master);
  reference.rotation = -90;
  add("the tag was lost; samples are as they were");
  begin(upright, reference);
  add("one is turned by its tag");
  add_remedy("one is turned by its tag: remedy");
  reference.rotation = 0;
  add("one lies on its side");
  add_remedy("one lies on its side: remedy");
  begin(show, reference);
  distorted.rotation = 180;
  add("one is upside down");
  reference.rotation = -180;
  add("both are upside down");
  add_remedy("another size: remedy");

  begin(video("show.mp4", 1280, 720), master);
  add("a smaller reference");
  reference = video("master.mov", 1280, 536);
  add("a reference of fewer lines");

  begin(show, master);
  distorted.codec = "ffv1";
  distorted.file_bytes = 40'000'000;
  reference.codec = "h264";
  reference.encoder_settings = "crf=23.0";
  reference.file_bytes = 4'000'000;
  add("a small encode as the reference of a master");
  reference.encoder_settings.clear();
  add("the reference is a camera's");
  reference.codec = "av1";
  reference.file_bytes = 20'000'000;
  add("the reference is not much smaller");
  std::swap(distorted, reference);
  add("an encode of a master");

  begin(show, master);
  distorted.sample_aspect = 4.0 / 3;
  reference.sample_aspect = 1;
  add("one size, shown in other shapes");
  begin(video("show.mp4", 640, 272), master);
  add("other shapes");
  begin(video("show.mp4", 640, 640), master);
  add("a square picture");

  begin(show, master);
  distorted.format.range = Range::kFull;
  add("other ranges, as stored");
  begin(show, master);
  distorted.format.bit_depth = 10;
  distorted.format.transfer = Transfer::kPq;
  add("8 bits without a tag beside PQ");
  reference.format.bit_depth = 10;
  add("10 bits without a tag beside PQ");
  reference.format.transfer = Transfer::kHlg;
  add("HLG beside PQ");
  reference.format.transfer = Transfer::kPq;
  add("PQ beside PQ");
  reference.format.transfer = Transfer::kBt1886;
  add("tagged SDR beside PQ");

  VideoFormat deep = master.format;
  deep.chroma = Chroma::k422;
  deep.bit_depth = 10;
  golden.add("finer chroma of the reference: remedy", chroma_remedy(show.format, deep));
  golden.add("finer chroma of the video: remedy", chroma_remedy(deep, show.format));
  deep.chroma = Chroma::k400;
  EXPECT_EQ(chroma_remedy(show.format, deep), "");
  EXPECT_EQ(chroma_remedy(show.format, show.format), "");
}

// A landscape picture in the frame of a phone.
TEST(PairRemarks, LookAtWhatIsLeftOfThePictures) {
  const VideoInfo distorted = video("show.mp4", 640, 360), reference = video("phone.mp4", 640, 1136);
  const std::vector<FeatureRequest> compares = request("psnr");
  const DecodedVideos videos{.distorted = distorted, .reference = &reference};
  const std::vector<PairFault> whole = pair_faults(compares, headers_of(RunOptions(), videos, {}));
  ASSERT_EQ(whole.size(), 1U);
  EXPECT_EQ(whole[0].kind, PairFaultKind::kRotation);
  const PairCrop crop{.distorted = {}, .reference = Rectangle{0, 388, 640, 360}};
  EXPECT_TRUE(pair_faults(compares, headers_of(RunOptions(), videos, crop)).empty());
}

// Of other ranges both are brought to one, unless they are wanted as they are stored.
TEST(PairRemarks, RefuseWhatNothingCanBeDoneAbout) {
  VideoInfo distorted = video("show.mp4"), reference = video("master.mov");
  const std::vector<FeatureRequest> compares = request("psnr");
  const auto refuse = [&](const std::vector<FeatureRequest>& features) {
    for (const PairFault& fault : pair_faults(features, headers_of(distorted, reference)))
      refuse_pair_fault(fault, RunOptions());
  };
  EXPECT_NO_THROW(refuse(compares));
  distorted.format.range = Range::kFull;
  EXPECT_NO_THROW(refuse(compares));
  RunOptions as_stored;
  as_stored.as_stored = true;
  const DecodedVideos videos{.distorted = distorted, .reference = &reference};
  EXPECT_EQ(pair_faults(compares, headers_of(as_stored, videos, {})).size(), 1U);
  distorted.format.transfer = Transfer::kPq;
  reference.format.transfer = Transfer::kBt1886;
  vq::test::expect_error(ErrorKind::kMismatch, {"--compare-anyway"}, [&] { refuse(compares); });
  EXPECT_NO_THROW(refuse(request("cambi")));
  distorted.format.transfer = Transfer::kBt1886;
  distorted.rate.num = 30;
  distorted.frames = 300;
  vq::test::expect_error(ErrorKind::kMismatch, {"fps=24"}, [&] { refuse(compares); });
}

TEST(PairRemarks, RefuseDoubtsUnderStrictAlone) {
  const PairFault doubt{PairFaultKind::kBars, {"bars"}, false}, certain{PairFaultKind::kShift, {"late"}};
  RunOptions options;
  EXPECT_NO_THROW(refuse_pair_fault(doubt, options));
  EXPECT_THROW(refuse_pair_fault(certain, options), RefusedPair);
  options.as_stored = true;
  EXPECT_NO_THROW(refuse_pair_fault(certain, options));
  EXPECT_THROW(refuse_pair_fault({PairFaultKind::kRate, {"rate"}}, options), RefusedPair);
  options.compare_anyway = true;
  EXPECT_NO_THROW(refuse_pair_fault(certain, options));
  options.strict = true;
  EXPECT_THROW(refuse_pair_fault(doubt, options), RefusedPair);
  EXPECT_THROW(refuse_pair_fault(certain, options), RefusedPair);
  EXPECT_NO_THROW(refuse_pair_fault({PairFaultKind::kSwapped, {"swapped?"}, false}, options));  // a question
}

constexpr int64_t kMiB = int64_t{1} << 20;

RunOptions with_devices(const std::vector<int64_t>& memories) {
  RunOptions options;
  options.distorted = "a.mp4";
  options.max_memory = 800 * kMiB;
  options.hardware.pictures = std::make_shared<DeferredSharedPictures>();
  for (const int64_t bytes : memories) {
    vulkan::DeviceInfo device;
    device.memory_budget = bytes;
    options.hardware.devices.push_back(device);
  }
  return options;
}

TEST(RunInputs, PicturesWaitInTheMemoryOfTheDevicesThatDecodeThem) {
  const SourceOptions options = source_options(with_devices({3000 * kMiB, 6000 * kMiB}), Role::kDistorted);
  EXPECT_EQ(options.device_ahead_bytes, 3000 * kMiB);
  EXPECT_EQ(options.ahead_bytes, 200 * kMiB);
  EXPECT_EQ(options.hardware.devices.size(), 2u);
}

TEST(RunInputs, VideosOfAPairShareTheMemory) {
  RunOptions pair = with_devices({3000 * kMiB});
  pair.reference = "b.mp4";
  for (const Role role : {Role::kDistorted, Role::kReference}) {
    const SourceOptions options = source_options(pair, role);
    EXPECT_EQ(options.videos, 2);
    EXPECT_EQ(options.device_ahead_bytes, 500 * kMiB);
    EXPECT_EQ(options.ahead_bytes, 100 * kMiB);
  }
}

TEST(RunInputs, WithoutAPlaceOnTheDeviceAllPicturesGoThroughTheHost) {
  RunOptions options = with_devices({4000 * kMiB});
  options.hardware.pictures = nullptr;
  EXPECT_EQ(source_options(options, Role::kDistorted).device_ahead_bytes, 0);
}

}  // namespace
}  // namespace vq::cli::test
