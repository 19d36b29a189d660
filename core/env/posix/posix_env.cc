#include "core/env/posix/posix_env.h"

#include <sys/random.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include "core/check.h"
#include "core/env/posix/epoll_transport.h"
#include "core/env/posix/posix_clock.h"
#include "core/env/posix/posix_threads.h"
#include "core/env/posix/read_file.h"
#include "xxhash.h"

namespace ktrial {
namespace {

void FillFromKernel(std::span<char> bytes) {
  while (!bytes.empty()) {
    const ssize_t filled = getrandom(bytes.data(), bytes.size(), 0);
    KT_CHECK(filled > 0 || errno == EINTR);
    if (filled > 0) bytes = bytes.subspan(static_cast<std::size_t>(filled));
  }
}

std::uint64_t SeedFromKernel() {
  std::array<char, sizeof(std::uint64_t)> bytes;
  FillFromKernel(bytes);
  std::uint64_t seed = 0;
  std::memcpy(&seed, bytes.data(), sizeof seed);
  return seed;
}

// Counter-based: draw n of a purpose is a hash of (seed, entity, purpose, n).
class PosixEntropy final : public Entropy {
 public:
  PosixEntropy(std::uint64_t seed, std::string_view entity)
      : key_(XXH3_64bits_withSeed(entity.data(), entity.size(), seed)) {}

  std::uint64_t Next(DrawPurpose purpose) override {
    const auto index = static_cast<std::size_t>(purpose);
    KT_CHECK(index < counters_.size());
    const std::uint64_t n = counters_[index].fetch_add(1, std::memory_order_relaxed);
    const std::array<std::uint64_t, 2> input = {static_cast<std::uint64_t>(purpose), n};
    return XXH3_64bits_withSeed(input.data(), sizeof input, key_);
  }
  void Secret(std::span<char> bytes) override { FillFromKernel(bytes); }

 private:
  const std::uint64_t key_;
  std::array<std::atomic<std::uint64_t>, 32> counters_{};
};

class PosixEnv final : public Env {
 public:
  explicit PosixEnv(std::uint64_t seed) : seed_(seed) {}

  Clock& clock() override { return clock_; }
  Threads& threads() override { return threads_; }
  std::unique_ptr<Transport> NewTransport(std::string_view) override { return NewEpollTransport(clock_); }
  std::unique_ptr<Entropy> NewEntropy(std::string_view entity) override {
    return std::make_unique<PosixEntropy>(seed_, entity);
  }
  std::int64_t NextProducerNumber() override { return producer_count_.fetch_add(1, std::memory_order_relaxed) + 1; }
  absl::StatusOr<std::string> ReadFile(std::string_view path) override { return ktrial::ReadFile(std::string(path)); }

 private:
  const std::uint64_t seed_;
  PosixClock clock_;
  PosixThreads threads_;
  std::atomic<std::int64_t> producer_count_{0};
};

}  // namespace

std::unique_ptr<Env> MakePosixEnv(std::optional<std::uint64_t> seed) {
  return std::make_unique<PosixEnv>(seed.has_value() ? *seed : SeedFromKernel());
}

}  // namespace ktrial
