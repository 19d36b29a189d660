# `tools/dev package`: libraries, headers and Debian packages in out/package/. Sourced after common.sh.

make_package() {
  install_packages build package
  say "building what the package is linked from"
  bazel_for gcc build "${opt_flags[@]}" //tools/package:producer //tools/package:testing
  local built root
  built=$(bazel_for gcc info "${opt_flags[@]}" bazel-bin 2>/dev/null)/tools/package
  root=$(bazel_for gcc info "${opt_flags[@]}" execution_root 2>/dev/null)
  python3 -B tools/package/package.py "$built/producer.json" "$built/testing.json" "$root" "$PWD/out/package" \
    "$(git rev-parse HEAD 2>/dev/null || echo unknown)" "$(git log -1 --format=%ct 2>/dev/null || date +%s)"
}
