// The providers of configuration values that come with Kafka, on this machine's files and environment:
//
//   FileConfigProvider        ${NAME:FILE:KEY}: KEY of a .properties file
//   DirectoryConfigProvider   ${NAME:FOLDER:FILE}: all of a file, as it is; only files right in the folder
//   EnvVarConfigProvider      ${NAME:VARIABLE}: a variable of the environment
//
// Each goes by its Java name, with the package or without. Parameters: allowed.paths of the first two, absolute paths separated by
// commas, in or below which files may be read (default: all); allowlist.pattern of the last, an ECMAScript regular expression that
// the whole name of a variable has to fit (default: any; Java's own expressions are much the same).
//
// Thread safety: as std::getenv and files have it; Parse calls from one thread.
#ifndef CORE_ENV_POSIX_CONFIG_PROVIDERS_H_
#define CORE_ENV_POSIX_CONFIG_PROVIDERS_H_

#include <memory>

#include "core/producer/config_provider.h"

namespace ktrial {

std::unique_ptr<ConfigProviderFactory> MakePosixConfigProviders();

}  // namespace ktrial

#endif  // CORE_ENV_POSIX_CONFIG_PROVIDERS_H_
