#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/checker/testing/good_run.h"

namespace ktrial::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(MemoryTest, MoreThanBufferMemoryIsAFault) {
  GoodRun run;
  run.AppendAll();
  run.AckAll();
  run.events.Add({.value = 1025, .kind = EventKind::kBufferUsed});
  EXPECT_THAT(run.Objections(), ElementsAre("memory"));
}

TEST(MemoryTest, LessThanNothingIsAFault) {
  GoodRun run;
  run.AppendAll();
  run.AckAll();
  run.events.Add({.value = -1, .kind = EventKind::kBufferUsed});
  EXPECT_THAT(run.Objections(), ElementsAre("memory"));
}

TEST(MemoryTest, MemoryInUseAfterCloseIsAFault) {
  GoodRun run;
  run.AppendAll();
  run.AckAll();
  run.producer.buffer_used_at_end = 16;
  EXPECT_THAT(run.Objections(), ElementsAre("memory"));
}

TEST(MemoryTest, WaiterAfterCloseIsAFault) {
  GoodRun run;
  run.AppendAll();
  run.AckAll();
  run.producer.waiters_at_end = 1;
  EXPECT_THAT(run.Objections(), ElementsAre("memory"));
}

TEST(MemoryTest, AllOfBufferMemoryIsNoFault) {
  GoodRun run;
  run.AppendAll();
  run.AckAll();
  run.events.Add({.value = 1024, .kind = EventKind::kBufferUsed});
  EXPECT_THAT(run.Objections(), IsEmpty());
}

}  // namespace
}  // namespace ktrial::sim
