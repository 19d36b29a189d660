"""Each rule of tidy.py on an example that it must find and on one that it must leave alone."""

import unittest

import parity
import tidy
from tidy import headers


def found(rule, files):
    return [(path, number) for path, number, _ in rule(tidy.Tree({path: text.split("\n") for path, text in files.items()}))]


class BannedNames(unittest.TestCase):
    def check(self, bad, good, path="core/a.cc"):
        self.assertEqual(found(tidy.banned_names, {path: bad}), [(path, 1)], bad)
        self.assertEqual(found(tidy.banned_names, {path: good}), [], good)

    def test_clock(self):
        self.check("auto t = std::chrono::steady_clock::now();", "std::chrono::steady_clock::time_point t;")

    def test_random(self):
        self.check("std::random_device device;", "entropy.Next(purpose);", "sim/a.cc")

    def test_distribution(self):
        self.check("std::uniform_int_distribution<int> d;", "distribution.Draw();", "tests/a_test.cc")

    def test_hash_map(self):
        self.check("absl::flat_hash_map<int, int> m;", "absl::flat_hash_map<int, int> m;  // tidy: lookup-only")

    def test_pointer_key(self):
        self.check("std::map<const Node*, int> m;", "std::map<NodeId, Node*> m;")

    def test_thread(self):
        self.check("std::this_thread::sleep_for(d);", "threads.SleepUntil(t, site);", "tests/a_test.cc")

    def test_sync(self):
        self.check("std::mutex m;", "Mutex m(threads, Site(\"a.b\"));")

    def test_atomic(self):
        self.check("std::atomic<int> n;", "Atomic<int> n(threads, Site(\"a.b\"), 0);")

    def test_thread_local(self):
        self.check("thread_local int n;", "int local_threads;")

    def test_libm(self):
        self.check("x = std::pow(2, n);", "x = power(n);", "sim/a.cc")

    def test_os_header(self):
        self.check("#include <sys/epoll.h>", "#include <string>")

    def test_file(self):
        self.check("std::ifstream file(path);", "std::string_view content;")

    def test_simulated(self):
        self.check("if (sim::Current()) return;", "similar::Current();")

    def test_status_text(self):
        self.check("Log(status.ToString());", "Log(status.message());")

    def test_todo(self):
        self.check("// TODO: later", "// TODO(#12): later")

    def test_status_ok(self):
        self.check("EXPECT_FALSE(result.ok());", "EXPECT_EQ(result.status().code(), kCode);", "tests/a_test.cc")

    def test_names_in_comments_and_strings_are_free(self):
        self.assertEqual(found(tidy.banned_names, {"core/a.cc": 'x = "std::mutex";  // std::mutex'}), [])

    def test_the_doors_may_use_the_system(self):
        self.assertEqual(found(tidy.banned_names, {"core/env/posix/a.cc": "#include <sys/epoll.h>\nstd::mutex m;"}), [])


class Layering(unittest.TestCase):
    def test_arrows_go_one_way(self):
        self.assertEqual(found(tidy.layering, {"core/a.cc": '#include "sim/b.h"'}), [("core/a.cc", 1)])
        self.assertEqual(found(tidy.layering, {"sim/a.cc": '#include "scenarios/b.h"'}), [("sim/a.cc", 1)])
        self.assertEqual(found(tidy.layering, {"sim/a.cc": '#include "core/b.h"', "tests/b.cc": '#include "scenarios/c.h"'}), [])


class Sites(unittest.TestCase):
    def test_a_name_stands_once(self):
        files = {"core/a.cc": 'Site("a.wait")', "sim/b.cc": 'Site("a.wait")'}
        self.assertEqual(found(tidy.unique_sites, files), [("sim/b.cc", 1)])
        self.assertEqual(found(tidy.unique_sites, {"core/a.cc": 'Site("a.wait"), Site("a.poll")'}), [])


class Lengths(unittest.TestCase):
    def test_a_file_of_801_lines_is_too_long(self):
        self.assertEqual(found(tidy.file_length, {"core/a.cc": "\n" * 801}), [("core/a.cc", 801)])
        self.assertEqual(found(tidy.file_length, {"core/a.cc": "\n" * 800}), [])

    def body(self, head, lines):
        return head + " {\n" + "  Do();\n" * (lines - 2) + "}\n"

    def test_a_function_of_71_lines_is_too_long(self):
        for head in ("void F()", "int C::F(int a) const", "TEST(A, B)", "C::C() : a_(1), b_(2)", "auto F() -> int"):
            self.assertEqual(found(tidy.function_length, {"core/a.cc": self.body(head, 71)}), [("core/a.cc", 1)], head)
            self.assertEqual(found(tidy.function_length, {"core/a.cc": self.body(head, 70)}), [], head)

    def test_a_method_inside_a_class_is_measured_alone(self):
        text = "namespace k {\nclass C {\n public:\n" + self.body("void F()", 60) + self.body("void G()", 60) + "};\n}\n"
        self.assertEqual(found(tidy.function_length, {"core/a.h": text}), [])

    def test_a_lambda_counts_for_its_function(self):
        text = "void F() {\n  auto f = [&]() {\n" + "    Do();\n" * 70 + "  };\n}\n"
        self.assertEqual(found(tidy.function_length, {"core/a.cc": text}), [("core/a.cc", 1)])

    def test_tables_are_no_functions(self):
        self.assertEqual(found(tidy.function_length, {"core/a.cc": "const Row kRows[] = {\n" + "  {1},\n" * 100 + "};\n"}), [])


class Targets(unittest.TestCase):
    def test_a_test_outside_of_the_build_is_found(self):
        files = {"tests/core/a_test.cc": "", "tests/core/BUILD.bazel": 'srcs = ["b_test.cc"]'}
        self.assertEqual(found(tidy.tests_in_targets, files), [("tests/core/a_test.cc", 1)])
        files["tests/core/BUILD.bazel"] = 'srcs = ["a_test.cc"]'
        self.assertEqual(found(tidy.tests_in_targets, files), [])


class Architecture(unittest.TestCase):
    def test_every_folder_is_named_and_every_name_exists(self):
        files = {"core/wire/a.h": "", "docs/ARCHITECTURE.md": "`core/gone/` is a folder"}
        self.assertEqual(len(found(tidy.folders_in_architecture, files)), 2)
        files["docs/ARCHITECTURE.md"] = "`core/wire/` is a folder"
        self.assertEqual(found(tidy.folders_in_architecture, files), [])


class Guards(unittest.TestCase):
    def test_the_guard_is_the_path(self):
        self.assertEqual(found(tidy.include_guards, {"core/wire/a.h": "#ifndef A_H_"}), [("core/wire/a.h", 1)])
        self.assertEqual(found(tidy.include_guards, {"core/wire/a.h": "#ifndef CORE_WIRE_A_H_"}), [])


class PackageHeaders(unittest.TestCase):
    FILES = {"tools/package/include/producer.h": '#include "core/producer/producer.h"', "core/producer/producer.h": ""} | {
        path: "" for path in headers.INTERNAL}

    def test_a_header_that_nobody_decided_on(self):
        self.assertEqual(found(tidy.package_headers, self.FILES), [])
        self.assertEqual(found(tidy.package_headers, self.FILES | {"core/producer/new.h": ""}), [("core/producer/new.h", 1)])
        self.assertEqual(found(tidy.package_headers, self.FILES | {"core/network/new.h": ""}), [])

    def test_an_internal_header_that_is_installed_or_gone(self):
        self.assertEqual(found(tidy.package_headers, self.FILES | {"core/producer/producer.h": '#include "core/producer/sender.h"'}),
                         [("core/producer/sender.h", 1)])
        self.assertEqual(found(tidy.package_headers, {path: text for path, text in self.FILES.items() if path != "sim/stall_meter.h"}),
                         [("sim/stall_meter.h", 1)])


class Parity(unittest.TestCase):
    """The smallest page that is right, and what is found when one thing about it or its tree is not."""

    PAGE = """| | proved | partly | differs | not built | no test | not ours | all |
| rules | 1 | 0 | 1 | 1 | 0 | 0 | 3 |
| tests of Java | 1 | 0 | 0 | 0 | 1 | 0 | 2 |
| MD | metadata | MD-02 |
| SN | sender | SN-01 |
| MD-01 | it begins empty | proved | `a_test.cc:ATest.BeginsEmpty` |
| MD-02 | it ends | differs | `a_test.cc:ATest.Ends`, `scenarios/end.toml`; later |
| SN-01 | it sends | not built | transactions |
### FooTest (2)
| `FooTest.testA` | MD-01, MD-02 | proved | `real/b_test.py:it_works` |
| `FooTest.testB` | SN-01 | no test | nobody looked |"""
    FILES = {
        "tests/core/a_test.cc": "// MD-01 to MD-02\nTEST(ATest, BeginsEmpty) {}\nTEST_F(ATest,\n       Ends) {}",
        "tests/real/b_test.py": "def it_works():\n    pass",
        "scenarios/end.toml": "",
    }

    def check(self, expected, old="", new="", files=None):
        """`expected`: the text of each finding, after `old` in the page became `new`, and with other files."""
        self.assertIn(old, self.PAGE)
        all_files = self.FILES | {parity.PAGE: self.PAGE.replace(old, new, 1)} | (files or {})
        tree = tidy.Tree({path: text.split("\n") for path, text in all_files.items()})
        self.assertEqual([text.removeprefix("parity: ") for _, _, text in parity.parity(tree)], expected)

    def test_a_page_that_is_right(self):
        self.check([])
        self.check([], "`a_test.cc:ATest.Ends`", "`core/a_test.cc:ATest.Ends`")

    def test_the_page_must_be_there(self):
        self.assertEqual(found(parity.parity, {"core/a.cc": ""}), [(parity.PAGE, 1)])

    def test_each_rule_has_a_row(self):
        self.check(["SN-02 has no row"], "SN-01 |\n", "SN-02 |\n")
        self.check(["SN-01 has no row", "rules, not built: 0, not 1", "rules, all: 2, not 3"],
                   "| SN-01 | it sends | not built | transactions |\n")

    def test_each_rule_has_one_row(self):
        self.check(["MD-01 has a row in line 6 too", "SN-01 has no row"], "| SN-01 | it", "| MD-01 | it")
        self.check(["SN-01 has no row", "SN-07 is behind the last rule of its family"], "| SN-01 | it", "| SN-07 | it")

    def test_the_number_of_tests_of_a_class_is_that_of_its_rows(self):
        self.check(["FooTest has 2 rows, not 3"], "(2)", "(3)")
        self.check(["BarTest has 1 rows, not 0", "FooTest has 1 rows, not 2"], "`FooTest.testB`", "`BarTest.testB`")

    def test_a_java_test_is_of_rules_that_there_are(self):
        self.check(["`FooTest.testA`: there is no rule MD-03"], "MD-01, MD-02", "MD-01, MD-03")

    def test_a_named_test_exists(self):
        self.check(["MD-01: the test a_test.cc:ATest.Begins does not exist"], "BeginsEmpty", "Begins")
        self.check(["MD-02: the test scenarios/begin.toml does not exist"], "end.toml", "begin.toml")
        self.check(["`FooTest.testA`: the test real/b_test.py:it_worked does not exist"], "it_works", "it_worked")
        self.check(["MD-02: the test a_test.cc:ATest.Ends does not exist"],
                   files={"tests/core/a_test.cc": "TEST(ATest, BeginsEmpty) {}"})
        self.check(["MD-02: `ATest.Ends` is not the name of a test"],
                   "`a_test.cc:ATest.Ends`", "`ATest.Ends`")

    def test_a_named_test_is_one(self):
        self.check(["MD-01: a_test.cc:ATest.BeginsEmpty may be in tests/core/a_test.cc or tests/sim/a_test.cc"],
                   files={"tests/sim/a_test.cc": "TEST(ATest, BeginsEmpty) {}"})

    def test_a_state_is_one_of_six(self):
        self.check(['SN-01: the state "soon" is none of proved, partly, differs, not built, no test, not ours',
                    "rules, not built: 0, not 1"], "not built | transactions", "soon | transactions")

    def test_a_state_has_what_it_needs(self):
        self.check(['MD-02: "differs" needs a reason'], "; later")
        self.check(['SN-01: "not built" needs a reason'], "transactions", " ")
        self.check(['`FooTest.testB`: "no test" has no place for a test'], "nobody looked",
                   "nobody looked at `a_test.cc:ATest.Ends`")
        self.check(['`FooTest.testA`: "proved" needs a test'], "`real/b_test.py:it_works`", "surely")

    def test_counts_are_those_of_the_rows(self):
        self.check(["rules, proved: 1, not 2"], "| rules | 1", "| rules | 2")
        self.check(["tests of Java, all: 2, not 1"], "| 2 |\n| MD", "| 1 |\n| MD")
        self.check(["there is no line of counts for rules"], "| rules | 1 | 0 | 1 | 1 | 0 | 0 | 3 |\n")

    def test_what_a_comment_names_has_a_test(self):
        text = "{} names no test of {}, though this comment speaks of it".format
        for comment, rules in (("// SN-01", ["SN-01"]), ("// MD-03: x", ["MD-03"]), ("f();  // MD-02 to MD-04", ["MD-03", "MD-04"]),
                               ("// D-9, B070", []), ('Say("SN-01");', [])):
            self.check([text(parity.PAGE, rule) for rule in rules], files={"tests/core/c_test.cc": comment})


if __name__ == "__main__":
    unittest.main()
