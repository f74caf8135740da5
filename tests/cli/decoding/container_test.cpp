// What containers say of their own length, and where their bytes end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "cli/decoding/damage/container_declarations.h"
#include "cli/decoding/damage/picture_numbering.h"
#include "tests/support/bad_input.h"
#include "tests/support/source_test.h"

namespace vq::cli {
namespace {

std::string big_endian(uint64_t value, int bytes) {
  std::string text;
  for (int i = bytes - 1; i >= 0; --i) text += static_cast<char>(value >> 8 * i & 0xFF);
  return text;
}

std::string little_endian(uint64_t value, int bytes) {
  const std::string text = big_endian(value, bytes);
  return {text.rbegin(), text.rend()};
}

// An EBML header of 5 bytes of content, and the id of the segment.
const std::string kMatroska("\x1A\x45\xDF\xA3\x85?????\x18\x53\x80\x67", 14);

TEST(ContainerHeader, MatroskaGivesItsSize) {
  // One byte of size: the content is 10 bytes, and starts at byte 15.
  EXPECT_EQ(declared_bytes(kMatroska + "\x8A"), 25);
  EXPECT_EQ(declared_bytes(kMatroska + "\x01" + big_endian(1000, 7)), 22 + 1000);
  // All ones: unknown, as live streams have it.
  EXPECT_EQ(declared_bytes(kMatroska + "\xFF"), std::nullopt);
  EXPECT_EQ(declared_bytes(kMatroska + "\x01" + std::string(7, '\xFF')), std::nullopt);
  // A size of nine bytes does not exist, and here the file ends before it.
  EXPECT_EQ(declared_bytes(kMatroska + std::string(9, '\0')), std::nullopt);
  EXPECT_EQ(declared_bytes(kMatroska), std::nullopt);
  EXPECT_EQ(declared_bytes(kMatroska.substr(0, 4)), std::nullopt);
}

TEST(ContainerHeader, MxfGivesThePlaceOfItsFooter) {
  const std::string key("\x06\x0E\x2B\x34\x02\x05\x01\x01\x0D\x01\x02\x01\x01\x02\x04\x00", 16);
  const auto pack = [&](const std::string& length, uint64_t footer) {
    return key + length + std::string(24, 'x') + big_endian(footer, 8);
  };
  EXPECT_EQ(declared_bytes(pack("\x68", 5000)), 5001);
  EXPECT_EQ(declared_bytes(pack("\x83" + big_endian(104, 3), 5000)), 5001);
  EXPECT_EQ(declared_bytes(pack("\x68", 0)), std::nullopt);  // not filled in
  EXPECT_EQ(declared_bytes(pack("\x68", UINT64_MAX)), std::nullopt);
  EXPECT_EQ(declared_bytes("RIFF"), std::nullopt);
}

TEST(ContainerHeader, AsfGivesItsDurationWithThePreroll) {
  const std::string id("\xA1\xDC\xAB\x8C\x47\xA9\xCF\x11\x8E\xE4\x00\xC0\x0C\x20\x53\x65", 16);
  const auto header = [&](uint64_t duration, uint64_t preroll, uint32_t flags) {
    return "before" + id + std::string(48, 'x') + little_endian(duration, 8) + std::string(8, 'x') +
           little_endian(preroll, 8) + little_endian(flags, 4);
  };
  EXPECT_EQ(asf_seconds(header(50'000'000, 3000, 2)), 2.0);
  EXPECT_EQ(asf_seconds(header(50'000'000, 3000, 1)), std::nullopt);  // a broadcast
  EXPECT_EQ(asf_seconds(header(30'000'000, 3000, 2)), std::nullopt);
  EXPECT_EQ(asf_seconds(header(50'000'000, 3000, 2).substr(0, 97)), std::nullopt);
  EXPECT_EQ(asf_seconds("RIFF"), std::nullopt);
}

std::string box(const std::string& type, const std::string& content) {
  return big_endian(8 + content.size(), 4) + type + content;
}

std::optional<MediaBoxes> boxes_of(const std::string& bytes) {
  ByteReader reader(std::make_unique<MemorySource>(std::vector<uint8_t>(bytes.begin(), bytes.end())));
  return media_boxes(reader);
}

std::optional<int64_t> media_end(const std::string& bytes) {
  const std::optional<MediaBoxes> boxes = boxes_of(bytes);
  return boxes ? std::optional(boxes->end) : std::nullopt;
}

TEST(ContainerHeader, BoxesTellOfASecondVideo) {
  const std::string start = box("ftyp", "isom") + box("moov", "x"), media = box("mdat", "pictures");
  EXPECT_EQ(boxes_of(start + media)->second, std::nullopt);
  EXPECT_EQ(boxes_of(start + media + start + media + start + media)->second, (start + media).size());
  EXPECT_EQ(boxes_of(start + media + box("moov", "x") + media)->second, (start + media).size());
  // Of fragments the header may come again.
  const std::string fragment = box("moof", "x") + media;
  EXPECT_EQ(boxes_of(start + fragment + start + fragment)->second, std::nullopt);
}

TEST(ContainerHeader, BoxesGiveTheEndOfTheMedia) {
  const std::string start = box("ftyp", "isom") + box("moov", std::string(50, 'x'));
  const std::string fragment = box("moof", std::string(30, 'x')) + box("mdat", std::string(100'000, 'x'));
  const std::string media = start + fragment + fragment;
  EXPECT_EQ(media_end(media), media.size());
  // What follows is an index, or nothing of use.
  EXPECT_EQ(media_end(media + box("mfra", "123")), media.size());
  EXPECT_EQ(media_end((media + box("mfra", "123")).substr(0, media.size() + 9)), media.size());
  EXPECT_EQ(media_end(media.substr(0, media.size() - 1)), media.size());
  // Cut in the table of a fragment, whose pictures nothing speaks of yet.
  EXPECT_EQ(media_end((start + fragment).substr(0, start.size() + 20)), start.size() + 38);
  const std::string large = start + big_endian(1, 4) + "mdat" + big_endian(16 + 7, 8) + "1234567";
  EXPECT_EQ(media_end(large), large.size());
  // No boxes, or not to the end.
  EXPECT_EQ(media_end(media + "some other bytes"), std::nullopt);
  EXPECT_EQ(media_end(media + big_endian(0, 4) + "mdat"), std::nullopt);
  EXPECT_EQ(media_end(media + big_endian(1, 4) + "mdat" + big_endian(UINT64_MAX, 8)), std::nullopt);
  EXPECT_EQ(media_end(start + "cut"), std::nullopt);
}

AvPtr<AVPacket> packet_at(int64_t position, const std::string& data) {
  AvPtr<AVPacket> packet(av_packet_alloc());
  if (av_new_packet(packet.get(), static_cast<int>(data.size())) < 0) throw std::bad_alloc();
  std::copy(data.begin(), data.end(), packet->data);
  packet->pos = position;
  return packet;
}

AVInputFormat named(const char* name) {
  AVInputFormat format{};
  format.name = name;
  return format;
}

TEST(ContainerEnd, TransportStreamsEndAtTheEndOfAUnit) {
  const auto ends_within = [](int64_t size, const std::vector<int64_t>& positions) {
    ContainerEnd end(size);
    end.set_format(named("mpegts"));
    for (const int64_t position : positions) end.note(*packet_at(position, "x"));
    return end.is_within_unit();
  };
  EXPECT_FALSE(ends_within(10 * 188, {0, 2 * 188, 3 * 188}));
  EXPECT_TRUE(ends_within(10 * 188 + 1, {0, 2 * 188, 3 * 188}));
  // Of 192 bytes, with four in front.
  EXPECT_FALSE(ends_within(4 + 10 * 192, {4, 4 + 2 * 192, 4 + 3 * 192}));
  EXPECT_TRUE(ends_within(4 + 10 * 188, {4, 4 + 2 * 192, 4 + 3 * 192}));
  // Of no size that is known.
  EXPECT_FALSE(ends_within(1000, {0, 189, 400}));
  EXPECT_FALSE(ends_within(1000, {}));
}

TEST(ContainerEnd, NutIsReadBeyondItsEndSoThatItsLastPacketShowsItsLength) {
  ContainerEnd end(100);
  std::array<uint8_t, 64> data{};
  EXPECT_EQ(end.read_beyond(100, data.data(), 64), AVERROR_EOF);
  end.set_format(named("nut"));
  EXPECT_EQ(end.read_beyond(100, data.data(), 4), 4);
  EXPECT_EQ(end.beyond(), 4);
  EXPECT_EQ(end.read_beyond(100, data.data() + 4, 60), 5);
  EXPECT_EQ(end.read_beyond(100, data.data(), 64), AVERROR_EOF);
  EXPECT_EQ(std::string(data.begin(), data.begin() + 8), "NX\xDDg/#\xE6N");
  // Going back reads the same again.
  EXPECT_EQ(end.seek(102, 100), 100);
  EXPECT_EQ(end.read_beyond(100, data.data(), 64), 7);
  EXPECT_EQ(data[0], 0xDD);
  EXPECT_EQ(end.seek(50, 100), 50);
  EXPECT_EQ(end.beyond(), 0);

  EXPECT_FALSE(end.cuts(*packet_at(90, "0123456789")));
  EXPECT_TRUE(end.cuts(*packet_at(91, "0123456789")));
  // Three of the bytes of this one may not be in the file.
  EXPECT_FALSE(end.cuts(*packet_at(93, std::string("\0\0\1\0xxxxxx", 10))));
  EXPECT_TRUE(end.cuts(*packet_at(INT64_MAX - 3, "0123456789")));
}

TEST(ContainerEnd, OfRoqLiesBehindItsLastPacket) {
  ContainerEnd end(100);
  end.set_format(named("roq"));
  EXPECT_FALSE(end.is_within_unit());  // nothing was read
  end.note(*packet_at(50, "0123456789"));
  EXPECT_TRUE(end.is_within_unit());
  end.note(*packet_at(90, "0123456789"));
  EXPECT_FALSE(end.is_within_unit());
}

TEST(ContainerEnd, KnowsErrorsThatAreNone) {
  ContainerEnd end(100);
  end.set_format(named("roq"));
  end.note(*packet_at(50, "0123456789"));
  EXPECT_FALSE(end.is_end(AVERROR(EIO)));
  end.note(*packet_at(90, "0123456789"));
  EXPECT_TRUE(end.is_end(AVERROR(EIO)));
  EXPECT_FALSE(end.is_end(AVERROR(EPERM)));
  EXPECT_FALSE(end.is_end(AVERROR_INVALIDDATA));
  end.set_format(named("gxf"));
  EXPECT_TRUE(end.is_end(AVERROR(EPERM)));
  end.set_format(named("smjpeg"));
  EXPECT_TRUE(end.is_end(AVERROR_INVALIDDATA));
}

using testing::HasSubstr;
using testing::IsEmpty;

// So many pictures of 25 a second.
DecodeProgress had_pictures(int64_t count) {
  const double end = static_cast<double>(count) / 25;
  return {
      .packets = count, .pictures = count, .end_seconds = end, .own_end_seconds = end, .is_regular = true};
}

TEST(DeclaredLength, NothingDeclaredIsNothingMissing) {
  EXPECT_THAT(shortage({}, {}), IsEmpty());
}

TEST(DeclaredLength, OneFrameOfThousandsIsMissed) {
  const DeclaredLength seconds{.seconds = 400};
  EXPECT_THAT(shortage(seconds, had_pictures(10'000)), IsEmpty());
  EXPECT_EQ(shortage(seconds, had_pictures(9'999)), "the file ended after 399.960 s of 400.000 s declared");
  const DeclaredLength packets{.packets = 10'000};
  EXPECT_EQ(shortage(packets, had_pictures(9'999)), "the file ended after 9999 of 10000 declared frames");
  // Where the last picture may be of any length, and the duration that of another stream, a little is let
  // pass.
  DecodeProgress uneven = had_pictures(9'999);
  uneven.is_regular = false;
  EXPECT_THAT(shortage(seconds, uneven), IsEmpty());
  uneven.end_seconds = 390;
  EXPECT_THAT(shortage(seconds, uneven), HasSubstr("390.000 s of 400.000 s"));
}

TEST(DeclaredLength, TimesOfDecodingLagBehindThoseOfDisplay) {
  DecodeProgress had = had_pictures(98);
  EXPECT_THAT(shortage({.seconds = 4}, had), HasSubstr("3.920 s of 4.000 s"));
  had.reordered_pictures = 2;
  EXPECT_THAT(shortage({.seconds = 4}, had), IsEmpty());
}

TEST(DeclaredLength, OneOfTwoMeasuresIsEnoughUnlessEachPacketIsGivenOut) {
  DeclaredLength declared{.packets = 101, .seconds = 4};
  EXPECT_THAT(shortage(declared, had_pictures(100)), IsEmpty());
  EXPECT_THAT(shortage(declared, had_pictures(99)), HasSubstr("99 of 101"));
  declared.packets_decide = true;
  EXPECT_THAT(shortage(declared, had_pictures(100)), HasSubstr("100 of 101"));
  declared.packet_slack = 1;
  EXPECT_THAT(shortage(declared, had_pictures(100)), IsEmpty());
}

TEST(DeclaredLength, BytesCountUnlessAllPicturesAreThere) {
  DeclaredLength declared{.bytes = 1000};
  DecodeProgress had = had_pictures(100);
  EXPECT_THAT(shortage(declared, had), IsEmpty());  // a pipe, whose end nobody saw
  had.bytes = 1000;
  EXPECT_THAT(shortage(declared, had), IsEmpty());
  had.bytes = 999;
  EXPECT_EQ(shortage(declared, had), "the file ended after 999 of 1000 declared bytes");
  declared.seconds = 4;
  EXPECT_THAT(shortage(declared, had), IsEmpty());
  had.missing_pictures = 1;
  EXPECT_THAT(shortage(declared, had), HasSubstr("999 of 1000"));
  had.missing_pictures = 0;
  declared.bytes_decide = true;
  EXPECT_THAT(shortage(declared, had), HasSubstr("999 of 1000"));
}

DisplayOrder order_of(std::initializer_list<int64_t> times) {
  DisplayOrder order;
  for (const int64_t time : times) order.add(time);
  return order;
}

TEST(DisplayOrder, CountsWhatIsMissingInAGap) {
  DisplayOrder order = order_of({0, 40, 80});
  EXPECT_FALSE(order.is_regular());
  EXPECT_EQ(order.add_after_gap(200), std::nullopt);  // too early to speak of a usual distance
  order = order_of({0, 40, 80, 120});
  EXPECT_TRUE(order.is_regular());
  EXPECT_EQ(order.step(), 40);
  EXPECT_EQ(order.add_after_gap(160), 0);
  EXPECT_EQ(order.add_after_gap(280), 2);
  EXPECT_TRUE(order.is_regular());
  // No group of frames is that long, and 1.5 frames are no number of frames.
  EXPECT_EQ(order.add_after_gap(280 + 40 * 40), std::nullopt);
  order = order_of({0, 40, 80, 120});
  EXPECT_EQ(order.add_after_gap(180), std::nullopt);
}

TEST(DisplayOrder, AStepMayBeAssumedWhereTooFewPicturesCame) {
  DisplayOrder order;
  order.add(0);
  EXPECT_EQ(order.add_after_gap(80), std::nullopt);
  DisplayOrder assumed;
  assumed.assume_step(40);
  EXPECT_EQ(assumed.add_after_gap(0), std::nullopt);
  EXPECT_EQ(assumed.add_after_gap(80), 1);
  EXPECT_EQ(assumed.add_after_gap(120), 0);
  DisplayOrder known = order_of({0, 80, 160, 240});
  known.assume_step(40);
  EXPECT_EQ(known.step(), 80);
}

TEST(DisplayOrder, TimesMayBeRoundedAndCountsMayNot) {
  DisplayOrder milliseconds = order_of({0, 17, 33, 50, 67});
  EXPECT_EQ(milliseconds.add_after_gap(117), 2);
  DisplayOrder counts = order_of({0, 2, 4, 6, 9});
  EXPECT_FALSE(counts.is_regular());
}

TEST(DisplayOrder, ACountThatStartsAnewIsNoGap) {
  DisplayOrder order = order_of({0, 2, 4, 6, 0, 2, 4});
  EXPECT_TRUE(order.is_regular());
  EXPECT_EQ(order.add_after_gap(0), std::nullopt);
  order.add(std::nullopt);
  EXPECT_FALSE(order.is_regular());
}

// Files whose end is missing, cut at any byte: no frame gets a wrong content or a wrong number, and where the
// container or the stream says how much there was, the run says what is missing.

using testing::ElementsAre;
using testing::SizeIs;

enum class Declaration {
  kLength,  // it says how long it is: whatever is missing is an error
  kNone,    // frames that are missing as a whole cannot be known
};

struct CutCase {
  const char* file;
  Declaration declaration;
  size_t frames;
  const char* options;  // of the encoder and the muxer
  const char* size = "128x96";
};

constexpr const char* kX264 = "-c:v libx264 -g 12 -bf 3 -threads 1 ";
constexpr const char* kX265 =
    "-c:v libx265 -x265-params keyint=12:bframes=3:log-level=none:pools=1:frame-threads=1 ";

const CutCase kCases[] = {
    {"x265.hevc", Declaration::kNone, 24, kX265},
    {"x265.ts", Declaration::kNone, 24, kX265},
    {"x264.ts", Declaration::kNone, 24, kX264},
    {"x264.h264", Declaration::kNone, 24, kX264},
    {"mpeg2.m2v", Declaration::kNone, 24, "-c:v mpeg2video -g 12 -bf 2"},
    {"ffv1.nut", Declaration::kLength, 24, "-c:v ffv1 -level 1 -g 5"},
    {"raw.dv", Declaration::kLength, 5, "-pix_fmt yuv420p -c:v dvvideo -f rawvideo", "720x576"},
    {"x264.mkv", Declaration::kLength, 24, kX264},
    {"vp9.webm", Declaration::kLength, 24, "-c:v libvpx-vp9 -g 12 -deadline realtime -cpu-used 8"},
    {"mpeg4.avi", Declaration::kLength, 24, "-c:v mpeg4 -g 12 -bf 2"},
    {"x264.flv", Declaration::kLength, 24, kX264},
    {"wmv2.asf", Declaration::kLength, 24, "-c:v wmv2 -g 12"},
    {"mpeg2.mxf", Declaration::kLength, 24, "-c:v mpeg2video -g 12 -bf 0"},
    {"rv20.rm", Declaration::kLength, 24, "-c:v rv20 -g 12"},
    {"faststart.mp4", Declaration::kLength, 24, "-c:v libx264 -g 12 -bf 3 -threads 1 -movflags +faststart"},
    {"fragments.mp4", Declaration::kLength, 24,
     "-c:v libx264 -g 12 -bf 3 -threads 1 -movflags +frag_keyframe+empty_moov+default_base_moof"},
    {"mpeg2.gxf", Declaration::kLength, 6, "-c:v mpeg2video -g 6 -bf 2", "720x576"},
    {"dv.gxf", Declaration::kLength, 5, "-c:v dvvideo", "720x576"},
    {"video.roq", Declaration::kLength, 24, "-r 30 -pix_fmt yuvj444p -c:v roqvideo", "128x128"},
};

std::vector<uint8_t> encoded(const CutCase& test, const std::string& folder) {
  const std::string path = folder + "/" + test.file;
  test::run_ffmpeg(std::string("-f lavfi -i testsrc2=s=") + test.size +
                   ":r=25,noise=alls=6:allf=t:all_seed=7 -frames:v " + std::to_string(test.frames) +
                   " -pix_fmt yuv420p " + test.options + " " + path);
  return file_bytes(path);
}

class CutInput : public testing::TestWithParam<CutCase> {
 protected:
  test::TemporaryFolder folder_;
};

std::vector<size_t> places_to_cut(size_t size) {
  std::vector<size_t> places = {size - 1, size - 3, size - 188, size / 31 * 29, size / 31 * 28};
  std::mt19937 random(1);
  while (places.size() < 12) places.push_back(size / 5 + random() % (size * 4 / 5));
  return places;
}

TEST_P(CutInput, GivesNoWrongFrame) {
  const std::vector<uint8_t> bytes = encoded(GetParam(), folder_.path());
  const Outcome whole = read_bytes(bytes);
  ASSERT_EQ(whole.code, 0) << whole.message;
  ASSERT_THAT(whole.crcs, SizeIs(GetParam().frames));
  EXPECT_THAT(whole.warnings, IsEmpty());
  int complete = 0;
  for (const size_t place : places_to_cut(bytes.size())) {
    SCOPED_TRACE("cut at byte " + std::to_string(place) + " of " + std::to_string(bytes.size()));
    const std::vector<uint8_t> cut(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(place));
    SourceOptions options;
    options.threads = 1;
    const Outcome outcome = read_bytes(cut, options);
    for (size_t i = 0; i < outcome.crcs.size(); ++i) {
      const auto number = static_cast<size_t>(outcome.indices[i]);
      ASSERT_LT(number, whole.crcs.size());
      EXPECT_EQ(outcome.crcs[i], whole.crcs[number]) << "frame " << number;
    }
    const bool has_all = outcome.crcs.size() == whole.crcs.size();
    complete += has_all ? 1 : 0;
    if (GetParam().declaration == Declaration::kLength && !has_all) {
      EXPECT_EQ(outcome.code, 6);
    }
    if (place % 3 != 0) continue;
    options.threads = 4;
    EXPECT_TRUE(read_bytes(cut, options) == outcome) << "with four threads";
    options.decoders = 2;
    EXPECT_TRUE(read_bytes(cut, options) == outcome) << "with two decoders";
  }
  EXPECT_LT(complete, 6);
}

INSTANTIATE_TEST_SUITE_P(Files, CutInput, testing::ValuesIn(kCases), [](const auto& instance) {
  std::string name = instance.param.file;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

// Two or three pictures do not tell how far apart they are, and the second to come is not the second to be
// shown.
TEST(CutShort, WithinTheFirstPicturesNoneGetsTheNumberOfAnother) {
  const test::TemporaryFolder folder;
  for (const char* file : {"x264.mkv", "x264.flv"}) {
    const std::vector<uint8_t> bytes = encoded({file, Declaration::kLength, 24, kX264}, folder.path());
    const Outcome whole = read_bytes(bytes);
    int few = 0;
    for (size_t place = bytes.size() / 6; place < bytes.size() / 3; place += 97) {
      SourceOptions options;
      options.threads = 1;
      const Outcome outcome =
          read_bytes({bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(place)}, options);
      if (outcome.crcs.size() <= 4) ++few;
      for (size_t i = 0; i < outcome.crcs.size(); ++i) {
        EXPECT_EQ(outcome.crcs[i], whole.crcs.at(static_cast<size_t>(outcome.indices[i])))
            << file << " cut at byte " << place << " of " << bytes.size() << ", frame " << outcome.indices[i];
      }
    }
    EXPECT_GT(few, 3) << file;
  }
}

class WholeInput : public testing::Test {
 protected:
  Outcome piped(const std::string& options) const {
    const std::string path = folder_.path() + "/a";
    test::run_ffmpeg("-f lavfi -i testsrc2=s=128x96:r=25 -frames:v 24 -pix_fmt yuv420p " + options + " - > " +
                     path);
    return read_bytes(file_bytes(path));
  }
  test::TemporaryFolder folder_;
};

// Their writer could not go back to fill in a length.
TEST_F(WholeInput, FilesWrittenToAPipeAreWhole) {
  for (const std::string options :
       {"-c:v mpeg4 -bf 2 -f avi", "-c:v libx264 -f matroska", "-c:v libx264 -f flv", "-c:v wmv2 -f asf",
        "-c:v rv20 -f rm", "-c:v libvpx -f ivf", "-c:v mpeg2video -bf 2 -f mxf",
        "-c:v ffv1 -level 1 -f nut"}) {
    const Outcome outcome = piped(options);
    EXPECT_EQ(outcome.code, 0) << options << ": " << outcome.message;
    EXPECT_THAT(outcome.crcs, SizeIs(24)) << options;
    EXPECT_THAT(outcome.warnings, IsEmpty()) << options;
    EXPECT_EQ(outcome.info.frames, std::nullopt) << options;
  }
}

TEST_F(WholeInput, AnEditListMayRepeatItsParts) {
  std::vector<uint8_t> bytes = file_bytes(format_path("edit_list.mp4"));
  const auto place_of = [&](const std::string& word) {
    const auto found = std::search(bytes.begin(), bytes.end(), word.begin(), word.end());
    EXPECT_NE(found, bytes.end()) << word;
    return found - bytes.begin();
  };
  // The only edit, twice more. No number in these fields takes more than two bytes.
  constexpr ptrdiff_t kEntry = 12;
  const ptrdiff_t first = place_of("elst") + 12;
  const std::vector<uint8_t> entry(bytes.begin() + first, bytes.begin() + first + kEntry);
  for (int i = 0; i < 2; ++i) bytes.insert(bytes.begin() + first, entry.begin(), entry.end());
  bytes[static_cast<size_t>(first) - 1] = 3;
  for (const char* word : {"elst", "edts", "trak", "moov"}) {
    const auto size = static_cast<size_t>(place_of(word)) - 2;
    const int grown = bytes[size] * 256 + bytes[size + 1] + 2 * static_cast<int>(kEntry);
    bytes[size] = static_cast<uint8_t>(grown >> 8);
    bytes[size + 1] = static_cast<uint8_t>(grown & 0xFF);
  }
  const Outcome outcome = read_bytes(bytes);
  EXPECT_EQ(outcome.code, 0) << outcome.message;
  EXPECT_THAT(outcome.crcs, SizeIs(60));
  EXPECT_EQ(outcome.info.frames, 60);
}

TEST_F(WholeInput, NoDurationIsLongerThanCanBeReckonedWith) {
  std::vector<uint8_t> bytes = file_bytes(format_path("h264.mkv"));
  const auto patch = [&](const std::string& text, uint64_t value, int size) {
    const std::vector<uint8_t> element = text_bytes(text);
    const auto found = std::search(bytes.begin(), bytes.end(), element.begin(), element.end());
    ASSERT_NE(found, bytes.end());
    for (int i = 0; i < size; ++i) {
      found[static_cast<ptrdiff_t>(element.size()) + i] = static_cast<uint8_t>(value >> 8 * (size - 1 - i));
    }
  };
  patch("\x2A\xD7\xB1\x83", 1, 3);                          // a tick is a nanosecond
  patch("\x44\x89\x88", std::bit_cast<uint64_t>(1e20), 8);  // of which there are so many
  const Outcome outcome = read_bytes(bytes);
  EXPECT_EQ(outcome.info.duration, 1e9);
  EXPECT_THAT(outcome, Ends(6, HasSubstr("of 1000000000.000 s declared")));
}

// What it says of its length comes after its header, and no tag is cut.
TEST_F(WholeInput, AnFlvThatEndsBetweenTwoTagsIsTooShort) {
  const std::vector<uint8_t> bytes =
      encoded({"a.flv", Declaration::kLength, 24, "-c:v flv -g 12"}, folder_.path());
  constexpr size_t kHeader = 13, kTagHeader = 11, kTagEnd = 4;
  size_t at = kHeader;
  while (at < bytes.size() / 2) {
    at += kTagHeader + (bytes[at + 1] << 16 | bytes[at + 2] << 8 | bytes[at + 3]) + kTagEnd;
  }
  EXPECT_THAT(read_bytes({bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(at)}),
              Ends(6, HasSubstr("of 0.960 s declared")));
}

// The container is whole, but the writer stopped before the B frames between the last two came.
TEST_F(WholeInput, AGroupOfFramesThatIsNotWholeKeepsItsNumbers) {
  const std::vector<uint8_t> bytes = encoded({"a.h264", Declaration::kNone, 24, kX264}, folder_.path());
  const Outcome whole = read_bytes(bytes);
  ASSERT_THAT(whole.crcs, SizeIs(24));
  // Every packet but the last is whole where the next one starts.
  bool met = false;
  for (size_t i = bytes.size() / 2; i + 4 < bytes.size(); ++i) {
    if (bytes[i] != 0 || bytes[i + 1] != 0 || bytes[i + 2] != 1) continue;
    const Outcome outcome = read_bytes({bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(i)});
    if (outcome.indices.empty() || outcome.indices.back() + 1 == static_cast<int64_t>(outcome.indices.size()))
      continue;
    met = true;
    EXPECT_EQ(outcome.code, 0) << outcome.message;
    EXPECT_THAT(outcome.warnings, ElementsAre(HasSubstr("ends within a group of frames")));
    EXPECT_EQ(outcome.crcs.back(), whole.crcs[static_cast<size_t>(outcome.indices.back())]);
  }
  EXPECT_TRUE(met);
}

}  // namespace
}  // namespace vq::cli
