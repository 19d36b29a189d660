// The doors in production: epoll, eventfd, c-ares, OS threads, the kernel's clocks and its random numbers.
//
// This folder is the only place in core/ with headers of the operating system.
#ifndef CORE_ENV_POSIX_POSIX_ENV_H_
#define CORE_ENV_POSIX_POSIX_ENV_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "core/env/env.h"

namespace ktrial {

// Makes the real world. One is enough for a program, several do not disturb each other. Outlives what it made.
//
// `seed` fixes the draws of every Entropy, for tests; without it the seed comes from the kernel.
std::unique_ptr<Env> MakePosixEnv(std::optional<std::uint64_t> seed = std::nullopt);

}  // namespace ktrial

#endif  // CORE_ENV_POSIX_POSIX_ENV_H_
