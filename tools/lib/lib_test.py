"""The small programs that CI believes: what they must count, and what they must object to."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))


def run(program, *arguments, stdin=""):
    result = subprocess.run([sys.executable, os.path.join(HERE, program), *arguments], input=stdin, capture_output=True, text=True,
                            check=False)
    return result.returncode, result.stdout.strip()


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path


class CountTests(Folder):
    def count(self, *results):
        """Each result: (status, text of its XML or None)."""
        lines = [json.dumps({"started": {}})]
        for number, (status, xml) in enumerate(results):
            outputs = [] if xml is None else [{"name": "test.xml", "uri": "file://" + self.write(f"{number}.xml", xml)}]
            lines.append(json.dumps({"testResult": {"status": status, "testActionOutput": outputs}}))
        return run("count_tests.py", self.write("events.json", "\n".join(lines)))[1]

    def test_cases_are_counted_and_not_targets(self):
        suites = '<testsuites><testsuite tests="3" failures="1" errors="0"/><testsuite tests="2" failures="0" errors="0"/></testsuites>'
        self.assertEqual(self.count(("FAILED", suites)), "4 1")

    def test_a_target_without_xml_is_one_case(self):
        self.assertEqual(self.count(("PASSED", None), ("FAILED", None)), "1 1")

    def test_a_test_that_died_before_it_could_say_so_has_failed(self):
        self.assertEqual(self.count(("FAILED", '<testsuites><testsuite tests="5" failures="0" errors="0"/></testsuites>')), "4 1")
        self.assertEqual(self.count(("TIMEOUT", "not xml")), "0 1")


class HashLines(unittest.TestCase):
    def test_a_line_names_what_may_differ(self):
        line = json.dumps({"scenario": "a.toml", "seed": "7", "hash": "ff", "verdict": "pass"})
        self.assertEqual(run("hash_lines.py", stdin=line)[1], "a.toml 7 ff pass")

    def test_an_input_error_is_not_hidden(self):
        self.assertEqual(run("hash_lines.py", stdin=json.dumps({"file": "a.toml", "error": "no"}))[1], "a.toml None None no")


class SameObjects(Folder):
    def check(self, first, second, contents):
        """Two links with these files of core/ among their inputs."""
        for path, text in contents.items():
            self.write(path, text)
        fragments, artifacts, sets = [], [], []
        for number, path in enumerate(dict.fromkeys(first + second), 1):
            fragments.append({"id": number, "label": path})
            artifacts.append({"id": number, "pathFragmentId": number})
        ids = {fragment["label"]: fragment["id"] for fragment in fragments}
        for number, files in enumerate((first, second), 1):
            sets.append({"id": number, "directArtifactIds": [ids[path] for path in files]})
        container = {"pathFragments": fragments, "artifacts": artifacts, "depSetOfFiles": sets,
                     "targets": [{"id": 1, "label": "//a"}, {"id": 2, "label": "//b"}],
                     "actions": [{"targetId": 1, "inputDepSetIds": [1]}, {"targetId": 2, "inputDepSetIds": [2]}]}
        return run("same_objects.py", self.write("aquery.json", json.dumps(container)), self.folder, "//a", "//b")[0]

    def test_the_same_file_in_both_links_is_well(self):
        self.assertEqual(self.check(["out/bin/core/x.a"], ["out/bin/core/x.a"], {"out/bin/core/x.a": "x"}), 0)

    def test_a_library_that_was_built_twice_is_found(self):
        self.assertEqual(self.check(["out/bin/core/x.a"], ["other/bin/core/x.a"], {"out/bin/core/x.a": "x", "other/bin/core/x.a": "y"}), 1)
        self.assertEqual(self.check(["out/bin/core/x.a"], ["out/bin/core/x.pic.a"], {"out/bin/core/x.a": "x", "out/bin/core/x.pic.a": "y"}), 1)

    def test_a_link_without_the_core_is_found(self):
        self.assertEqual(self.check(["out/bin/core/x.a"], ["out/bin/sim/y.a"], {"out/bin/core/x.a": "x", "out/bin/sim/y.a": "y"}), 1)


if __name__ == "__main__":
    unittest.main()
