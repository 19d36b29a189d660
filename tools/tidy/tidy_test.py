"""Each rule of tidy.py on an example that it must find and on one that it must leave alone."""

import unittest

import tidy


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


if __name__ == "__main__":
    unittest.main()
