#include "sim/fault/selector.h"

#include <gtest/gtest.h>

namespace ktrial::sim {
namespace {

TEST(SelectorTest, EveryWordOfTheLanguageIsUnderstood) {
  EXPECT_EQ(ParseBrokerTerm("2")->id, NodeId(2));
  EXPECT_EQ(ParseBrokerTerm("*")->kind, BrokerTerm::Kind::kAll);
  EXPECT_EQ(ParseBrokerTerm("any")->kind, BrokerTerm::Kind::kAny);
  EXPECT_EQ(ParseBrokerTerm("controller")->kind, BrokerTerm::Kind::kController);
  EXPECT_EQ(ParseBrokerTerm("follower:a/b/7")->topic, "a/b");
  EXPECT_EQ(*ParseBrokerTerm("leader:orders/3"), BrokerSelector::Leader("orders", 3).terms[0]);
}

TEST(SelectorTest, OtherWordsAreRefused) {
  for (const char* text :
       {"", "leader", "leader:orders", "leader:/0", "leader:orders/", "leader:orders/x", "-1", "2 ", "all"}) {
    EXPECT_EQ(ParseBrokerTerm(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

TEST(SelectorTest, OneTermMeansOneBrokerUnlessItIsAllOfThem) {
  EXPECT_TRUE(MeansOneBroker(BrokerSelector::Any()));
  EXPECT_TRUE(MeansOneBroker(BrokerSelector::Leader("orders", 3)));
  EXPECT_FALSE(MeansOneBroker(BrokerSelector::All()));
  EXPECT_FALSE(MeansOneBroker(BrokerSelector{{*ParseBrokerTerm("2"), *ParseBrokerTerm("3")}}));
}

TEST(SelectorTest, ToStringIsWhatAScenarioWouldSay) {
  BrokerSelector selector = BrokerSelector::Leader("orders", 3);
  selector.terms.push_back(*ParseBrokerTerm("2"));
  selector.terms.push_back(*ParseBrokerTerm("any"));
  EXPECT_EQ(ToString(selector), "leader:orders/3, 2, any");
}

}  // namespace
}  // namespace ktrial::sim
