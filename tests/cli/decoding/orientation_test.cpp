// How tags turn pictures, and pictures that are turned.
#include "cli/decoding/orientation.h"
#include "cli/decoding/open_video.h"
#include "cli/decoding/stream_facts.h"
#include "cli/run/run_record.h"
#include "tests/support/run_program.h"
#include "tests/support/source_test.h"
#include "vulkan/shared_picture.h"

namespace vq::cli {
namespace {

// Where a stored point (1, 0) and (0, 1) comes to lie.
struct Axes {
  double xx, xy, yx, yy;
};

std::array<uint8_t, 36> matrix(const Axes& axes) {
  std::array<int32_t, 9> numbers = {};
  const auto fixed = [](double value) { return static_cast<int32_t>(value * 65536); };
  numbers[0] = fixed(axes.xx);
  numbers[1] = fixed(axes.xy);
  numbers[3] = fixed(axes.yx);
  numbers[4] = fixed(axes.yy);
  numbers[8] = 1 << 30;
  std::array<uint8_t, 36> bytes = {};
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

std::optional<Orientation> of(const Axes& axes) {
  const auto bytes = matrix(axes);
  return orientation_of(bytes.data(), bytes.size());
}

TEST(Orientation, ReadsTheEightRightAngles) {
  const std::pair<Axes, const char*> cases[] = {
      {{1, 0, 0, 1}, ""},
      {{0, 1, -1, 0}, "90 degrees clockwise"},
      {{-1, 0, 0, -1}, "180 degrees"},
      {{0, -1, 1, 0}, "90 degrees counterclockwise"},
      {{-1, 0, 0, 1}, "mirrored"},
      {{1, 0, 0, -1}, "upside down, mirrored"},
      {{0, 1, 1, 0}, "90 degrees clockwise, mirrored"},
      {{0, -1, -1, 0}, "90 degrees clockwise, upside down, mirrored"}};
  for (const auto& [axes, text] : cases) {
    const std::optional<Orientation> found = of(axes);
    ASSERT_TRUE(found) << text;
    EXPECT_EQ(describe(*found), text);
    // A corner goes where the matrix says: a picture of two by two with one light sample.
    Plane<uint8_t> plane(2, 2);
    for (int y = 0; y < 2; ++y) std::fill_n(plane.row(y), 2, uint8_t{0});
    plane.row(0)[1] = 255;  // at (1, 0) around the middle: (0.5, -0.5)
    Frame frame;
    frame.planes[0].u8 = plane.view();
    const Frame shown = turned(frame, *found);
    const double x = 0.5 * axes.xx - 0.5 * axes.yx, y = 0.5 * axes.xy - 0.5 * axes.yy;
    EXPECT_EQ(shown.planes[0].u8.row(y > 0 ? 1 : 0)[x > 0 ? 1 : 0], 255) << text;
  }
}

TEST(Orientation, OtherAnglesAreNone) {
  EXPECT_FALSE(of({0.7, 0.7, -0.7, 0.7}));
  EXPECT_FALSE(of({0, 0, 0, 0}));
  EXPECT_FALSE(of({1, 0.1, 0, 1}));
  EXPECT_TRUE(of({1, 0.001, 0.001, 1}));
  EXPECT_FALSE(orientation_of(matrix({1, 0, 0, 1}).data(), 35));
}

TEST(Orientation, ChromaTurnsAlong) {
  const Orientation lying{.transposes = true};
  EXPECT_EQ(turned_chroma(Chroma::k420, lying), Chroma::k420);
  EXPECT_EQ(turned_chroma(Chroma::k422, lying), Chroma::k440);
  EXPECT_EQ(turned_chroma(Chroma::k440, lying), Chroma::k422);
  EXPECT_FALSE(turned_chroma(Chroma::k411, lying));
  EXPECT_EQ(turned_chroma(Chroma::k411, {.flips_x = true, .flips_y = true}), Chroma::k411);
  VideoInfo info;
  info.path = "dv.mov";
  info.format.chroma = Chroma::k411;
  info.orientation = lying;
  vq::test::expect_error(ErrorKind::kMismatch, {"dv.mov", "4:1:1"}, [&] { turned_info(info); });
}

// Every sample once, for odd sizes, both depths and sizes beyond a tile.
TEST(Orientation, TurnsEverySample) {
  std::mt19937 random(7);
  const std::pair<int, int> sizes[] = {{1, 1}, {1, 37}, {35, 3}, {70, 41}};
  for (const auto& [width, height] : sizes) {
    Plane<uint16_t> deep(width, height);
    Plane<uint8_t> shallow(width, height);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        deep.row(y)[x] = static_cast<uint16_t>(random());
        shallow.row(y)[x] = static_cast<uint8_t>(random());
      }
    }
    for (int bits = 0; bits < 8; ++bits) {
      const Orientation o{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0};
      Frame frame;
      frame.index = 5;
      frame.timestamp = 0.5;
      frame.planes[0].u16 = deep.view();
      frame.planes[1].u8 = shallow.view();
      const Frame shown = turned(frame, o);
      EXPECT_EQ(shown.index, 5);
      EXPECT_EQ(shown.timestamp, 0.5);
      ASSERT_EQ(shown.planes[0].width(), o.transposes ? height : width);
      ASSERT_EQ(shown.planes[0].height(), o.transposes ? width : height);
      for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
          int to_x = o.transposes ? y : x, to_y = o.transposes ? x : y;
          if (o.flips_x) to_x = shown.planes[0].width() - 1 - to_x;
          if (o.flips_y) to_y = shown.planes[0].height() - 1 - to_y;
          ASSERT_EQ(shown.planes[0].u16.row(to_y)[to_x], deep.row(y)[x]) << bits << ": " << x << ", " << y;
          ASSERT_EQ(shown.planes[1].u8.row(to_y)[to_x], shallow.row(y)[x]) << bits << ": " << x << ", " << y;
        }
      }
    }
  }
}

// Size, rate and encoder of a video, as far as its stream, its container and its bytes tell.

std::unique_ptr<VideoSource> open_clip(const std::string& name) {
  return open_video(options_for(clip_path(name)));
}

InputFacts facts_after_reading(VideoSource& video) {
  const auto frames = static_cast<int64_t>(rest_of(video).size());
  return input_facts("distorted", video.info(), frames, video.report().length);
}

TEST(StreamFacts, AContainerThatCountsTheBytesOfItsStreamDeclaresTheRate) {
  const auto video = open_clip("sky_640x360_8b.mp4");
  const InputFacts facts = input_facts("distorted", video->info(), 0, std::nullopt);
  EXPECT_EQ(facts.file_bytes, 3763);
  EXPECT_EQ(facts.duration, 0.5);
  EXPECT_EQ(facts.bit_rate, 45520);
  EXPECT_EQ(facts.bit_rate_of, "stream");
  EXPECT_EQ(facts.encoder, "x264 - core 164 r3095 baee400");
  EXPECT_NE(facts.encoder_settings.find("cabac=1"), std::string::npos);
  EXPECT_EQ(input_facts("distorted", video->info(), 12, StreamLength{5000, 0.5}).bit_rate, 45520)
      << "whatever is read";
}

TEST(StreamFacts, WhereNothingDeclaresTheRateItIsTheFilesUntilAllOfTheStreamWasRead) {
  const auto video = open_clip("sky_640x360_10b.mkv");
  const InputFacts before = input_facts("distorted", video->info(), 0, video->report().length);
  EXPECT_EQ(before.bit_rate, 3551 * 8 * 4);
  EXPECT_EQ(before.bit_rate_of, "file");
  const InputFacts after = facts_after_reading(*video);
  EXPECT_EQ(after.bit_rate, 614 * 8 * 4);  // the sizes of its packets add up to 614
  EXPECT_EQ(after.bit_rate_of, "stream");
  EXPECT_EQ(after.encoder.substr(0, 16), "x265 (build 199)");
}

TEST(StreamFacts, WhatWasReadInPartOrDamagedIsNotMeasured) {
  const auto part = open_clip("sky_640x360_10b.mkv");
  ASSERT_TRUE(part->read());
  EXPECT_FALSE(part->report().length);
  std::vector<uint8_t> bytes = file_bytes(clip_path("sky_640x360_10b.mkv"));
  bytes.resize(bytes.size() - 300);
  SourceOptions options;
  options.allow_damage = true;
  const auto cut = open_bytes(std::move(bytes), options);
  while (cut->read()) {
  }
  EXPECT_FALSE(cut->report().length);
}

TEST(StreamFacts, TheTagOfTheStreamNamesOtherEncodersAndWhoOnlyWroteTheContainerIsNone) {
  EXPECT_EQ(open_clip("dusk_1280x720_8b.webm")->info().encoder, "Lavc libvpx-vp9");
  EXPECT_EQ(open_clip("dusk_1280x720_8b.webm")->info().encoder_settings, "");
}

TEST(StreamFacts, APipeHasNoSizeAndRawVideoNoDuration) {
  SourceOptions options;
  options.raw = PlanarLayout{.width = 16, .height = 16};
  const auto raw = open_bytes(std::vector<uint8_t>(384 * 3), options);
  const InputFacts facts = facts_after_reading(*raw);
  EXPECT_EQ(facts.file_bytes, 384 * 3);
  EXPECT_FALSE(facts.duration);
  EXPECT_FALSE(facts.bit_rate);
  EXPECT_EQ(facts.bit_rate_of, "");
  EXPECT_EQ(facts.encoder, "");
  const auto pipe = open_bytes(std::vector<uint8_t>(384 * 3), options, false);
  EXPECT_FALSE(facts_after_reading(*pipe).file_bytes);
}

TEST(StreamFacts, Y4mOfAFileHasTheRateOfItsFile) {
  const std::string text =
      "YUV4MPEG2 W16 H16 F25:1\nFRAME\n" + std::string(384, 'x') + "FRAME\n" + std::string(384, 'y');
  const auto video = open_bytes(text_bytes(text));
  const InputFacts facts = facts_after_reading(*video);
  EXPECT_EQ(facts.duration, 2 / 25.0);
  EXPECT_EQ(facts.bit_rate, static_cast<int64_t>(text.size()) * 4 * 25);
  EXPECT_EQ(facts.bit_rate_of, "file");
  EXPECT_FALSE(facts.bits_per_pixel);
}

// FFmpeg shows AVIF for a second, and others for a 25th of one.
TEST(StreamFacts, ASinglePictureHasBitsForEachPixelAndNoRate) {
  for (const char* const name : {"still.avif", "still.jpg", "still.jxl", "still.pfm", "still.tif",
                                 "still.webp", "still_palette.png"}) {
    SCOPED_TRACE(name);
    const auto video = open_video(options_for(testdata(std::string("formats/") + name)));
    EXPECT_EQ(video->info().frames, 1);  // so that it is one also where it is not read to its end
    const InputFacts facts = facts_after_reading(*video);
    EXPECT_FALSE(facts.frame_rate);
    EXPECT_FALSE(facts.duration);
    EXPECT_FALSE(facts.bit_rate);
    EXPECT_EQ(facts.bit_rate_of, "");
    ASSERT_TRUE(facts.file_bytes && facts.bits_per_pixel);
    EXPECT_DOUBLE_EQ(*facts.bits_per_pixel,
                     8.0 * static_cast<double>(*facts.file_bytes) / (facts.width * facts.height));
  }
  const std::string picture = test::read_file(testdata("formats/still_palette.png"));
  EXPECT_NE(open_bytes(text_bytes(picture + picture))->info().frames, 1);
  const std::string text = "YUV4MPEG2 W16 H16 F25:1\nFRAME\n" + std::string(384, 'x');
  EXPECT_TRUE(facts_after_reading(*open_bytes(text_bytes(text))).bits_per_pixel);
}

TEST(StreamFacts, TheTextOfAnEncoderEndsWhereItsBytesAreNoText) {
  const std::string noise = "\x01\x80 some x26";
  const auto facts = encoder_text(noise + "x265 (build 7) - 1.2 - H.265/HEVC codec - options: crf=18 aq=1" +
                                  std::string("\0crf=99", 7));
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->name, "x265 (build 7) - 1.2");
  EXPECT_EQ(facts->settings, "crf=18 aq=1");
  EXPECT_FALSE(encoder_text(noise));
  EXPECT_FALSE(encoder_text(""));
  EXPECT_EQ(encoder_text("x264 - core 5")->settings, "");
}

TEST(StreamFacts, ALongTextIsCut) {
  const auto facts =
      encoder_text("x264 - core " + std::string(9000, '1') + " - options: " + std::string(9000, '2'));
  ASSERT_TRUE(facts);
  EXPECT_LE(facts->name.size(), 200U);
  EXPECT_LE(facts->settings.size(), 4000U);
}

TEST(StreamFacts, RatesBeyondReasonAreNone) {
  VideoInfo info;
  info.file_bytes = 1000;
  info.duration = 0;
  EXPECT_FALSE(input_facts("distorted", info, 0, std::nullopt).bit_rate);
  info.duration = 1e-300;
  EXPECT_FALSE(input_facts("distorted", info, 0, std::nullopt).bit_rate);
}

// Bytes in a device's memory that the host does not see, with noise between the samples and below them.
class DevicePicture final : public FrameMemory, public vulkan::PictureSource {
 public:
  // 4:2:0 with interleaved chroma.
  DevicePicture(PlaneSize luma, int sample_bytes, std::mt19937& random) {
    const int bytes = sample_bytes, stride = (luma.width + 3) * bytes, shift = bytes > 1 ? 6 : 0;
    const PlaneSize chroma = plane_size(luma, Chroma::k420, 1);
    const int64_t behind = int64_t{stride} * luma.height;
    const auto add = [&](PlaneSize size, int64_t offset, int step) {
      sources_.push_back({.size = size, .offset = offset, .stride = stride, .step = step, .shift = shift});
    };
    add(luma, bytes, bytes);
    add(chroma, behind, 2 * bytes);
    add(chroma, behind + bytes, 2 * bytes);
    memory_.resize(static_cast<size_t>(behind + int64_t{stride} * (chroma.height + 1)));
    for (std::byte& byte : memory_) byte = static_cast<std::byte>(random());
    for (size_t i = 0; i < sources_.size(); ++i) {
      const PlaneSize size = sources_[i].size;
      planes_[i] = Plane<uint16_t>(size.width, size.height);
      for (int y = 0; y < size.height; ++y) {
        for (int x = 0; x < size.width; ++x) planes_[i].row(y)[x] = at(sources_[i], x, y);
      }
      views_[i].u16 = planes_[i].view();
    }
  }
  // What a device reads.
  uint16_t at(const vulkan::PlaneSource& plane, int x, int y) const {
    const int64_t first = plane.offset + plane.stride * y + int64_t{plane.step} * x;
    int value = static_cast<int>(memory_.at(static_cast<size_t>(first)));
    if (plane.shift > 0) value |= static_cast<int>(memory_.at(static_cast<size_t>(first) + 1)) << 8;
    return static_cast<uint16_t>(value >> plane.shift);
  }
  const void* device() const override { return this; }
  const std::array<SampleView, kMaxPlanes>& planes() const override {
    ++fetched;
    return views_;
  }
  PlaneSize luma_size() const override { return sources_[0].size; }
  Frame luma_part(const LumaLines& lines) const override {
    asked = lines.rows;
    Frame frame;
    frame.luma() = views_[0];
    return copied_rows(frame, lines.rows);
  }
  std::optional<vulkan::PlaneSource> plane(const Frame&, int i) const override {
    return sources_[static_cast<size_t>(i)];
  }

  mutable int fetched = 0;
  mutable std::vector<int> asked;

 private:
  std::vector<vulkan::PlaneSource> sources_;
  std::vector<std::byte> memory_;
  std::array<Plane<uint16_t>, kMaxPlanes> planes_;
  std::array<SampleView, kMaxPlanes> views_;
};

// A device reads a turned part of its picture where that lies, and the host gets the rows that it looks at.
TEST(Orientation, PicturesOfADeviceStayThere) {
  std::mt19937 random(7);
  for (int bits = 0; bits < 16; ++bits) {
    SCOPED_TRACE(bits);
    const Orientation o{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0};
    const auto stored = std::make_shared<DevicePicture>(PlaneSize{71, 43}, bits < 8 ? 1 : 2, random);
    Frame frame, expected;
    frame.index = 5;
    frame.place = stored;
    const Rectangle part = {6, 4, 21, 17};
    expected.planes = stored->planes();
    stored->fetched = 0;
    expected = turned(expected, o);
    crop_frame(expected, Chroma::k420, part);
    frame = turned(frame, o);
    crop_frame(frame, Chroma::k420, part);
    EXPECT_EQ(frame.index, 5);
    ASSERT_FALSE(is_on_host(frame));
    EXPECT_EQ(frame.place->device(), stored.get());
    const auto& source = dynamic_cast<const vulkan::PictureSource&>(*frame.place);
    for (int i = 0; i < kMaxPlanes; ++i) {
      const vulkan::PlaneSource plane = source.plane(frame, i).value();
      const auto& samples = expected.planes[static_cast<size_t>(i)].u16;
      ASSERT_EQ(plane.size, (PlaneSize{samples.width, samples.height}));
      for (int y = 0; y < samples.height; ++y) {
        for (int x = 0; x < samples.width; ++x)
          ASSERT_EQ(stored->at(plane, x, y), samples.row(y)[x]) << i << ": " << x << ", " << y;
      }
    }
    EXPECT_EQ(frame.place->luma_size(), (PlaneSize{21, 17}));
    const LumaLines lines = {.rows = {0, 3, 3, 16}, .columns = {2, 5, 20}};
    const Frame rows = frame.place->luma_part(lines);
    ASSERT_EQ(rows.luma().width(), 21);
    for (int y = 0; y < 4; ++y) {
      const int row = lines.rows[static_cast<size_t>(y)];
      for (const int x : lines.columns)
        EXPECT_EQ(rows.luma().u16.row(y)[x], expected.luma().u16.row(row)[x]) << x << ", " << row;
    }
    EXPECT_EQ(stored->fetched, 0);
    const PlaneSize whole = o.transposes ? PlaneSize{43, 71} : PlaneSize{71, 43};
    EXPECT_EQ(stored->asked, stored_lines(lines_of_whole(lines, part), whole, o).rows);
    const Frame seen = on_host(frame);
    for (size_t i = 0; i < kMaxPlanes; ++i)
      EXPECT_TRUE(same_samples(seen.planes[i].u16, expected.planes[i].u16));
  }
}

}  // namespace
}  // namespace vq::cli
