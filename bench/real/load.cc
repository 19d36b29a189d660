#include "bench/real/load.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace ktrial::bench {

namespace {

constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
constexpr std::size_t kTexts = 1021;  // A prime: a batch of one partition holds all kinds.

[[noreturn]] void Refuse(std::string_view what, std::string_view value) {
  std::fprintf(stderr, "%.*s: \"%.*s\"; see bench/real/load.h\n", static_cast<int>(what.size()), what.data(),
               static_cast<int>(value.size()), value.data());
  std::exit(2);
}

std::int64_t Number(std::string_view what, std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1) Refuse(what, text);
  return number;
}

std::string Words(std::size_t bytes, std::uint64_t& state) {
  static constexpr std::array<std::string_view, 16> kWords = {
      "order",  "customer", "amount", "currency", "EUR",   "status", "paid",    "created",
      "street", "Berlin",   "item",   "quantity", "price", "total",  "voucher", "shipping"};
  std::string text;
  while (text.size() < bytes) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    text += kWords[state >> 60];
    text += '=';
    text += std::to_string((state >> 40) % 10'000);
    text += ';';
  }
  text.resize(bytes);
  return text;
}

}  // namespace

Load ParseLoad(int argc, char** argv) {
  if (argc < 4) Refuse("arguments", "too few");
  Load load{.bootstrap = argv[1], .records = Number("RECORDS", argv[2])};
  load.bytes = static_cast<std::size_t>(Number("BYTES", argv[3]));
  for (int i = 4; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--text") {
      load.text = true;
    } else if (argument == "--threads" || argument == "--rate") {
      if (++i == argc) Refuse(argument, "");
      const std::int64_t number = Number(argument, argv[i]);
      if (argument == "--rate") {
        load.rate = number;
      } else {
        load.threads = static_cast<int>(number);
      }
    } else {
      const std::size_t equals = argument.find('=');
      if (equals == std::string::npos) Refuse("KEY=VALUE", argument);
      load.settings[argument.substr(0, equals)] = argument.substr(equals + 1);
    }
  }
  return load;
}

Values::Values(const Load& load) {
  if (!load.text) {
    values_.emplace_back(load.bytes, 'x');
    return;
  }
  std::uint64_t state = 1;
  for (std::size_t i = 0; i < kTexts; ++i) values_.push_back(Words(load.bytes, state));
}

std::int64_t NowNanos() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * kNanosPerSecond + now.tv_nsec;
}

void Pace::Await(std::int64_t record) const {
  if (rate_ == 0) return;
  const std::int64_t due = start_ + record * kNanosPerSecond / rate_;
  const timespec until{.tv_sec = due / kNanosPerSecond, .tv_nsec = due % kNanosPerSecond};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) != 0) {
  }
}

int Report(const Load& load, Tally tally) {
  std::int64_t median = 0;
  std::int64_t p99 = 0;
  if (!tally.nanos.empty()) {
    std::sort(tally.nanos.begin(), tally.nanos.end());
    median = tally.nanos[tally.nanos.size() / 2];
    p99 = tally.nanos[tally.nanos.size() * 99 / 100];
  }
  std::printf("%lld %lld %lld %lld\n", static_cast<long long>(tally.delivered), static_cast<long long>(tally.errors),
              static_cast<long long>(median), static_cast<long long>(p99));
  return tally.delivered == load.records && tally.errors == 0 ? 0 : 1;
}

}  // namespace ktrial::bench
