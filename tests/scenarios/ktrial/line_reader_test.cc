#include "scenarios/ktrial/line_reader.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace ktrial::scenario {
namespace {

// The lines of a pipe that is closed after `text`, which fits into its buffer.
std::vector<std::string> LinesOf(const std::string& text) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  EXPECT_EQ(write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  close(ends[1]);
  LineReader reader(ends[0]);
  std::vector<std::string> lines;
  while (const std::optional<std::string_view> line = reader.Next()) lines.emplace_back(*line);
  EXPECT_EQ(reader.error(), "");
  close(ends[0]);
  return lines;
}

using Lines = std::vector<std::string>;

TEST(LineReaderTest, ALineEndsAtItsEnd) { EXPECT_EQ(LinesOf("a\nbc\n"), (Lines{"a", "bc"})); }

TEST(LineReaderTest, TheLastLineNeedsNoEnd) { EXPECT_EQ(LinesOf("a\nbc"), (Lines{"a", "bc"})); }

TEST(LineReaderTest, EmptyLinesAreLines) { EXPECT_EQ(LinesOf("\n\na\n"), (Lines{"", "", "a"})); }

TEST(LineReaderTest, NoTextIsNoLine) { EXPECT_EQ(LinesOf(""), Lines()); }

TEST(LineReaderTest, BytesOfAllKindsPass) {
  const std::string line("a\0\r\xff", 4);
  EXPECT_EQ(LinesOf(line + "\n"), Lines{line});
}

TEST(LineReaderTest, ToldToStopItGivesWhatItHasReadAndReadsNoMore) {
  int input[2];
  int stop[2];
  ASSERT_EQ(pipe(input), 0);
  ASSERT_EQ(pipe(stop), 0);
  LineReader reader(input[0], stop[0]);
  ASSERT_EQ(write(input[1], "a\nb\n", 4), 4);
  EXPECT_EQ(reader.Next(), "a");
  // The writer is still there: only being told ends this.
  ASSERT_EQ(write(input[1], "c\n", 2), 2);
  ASSERT_EQ(write(stop[1], "", 1), 1);
  EXPECT_EQ(reader.Next(), "b");
  EXPECT_EQ(reader.Next(), std::nullopt);
  EXPECT_EQ(reader.error(), "");
  for (const int end : {input[0], input[1], stop[0], stop[1]}) close(end);
}

TEST(LineReaderTest, ADescriptorThatCannotBeReadIsAnError) {
  LineReader reader(-1);
  EXPECT_EQ(reader.Next(), std::nullopt);
  EXPECT_EQ(reader.error(), "Bad file descriptor");
}

}  // namespace
}  // namespace ktrial::scenario
