#include "core/sasl/jaas.h"

#include <utility>

namespace ktrial {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool IsWord(char c) { return !IsBlank(c) && c != '=' && c != ';' && c != '"' && c != '\''; }

// Takes tokens from the front of a text.
class Scanner {
 public:
  explicit Scanner(std::string_view rest) : rest_(rest) {}

  bool AtEnd() {
    SkipBlanks();
    return rest_.empty();
  }
  bool Take(char wanted) {
    SkipBlanks();
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // Empty: there is none.
  std::string Word() {
    SkipBlanks();
    std::size_t length = 0;
    while (length < rest_.size() && IsWord(rest_[length])) ++length;
    std::string word(rest_.substr(0, length));
    rest_.remove_prefix(length);
    return word;
  }
  std::optional<std::string> Value() {
    SkipBlanks();
    if (rest_.starts_with('"') || rest_.starts_with('\'')) return Quoted();
    std::string word = Word();
    if (word.empty()) return std::nullopt;
    return word;
  }

 private:
  void SkipBlanks() {
    while (!rest_.empty() && IsBlank(rest_.front())) rest_.remove_prefix(1);
  }
  std::optional<std::string> Quoted() {
    const char quote = rest_.front();
    rest_.remove_prefix(1);
    std::string value;
    while (!rest_.empty()) {
      char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == quote) return value;
      if (c == '\\' && !rest_.empty()) {
        c = rest_.front();
        rest_.remove_prefix(1);
        constexpr std::string_view kLetters = "nrt";
        if (const std::size_t at = kLetters.find(c); at != std::string_view::npos) c = "\n\r\t"[at];
      }
      value += c;
    }
    return std::nullopt;
  }

  std::string_view rest_;
};

bool IsFlag(std::string_view word) {
  return word == "required" || word == "requisite" || word == "sufficient" || word == "optional" ||
         word == "REQUIRED" || word == "REQUISITE" || word == "SUFFICIENT" || word == "OPTIONAL";
}

}  // namespace

std::optional<JaasLogin> ParseJaas(std::string_view text) {
  Scanner scanner(text);
  JaasLogin login{.module = scanner.Word()};
  if (login.module.empty() || !IsFlag(scanner.Word())) return std::nullopt;
  while (!scanner.Take(';')) {
    std::string key = scanner.Word();
    if (key.empty() || !scanner.Take('=')) return std::nullopt;
    std::optional<std::string> value = scanner.Value();
    if (!value.has_value()) return std::nullopt;
    login.options.insert_or_assign(std::move(key), *std::move(value));
  }
  if (!scanner.AtEnd()) return std::nullopt;  // A second module: which one is meant?
  return login;
}

}  // namespace ktrial
