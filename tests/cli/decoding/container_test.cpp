// What containers say of their own length, and where their bytes end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "cli/decoding/damage/container_declarations.h"
#include "cli/decoding/damage/picture_numbering.h"

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

TEST(DisplayOrder, CountsWhatIsMissingInAGap) {
  DisplayOrder order;
  for (const int64_t time : {0, 40, 80}) order.add(time);
  EXPECT_FALSE(order.is_regular());
  EXPECT_EQ(order.add_after_gap(200), std::nullopt);  // too early to speak of a usual distance
  order = {};
  for (const int64_t time : {0, 40, 80, 120}) order.add(time);
  EXPECT_TRUE(order.is_regular());
  EXPECT_EQ(order.step(), 40);
  EXPECT_EQ(order.add_after_gap(160), 0);
  EXPECT_EQ(order.add_after_gap(280), 2);
  EXPECT_TRUE(order.is_regular());
  // No group of frames is that long, and 1.5 frames are no number of frames.
  EXPECT_EQ(order.add_after_gap(280 + 40 * 40), std::nullopt);
  order = {};
  for (const int64_t time : {0, 40, 80, 120}) order.add(time);
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
  DisplayOrder known;
  for (const int64_t time : {0, 80, 160, 240}) known.add(time);
  known.assume_step(40);
  EXPECT_EQ(known.step(), 80);
}

TEST(DisplayOrder, TimesMayBeRoundedAndCountsMayNot) {
  DisplayOrder milliseconds;
  for (const int64_t time : {0, 17, 33, 50, 67}) milliseconds.add(time);
  EXPECT_EQ(milliseconds.add_after_gap(117), 2);
  DisplayOrder counts;
  for (const int64_t count : {0, 2, 4, 6, 9}) counts.add(count);
  EXPECT_FALSE(counts.is_regular());
}

TEST(DisplayOrder, ACountThatStartsAnewIsNoGap) {
  DisplayOrder order;
  for (const int64_t count : {0, 2, 4, 6, 0, 2, 4}) order.add(count);
  EXPECT_TRUE(order.is_regular());
  EXPECT_EQ(order.add_after_gap(0), std::nullopt);
  order.add(std::nullopt);
  EXPECT_FALSE(order.is_regular());
}

}  // namespace

}  // namespace vq::cli
