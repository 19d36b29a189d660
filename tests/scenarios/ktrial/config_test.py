"""`ktrial config`, and what `ktrial produce` makes of a configuration: files, properties, profiles."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

KTRIAL = os.path.abspath(sys.argv.pop(1))
PROFILES = os.path.abspath(sys.argv.pop(1))
KEYS = 123  # Kafka's 120, and api.version.request


class ConfigTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_ktrial(self, *arguments):
        result = subprocess.run([KTRIAL, *arguments], cwd=self.folder.name, input="", capture_output=True, text=True,
                                timeout=120)
        return result.returncode, result.stdout, result.stderr

    def produce(self, properties, *arguments):
        """What is said of a file; nothing listens at the address, and nothing is sent."""
        with open(os.path.join(self.folder.name, "p.properties"), "w") as file:
            file.write(properties)
        status, out, err = self.run_ktrial("produce", "-t", "t", "--producer-config", "p.properties", *arguments)
        self.assertEqual(out, "")
        return status, err

    def test_every_key_is_a_line_of_one_table(self):
        status, out, err = self.run_ktrial("config")
        self.assertEqual((status, err), (0, ""))
        lines = out.splitlines()
        self.assertEqual(lines[0].split(), ["NAME", "TYPE", "DEFAULT", "RULE", "SUPPORT", "VALID", "VALUES"])
        column = lines[0].index("VALID")
        self.assertEqual(len(lines), 1 + KEYS)
        for line in lines:
            self.assertEqual(line[column - 1], " ", line)
            self.assertNotEqual(line[column], " ", line)
        row = next(line for line in lines if line.startswith("acks "))
        self.assertEqual(row.split(None, 5), ["acks", "string", "all", "PR-20", "supported", "all, -1, 0 or 1"])

    def test_the_keys_that_are_asked_for_come_with_a_line_about_them(self):
        self.assertEqual(self.run_ktrial("config", "linger.ms")[1],
                         "NAME       TYPE  DEFAULT  RULE   SUPPORT    VALID VALUES\n"
                         "linger.ms  long  5        AC-12  supported  0 ... 9223372036854775807\n"
                         "  how long a batch waits for more records\n")

    def test_a_key_of_a_config_provider_is_explained_with_the_list_of_them(self):
        status, out, _ = self.run_ktrial("config", "config.providers.file.class")
        self.assertEqual(status, 0)
        self.assertIn("\nconfig.providers  list ", out)
        self.assertIn("config.providers.NAME.class, FileConfigProvider, DirectoryConfigProvider or EnvVarConfigProvider", out)

    def test_json_is_an_object_a_key(self):
        status, out, _ = self.run_ktrial("config", "--json", "linger.ms", "ssl.key.password", "key.serializer")
        self.assertEqual(status, 0)
        keys = [json.loads(line) for line in out.splitlines()]
        self.assertEqual(keys[0], {"name": "linger.ms", "type": "long", "default": "5",
                                   "valid": "0 ... 9223372036854775807", "rule": "AC-12", "support": "supported",
                                   "doc": "how long a batch waits for more records"})
        self.assertEqual([key["support"] for key in keys], ["supported", "supported", "without effect"])
        self.assertEqual(keys[1]["default"], None)
        self.assertEqual(len(self.run_ktrial("config", "--json")[1].splitlines()), KEYS)

    def test_a_misspelled_key_is_an_error_that_names_the_closest(self):
        text = "lingr.ms is not a key of Kafka's producer; did you mean linger.ms?"
        self.assertEqual(self.run_ktrial("config", "acks", "lingr.ms"), (2, "", text + "\n"))
        status, out, _ = self.run_ktrial("config", "--json", "lingr.ms")
        self.assertEqual((status, json.loads(out)["error"]), (2, text))

    def test_a_profile_shows_its_defaults_its_names_and_what_differs(self):
        status, out, _ = self.run_ktrial("config", "--profile", "librdkafka-2")
        self.assertEqual(status, 0)
        self.assertRegex(out, r"\nbatch.size +int +1000000 ")
        self.assertRegex(out, r"\nmessage.timeout.ms +delivery.timeout.ms; 0 is never\n")
        self.assertIn("\nWhat still differs from librdkafka 2:\n- ", out)
        self.assertRegex(self.run_ktrial("config", "--profile", "java-2.8", "acks")[1], r"\nacks +string +1 ")

    def test_a_profile_that_does_not_exist_is_an_error_with_those_that_do(self):
        for command in (["config"], ["produce", "-b", "h:1", "-t", "t"]):
            self.assertEqual(self.run_ktrial(*command, "--profile", "java"),
                             (2, "", "--profile java: there is no such profile, allowed: java-0.9, java-2.8 or "
                                     "librdkafka-2\n"))

    def test_what_differs_stands_in_the_docs_word_for_word(self):
        with open(PROFILES) as file:
            docs = file.read()
        for profile in ("java-0.9", "java-2.8", "librdkafka-2"):
            lines = self.run_ktrial("config", "--json", "--profile", profile)[1].splitlines()
            differences = [row["difference"] for row in map(json.loads, lines) if "difference" in row]
            section = docs.split(f"## {profile}\n", 1)[1].split("\n## ", 1)[0]
            listed = [item.replace("\n  ", " ") for item in section.split("\n- ")[1:]]
            self.assertEqual([item.strip() for item in listed], differences, profile)

    def test_a_file_gives_the_configuration_and_its_bootstrap_servers(self):
        status, err = self.produce("# for Kafka's own tools\nbootstrap.servers=127.0.0.1:1\nacks : 1\nlinger.ms 0\n")
        self.assertEqual(status, 0, err)
        self.assertIn("0 lines", err)

    def test_an_error_in_a_file_names_file_and_line(self):
        status, err = self.produce("bootstrap.servers=h:1\n\nlinger.ms=soon\nlingr.ms=5\n")
        self.assertEqual((status, err), (
            2, 'p.properties:3: linger.ms = "soon" is not allowed: 0 ... 9223372036854775807 (AC-12)\n'
               "p.properties:4: lingr.ms is not a key of Kafka's producer; did you mean linger.ms?\n"))
        status, err = self.produce("acks=1\nlinger.ms=\\u12\n")
        self.assertEqual(status, 2)
        self.assertTrue(err.startswith("p.properties:2: the value of linger.ms has a \\u"), err)

    def test_values_are_looked_up_and_never_shown(self):
        env = ("config.providers=env\nconfig.providers.env.class="
               "org.apache.kafka.common.config.provider.EnvVarConfigProvider\n")
        os.environ["KTRIAL_TEST_SERVER"] = "127.0.0.1:1"
        status, err = self.produce(env + "bootstrap.servers=${env:KTRIAL_TEST_SERVER}\n")
        self.assertEqual(status, 0, err)
        self.assertIn("0 lines", err)
        status, err = self.produce(env + "bootstrap.servers=h:1\nacks=${env:KTRIAL_TEST_SERVER}\n")
        self.assertEqual((status, err), (
            2, "p.properties:4: acks = what was looked up is not allowed: all, -1, 0 or 1 (PR-20)\n"))
        status, err = self.produce(env + "bootstrap.servers=${env:KTRIAL_TEST_NOTHING}\n")
        self.assertEqual((status, err), (
            2, "p.properties:3: bootstrap.servers: ${env:KTRIAL_TEST_NOTHING} has no value there, or it may not be read\n"))

    def test_a_file_that_is_not_there_is_wrong_input(self):
        status, _, err = self.run_ktrial("produce", "-t", "t", "--producer-config", "none.properties")
        self.assertEqual((status, err), (2, "none.properties: cannot be read: No such file or directory\n"))

    def test_a_property_wins_over_the_file(self):
        status, err = self.produce("bootstrap.servers=h:1\nlinger.ms=soon\n", "-b", "127.0.0.1:1", "-X", "linger.ms=0")
        self.assertEqual(status, 0, err)
        status, err = self.produce("linger.ms=0\n", "-b", "127.0.0.1:1", "-X", "linger.ms=never")
        self.assertEqual((status, err), (
            2, '-X linger.ms: linger.ms = "never" is not allowed: 0 ... 9223372036854775807 (AC-12)\n'))

    def test_the_address_is_given_once(self):
        status, err = self.produce("acks=1\n", "-b", "127.0.0.1:1", "-X", "bootstrap.servers=127.0.0.1:2")
        self.assertEqual((status, err), (2, "-X bootstrap.servers: -b says it too, allowed: one of them\n"))

    def test_a_property_wins_over_the_same_key_by_another_name(self):
        status, err = self.produce("metadata.broker.list=h\nqueue.buffering.max.ms=soon\n",
                                   "--profile", "librdkafka-2", "-b", "127.0.0.1:1", "-X", "linger.ms=0")
        self.assertEqual(status, 0, err)

    def test_a_name_of_librdkafka_is_an_error_that_leads_to_its_profile(self):
        status, err = self.produce("bootstrap.servers=h:1\nmessage.timeout.ms=5\n")
        self.assertEqual((status, err), (
            2, "p.properties:2: message.timeout.ms is not a key of Kafka's producer; it is one of librdkafka 2, "
               "for which there is the profile librdkafka-2\n"))

    def test_without_an_address_it_says_who_gives_one(self):
        self.assertEqual(self.produce("acks=1\n"), (
            2, "bootstrap.servers is required: host:port, separated by commas (PR-20); -b gives it\n"))

    def test_secrets_are_not_shown(self):
        for line in ("ssl.key.password=hunter2", "ssl.key.pasword=hunter2", "ssl.keystore.key=hunter2\\u1",
                     "sasl.password=hunter2", "sasl.jaas.config=password=hunter2"):
            for profile in ([], ["--profile", "librdkafka-2"]):
                _, err = self.produce(line + "\n", *profile, "-b", "127.0.0.1:1")
                self.assertNotIn("hunter2", err)
                _, _, err = self.run_ktrial("produce", "-t", "t", "-b", "127.0.0.1:1", *profile, "-X", line)
                self.assertNotIn("hunter2", err)


if __name__ == "__main__":
    unittest.main()
