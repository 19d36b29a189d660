# `tools/dev package`: the program, libraries and headers as Debian packages and as an archive, in out/package/. Sourced after common.sh.

make_package() {
  install_packages build package
  say "building what the packages are made of"
  bazel_for gcc build "${opt_flags[@]}" //tools/package:producer //tools/package:testing //scenarios/ktrial
  local built root
  built=$(bazel_for gcc info "${opt_flags[@]}" bazel-bin 2>/dev/null)
  root=$(bazel_for gcc info "${opt_flags[@]}" execution_root 2>/dev/null)
  python3 -B tools/package/package.py "$built"/tools/package/{producer,testing}.json "$built/scenarios/ktrial/ktrial" \
    "$root" "$PWD/out/package" "$(git rev-parse HEAD 2>/dev/null || echo unknown)" "$(git log -1 --format=%ct 2>/dev/null || date +%s)"
}
