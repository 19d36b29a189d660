"""Which headers and symbols a package gives away, and in what form."""

import unittest

import exports
import headers

FACE = "tools/package/include/producer.h"


class Headers(unittest.TestCase):
    def test_what_a_face_includes_is_installed_and_nothing_else(self):
        files = {FACE: '#include "core/a.h"\n', "core/a.h": '#include <map>\n#include "core/b/c.h"\n', "core/b/c.h": "", "core/d.h": ""}
        self.assertEqual(headers.closure(files, headers.faces(files)), ["core/a.h", "core/b/c.h"])

    def test_a_header_that_does_not_exist_is_named(self):
        with self.assertRaisesRegex(headers.HeaderError, "core/a.h is included but does not exist"):
            headers.closure({FACE: '#include "core/a.h"\n'}, [FACE])

    def test_mentions_guards_and_requirements(self):
        text = ('// See core/b.h, core/c.h.\n#ifndef CORE_A_H_\n#define CORE_A_H_\n\n#include "core/b.h"\n#include "absl/core/b.h"\n'
                "#endif  // CORE_A_H_\n")
        self.assertEqual(
            headers.rewrite("core/a.h", text, {"core/a.h", "core/b.h"}),
            "// See ktrial/core/b.h, core/c.h.\n#ifndef KTRIAL_CORE_A_H_\n#define KTRIAL_CORE_A_H_\n\n"
            '#include "ktrial/requirements.h"\n\n#include "ktrial/core/b.h"\n#include "absl/core/b.h"\n#endif  // KTRIAL_CORE_A_H_\n')

    def test_a_header_without_a_guard_is_refused(self):
        with self.assertRaisesRegex(headers.HeaderError, "core/a.h has no include guard"):
            headers.rewrite("core/a.h", "int a;\n", set())

    def test_requirements_name_the_abseil(self):
        self.assertIn("ABSL_LTS_RELEASE_VERSION != 20990101\n", headers.requirements("0.1", "20990101"))


class Exports(unittest.TestCase):
    def test_components_of_mangled_names(self):
        for symbol, names in {
            "_ZN6ktrial8Producer4SendERKNS_6RecordE": ["ktrial", "Producer", "Send"],
            "_ZNK6ktrial8Producer7MetricsEv": ["ktrial", "Producer", "Metrics"],
            "_ZN6ktrial8ProducerD1Ev": ["ktrial", "Producer"],
            "_ZTVN6ktrial3sim6KernelE": ["ktrial", "sim", "Kernel"],
            "_ZTIN6ktrial3EnvE": ["ktrial", "Env"],
            "_ZThn8_N6ktrial3EnvD0Ev": ["ktrial", "Env"],
            "_ZN6ktrial4NameB5cxx11Ev": ["ktrial", "Name"],
            "_ZN6ktriallsERSoNS_6NodeIdE": ["ktrial", "operator"],
            "_ZNSt6vectorIN6ktrial6RecordEE4sizeEv": [],
            "_ZN7another6ktrialEv": [],
            "main": [],
        }.items():
            self.assertEqual(exports.components(symbol), names, symbol)

    def test_what_headers_name_is_api(self):
        known = exports.words(['class Producer;  // not Sender\nint x = "Sender";'])
        spaces = exports.namespaces(["namespace ktrial::sim {\n}"])
        self.assertEqual(spaces, {"ktrial", "sim"})
        api = [symbol for symbol in ("_ZN6ktrial8Producer4SendEv", "_ZN6ktrial3sim8Producer4SendEv", "_ZN6ktrial8Producer4Impl4SendEv",
                                     "_ZN6ktrial6Sender3RunEv", "_ZN6ktrialeqERKNS_6RecordES2_", "_ZN4absl8ProducerEv")
               if exports.is_api(symbol, known, spaces)]
        self.assertEqual(api, ["_ZN6ktrial8Producer4SendEv", "_ZN6ktrial3sim8Producer4SendEv", "_ZN6ktrialeqERKNS_6RecordES2_"])

    def test_private_symbols_have_a_node_of_their_own(self):
        self.assertEqual(exports.version_script({"b", "a"}, {"c"}),
                         "KTRIAL_0 {\n  global:\n    a;\n    b;\n  local: *;\n};\nKTRIAL_0_PRIVATE {\n  global:\n    c;\n} KTRIAL_0;\n")


if __name__ == "__main__":
    unittest.main()
