// What containers say of their own length, and where their bytes end.
#include <bit>

#include "cli/decoding/damage/stream_verdict.h"
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

std::string mxf_pack(const std::string& length, uint64_t footer) {
  const std::string key("\x06\x0E\x2B\x34\x02\x05\x01\x01\x0D\x01\x02\x01\x01\x02\x04\x00", 16);
  return key + length + std::string(24, 'x') + big_endian(footer, 8);
}

TEST(ContainerHeader, GivesTheSizeOfTheFile) {
  const std::pair<std::string, std::optional<int64_t>> headers[] = {
      {kMatroska + "\x8A", 25},  // one byte of size: the content is 10 bytes, and starts at byte 15
      {kMatroska + "\x01" + big_endian(1000, 7), 22 + 1000},
      // All ones: unknown, as live streams have it.
      {kMatroska + "\xFF", std::nullopt},
      {kMatroska + "\x01" + std::string(7, '\xFF'), std::nullopt},
      // A size of nine bytes does not exist, and then the file ends before it.
      {kMatroska + std::string(9, '\0'), std::nullopt},
      {kMatroska, std::nullopt},
      {kMatroska.substr(0, 4), std::nullopt},
      {mxf_pack("\x68", 5000), 5001},
      {mxf_pack("\x83" + big_endian(104, 3), 5000), 5001},
      {mxf_pack("\x68", 0), std::nullopt},  // not filled in
      {mxf_pack("\x68", UINT64_MAX), std::nullopt},
      {"RIFF", std::nullopt}};
  for (const auto& [header, bytes] : headers) EXPECT_EQ(declared_bytes(header), bytes);
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

using BoxPlaces = std::optional<std::pair<size_t, std::optional<int64_t>>>;

BoxPlaces boxes_of(const std::string& bytes) {
  ByteReader reader(std::make_unique<MemorySource>(std::vector<uint8_t>(bytes.begin(), bytes.end())));
  const std::optional<MediaBoxes> boxes = media_boxes(reader);
  if (!boxes) return std::nullopt;
  return std::pair(static_cast<size_t>(boxes->end), boxes->second);
}

TEST(ContainerHeader, BoxesGiveTheEndOfTheMediaAndASecondVideo) {
  const std::string start = box("ftyp", "isom") + box("moov", std::string(50, 'x'));
  const std::string whole = start + box("mdat", "pictures");
  const std::string fragment = box("moof", std::string(30, 'x')) + box("mdat", std::string(100'000, 'x'));
  const std::string media = start + fragment + fragment;
  const std::string large = start + big_endian(1, 4) + "mdat" + big_endian(16 + 7, 8) + "1234567";
  const auto ends = [](size_t end) { return BoxPlaces({end, std::nullopt}); };
  const auto then = [](size_t end, size_t second) { return BoxPlaces({end, static_cast<int64_t>(second)}); };
  const std::pair<std::string, BoxPlaces> files[] = {
      {whole, ends(whole.size())},
      {whole + whole + whole, then(3 * whole.size(), whole.size())},
      {whole + box("moov", "x") + box("mdat", "x"), then(whole.size() + 18, whole.size())},
      {media, ends(media.size())},
      {media + start + fragment, ends((media + start + fragment).size())},  // their header may come again
      // What follows is an index, or nothing of use.
      {media + box("mfra", "123"), ends(media.size())},
      {(media + box("mfra", "123")).substr(0, media.size() + 9), ends(media.size())},
      {media.substr(0, media.size() - 1), ends(media.size())},
      // Cut in the table of a fragment, whose pictures nothing speaks of yet.
      {(start + fragment).substr(0, start.size() + 20), ends(start.size() + 38)},
      {large, ends(large.size())},
      // No boxes, or not to the end.
      {media + "some other bytes", std::nullopt},
      {media + big_endian(0, 4) + "mdat", std::nullopt},
      {media + big_endian(1, 4) + "mdat" + big_endian(UINT64_MAX, 8), std::nullopt},
      {start + "cut", std::nullopt}};
  for (const auto& [bytes, places] : files) EXPECT_EQ(boxes_of(bytes), places) << bytes.size();
}

AvPtr<AVPacket> packet_at(int64_t position, const std::string& data) {
  AvPtr<AVPacket> packet(av_packet_alloc());
  if (av_new_packet(packet.get(), static_cast<int>(data.size())) < 0) throw std::bad_alloc();
  std::copy(data.begin(), data.end(), packet->data);
  packet->pos = position;
  return packet;
}

ContainerEnd end_of(const char* format, int64_t size, const std::vector<int64_t>& positions = {}) {
  ContainerEnd end(size);
  AVInputFormat named{};
  named.name = format;
  end.set_format(named);
  for (const int64_t position : positions) end.note(*packet_at(position, "0123456789"));
  return end;
}

TEST(ContainerEnd, LiesWithinAUnitOrBehindOne) {
  struct Case {
    const char* format;
    int64_t size;
    std::vector<int64_t> positions;
    bool is_within;
  };
  const Case cases[] = {{"mpegts", 10 * 188, {0, 2 * 188, 3 * 188}, false},
                        {"mpegts", 10 * 188 + 1, {0, 2 * 188, 3 * 188}, true},
                        // Of 192 bytes, with four in front.
                        {"mpegts", 4 + 10 * 192, {4, 4 + 2 * 192, 4 + 3 * 192}, false},
                        {"mpegts", 4 + 10 * 188, {4, 4 + 2 * 192, 4 + 3 * 192}, true},
                        {"mpegts", 1000, {0, 189, 400}, false},  // of no size that is known
                        {"mpegts", 1000, {}, false},
                        {"roq", 100, {}, false},
                        {"roq", 100, {50}, true},
                        {"roq", 100, {50, 90}, false}};
  for (const Case& its : cases) {
    EXPECT_EQ(end_of(its.format, its.size, its.positions).is_within_unit(), its.is_within)
        << its.format << " " << its.size;
  }
}

TEST(ContainerEnd, NutIsReadBeyondItsEndSoThatItsLastPacketShowsItsLength) {
  std::array<uint8_t, 64> data{};
  EXPECT_EQ(end_of("avi", 100).read_beyond(100, data.data(), 64), AVERROR_EOF);
  ContainerEnd end = end_of("nut", 100);
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

TEST(ContainerEnd, KnowsErrorsThatAreNone) {
  struct Case {
    const char* format;
    std::vector<int64_t> positions;
    int code;
    bool is_end;
  };
  const Case cases[] = {{"roq", {50}, AVERROR(EIO), false},   {"roq", {90}, AVERROR(EIO), true},
                        {"roq", {90}, AVERROR(EPERM), false}, {"roq", {90}, AVERROR_INVALIDDATA, false},
                        {"gxf", {90}, AVERROR(EPERM), true},  {"smjpeg", {90}, AVERROR_INVALIDDATA, true}};
  for (const Case& its : cases)
    EXPECT_EQ(end_of(its.format, 100, its.positions).is_end(its.code), its.is_end) << its.format << its.code;
}

// So many pictures of 25 a second.
DecodeProgress had_pictures(int64_t count, double end_seconds = 0) {
  const double end = end_seconds > 0 ? end_seconds : static_cast<double>(count) / 25;
  return {.packets = count,
          .pictures = count,
          .end_seconds = end,
          .own_end_seconds = static_cast<double>(count) / 25,
          .is_regular = true};
}

TEST(StreamVerdict, SaysWhatIsMissing) {
  const DecodeProgress whole = had_pictures(100), reordered = [] {
    DecodeProgress had = had_pictures(98);
    had.reordered_pictures = 2;  // times of decoding lag behind those of display
    return had;
  }();
  const auto uneven = [](double end) {
    DecodeProgress had = had_pictures(9'999, end);
    had.is_regular = false;
    return had;
  };
  const auto of_bytes = [&](int64_t bytes, int64_t missing_pictures = 0) {
    DecodeProgress had = whole;
    had.bytes = bytes;
    had.missing_pictures = missing_pictures;
    return had;
  };
  struct Case {
    DeclaredLength declared;
    DecodeProgress had;
    const char* missing;  // after "the file ended after "; empty if nothing is
  };
  const Case cases[] = {
      {{}, {}, ""},
      {{.seconds = 400}, had_pictures(10'000), ""},
      {{.seconds = 400}, had_pictures(9'999), "399.960 s of 400.000 s declared"},
      {{.packets = 10'000}, had_pictures(9'999), "9999 of 10000 declared frames"},
      // If the last picture may be of any length, and the duration that of another stream, a little is let
      // pass.
      {{.seconds = 400}, uneven(399.96), ""},
      {{.seconds = 400}, uneven(390), "390.000 s of 400.000 s declared"},
      {{.seconds = 4}, had_pictures(98), "3.920 s of 4.000 s declared"},
      {{.seconds = 4}, reordered, ""},
      // One of two measures is enough unless each packet is given out.
      {{.packets = 101, .seconds = 4}, whole, ""},
      {{.packets = 101, .seconds = 4}, had_pictures(99), "99 of 101 declared frames"},
      {{.packets = 101, .packets_decide = true, .seconds = 4}, whole, "100 of 101 declared frames"},
      {{.packets = 101, .packet_slack = 1, .packets_decide = true, .seconds = 4}, whole, ""},
      // Bytes count unless all pictures are there.
      {{.bytes = 1000}, whole, ""},  // a pipe, whose end was not seen
      {{.bytes = 1000}, of_bytes(1000), ""},
      {{.bytes = 1000}, of_bytes(999), "999 of 1000 declared bytes"},
      {{.seconds = 4, .bytes = 1000}, of_bytes(999), ""},
      {{.seconds = 4, .bytes = 1000}, of_bytes(999, 1), "999 of 1000 declared bytes"},
      {{.seconds = 4, .bytes = 1000, .bytes_decide = true}, of_bytes(999), "999 of 1000 declared bytes"}};
  for (const Case& its : cases) {
    const std::string missing = its.missing;
    EXPECT_EQ(shortage(its.declared, its.had), missing.empty() ? "" : "the file ended after " + missing)
        << &its - cases;
  }
}

// Packets and pictures of a stream, as letters, and the verdict: numbers in display order, those of damaged
// pictures with !, of lost ones with x.
std::string verdict_on(const std::string& letters, bool is_timed, std::string* reason) {
  ByteReader reader(open_byte_source(format_path("ffv1.mkv"), {}));
  const SourceOptions options;
  FfmpegDemuxer demuxer(reader, options);
  StreamVerdict verdict(demuxer, options);
  for (const char letter : letters) {
    if (letter == 'R') {
      verdict.note_failed_read(AVERROR_INVALIDDATA);
      continue;
    }
    const AvPtr<AVPacket> packet = packet_at(0, "x");
    const int64_t time = is_timed ? 40 * verdict.packets() : AV_NOPTS_VALUE;
    packet->pts = time;
    if (letter == 'F' || letter == 'f' || letter == 'D') packet->flags |= AV_PKT_FLAG_CORRUPT;
    if (letter == 'D') packet->flags |= AV_PKT_FLAG_DISCARD;
    verdict.note(*packet);
    verdict.note_answer(packet.get(), letter == 'E' ? AVERROR_EOF : 0, letter == 'L' ? "a line" : "");
    if (letter == 'E' || letter == 'f' || letter == 'D') continue;  // without a picture
    Picture picture{.frame = AvPtr<AVFrame>(av_frame_alloc()), .packet = verdict.packets()};
    picture.frame->pts = time;
    if (letter == 'C') picture.frame->flags |= AV_FRAME_FLAG_CORRUPT;
    verdict.note(std::move(picture));
  }
  verdict.finish();
  std::string text;
  while (const std::optional<Picture> picture = verdict.take()) {
    text += (text.empty() ? "" : " ") + std::to_string(picture->index);
    if (!picture->damage) continue;
    text += picture->frame ? '!' : 'x';
    *reason = *picture->damage;
  }
  EXPECT_EQ(verdict.saw_damage(), !reason->empty());
  return text;
}

TEST(StreamVerdict, OnEachSignOfDamage) {
  const std::string flag = "the packet is cut or damaged", read = "the container is damaged: Invalid data";
  struct Case {
    const char* letters;
    bool is_timed;
    const char* verdict;
    std::string reason;  // its beginning
  };
  const Case cases[] = {{"pppp", true, "0 1 2 3", ""},
                        {"pFpp", true, "0 1! 2 3", flag},
                        {"pfpp", true, "0 1! 2", flag},     // a second field, say, which harms its neighbour
                        {"pfpp", false, "0 1 2 3x", flag},  // its own picture may still come
                        {"pDpp", true, "0 1! 2", flag},     // left out by an edit list
                        {"pLpp", true, "0 1! 2 3", "a line"},
                        {"pEpp", true, "0 1x 2 3", "End of file"},
                        {"ppE", true, "0 1 2x", "End of file"},
                        {"pRpp", true, "0 1! 2", read},
                        {"ppR", true, "0 1 2x", read},
                        {"pCpp", true, "0 1! 2 3", "the decoder had to conceal errors"}};
  for (const Case& its : cases) {
    std::string reason;
    EXPECT_EQ(verdict_on(its.letters, its.is_timed, &reason), its.verdict) << its.letters;
    EXPECT_THAT(reason, StartsWith(its.reason)) << its.letters;
    EXPECT_EQ(reason.empty(), its.reason.empty()) << its.letters;
  }
}

TEST(DisplayOrder, CountsWhatIsMissingInAGap) {
  struct Case {
    std::vector<int64_t> times;
    int64_t after_gap;
    std::optional<int64_t> missing;
    int64_t assumed_step = 0;
  };
  const Case cases[] = {{{0, 40, 80}, 200, std::nullopt},  // too early to speak of a usual distance
                        {{0, 40, 80, 120}, 160, 0},
                        {{0, 40, 80, 120}, 240, 2},
                        // No group of frames is that long, and 1.5 frames are no number of frames.
                        {{0, 40, 80, 120}, 120 + 40 * 40, std::nullopt},
                        {{0, 40, 80, 120}, 180, std::nullopt},
                        {{0, 17, 33, 50, 67}, 117, 2},        // rounded to milliseconds
                        {{0, 2, 4, 6, 9}, 11, std::nullopt},  // counts are not rounded
                        {{0, 2, 4, 6, 0, 2, 4}, 8, 1},        // a count that starts anew is no gap
                        {{0, 2, 4, 6, 0, 2, 4}, 0, std::nullopt},
                        {{0}, 80, std::nullopt},
                        {{0}, 80, 1, 40},                  // by the declared rate
                        {{0, 80, 160, 240}, 400, 1, 40}};  // which is known better
  for (const Case& its : cases) {
    DisplayOrder order;
    for (const int64_t time : its.times) order.add(time);
    if (its.assumed_step > 0) order.assume_step(its.assumed_step);
    EXPECT_EQ(order.add_after_gap(its.after_gap), its.missing) << &its - cases;
  }
  DisplayOrder untimed;
  for (int i = 0; i < 5; ++i) untimed.add(std::nullopt);
  EXPECT_FALSE(untimed.is_regular());
}

// Files whose end is missing, cut at any byte: no frame gets a wrong content or a wrong number, and where the
// container or the stream says how much there was, the run says what is missing.

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

class CutInput : public testing::TestWithParam<CutCase>, protected test::Folder {};

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
  std::ranges::replace(name, '.', '_');
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

class WholeInput : public test::FolderTest {
 protected:
  Outcome piped(const std::string& options) const {
    const std::string path = in_folder("a");
    test::run_ffmpeg("-f lavfi -i testsrc2=s=128x96:r=25 -frames:v 24 -pix_fmt yuv420p " + options + " - > " +
                     path);
    return read_bytes(file_bytes(path));
  }
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
    for (int i = 0; i < size; ++i)
      found[static_cast<ptrdiff_t>(element.size()) + i] = static_cast<uint8_t>(value >> 8 * (size - 1 - i));
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
  while (at < bytes.size() / 2)
    at += kTagHeader + (bytes[at + 1] << 16 | bytes[at + 2] << 8 | bytes[at + 3]) + kTagEnd;
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
