# What the scripts of this project share: how they speak, where they build, and how they install what
# a machine with only the Swift toolchain lacks. Sourced, never run.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# XJ_SCRATCH names another folder to build in.
scratch=${XJ_SCRATCH:-$root/.build}
case $scratch in
  /*) ;;
  *) scratch=$PWD/$scratch ;;
esac
logs=$scratch/check

say() { printf '%s\n' "$*"; }

stop() {
  printf '%s\n' "$@" >&2
  exit 1
}

# Runs a subcommand of swift in the folder to build in: `swift_in_scratch build -c release`. What Package.swift says
# follows from the files there are (XJ_TESTS), which the cache of manifests does not look at. What debuggers want to know
# would take a tenth of the time.
swift_in_scratch() {
  local command=$1
  shift
  (cd "$root" && swift "$command" --manifest-cache none -debug-info-format none --scratch-path "$scratch" "$@")
}

# The names of the tests that a log says have begun and not ended.
unended_tests() {
  awk '!/ Test / || / Test run / { next }
    / started\.$/ { sub(/^.* Test /, ""); sub(/ started\.$/, ""); open[$0] = 1 }
    / (passed|failed) after / { sub(/^.* Test /, ""); sub(/ (passed|failed) after .*/, ""); delete open[$0] }
    END { for (name in open) print "  " name }' "$1"
}

# Where it is set: after how many seconds tests that have not ended are taken to be waiting for ever.
patience=

# Waits as long as patience says and then stops the process that runs the tests; whoever started that tells what it
# has said so far.
lose_patience() {
  local waiting process
  sleep "$patience" &
  waiting=$!
  trap 'kill "$waiting"; exit' TERM
  wait "$waiting"
  touch "$logs/patience-lost"
  for process in /proc/[0-9]*; do
    case $(readlink "$process/exe") in
      "$scratch"/*.xctest) kill "${process#/proc/}" ;;
    esac
  done
}

# Runs tests; a run that finds none is a failure, and so is one that does not end.
run_tests() {
  local output=$logs/command.txt watch='' status=0
  mkdir -p "$logs"
  rm -f "$logs/patience-lost"
  if [ -n "$patience" ]; then
    lose_patience >/dev/null 2>&1 &
    watch=$!
  fi
  # A backtrace of every error that is thrown would be taken too, which nobody reads.
  SWIFT_BACKTRACE=enable=no SWT_SWIFT_ERROR_BACKTRACING_ENABLED=0 \
    swift_in_scratch test --disable-xctest "$@" 2>&1 | tee "$output" || status=1
  [ -z "$watch" ] || kill "$watch" 2>/dev/null || true
  if [ -e "$logs/patience-lost" ]; then
    say "error: these tests did not end within $patience s and were stopped:"
    unended_tests "$output"
  fi
  [ "$status" = 0 ] || return 1
  if ! grep -Eq 'Test run with [1-9]' "$output"; then
    say "error: no test was run by: swift test $*"
    return 1
  fi
}

# Links a package within Tools to what it compiles of the project's, since a package may name no target
# outside of its own folder: `link_sources fuzz Rooms Sources`.
link_sources() { ln -sfn "$root/$3" "$root/Tools/$1/$2"; }

# The Swift that runs must be one that knows the package's manifest.
require_swift() {
  command -v swift >/dev/null || stop \
    'There is no swift on the path. XJournal needs the Swift toolchain, 6.3 or later:' \
    'https://www.swift.org/install/linux/'
  local version
  version=$(swift --version 2>/dev/null | sed -nE 's/.*Swift version ([0-9]+\.[0-9]+).*/\1/p' | head -n 1)
  case $version in
    '' | [0-5].* | 6.[0-2]) stop "XJournal needs Swift 6.3 or later; this is Swift ${version:-unknown}." ;;
  esac
}

has_library() { command -v pkg-config >/dev/null && pkg-config --exists "$1"; }

# Set by whatever runs or compiles the benchmarks: the stores they compare with are needed there alone.
needs_peers=
# Set by the demonstration, which runs no tests and does without what they need.
needs_no_tests=
# Set by the script that opens the report, the only one that needs a browser.
needs_browser=

# Prints a line for each package that is missing: its name, and why it is needed.
missing_packages() {
  command -v pkg-config >/dev/null || say 'pkg-config: Swift finds the C libraries through it'
  has_library liblz4 || say 'liblz4-dev: the journal is compressed by liblz4'
  has_library libxxhash || say 'libxxhash-dev: the journal is checked by libxxhash'
  if [ -z "$needs_no_tests" ]; then
    command -v lz4 >/dev/null || say 'lz4: tests read the journal with the command-line tool'
    python3 -c 'import plistlib' 2>/dev/null || say 'python3: tests compare property lists with plistlib'
    command -v jq >/dev/null || say 'jq: tests have it read the JSON of the tool'
    command -v node >/dev/null || say 'nodejs: tests run the script of the report'
  fi
  if [ -n "$needs_browser" ] && ! command -v chromium >/dev/null; then
    say 'chromium: the report is opened in a browser'
  fi
  [ -n "$needs_peers" ] || return 0
  has_library sqlite3 || say 'libsqlite3-dev: the benchmarks compare with SQLite'
  has_library lmdb || say 'liblmdb-dev: the benchmarks compare with LMDB'
  has_library rocksdb || say 'librocksdb-dev: the benchmarks compare with RocksDB'
}

# Runs a command as root, however this machine allows it.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif [ -t 0 ]; then
    sudo "$@"
  else
    sudo -n "$@"
  fi
}

# Installs the packages that are missing, or says which they are and stops.
install_what_is_missing() {
  require_swift
  local missing names
  missing=$(missing_packages)
  [ -n "$missing" ] || return 0
  names=$(cut -d: -f1 <<<"$missing" | paste -sd' ')
  say 'This machine lacks:'
  while IFS= read -r line; do say "  $line"; done <<<"$missing"

  command -v apt-get >/dev/null || stop \
    'There is no apt-get here to install them with. Install what corresponds to these packages of' \
    "Debian and Ubuntu with your system's means, then run this again: $names"
  if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
    stop 'Installing needs root, and there is no sudo here. As root, run:' \
      "  apt-get update && apt-get install -y $names"
  fi

  mkdir -p "$logs"
  say "Installing: $names"
  # shellcheck disable=SC2086 # The names are words.
  if ! {
    as_root apt-get update &&
      as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $names
  } >"$logs/install.txt" 2>&1; then
    tail -n 20 "$logs/install.txt" >&2
    stop "They could not be installed (all that was said: $logs/install.txt). As root, run:" \
      "  apt-get update && apt-get install -y $names"
  fi
  hash -r
  missing=$(missing_packages)
  [ -z "$missing" ] || stop 'Installed, and still not found:' "$missing"
}
