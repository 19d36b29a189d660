#include "core/producer/config_properties.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/producer/config.h"

namespace ktrial {

namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\f'; }
bool IsHighSurrogate(std::uint32_t unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool IsLowSurrogate(std::uint32_t unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

void AppendUtf8(std::string& out, std::uint32_t point) {
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((point >> shift) & 0x3F)); };
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += static_cast<char>(0xC0 | (point >> 6));
    tail(0);
  } else if (point < 0x10000) {
    out += static_cast<char>(0xE0 | (point >> 12));
    tail(6), tail(0);
  } else {
    out += static_cast<char>(0xF0 | (point >> 18));
    tail(12), tail(6), tail(0);
  }
}

// The four hexadecimal digits at the start of `text`.
std::optional<std::uint32_t> ParseUnit(std::string_view text) {
  if (text.size() < 4) return std::nullopt;
  std::uint32_t unit = 0;
  for (const char c : text.substr(0, 4)) {
    const std::size_t digit = std::string_view("0123456789abcdefABCDEF").find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    unit = unit * 16 + static_cast<std::uint32_t>(digit < 16 ? digit : digit - 6);
  }
  return unit;
}

// The character that stands behind "\u" at the start of `text`, which is advanced past it.
std::optional<std::uint32_t> TakeCharacter(std::string_view& text) {
  const std::optional<std::uint32_t> unit = ParseUnit(text);
  if (!unit || IsLowSurrogate(*unit)) return std::nullopt;
  text.remove_prefix(4);
  if (!IsHighSurrogate(*unit)) return unit;
  // Characters above U+FFFF are written as two.
  const std::optional<std::uint32_t> low = text.starts_with("\\u") ? ParseUnit(text.substr(2)) : std::nullopt;
  if (!low || !IsLowSurrogate(*low)) return std::nullopt;
  text.remove_prefix(6);
  return 0x10000 + ((*unit - 0xD800) << 10) + (*low - 0xDC00);
}

// Without its backslashes; nullopt if a \u is broken.
std::optional<std::string> Unescaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const char c = text.front();
    text.remove_prefix(1);
    if (c != '\\' || text.empty()) {
      if (c != '\\') out += c;
      continue;
    }
    const char escaped = text.front();
    text.remove_prefix(1);
    constexpr std::string_view kLetters = "tnrf";
    if (const std::size_t at = kLetters.find(escaped); at != std::string_view::npos) {
      out += std::string_view("\t\n\r\f")[at];
    } else if (escaped == 'u') {
      const std::optional<std::uint32_t> point = TakeCharacter(text);
      if (!point) return std::nullopt;
      AppendUtf8(out, *point);
    } else {
      out += escaped;
    }
  }
  return out;
}

bool EndsWithOddBackslashes(std::string_view line) {
  const std::size_t other = line.find_last_not_of('\\');
  return (line.size() - (other == std::string_view::npos ? 0 : other + 1)) % 2 == 1;
}

std::string_view WithoutLeadingBlanks(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  return text;
}

// Cuts a content into lines that may have gone over several.
class LogicalLines {
 public:
  explicit LogicalLines(std::string_view rest) : rest_(rest) {}

  // The next one that is neither blank nor a comment, its escapes still in it. False at the end.
  bool Next() {
    while (!rest_.empty()) {
      std::string_view natural = WithoutLeadingBlanks(TakeNatural());
      if (natural.empty() || natural.front() == '#' || natural.front() == '!') continue;
      line_ = number_;
      text_.assign(natural);
      while (EndsWithOddBackslashes(text_)) {
        text_.pop_back();
        if (rest_.empty()) break;
        text_ += WithoutLeadingBlanks(TakeNatural());
      }
      return true;
    }
    return false;
  }
  const std::string& text() const { return text_; }
  int line() const { return line_; }  // The first of them.

 private:
  std::string_view TakeNatural() {
    const std::size_t end = std::min(rest_.find_first_of("\r\n"), rest_.size());
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end);
    rest_.remove_prefix(rest_.starts_with("\r\n") ? 2 : rest_.empty() ? 0 : 1);
    ++number_;
    return line;
  }

  std::string_view rest_;
  std::string text_;
  int number_ = 0;
  int line_ = 0;
};

// Where the key ends: at a separator or blank without a backslash.
std::size_t KeyLength(std::string_view line) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
    } else if (line[i] == '=' || line[i] == ':' || IsBlank(line[i])) {
      return i;
    }
  }
  return line.size();
}

}  // namespace

absl::StatusOr<PropertyFile> ParseProperties(std::string_view content, std::string_view name) {
  if (content.starts_with("\xEF\xBB\xBF")) content.remove_prefix(3);  // A byte order mark, as editors leave it.
  PropertyFile properties;
  LogicalLines lines(content);
  while (lines.Next()) {
    const auto error = [&](std::string_view text) {
      return absl::InvalidArgumentError(fmt::format("{}:{}: {}", name, lines.line(), text));
    };
    std::string_view line = lines.text();
    const std::optional<std::string> key = Unescaped(line.substr(0, KeyLength(line)));
    line = WithoutLeadingBlanks(line.substr(KeyLength(line)));
    if (line.starts_with('=') || line.starts_with(':')) line = WithoutLeadingBlanks(line.substr(1));
    std::optional<std::string> value = Unescaped(line);
    if (!key) return error("the key has a \\u without a character, allowed: four hexadecimal digits behind it");
    if (key->empty()) return error("there is no key, allowed: KEY=VALUE");
    if (!value) {
      return error(fmt::format(
          "the value of {} has a \\u without a character, allowed: four hexadecimal digits behind it, \\\\ for a "
          "backslash",
          *key));
    }
    properties.insert_or_assign(*key, PropertyValue{.text = *std::move(value), .line = lines.line()});
  }
  return properties;
}

absl::StatusOr<ProducerConfig> ProducerConfig::FromProperties(std::string_view content, std::string_view name,
                                                              std::vector<ConfigProblem>* problems,
                                                              const ConfigProfile* profile,
                                                              ConfigProviderFactory* providers) {
  const absl::StatusOr<PropertyFile> file = ParseProperties(content, name);
  if (!file.ok()) return file.status();
  std::map<std::string, std::string> values;
  for (const auto& [key, value] : *file) values[key] = value.text;
  std::vector<ConfigProblem> found;
  absl::StatusOr<ProducerConfig> config = Parse(values, &found, profile, providers);
  std::string text;
  for (const ConfigProblem& problem : found) {
    if (!text.empty()) text += '\n';
    const auto place = file->find(problem.key);
    const std::string line = place == file->end() ? "" : fmt::format(":{}", place->second.line);
    text += fmt::format("{}{}: {}", name, line, problem.text);
  }
  if (problems != nullptr) *problems = std::move(found);
  if (config.ok()) return config;
  return absl::Status(config.status().code(), text);
}

}  // namespace ktrial
