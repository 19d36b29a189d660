// Produce with batches of format v2: good, damaged, lying and hostile ones.
#include <chrono>

#include "core/compression/compressor.h"
#include "core/wire/byte_writer.h"
#include "fmt/format.h"
#include "tests/real/fidelity/records.h"
#include "tests/real/fidelity/scripts.h"

namespace ktrial::fidelity {
namespace {

using wire::ApiKey;

constexpr Codec kCodecs[] = {Codec::kGzip, Codec::kSnappy, Codec::kLz4, Codec::kZstd};
constexpr std::int32_t kCompressible = 50;

// Bytes that are no whole batch.
void RunShapes(Probe& probe, std::int16_t version) {
  const std::string good = MakeBatch();
  const auto size = static_cast<std::int32_t>(good.size());
  const auto length = [size](std::int32_t more) { return size - 12 + more; };
  Produce(probe, "wrong magic 3", version, With(good, kMagicAt, std::int8_t{3}), 1);
  Produce(probe, "wrong magic -1", version, With(good, kMagicAt, std::int8_t{-1}), 1);
  Produce(probe, "message set of format 0", version, MakeSet({.magic = 0}), 1);
  Produce(probe, "message set of format 1", version, MakeSet({.magic = 1}), 1);
  Produce(probe, "cut off in its records", version, good.substr(0, good.size() - 5), 1);
  Produce(probe, "cut off in its header", version, good.substr(0, 40), 1);
  Produce(probe, "cut off in its length", version, good.substr(0, 10), 1);
  Produce(probe, "length too long", version, With(good, kLengthAt, length(5)), 1);
  Produce(probe, "length too short", version, With(good, kLengthAt, length(-5)), 1);
  Produce(probe, "length 13", version, With(good, kLengthAt, 13), 1);
  Produce(probe, "length negative", version, With(good, kLengthAt, -1), 1);
  Produce(probe, "length of a header", version, With(good, kLengthAt, 49), 1);
  Produce(probe, "two batches", version, good + good, 2);
  Produce(probe, "three bytes behind the batch", version, good + "abc", 1);
  Produce(probe, "half a batch behind the batch", version, good + good.substr(0, 40), 1);
}

// Headers whose CRC is right and that say what cannot be.
void RunHeaders(Probe& probe, std::int16_t version) {
  const std::string good = MakeBatch();
  const std::string three = MakeBatch({.records = 3});
  const auto attributes = [&good](int bits) { return With(good, kAttributesAt, static_cast<std::int16_t>(bits)); };
  Produce(probe, "wrong crc", version, With(good, kCrcAt, 0x12345678), 1);
  Produce(probe, "wrong crc, acks 0", version, With(good, kCrcAt, 0x12345678), 1, {.acks = 0});
  Produce(probe, "base offset 5", version, With(good, 0, std::int64_t{5}), 1);
  Produce(probe, "leader epoch 9", version, With(good, kEpochAt, 9), 1);
  Produce(probe, "no records", version, WithRecords(good, "", 0), 0);
  Produce(probe, "count 0 with a record", version, With(good, kCountAt, 0), 1);
  Produce(probe, "count negative", version, With(good, kCountAt, -1), 1);
  Produce(probe, "count too high", version, With(With(three, kCountAt, 4), kLastDeltaAt, 3), 4);
  Produce(probe, "count too low", version, With(With(three, kCountAt, 2), kLastDeltaAt, 1), 2);
  Produce(probe, "count absurd", version, With(With(three, kCountAt, 2000000000), kLastDeltaAt, 1999999999), 4);
  Produce(probe, "last offset delta too high", version, With(three, kLastDeltaAt, 7), 3);
  Produce(probe, "last offset delta too low", version, With(three, kLastDeltaAt, 1), 3);
  Produce(probe, "control bit", version, attributes(0x20), 1);
  Produce(probe, "transactional bit", version, attributes(0x10), 1);
  Produce(probe, "transactional bit and an unknown transactional id", version,
          MakeBatch({.producer = {.id = ProducerId(900000 + version),
                                  .epoch = ProducerEpoch(0),
                                  .base_sequence = Sequence(0),
                                  .transactional = true}}),
          1, {.transactional_id = "nobody"});
  Produce(probe, "transactional id and a plain batch", version, good, 1, {.transactional_id = "nobody"});
  Produce(probe, "log append time bit", version, attributes(0x08), 1);
  Produce(probe, "unknown bit 0x40", version, attributes(0x40), 1);
  Produce(probe, "unknown bit 0x100", version, attributes(0x100), 1);
  Produce(probe, "codec 5", version, attributes(5), 1);
  Produce(probe, "codec 7", version, attributes(7), 1);
}

void RunRecords(Probe& probe, std::int16_t version) {
  const std::string good = MakeBatch();
  const auto one = [&](std::string name, const RawRecord& record) {
    Produce(probe, std::move(name), version, WithRecords(good, MakeRecord(record), 1), 1);
  };
  one("record by hand", {});
  one("headers", {.headers = 2, .headers_bytes = {2, 'a', 2, 'b', 2, 'c', 1}});
  one("header without a key", {.headers = 1, .headers_bytes = {1, 2, 'b'}});
  one("headers that are not there", {.headers = 2});
  one("headers negative", {.headers = -1});
  one("record too long", {.length_error = 4});
  one("record too short", {.length_error = -2});
  one("record's length negative", {.length_error = -100});
  one("key longer than the record", {.key_bytes = 100});
  one("key's length -2", {.key_bytes = -2});
  one("record numbered 5", {.offset_delta = 5});
  one("record numbered -1", {.offset_delta = -1});
  const std::string first = MakeRecord({});
  const std::string second = MakeRecord({.offset_delta = 1});
  Produce(probe, "two records numbered 0", version, WithRecords(good, first + first, 2), 2);
  Produce(probe, "two records numbered 1, 0", version, WithRecords(good, second + first, 2), 2);
  Produce(probe, "bytes behind the records", version, WithRecords(good, first + "xyz", 1), 1);
  Produce(probe, "garbage for records", version, WithRecords(good, std::string(30, '\xff'), 1), 1);
  Produce(probe, "too large", version, MakeBatch({.value_bytes = 150000}), 1);
  Produce(probe, "too large with a wrong crc", version, With(MakeBatch({.value_bytes = 150000}), kCrcAt, 0x12345678),
          1);
  Produce(probe, "too large, acks 0", version, MakeBatch({.value_bytes = 150000}), 1, {.acks = 0});
}

void RunTimestamps(Probe& probe, std::int16_t version) {
  using std::chrono::hours;
  using std::chrono::milliseconds;
  const auto at = [&](std::string name, std::int64_t timestamp) {
    Produce(probe, std::move(name), version, MakeBatch({.timestamp_ms = timestamp}), 1);
  };
  at("two hours ahead", StartMs() + milliseconds(hours(2)).count());
  at("half an hour ahead", StartMs() + milliseconds(hours(1)).count() / 2);
  at("two hours ago", StartMs() - milliseconds(hours(2)).count());
  at("timestamp -1", -1);
  at("timestamp -5", -5);
  const std::string good = MakeBatch();
  Produce(probe, "max timestamp wrong", version, With(good, kMaxTimestampAt, StartMs() + 1000), 1);
  Produce(probe, "max timestamp -1", version, With(good, kMaxTimestampAt, std::int64_t{-1}), 1);
}

void RunCompressed(Probe& probe, std::int16_t version) {
  for (const Codec codec : kCodecs) {
    const std::string name(CodecName(codec));
    const std::string good = MakeBatch({.records = kCompressible, .codec = codec});
    std::string damaged = good;
    for (std::size_t i = wire::kRecordBatchHeaderBytes; i < damaged.size(); i += 3) damaged[i] = '\x5a';
    FixCrc(damaged);
    std::string no_stream = WithRecords(good, "this is no stream of that codec", kCompressible);
    Produce(probe, name, version, good, kCompressible);
    Produce(probe, name + " damaged", version, damaged, kCompressible);
    Produce(probe, name + " without a stream", version, no_stream, kCompressible);
    Produce(probe, name + " with a wrong crc", version, With(good, kCrcAt, 0x12345678), kCompressible);
    Produce(probe, name + " count too high", version,
            With(With(good, kCountAt, kCompressible + 1), kLastDeltaAt, kCompressible), kCompressible);
    Produce(probe, name + " count too low", version,
            With(With(good, kCountAt, kCompressible - 1), kLastDeltaAt, kCompressible - 2), kCompressible);
  }
}

// Records of one megabyte each, 70 of them, in a few dozen kilobytes.
void RunBomb(Probe& probe, std::int16_t version) {
  constexpr int kRecords = 70;
  std::string plain;
  for (std::int32_t i = 0; i < kRecords; ++i) {
    plain += MakeRecord({.offset_delta = i, .value = std::string(1 << 20, '\0')});
  }
  Compressor compressor(Codec::kZstd);
  const std::string batch = WithRecords(MakeBatch(), compressor.Compress(plain), kRecords);
  Produce(probe, "bomb", version, With(batch, kAttributesAt, static_cast<std::int16_t>(Codec::kZstd)), kRecords);
}

}  // namespace

void RunProduceBatches(Probe& probe) {
  const std::optional<wire::VersionRange> offered = probe.Offers(ApiKey::kProduce);
  for (std::int16_t version = kBatchesSince; version <= offered->max; ++version) {
    RunShapes(probe, version);
    RunHeaders(probe, version);
    RunRecords(probe, version);
    RunTimestamps(probe, version);
    RunCompressed(probe, version);
  }
  constexpr std::int16_t kZstdSince = 7;
  if (offered->max >= kZstdSince) RunBomb(probe, kZstdSince);
}

}  // namespace ktrial::fidelity
