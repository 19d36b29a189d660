// The whole of a file, or of a stream that is open already.
#ifndef CORE_ENV_POSIX_READ_FILE_H_
#define CORE_ENV_POSIX_READ_FILE_H_

#include <cstdio>
#include <string>

#include "absl/status/statusor.h"

namespace ktrial {

// NOT_FOUND: it cannot be opened. UNAVAILABLE: it cannot be read to its end. The texts say why, in the system's words and without the
// path. May block as long as the file system does.
absl::StatusOr<std::string> ReadFile(const std::string& path);
// The rest of a stream, which stays open.
absl::StatusOr<std::string> ReadStream(std::FILE* stream);

}  // namespace ktrial

#endif  // CORE_ENV_POSIX_READ_FILE_H_
