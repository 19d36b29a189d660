// make_corpus DIR: streams for every fuzz target, in DIR/<target>/.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "core/compression/compressor.h"
#include "tests/core/compression/vectors.h"

namespace ktrial {
namespace {

class Corpus {
 public:
  explicit Corpus(std::filesystem::path root) : root_(std::move(root)) {}
  void Add(Codec codec, char choice, std::string_view stream) {
    const std::filesystem::path folder = root_ / ("fuzz_decompress_" + std::string(CodecName(codec)));
    std::filesystem::create_directories(folder);
    std::ofstream(folder / std::to_string(count_++), std::ios::binary) << choice << stream;
  }
  int count() const { return count_; }

 private:
  std::filesystem::path root_;
  int count_ = 0;
};

void AddAll(Corpus& corpus) {
  for (const Vector& vector : Vectors()) {
    corpus.Add(vector.codec, vector.framing == Framing::kStandard ? 0x13 : 0x17, vector.bytes);
  }
  std::string text;
  for (int i = 0; i < 12'000; ++i) text += std::to_string(i * i);
  for (const Codec codec : kAllCodecs) {
    Compressor compressor(codec);
    for (const std::size_t size : {0, 10, 3000, 66'000}) {
      corpus.Add(codec, '\xf3', compressor.Compress(std::string_view(text).substr(0, size)));
    }
    corpus.Add(codec, '\xf2', compressor.Compress(std::string(100'000, 'x')));
  }
}

}  // namespace
}  // namespace ktrial

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_corpus DIR\n");
    return 2;
  }
  ktrial::Corpus corpus(argv[1]);
  ktrial::AddAll(corpus);
  std::printf("%d inputs\n", corpus.count());
  return 0;
}
