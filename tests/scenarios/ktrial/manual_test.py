"""The manual page against what --help says: all commands, all options, and none that there are not."""

import re
import subprocess
import sys
import unittest

KTRIAL = sys.argv.pop(1)
MANUAL = open(sys.argv.pop(1), encoding="utf-8").read().replace("\\-", "-").replace("\\fR", "")
OPTION = r"(?<![\w-])(--?[A-Za-z][\w-]*)"


def help_of(*command):
    return subprocess.run([KTRIAL, *command, "--help"], capture_output=True, text=True, check=True).stdout


def commands():
    return re.findall(r"^  (\w+)", help_of().split("Subcommands:")[1], re.M)


def options(text):
    """The names at the beginning of a line of --help, "-t,--topic TEXT"."""
    return {name for line in re.findall(r"^  (-\S+)", text, re.M) for name in re.findall(OPTION, line)}


def section(name):
    return re.search(rf"^\.SS {name}\n(.*?)(?=^\.S[SH] |\Z)", MANUAL, re.M | re.S).group(1)


class ManualTest(unittest.TestCase):
    def test_every_command_has_a_section(self):
        self.assertEqual(re.findall(r"^\.SS (\w+)$", MANUAL, re.M), ["run", "check", "list", "produce", "config", "serve"])
        self.assertEqual(set(commands()), set(re.findall(r"^\.SS (\w+)$", MANUAL, re.M)))

    def test_an_option_stands_with_its_command_or_with_those_of_all(self):
        for command in commands():
            known = set(re.findall(OPTION, section(command) + section("All commands")))
            self.assertEqual(options(help_of(command)) - known, set(), command)

    def test_a_command_has_the_options_that_stand_with_it(self):
        for command in commands():
            described = set(re.findall(OPTION, "\n".join(re.findall(r"^\.TP\n(.*)$", section(command), re.M))))
            self.assertEqual(described - options(help_of(command)), set(), command)

    def test_the_exit_statuses_are_those_of_the_help(self):
        told = re.findall(r"\b(\d+) ", help_of().split("Exit status:")[1])
        self.assertEqual(re.findall(r"^\.B (\d+)$", MANUAL.split(".SH EXIT STATUS")[1], re.M), told)


if __name__ == "__main__":
    unittest.main()
