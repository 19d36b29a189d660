#include "scenarios/ktrial/line_reader.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace ktrial::scenario {

std::optional<std::string_view> LineReader::Next() {
  while (true) {
    const std::size_t end = buffer_.find('\n', scanned_);
    if (end != std::string::npos) {
      const std::string_view line = std::string_view(buffer_).substr(begin_, end - begin_);
      begin_ = scanned_ = end + 1;
      return line;
    }
    scanned_ = buffer_.size();
    if (!at_end_ && Fill()) continue;
    if (begin_ == buffer_.size()) return std::nullopt;
    const std::string_view line = std::string_view(buffer_).substr(begin_);
    begin_ = buffer_.size();
    return line;
  }
}

bool LineReader::AwaitInput() {
  if (stop_ < 0 && when_idle_ == nullptr) return true;
  pollfd waits[] = {{descriptor_, POLLIN, 0}, {stop_, POLLIN, 0}};  // a negative one is left out
  for (;;) {
    const int ready = poll(waits, 2, idle_millis_);
    if (ready > 0) return waits[1].revents == 0;
    if (ready == 0) {
      when_idle_();
    } else if (errno != EINTR) {
      return true;  // read says what is wrong
    }
  }
}

bool LineReader::Fill() {
  constexpr std::size_t kChunk = 1 << 16;
  buffer_.erase(0, begin_);
  scanned_ -= begin_;
  begin_ = 0;
  const std::size_t size = buffer_.size();
  buffer_.resize(size + kChunk);
  ssize_t count = 0;
  do {
    count = AwaitInput() ? read(descriptor_, buffer_.data() + size, kChunk) : 0;
  } while (count < 0 && errno == EINTR);
  buffer_.resize(size + (count > 0 ? static_cast<std::size_t>(count) : 0));
  if (count > 0) return true;
  at_end_ = true;
  if (count < 0) error_ = std::strerror(errno);
  return false;
}

}  // namespace ktrial::scenario
