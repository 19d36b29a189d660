"""The program as people use it: what it prints where, and its exit status."""

import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

KTRIAL = os.path.abspath(sys.argv.pop(1))

GOOD = """title = "a good one"
symptoms = ["NOT_LEADER_OR_FOLLOWER"]
duration = "1s"
[cluster]
brokers = 1
[[topic]]
name = "orders"
[[workload]]
topic = "orders"
rate = "100/s"
[expect]
lost = 0
"""
FAILING = GOOD.replace("lost = 0", "records.sent = 7").replace("a good one", "a failing one")
WRONG = GOOD.replace("brokers = 1", 'brokers = "one"')
WRONG_TEXT = 'cluster.brokers: found "one", allowed: a whole number from 1 to 1000'


def read_terminal(descriptor):
    """What the other side has written; empty once that is closed, which a terminal tells as an error."""
    try:
        return os.read(descriptor, 4096)
    except OSError:
        return b""


class ProgramTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for name, text in [("good.toml", GOOD), ("failing.toml", FAILING), ("wrong.toml", WRONG)]:
            with open(os.path.join(self.folder.name, name), "w") as file:
                file.write(text)

    def run_ktrial(self, *arguments, stdin="", env=None):
        result = subprocess.run([KTRIAL, *arguments], cwd=self.folder.name, input=stdin, capture_output=True, text=True,
                                timeout=120, env=env)
        return result.returncode, result.stdout, result.stderr

    def test_a_run_that_holds_ends_with_pass(self):
        status, out, err = self.run_ktrial("run", "good.toml")
        self.assertEqual((status, err), (0, ""))
        self.assertTrue(out.startswith("a good one  good.toml, seed 1\n"), out)
        self.assertTrue(out.endswith("PASS\n"), out)

    def test_a_run_that_fails_ends_with_the_line_to_paste(self):
        status, out, _ = self.run_ktrial("run", "failing.toml", "--seed", "3", "--set", "producer.linger.ms=9")
        self.assertEqual(status, 1)
        self.assertTrue(out.endswith(f"reproduce: {KTRIAL} run failing.toml --seed 3 --set producer.linger.ms=9\n"), out)

    def test_wrong_input_is_a_line_with_its_place(self):
        status, out, err = self.run_ktrial("run", "wrong.toml")
        self.assertEqual((status, out, err), (2, "", "wrong.toml:5:11: " + WRONG_TEXT + "\n"))

    def test_wrong_input_with_json_is_an_object(self):
        status, out, _ = self.run_ktrial("run", "--json", "wrong.toml")
        self.assertEqual(status, 2)
        self.assertEqual(json.loads(out), {"error": WRONG_TEXT, "file": "wrong.toml", "line": 5, "column": 11})

    def test_a_file_that_is_not_there_is_wrong_input(self):
        status, _, err = self.run_ktrial("run", "none.toml")
        self.assertEqual((status, err), (2, "none.toml:1:1: cannot be read: No such file or directory\n"))

    def test_json_has_the_keys_of_the_schema(self):
        status, out, _ = self.run_ktrial("run", "--json", "good.toml", "--seed", "18446744073709551615")
        self.assertEqual(status, 0)
        report = json.loads(out)
        self.assertEqual(list(report), ["schema", "version", "scenario", "seed", "verdict", "hash", "virtual_seconds",
                                        "wall_seconds", "events", "violations", "expectations", "faults",
                                        "failed_producers", "failed_calls", "metrics", "repro"])
        self.assertEqual((report["schema"], report["seed"], report["verdict"]), (1, "18446744073709551615", "pass"))
        self.assertEqual(report["metrics"]["records.sent"], 100)
        self.assertEqual(report["expectations"], [{"name": "lost", "want": "0", "got": 0, "holds": True}])

    def test_the_same_seed_gives_the_same_hash_in_two_processes(self):
        hashes = [json.loads(self.run_ktrial("run", "--json", "good.toml", "--seed", seed)[1])["hash"]
                  for seed in ["5", "5", "6"]]
        self.assertEqual(hashes[0], hashes[1])
        self.assertNotEqual(hashes[0], hashes[2])

    def test_several_files_give_an_object_a_line_or_a_table(self):
        status, out, err = self.run_ktrial("run", "--json", ".")
        self.assertEqual(status, 2)
        self.assertEqual(["verdict" in json.loads(line) for line in out.splitlines()], [True, True, False])
        status, out, err = self.run_ktrial("run", "good.toml", "failing.toml")
        self.assertEqual(status, 1)
        self.assertTrue(out.endswith("1 passed, 1 failed\n"), out)

    def test_a_trace_is_a_json_object_a_line(self):
        status, _, _ = self.run_ktrial("run", "good.toml", "--trace", "t.jsonl")
        self.assertEqual(status, 0)
        with open(os.path.join(self.folder.name, "t.jsonl")) as file:
            lines = [json.loads(line) for line in file]
        self.assertEqual(list(lines[0]), ["ktrial"])
        first = lines[1]["n"]
        self.assertEqual([line["n"] for line in lines[1:]], list(range(first, first + len(lines) - 1)))
        self.assertGreater(len(lines), 1000)

    def test_determinism_is_checked_by_a_second_run(self):
        status, _, err = self.run_ktrial("run", "good.toml", "--check-determinism")
        self.assertEqual(status, 0)
        self.assertIn("two runs, the same", err)

    def test_check_validates_only(self):
        self.assertEqual(self.run_ktrial("check", "good.toml", "failing.toml"),
                         (0, "good.toml: ok\nfailing.toml: ok\n", ""))
        self.assertEqual(self.run_ktrial("check", "wrong.toml")[0], 2)

    def test_a_scenario_comes_from_standard_input_too(self):
        self.assertEqual(self.run_ktrial("check", "-", stdin=GOOD), (0, "-: ok\n", ""))

    def test_list_finds_a_symptom_by_a_part_of_it(self):
        os.remove(os.path.join(self.folder.name, "wrong.toml"))
        status, out, _ = self.run_ktrial("list", ".", "--symptom", "not_leader")
        self.assertEqual(status, 0)
        self.assertIn("./good.toml", out)
        self.assertIn("a good one", out)
        self.assertEqual(self.run_ktrial("list", ".", "--symptom", "nowhere")[0], 1)

    def install(self):
        """The program and a library of one scenario below a prefix of its own; another folder to be in."""
        prefix = os.path.join(self.folder.name, "a prefix")
        os.makedirs(os.path.join(prefix, "bin"))
        library = os.path.join(prefix, "share", "ktrial", "scenarios", "fast")
        os.makedirs(library)
        shutil.copy(KTRIAL, os.path.join(prefix, "bin"))
        shutil.copy(os.path.join(self.folder.name, "good.toml"), library)
        elsewhere = os.path.join(self.folder.name, "elsewhere")
        os.makedirs(elsewhere)
        return os.path.join(prefix, "bin", "ktrial"), os.path.join(library, "good.toml"), elsewhere

    def test_an_installed_program_has_its_scenarios_with_it(self):
        program, installed, elsewhere = self.install()
        for arguments, answer in ((["list"], f"{installed}  a good one\n  "), (["run", "scenarios/fast/good.toml"], f"a good one  {installed}, seed 1\n"),
                                  (["check", "./scenarios/fast"], f"{installed}: ok\n"),
                                  (["serve", "scenarios/fast/good.toml", "--", "true"], f"a good one  {installed}, served\n")):
            result = subprocess.run([program, *arguments], cwd=elsewhere, capture_output=True, text=True, timeout=120)
            self.assertTrue(result.stdout.startswith(answer), (arguments, result))

    def test_a_folder_of_the_user_comes_before_what_is_installed(self):
        program, _, elsewhere = self.install()
        os.makedirs(os.path.join(elsewhere, "scenarios"))
        shutil.copy(os.path.join(self.folder.name, "failing.toml"), os.path.join(elsewhere, "scenarios"))
        result = subprocess.run([program, "list"], cwd=elsewhere, capture_output=True, text=True, timeout=120)
        self.assertTrue(result.stdout.startswith("scenarios/failing.toml  a failing one\n"), result)

    def test_only_the_library_is_looked_for_where_the_program_is(self):
        program, installed, elsewhere = self.install()
        shutil.copy(installed, os.path.join(os.path.dirname(installed), "..", "..", "good.toml"))
        result = subprocess.run([program, "run", "good.toml"], cwd=elsewhere, capture_output=True, text=True, timeout=120)
        self.assertEqual((result.returncode, result.stderr), (2, "good.toml:1:1: cannot be read: No such file or directory\n"))

    def test_wrong_arguments_are_status_two_whatever_the_library_says(self):
        for arguments in [[], ["fly"], ["run"], ["run", "--no-such-option"], ["run", "good.toml", "--seed", "x"],
                          ["produce"], ["produce", "-b", "no port", "-t", "t"],
                          ["produce", "-b", "127.0.0.1:1", "-t", "t", "-X", "linger"],
                          ["produce", "-b", "127.0.0.1:1", "-t", "t", "-X", "lingr.ms=1"]]:
            status, out, err = self.run_ktrial(*arguments)
            self.assertEqual((status, out), (2, ""), arguments)
            self.assertNotEqual(err, "", arguments)

    def test_help_and_version_are_results(self):
        self.assertEqual(self.run_ktrial("--version"), (0, "ktrial 0.1\n", ""))
        status, out, err = self.run_ktrial("--help")
        self.assertEqual((status, err), (0, ""))
        self.assertIn("Exit status", out)

    def test_color_is_for_those_who_ask(self):
        self.assertNotIn("\x1b", self.run_ktrial("run", "good.toml")[1])
        self.assertIn("\x1b", self.run_ktrial("run", "good.toml", "--color", "always")[1])

    def test_serve_gives_the_command_its_bootstrap_and_judges_it(self):
        command = f"echo B=$KTRIAL_BOOTSTRAP; echo line | {KTRIAL} produce -b $KTRIAL_BOOTSTRAP -t orders"
        status, out, err = self.run_ktrial("serve", "good.toml", "--", "sh", "-c", command)
        self.assertEqual(status, 0, err)
        self.assertTrue(out.endswith("PASS\n"), out)
        self.assertRegex(err, r"\nB=127\.0\.0\.1:\d+\n")

    def test_serve_fails_with_its_command(self):
        status, out, _ = self.run_ktrial("serve", "--json", "good.toml", "--", "sh", "-c", "exit 7")
        self.assertEqual(status, 1)
        report = json.loads(out)
        self.assertEqual(report["verdict"], "fail")
        self.assertEqual([violation["text"] for violation in report["violations"]],
                         ["no client ever connected: there was nothing to judge",
                          "the command sh ended with status 7"])

    def test_a_trial_without_a_client_fails(self):
        status, out, _ = self.run_ktrial("serve", "good.toml", "--", "true")
        self.assertEqual(status, 1)
        self.assertIn("FAIL\n  no client ever connected: there was nothing to judge\n"
                      f"reproduce: {KTRIAL} serve good.toml --seed 1 -- true\n", out)

    def test_a_scenario_from_standard_input_must_be_saved_to_run_again(self):
        status, out, _ = self.run_ktrial("run", "-", stdin=FAILING)
        self.assertEqual(status, 1)
        self.assertTrue(out.endswith(f"reproduce: {KTRIAL} run - --seed 1 < FILE  # FILE: save there what standard input"
                                     " held\n"), out)

    def test_a_workload_without_end_is_refused(self):
        endless = GOOD.replace('rate = "100/s"\n', "")
        for command in ("check", "run"):
            status, _, err = self.run_ktrial(command, "-", stdin=endless)
            self.assertEqual(status, 2)
            self.assertIn("-:8:1: workload: neither rate, closed nor count", err)

    def test_results_that_cannot_be_written_are_no_success(self):
        for arguments in (["run", "good.toml"], ["run", "--json", "good.toml"], ["run", "good.toml", "good.toml"],
                          ["check", "good.toml"], ["check", "--json", "wrong.toml"], ["list", "good.toml"],
                          ["list", "--json", "good.toml"], ["serve", "good.toml", "--", "true"], ["--help"],
                          ["--version"]):
            with open("/dev/full", "w") as full:
                result = subprocess.run([KTRIAL, *arguments], cwd=self.folder.name, stdout=full, stderr=subprocess.PIPE,
                                        text=True, timeout=120)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn("standard output: cannot be written", result.stderr, arguments)

    def test_a_trace_that_cannot_be_written_is_no_success(self):
        status, _, err = self.run_ktrial("run", "good.toml", "--trace", "/dev/full")
        self.assertEqual((status, err), (2, "--trace /dev/full: No space left on device\n"))
        status, out, err = self.run_ktrial("run", "good.toml", "--trace", "/nonexistent/t")
        self.assertEqual((status, out, err), (2, "", "--trace /nonexistent/t: No such file or directory\n"))

    def test_a_summary_that_cannot_be_written_is_no_success(self):
        command = f"echo line | {KTRIAL} produce -b $KTRIAL_BOOTSTRAP -t orders 2>/dev/full"
        status, out, _ = self.run_ktrial("serve", "good.toml", "--", "sh", "-c", command)
        self.assertEqual(status, 1)
        self.assertIn("the command sh ended with status 2", out)

    # Nobody listens on port 1, and so the first Send waits for max.block.ms, an hour: until the signal.
    def interrupt_produce(self, signal_number, lines):
        process = subprocess.Popen([KTRIAL, "produce", "-v", "-b", "127.0.0.1:1", "-t", "t", "-X", "max.block.ms=3600000"],
                                   stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stdin.close)
        self.addCleanup(process.stderr.close)
        process.stdin.write(lines)
        process.stdin.flush()
        process.stderr.readline()  # The producer is there, and with it what waits for signals.
        process.send_signal(signal_number)
        err = process.stderr.read()
        return process.wait(timeout=60), err

    def test_the_first_signal_ends_produce_with_a_summary(self):
        for signal_number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            for lines in ("", "one\ntwo\n"):
                got, err = self.interrupt_produce(signal_number, lines)
                self.assertEqual(got, status)
                self.assertRegex(err, r"\d lines? \(not all of the input\): 0 acknowledged, \d failed in ")

    def test_serve_ends_with_a_verdict_when_it_is_asked_to(self):
        for signal_number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            process = subprocess.Popen([KTRIAL, "serve", os.path.join(self.folder.name, "good.toml")],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            while "until it is interrupted" not in process.stderr.readline():
                pass
            process.send_signal(signal_number)
            out, _ = process.communicate(timeout=60)
            self.assertEqual(process.returncode, status)
            self.assertIn("no client ever connected", out)

    # The command lets no signal end it, and so the first one is waited for until the command is done, a minute.
    def test_the_second_signal_ends_at_once(self):
        for signal_number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            process = subprocess.Popen([KTRIAL, "serve", os.path.join(self.folder.name, "good.toml"), "--", "sh", "-c",
                                        'trap "" INT TERM; echo "there $$"; sleep 60'],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            self.addCleanup(process.stderr.close)
            while not (line := process.stderr.readline()).startswith("there "):
                self.assertNotEqual(line, "")
            self.addCleanup(os.kill, int(line.split()[1]), signal.SIGKILL)
            process.send_signal(signal_number)
            with self.assertRaises(subprocess.TimeoutExpired):
                process.wait(timeout=1)
            process.send_signal(signal_number)
            self.assertEqual(process.wait(timeout=30), status)

    def test_progress_is_for_terminals(self):
        long = GOOD.replace('"1s"', '"2000s"').replace('"100/s"', '"500/s"')
        with open(os.path.join(self.folder.name, "long.toml"), "w") as file:
            file.write(long)
        ours, theirs = pty.openpty()
        process = subprocess.Popen([KTRIAL, "run", "long.toml"], cwd=self.folder.name, stdout=subprocess.PIPE, stderr=theirs)
        os.close(theirs)
        seen = b""
        while chunk := read_terminal(ours):
            seen += chunk
        os.close(ours)
        out, _ = process.communicate(timeout=60)
        self.assertRegex(seen.decode(), r"\r\x1b\[Klong.toml: \d+\.\d s of 2000 s, \d+ records")
        self.assertTrue(seen.endswith(b"\r\x1b[K"), seen)
        self.assertNotIn(b"\x1b", out)

    def test_a_seed_that_does_not_fit_is_refused(self):
        for seed in ("-1", "18446744073709551616", "x"):
            status, _, err = self.run_ktrial("run", "good.toml", "--seed", seed)
            self.assertEqual(status, 2)
            self.assertIn(f'"{seed}" is not a seed, allowed: 0 to 18446744073709551615', err)

    def test_a_trace_is_of_one_scenario(self):
        status, _, err = self.run_ktrial("run", "good.toml", "failing.toml", "--trace", "t.jsonl")
        self.assertEqual(status, 2)
        self.assertIn("--trace: there are 2 scenarios, allowed: one", err)

    def test_list_writes_an_object_a_scenario(self):
        status, out, _ = self.run_ktrial("list", "good.toml", "--json")
        self.assertEqual(status, 0)
        self.assertEqual(json.loads(out), {"scenario": "good.toml", "title": "a good one", "symptoms": ["NOT_LEADER_OR_FOLLOWER"]})

    def test_a_key_without_end_is_an_error(self):
        for text in ("[" + ".".join(["a"] * 50000) + "]\n", ".".join(["a"] * 100000) + " = 1\n"):
            with open(os.path.join(self.folder.name, "deep.toml"), "w") as file:
                file.write(GOOD + text)
            status, _, err = self.run_ktrial("check", "deep.toml")
            self.assertEqual(status, 2)
            self.assertIn("deep.toml:13:1: key: more than 100 parts", err)

    def test_serve_refuses_ports_that_do_not_exist(self):
        status, _, err = self.run_ktrial("serve", "good.toml", "--port", "65535", "--set", "cluster.brokers=3", "--", "true")
        self.assertEqual(status, 2)
        self.assertIn("--port 65535 leaves no room for 3 brokers", err)

    def test_serve_refuses_an_advertised_host_with_a_port(self):
        status, _, err = self.run_ktrial("serve", "good.toml", "--advertise", "host:99", "--", "true")
        self.assertEqual(status, 2)
        self.assertIn('"host:99" is not a host', err)

    def test_serve_refuses_a_command_that_does_not_exist(self):
        self.assertEqual(self.run_ktrial("serve", "good.toml", "--", "/no/such/program")[0], 2)

    def test_produce_sends_every_line_to_the_served_brokers(self):
        lines = "".join(f"key {i}\tvalue {i}\n" for i in range(1000)) + "the last line has no end"
        with open(os.path.join(self.folder.name, "lines"), "w") as file:
            file.write(lines)
        command = f"{KTRIAL} produce -b $KTRIAL_BOOTSTRAP -t orders -K '\t' < lines"
        status, out, err = self.run_ktrial("serve", "--json", "good.toml", "--", "sh", "-c", command)
        self.assertEqual(status, 0, err)
        self.assertIn("1001 lines: 1001 acknowledged, 0 failed", err)
        self.assertEqual(json.loads(out)["metrics"]["log.records"], 1001)

    def test_produce_commits_lines_together(self):
        command = f"seq 25 | {KTRIAL} produce -b $KTRIAL_BOOTSTRAP -t orders -X transactional.id=t --transaction-records 10"
        status, _, err = self.run_ktrial("serve", "good.toml", "--", "sh", "-c", command)
        self.assertEqual(status, 0, err)
        self.assertIn("25 of them committed, in 3 transactions", err)

    def test_produce_stops_at_a_transaction_that_fails(self):
        command = f"(seq 12; head -c 3000 /dev/zero | tr '\\0' x; echo; seq 9) | {KTRIAL} produce -b $KTRIAL_BOOTSTRAP -t orders" \
                  " -X transactional.id=t --transaction-records 10 -X max.request.size=1000"
        status, _, err = self.run_ktrial("serve", "good.toml", "--", "sh", "-c", command)
        self.assertEqual(status, 1)
        self.assertIn("lines 11 to 13 were not committed", err)
        self.assertIn("10 of them committed, in 1 transaction\n", err)

    def test_an_interrupt_says_which_lines_it_left_uncommitted(self):
        # More than the pipe holds: when all of it is written, the transaction is open; and more lines keep it open.
        command = "mkfifo lines; " \
                  f"{KTRIAL} produce -b $KTRIAL_BOOTSTRAP -t orders -X transactional.id=t --transaction-records 100000000" \
                  " < lines & produce=$!; (yes | head -n 200000; kill -TERM $produce; yes) > lines;" \
                  " wait $produce; echo produce $? >&2"
        _, _, err = self.run_ktrial("serve", "good.toml", "--", "sh", "-c", command)
        self.assertRegex(err, r"(?m)^lines 1 to \d+ were not committed: interrupted$")
        self.assertIn("0 of them committed, in 0 transactions\nproduce 143\n", err)

    def write_silent_scenario(self, request):
        """A broker that does not answer `request`, nor anything after it."""
        with open(os.path.join(self.folder.name, "silent.toml"), "w") as file:
            file.write('title = "silent"\nduration = "60s"\ncluster = { brokers = 1 }\n'
                       '[[topic]]\nname = "orders"\n'
                       f'[[fault]]\non = {{ request = "{request}", phase = "before_response" }}\nfor = "50s"\n'
                       'pause_broker = { broker = 1 }\n')

    # Times that run out soon; the answer that does not come is waited for three times.
    IMPATIENT = "-X transactional.id=t -X max.block.ms=400 -X request.timeout.ms=300 -X delivery.timeout.ms=1000"

    def test_produce_does_not_claim_to_know_how_a_commit_ended_that_was_not_answered(self):
        self.write_silent_scenario("EndTxn")
        command = f"seq 5 | {KTRIAL} produce -b $KTRIAL_BOOTSTRAP -t orders {self.IMPATIENT}; echo produce $? >&2"
        _, _, err = self.run_ktrial("serve", "silent.toml", "--", "sh", "-c", command)
        self.assertIn("lines 1 to 5: outcome unknown, readers may see this or not: brokers have not answered within "
                      "1000 ms (delivery.timeout.ms)\n", err)
        self.assertIn("0 of them committed, in 0 transactions; the outcome of 5 is unknown\nproduce 1\n", err)

    def test_produce_knows_that_what_was_never_asked_for_is_not_committed(self):
        self.write_silent_scenario("AddPartitionsToTxn")
        command = f"echo x | {KTRIAL} produce -b $KTRIAL_BOOTSTRAP -t orders {self.IMPATIENT}; echo produce $? >&2"
        _, _, err = self.run_ktrial("serve", "--set", "cluster.version=3.9", "silent.toml", "--", "sh", "-c", command)
        self.assertIn("line 1 was not committed: ", err)
        self.assertIn("\nproduce 1\n", err)

    def test_produce_gives_up_when_transactions_do_not_begin(self):
        self.write_silent_scenario("InitProducerId")
        command = f"seq 5 | {KTRIAL} produce -b $KTRIAL_BOOTSTRAP -t orders {self.IMPATIENT}; echo produce $? >&2"
        _, _, err = self.run_ktrial("serve", "silent.toml", "--", "sh", "-c", command)
        self.assertIn("transactions cannot begin: brokers have not answered within 1000 ms (delivery.timeout.ms)\n", err)
        self.assertIn("\nproduce 1\n", err)

    def test_produce_needs_a_name_for_transactions(self):
        status, _, err = self.run_ktrial("produce", "-b", "127.0.0.1:1", "-t", "t", "--transaction-records", "5")
        self.assertEqual(status, 2)
        self.assertIn("transactional.id", err)

    def test_produce_reports_what_was_refused(self):
        command = f"head -c 3000 /dev/zero | tr '\\0' x | {KTRIAL} produce -b $KTRIAL_BOOTSTRAP -t orders" \
                  " -X max.request.size=1000"
        status, _, err = self.run_ktrial("serve", "good.toml", "--", "sh", "-c", command)
        self.assertEqual(status, 1)
        self.assertIn("line 1 to orders: MESSAGE_TOO_LARGE", err)
        self.assertIn("1 line: 0 acknowledged, 1 failed", err)


if __name__ == "__main__":
    unittest.main()
