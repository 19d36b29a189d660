#include "core/env/posix/read_file.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>

#include "absl/status/status.h"

namespace ktrial {

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"), &std::fclose);
  if (file == nullptr) return absl::NotFoundError(std::strerror(errno));
  return ReadStream(file.get());
}

absl::StatusOr<std::string> ReadStream(std::FILE* stream) {
  std::string content;
  std::array<char, 1 << 14> chunk;
  std::size_t count = 0;
  while ((count = std::fread(chunk.data(), 1, chunk.size(), stream)) > 0) content.append(chunk.data(), count);
  if (std::ferror(stream) != 0) return absl::UnavailableError(std::strerror(errno));
  return content;
}

}  // namespace ktrial
