# The stages of `tools/dev test`, `ci` and `nightly`. Sourced after common.sh. Every stage adds to passed and failed, prints how
# long it took, and never stops the stages after it: one broken thing must not hide another.

passed=0
failed=0
reports="$cache/reports/$(pwd | cksum | cut -d' ' -f1)"
mkdir -p "$reports"
commit=$(git rev-parse HEAD 2>/dev/null || echo 0000000000000000)
# Property tests draw from the commit: a run of CI can be repeated, and the next commit looks elsewhere.
export RC_PARAMS=${RC_PARAMS:-seed=$((16#${commit:0:15}))}

# add PASSED FAILED WHAT
add() {
  passed=$((passed + $1))
  failed=$((failed + $2))
  [ "$2" -eq 0 ] || echo "FAILED: $3" >&2
}

# stage NAME COMMAND ARG...
stage() {
  local name=$1 start=$SECONDS; shift
  say "$name"
  "$@" || add 0 1 "$name"
  printf -- '-- %s: %d.%d min (so far %d passed, %d failed)\n' "$name" $(((SECONDS - start) / 60)) $(((SECONDS - start) % 60 / 6)) $passed $failed
}

# counted COMMAND...: runs it and adds what its last line "N passed, N failed" says.
counted() {
  local log="$reports/counted.log" line
  "$@" 2>&1 | tee "$log" || true
  line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -1)
  if [ -z "$line" ]; then
    add 0 1 "$* (ended without a count)"
  else
    add "${line%% passed*}" "$(echo "$line" | sed -E 's/.* passed, ([0-9]+) failed.*/\1/')" "$*"
  fi
}

# bazel_tests CONFIG FLAGS -- TARGETS: builds and runs them and counts test cases, not targets.
bazel_tests() {
  local config=$1 flags=() log="$reports/events-$1.json" status=0; shift
  while [ "$1" != -- ]; do flags+=("$1"); shift; done
  shift
  rm -f "$log"
  bazel_for "$config" test "${flags[@]}" --keep_going --test_env=RC_PARAMS --build_event_json_file="$log" --noshow_progress \
    --test_summary=terse "$@" >&2 || status=$?
  local counts
  counts=$(python3 tools/lib/count_tests.py "$log") || counts="0 1"
  # Status 3: tests failed (counted); 4: no test in the filter; anything else: the build broke.
  # shellcheck disable=SC2086
  add $counts "tests of the $config build"
  case $status in 0 | 3 | 4) ;; *) add 0 1 "the $config build (bazel status $status)" ;; esac
}

tests_gcc() { bazel_tests gcc "${opt_flags[@]}" -- "${@:-//...}"; }
# Leak checking needs ptrace rights that a sandbox may lack; it is on where it works.
tests_asan() { bazel_tests asan --config=asan -- "${@:-//...}"; }
tests_tsan() { bazel_tests tsan --config=tsan --build_tests_only --test_tag_filters=threads -- "${@:-//tests/...}"; }

lint() {
  if python3 tools/tidy/tidy.py; then add 1 0 tidy; else add 0 1 tidy; fi
}

# The objects of core/ in the simulator's test and in the program are the same files.
same_objects() {
  if python3 tools/lib/same_objects.py <(bazel_for gcc aquery "${opt_flags[@]}" --output=jsonproto \
    'mnemonic("CppLink", //tests/sim:world_test + //scenarios/ktrial)' 2>/dev/null) \
    "$(bazel_for gcc info "${opt_flags[@]}" execution_root 2>/dev/null)" //tests/sim:world_test //scenarios/ktrial:ktrial; then
    add 1 0 "same objects"
  else
    add 0 1 "same objects"
  fi
}

# hashes PROGRAM FILE...: one line "scenario seed hash verdict" for each run.
hashes() {
  local program=$1; shift
  "$program" run --json --seed 7 "$@" | python3 tools/lib/hash_lines.py
}

scenarios_all() {
  local seed
  for seed in $(seq 1 "${1:-20}"); do counted tools/lib/run_scenarios.sh bin/ktrial --seed "$seed" scenarios/fast; done
  counted tools/lib/run_scenarios.sh bin/ktrial --seed 21 --set schedule.stalls=rare scenarios/fast
  counted tools/lib/run_scenarios.sh bin/ktrial --seed 1 scenarios/negative
}

# The same seed gives the same hash: twice in one process, in a second process with another environment, and with clang.
determinism() {
  hashes bin/ktrial scenarios/fast >"$reports/hashes-gcc"
  env -i PATH="$PATH" MALLOC_PERTURB_=165 LANG=C TZ=Pacific/Apia bin/ktrial run --json --seed 7 scenarios/fast |
    python3 tools/lib/hash_lines.py >"$reports/hashes-other-process"
  compare_hashes "$reports/hashes-gcc" "$reports/hashes-other-process" "a second process"
  if bin/ktrial run --check-determinism --seed 7 scenarios/fast >&2; then add 1 0 "determinism"; else add 0 1 "--check-determinism"; fi
}
determinism_clang() {
  bazel_for asan build --config=asan //scenarios/ktrial >&2 || return 1
  local program
  program=$(bazel_for asan info --config=asan bazel-bin 2>/dev/null)/scenarios/ktrial/ktrial
  hashes "$program" scenarios/fast >"$reports/hashes-clang"
  compare_hashes "$reports/hashes-gcc" "$reports/hashes-clang" "clang with asan"
}
compare_hashes() {
  if [ -s "$1" ] && diff "$1" "$2" >&2; then add "$(wc -l <"$1")" 0 "hashes of $3"; else add 0 1 "hashes of $3 differ"; fi
}

fuzzing() { counted tests/fuzz/run.sh "${1:-5}"; }
judges() { counted tests/real/wire_judges/run.sh; counted tests/real/config_judge/run.sh; }
real_brokers() { counted tests/real/run.sh; }
outside_programs() { counted tests/package/run.sh; }

finish() {
  printf '\nRC_PARAMS="%s"\n' "$RC_PARAMS"
  printf '%d passed, %d failed\n' "$passed" "$failed"
  [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}

run_tests() {
  install_packages build test package
  if [ $# -eq 0 ]; then
    stage "tidy" lint
    stage "tests (gcc, optimised)" tests_gcc
    stage "bin/ktrial" build_program
    stage "scenarios" scenarios_all 3
    stage "judges of the wire format and of the configuration" judges
    stage "programs outside, built against the package" outside_programs
    stage "real brokers" real_brokers
  elif [ "$1" = real ]; then
    stage "bin/ktrial" build_program
    stage "real brokers" real_brokers
    stage "judges of the wire format and of the configuration" judges
  else
    stage "tests (gcc, optimised)" tests_gcc "$@"
  fi
  finish
}

run_ci() {
  echo "RC_PARAMS=\"$RC_PARAMS\""
  stage "install" install_packages build test package
  stage "tidy" lint
  stage "tests (gcc, optimised)" tests_gcc
  stage "bin/ktrial" build_program
  stage "one core for both worlds" same_objects
  stage "scenarios, seeds 1 to 20" scenarios_all 20
  stage "determinism" determinism
  stage "tests (clang, asan + ubsan)" tests_asan
  stage "determinism across compilers" determinism_clang
  stage "tests with threads (clang, tsan)" tests_tsan
  stage "fuzzing" fuzzing 5
  stage "judges of the wire format and of the configuration" judges
  stage "programs outside, built against the package" outside_programs
  stage "real brokers" real_brokers
  finish
}

run_nightly() {
  install_packages build test
  stage "bin/ktrial" build_program
  stage "scenarios, seeds 1 to 200" scenarios_all 200
  stage "fuzzing, 5 minutes a target" fuzzing 300
  finish
}
