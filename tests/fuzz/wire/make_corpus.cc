// make_corpus DIR: well-formed inputs for every fuzz target, in DIR/<target>/.
#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/compression/compressor.h"
#include "core/wire/codec.h"
#include "core/wire/control_batch.h"
#include "core/wire/message_set.h"
#include "core/wire/record_batch.h"
#include "tests/core/wire/filled_message.h"

namespace ktrial::wire {
namespace {

class Corpus {
 public:
  explicit Corpus(std::filesystem::path root) : root_(std::move(root)) {}
  void Add(const std::string& target, std::string_view input) {
    const std::filesystem::path folder = root_ / target;
    std::filesystem::create_directories(folder);
    std::ofstream(folder / std::to_string(count_++), std::ios::binary) << input;
  }
  int count() const { return count_; }

 private:
  std::filesystem::path root_;
  int count_ = 0;
};

void AddMessages(Corpus& corpus) {
  std::string stream(1, '\x07');
  ForEachFilledMessage(/*seeds=*/3, [&]<class Message>(const Filled<Message>& filled, std::int16_t version) {
    const std::string name(ApiKeyName(Message::kApi));
    const bool request = Message::kDirection == Direction::kRequest;
    std::string body(1, static_cast<char>(version - CodecVersionRange(Message::kApi)->min));
    Encode(filled.message, version, body);
    corpus.Add("fuzz_" + name + (request ? "Request" : "Response"), body);
    std::string frame;
    if constexpr (Message::kDirection == Direction::kRequest) {
      EncodeRequestHeader({Message::kApi, version, 7, "client"}, frame);
      corpus.Add("fuzz_headers", frame + body);
    } else {
      frame = {static_cast<char>(Message::kApi), 0, static_cast<char>(version)};
      EncodeResponseHeader(Message::kApi, version, 7, frame);
      corpus.Add("fuzz_headers", frame + body);
      EncodeResponseFrame(filled.message, version, 7, stream);
    }
  });
  corpus.Add("fuzz_frames", stream);
  corpus.Add("fuzz_frames", std::string_view(stream).substr(0, 1000));
}

void AddBatches(Corpus& corpus) {
  std::vector<char> buffer(4096);
  for (int records = 1; records <= 70; records += 3) {
    RecordBatchBuilder builder(buffer);
    const std::array<HeaderView, 2> headers = {HeaderView{"h", "x"}, HeaderView{"n", std::nullopt}};
    for (int i = 0; i < records; ++i) {
      if (i % 3 == 0) {
        builder.Append(1000 - i, std::nullopt, "value", {});
      } else {
        builder.Append(1000 + 70 * i, "key", std::nullopt, headers);
      }
    }
    const auto codec = static_cast<Codec>(records % kCodecCount);
    if (codec != Codec::kNone) {
      Compressor compressor(codec);
      builder.Compress(compressor);
    }
    corpus.Add("fuzz_record_batch", builder.Close({ProducerId(1), ProducerEpoch(0), Sequence(0)}));
  }
  corpus.Add("fuzz_record_batch", EncodeTransactionMarker({}));
}

void AddMessageSets(Corpus& corpus) {
  std::vector<char> buffer(4096);
  for (int records = 1; records <= 41; records += 5) {
    const auto magic = static_cast<std::int8_t>(records % 2);
    MessageSetBuilder builder(magic, buffer);
    for (int i = 0; i < records; ++i) {
      builder.Append(1000 + i, i % 3 == 0 ? std::nullopt : std::optional<std::string_view>("key"), "value of it");
    }
    const auto codec = static_cast<Codec>(records / 5 % 4);
    if (codec != Codec::kNone) {
      Compressor compressor(codec);
      builder.Compress(compressor);
    }
    corpus.Add("fuzz_message_set", builder.Close());
  }
}

}  // namespace
}  // namespace ktrial::wire

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_corpus DIR\n");
    return 2;
  }
  ktrial::wire::Corpus corpus(argv[1]);
  ktrial::wire::AddMessages(corpus);
  ktrial::wire::AddBatches(corpus);
  ktrial::wire::AddMessageSets(corpus);
  std::printf("%d inputs\n", corpus.count());
  return 0;
}
