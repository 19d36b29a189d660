"""Other clients on trial: the fake brokers on real ports, through `ktrial serve`."""

import json
import os
import sys
import tempfile

from harness import KAFKA_LIB, KTRIAL, ROOT, check, lines, main, run

LEADER_MOVE = os.path.join(ROOT, "scenarios", "fast", "leader_move.toml")


def serve(scenario, command, lines_of_input, *options):
    """Runs COMMAND (which finds its input in $INPUT) under `ktrial serve --json`; returns (status, verdict object, standard error)."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("".join(line + "\n" for line in lines_of_input))
        file.flush()
        result = run([KTRIAL, "serve", scenario, "--port", "0", "--json", *options, "--", "sh", "-c", command],
                     env={"INPUT": file.name}, check_status=False, timeout=240)
    output = result.stdout.decode(errors="replace").strip().splitlines()
    check(output, "no verdict:\n" + result.stderr.decode(errors="replace")[-2000:])
    return result.returncode, json.loads(output[-1]), result.stderr.decode(errors="replace")


# Slow enough that the leader moves in the middle of the load.
PACED = "python3 -c 'import sys,time\nfor l in open(sys.argv[1]):\n  sys.stdout.write(l); sys.stdout.flush(); time.sleep(0.02)' $INPUT"


def kcat_gets_through_the_leader_move():
    status, verdict, errors = serve(LEADER_MOVE, PACED + " | kcat -P -b $KTRIAL_BOOTSTRAP -t orders", lines(1500))
    check(status == 0 and verdict["verdict"] == "pass", f"status {status}: {json.dumps(verdict)[:1500]}\n{errors[-1500:]}")
    check(any(fault["kind"] == "move_leader" and fault["fired"] > 0 for fault in verdict["faults"]), "the leader never moved")
    check(verdict["metrics"]["records.acked"] >= 1500, f"{verdict['metrics']['records.acked']} records acknowledged")


def the_java_console_producer_gets_through_the_leader_move():
    java = (f"java -XX:TieredStopAtLevel=1 -Dorg.slf4j.simpleLogger.defaultLogLevel=error -cp '{KAFKA_LIB}/*' "
            "org.apache.kafka.tools.ConsoleProducer --bootstrap-server $KTRIAL_BOOTSTRAP --topic orders")
    status, verdict, errors = serve(LEADER_MOVE, PACED + " | " + java, lines(1500))
    check(status == 0 and verdict["verdict"] == "pass", f"status {status}: {json.dumps(verdict)[:1500]}\n{errors[-1500:]}")
    check(any(fault["kind"] == "move_leader" and fault["fired"] > 0 for fault in verdict["faults"]), "the leader never moved")
    check(verdict["metrics"]["records.acked"] >= 1500, f"{verdict['metrics']['records.acked']} records acknowledged")


def our_own_producer_gets_through_the_leader_move():
    status, verdict, errors = serve(LEADER_MOVE, PACED + f" | {KTRIAL} produce -b $KTRIAL_BOOTSTRAP -t orders", lines(1500))
    check(status == 0 and verdict["verdict"] == "pass", f"status {status}: {json.dumps(verdict)[:1500]}\n{errors[-1500:]}")
    check(verdict["metrics"]["records.acked"] >= 1500, f"{verdict['metrics']['records.acked']} records acknowledged")


def a_command_that_fails_fails_the_trial():
    status, _, _ = serve(LEADER_MOVE, "exit 3", [])
    check(status == 1, f"status {status}")


TESTS = (kcat_gets_through_the_leader_move, the_java_console_producer_gets_through_the_leader_move,
         our_own_producer_gets_through_the_leader_move, a_command_that_fails_fails_the_trial)

if __name__ == "__main__":
    sys.exit(main(TESTS))
