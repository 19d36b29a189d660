// A profile makes a configuration mean what it means to another client: that client's defaults, and its own names for
// keys.
//
//   ProducerConfig::Parse({{"message.timeout.ms", "10000"}, ...}, nullptr, FindProfile("librdkafka-2"));
//
// A default of a profile is a default like Kafka's own: an explicit key wins over it, and it gives way where a rule
// says so (PR-21, PR-22). Kafka's keys may be used beside the client's names; the same key by two names is an error. A
// name that has no counterpart here is an error that says why, unless its value asks for nothing.
//
// What a profile cannot bring is in its `differences`. Everything here is constant.
#ifndef CORE_PRODUCER_PROFILE_H_
#define CORE_PRODUCER_PROFILE_H_

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/producer/config.h"

namespace ktrial {

struct ProfileDefault {
  std::string_view key;
  std::string_view value;
};

// In that client `key` is as large as `leader`, unless it is given: it has no key of its own there.
struct ProfileFollower {
  std::string_view key;
  std::string_view leader;
};

// A name that Kafka 4 does not know, or one to whose values that client gives another meaning.
struct ProfileAlias {
  std::string_view name;
  std::string_view key;  // Of Kafka; empty if there is none.
  // Makes a value of `key` from one of `name`, or nothing if it asks for nothing; false if it cannot. Null: the values
  // are the same. What is no value of `name` at all is passed on: it will be found to be none of `key` either.
  bool (*translate)(std::string_view value, std::string& to) = nullptr;
  std::string_view harmless;  // Without key: the value that asks for nothing. "*": any, with a warning.
  std::string_view note;      // What the name means here, or why it means nothing.
};

struct ConfigProfile {
  std::string_view name;
  std::string_view client;  // For people: "the Java client 2.8".
  std::span<const ProfileDefault> defaults;
  std::span<const ProfileFollower> followers;
  std::span<const ProfileAlias> aliases;
  std::span<const std::string_view> differences;  // A sentence each.
  bool empty_id_is_none = false;                  // That client takes an empty transactional.id for none.
};

std::span<const ConfigProfile> ConfigProfiles();
// Null if there is none.
const ConfigProfile* FindProfile(std::string_view name);
// The names, for an error: "java-0.9, java-2.8 or librdkafka-2".
std::string ProfileNames();
// Null if that client has no name of its own like this.
const ProfileAlias* FindAlias(const ConfigProfile& profile, std::string_view name);
// The default that a key has under the profile if nothing else is given.
std::string ProfileDefaultOf(const ConfigProfile& profile, std::string_view key);

// That a key is not known, with the one that was probably meant, or the profile that would take it. `profile` may be
// null.
std::string UnknownKeyText(std::string_view name, const ConfigProfile* profile);

// A configuration in Kafka's own keys.
struct ProfiledValues {
  struct Written {
    std::string name;
    std::string value;
  };
  std::map<std::string, std::string> given;
  std::map<std::string, std::string> defaults;
  std::map<std::string, Written> written;  // What stood there for a key of `given`, where that is not the same.
  std::vector<std::string> warnings;
  std::vector<ConfigProblem> problems;
};
ProfiledValues ApplyProfile(const ConfigProfile& profile, const std::map<std::string, std::string>& values);

}  // namespace ktrial

#endif  // CORE_PRODUCER_PROFILE_H_
