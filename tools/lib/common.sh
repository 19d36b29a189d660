# Shared by tools/dev and its stages: installing, building, counting. Sourced with the project's root as working directory.

cache=${KTRIAL_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/ktrial}
mkdir -p "$cache"

say() { printf '\n== %s\n' "$*" >&2; }

# install_packages KIND...: installs what is missing of the packages of these kinds, or names them and stops.
install_packages() {
  local kind missing=() package
  for kind in "$@"; do
    for package in $(sed -n "s/^$kind //p" tools/lib/packages.txt); do
      dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
    done
  done
  [ ${#missing[@]} -eq 0 ] && return
  if ! grep -qs '^ID=debian' /etc/os-release; then
    echo "tools/dev: this is not Debian. Please install what these Debian 12 packages hold: ${missing[*]}" >&2
    exit 1
  fi
  local root=()
  if [ "$(id -u)" -ne 0 ]; then
    if sudo -n true 2>/dev/null; then root=(sudo); else
      echo "tools/dev: not root. Please run: apt-get install --no-install-recommends ${missing[*]}" >&2
      exit 1
    fi
  fi
  say "installing ${missing[*]}"
  "${root[@]}" apt-get update -qq >&2
  # Some dialogues (tshark) ask questions; the defaults are right.
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2 </dev/null
}

# bazel_for CONFIG COMMAND ARG...: Bazel with an output base for each compiler, because another compiler rebuilds everything.
# The disk cache carries objects and test results between clones.
bazel_for() {
  local config=$1 command=$2; shift 2
  local base="$cache/bazel/$(pwd | cksum | cut -d' ' -f1)-$config"
  bazel --output_base="$base" "$command" --disk_cache="$cache/disk" "${@}"
}

# The optimised program, and the digests of its parts, come from this one build.
opt_flags=(--config=gcc -c opt)

build_program() {
  say "building bin/ktrial"
  bazel_for gcc build "${opt_flags[@]}" //scenarios/ktrial
  mkdir -p bin
  local built
  built=$(bazel_for gcc info "${opt_flags[@]}" bazel-bin 2>/dev/null)/scenarios/ktrial/ktrial
  cmp -s "$built" bin/ktrial || install -m 755 "$built" bin/ktrial
}

compile_commands() {
  bazel_for gcc aquery "${opt_flags[@]}" --output=jsonproto 'mnemonic("CppCompile", //core/... + //sim/... + //scenarios/...)' 2>/dev/null |
    python3 tools/lib/compile_commands.py "$PWD" >compile_commands.json
}
