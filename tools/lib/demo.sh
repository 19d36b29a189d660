# `tools/dev demo`: from nothing to a leader move in the simulator. Sourced after common.sh.

demo() {
  install_packages build
  build_program
  mkdir -p out
  say "a leader moves, a connection breaks, a request times out: scenarios/fast/leader_move.toml"
  bin/ktrial run scenarios/fast/leader_move.toml --trace out/leader_move.jsonl | tee out/leader_move.txt
  cat >&2 <<TEXT

The summary is in out/leader_move.txt, every event in out/leader_move.jsonl (one JSON object a line).
Next:  bin/ktrial run scenarios/fast                     all fast scenarios
       bin/ktrial run --seed 42 scenarios/fast/leader_move.toml   another run of the same story
       tools/dev test                                    every test
TEXT
}
