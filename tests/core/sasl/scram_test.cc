#include "core/sasl/scram.h"

#include <string>

#include "gtest/gtest.h"

namespace ktrial {
namespace {

// The example of RFC 7677, section 3; for SHA-512, which the RFCs have none of, what Python's hashlib makes of the same messages.
TEST(ScramTest, ProofAndSignatureAreThoseOfTheStandard) {
  const std::string salt = *ScramUnescape("W22ZaJ0SNY7soEsUEjb6gQ==");
  const std::string nonce = "rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
  const std::string messages =
      "n=user,r=rOprNGfwEbeRWgbNEkqO,r=" + nonce + ",s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096,c=biws,r=" + nonce;
  const std::string sha256 = ScramSaltedPassword(ScramHash::kSha256, "pencil", salt, 4096);
  EXPECT_EQ(ScramEscape(ScramClientProof(ScramHash::kSha256, sha256, messages)),
            "dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=");
  EXPECT_EQ(ScramEscape(ScramServerSignature(ScramHash::kSha256, sha256, messages)),
            "6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
  const std::string sha512 = ScramSaltedPassword(ScramHash::kSha512, "pencil", salt, 4096);
  EXPECT_EQ(ScramEscape(ScramClientProof(ScramHash::kSha512, sha512, messages)),
            "gMGXRcevScNtxZ6/8lQYpGtnsNAc3mGcmNomv+xnoOMw+3R2xNJdMNnzMlTN8PPC6wdp6dybEmDYXYTxwnYPJQ==");
  EXPECT_EQ(ScramEscape(ScramServerSignature(ScramHash::kSha512, sha512, messages)),
            "ZQnYEgWQMFmmsM8aQMF0nDDCy/AgCzkwk8CmMZYcMg0vSVlKDanekLtifDSeVGT4+5ZxXnJq199RVG2rR7N7Zw==");
}

TEST(ScramTest, AnAttributeIsFoundByItsName) {
  EXPECT_EQ(ScramAttribute("r=abc,s=d=f,i=4096", 's'), "d=f");
  EXPECT_EQ(ScramAttribute("r=abc,s=d=f,i=4096", 'i'), "4096");
  EXPECT_EQ(ScramAttribute("r=abc", 's'), std::nullopt);
  EXPECT_EQ(ScramAttribute("rs=abc", 's'), std::nullopt);
  EXPECT_EQ(ScramAttribute("", 's'), std::nullopt);
}

TEST(ScramTest, WhatSeparatesIsWrittenOtherwiseInNames) { EXPECT_EQ(ScramName("a,b=c"), "a=2Cb=3Dc"); }

}  // namespace
}  // namespace ktrial
