# shellcheck shell=bash
# shellcheck disable=SC2154 # what dev/lib.sh and dev/test set
# Parts of dev/test that watch the extension at work: fuzzing, and servers
# built from source with assertions, sanitizers, or for valgrind.  Sourced by
# dev/test.  The servers are built on demand and kept in $cache; what is
# installed into one goes into a copy of it.

# ---------------------------------------------------------------------------
# Part: fuzz.  The lower layers under libFuzzer
# ---------------------------------------------------------------------------

# Seconds for each target.
fuzz_seconds=${MPK_FUZZ_SECONDS:-20}

part_fuzz() {
  copy_sources "$work/fuzz"
  as_user mkdir -p "$work/fuzz.build"
  need_packages clang-14 libclang-rt-14-dev
  run_program "fuzz targets, $fuzz_seconds s each" \
    as_user env PG_CONFIG="$pg_config" FUZZ_BUILD="$work/fuzz.build" "$work/fuzz/dev/fuzz" "$fuzz_seconds"
}

# ---------------------------------------------------------------------------
# Parts: cassert, sanitize, valgrind
# ---------------------------------------------------------------------------

part_cassert() {
  checked_server cassert "-Og -g -fno-omit-frame-pointer" --enable-cassert || return 0
  checked_extension cassert "$strict -Og -g" || return 0
  cluster_start cassert "$checked_prefix/bin" || { fail "start the server with assertions"; return 0; }
  check "assertions are on" assertions_on "$checked_prefix/bin/psql"
  checked_suite cassert "server with assertions"
}

assertions_on() { [ "$(as_user "$1" -X -A -t -c 'SHOW debug_assertions')" = on ]; }

part_sanitize() {
  # Leaks are the memory contexts' business, and PostgreSQL's stack depth check wants real frames.
  export ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=0:abort_on_error=1
  export UBSAN_OPTIONS=print_stacktrace=1
  checked_server sanitize \
    "-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize=alignment" \
    --enable-cassert LDFLAGS=-fsanitize=address,undefined || return 0
  # The server's flags hide overflows (-fwrapv) and alignment; ours, later, do not.
  checked_extension sanitize \
    "-O1 -g -fno-wrapv -fsanitize=alignment,signed-integer-overflow,float-cast-overflow" || return 0
  cluster_start sanitize "$checked_prefix/bin" || { fail "start the sanitized server"; return 0; }
  check "the library is watched" library_is_watched
  checked_suite sanitize "address and undefined behaviour watched"
  unset ASAN_OPTIONS UBSAN_OPTIONS
}

library_is_watched() {
  local symbols
  symbols=$(nm -D "$work/sanitize/mpk.so")
  grep -q __asan <<<"$symbols" && grep -q __ubsan <<<"$symbols"
}

part_valgrind() {
  need_packages valgrind
  checked_server valgrind "-Og -g -fno-omit-frame-pointer" --enable-cassert CPPFLAGS=-DUSE_VALGRIND ||
    return 0
  checked_extension valgrind "$strict -Og -g" || return 0
  as_user tar -xOf "$source_tarball" --wildcards '*/src/tools/valgrind.supp' |
    as_user tee "$work/valgrind.supp" >/dev/null
  {
    echo '#!/bin/sh'
    echo "exec valgrind --quiet --trace-children=yes --leak-check=no --gen-suppressions=no" \
      "--suppressions=$work/valgrind.supp --time-stamp=no $checked_prefix/bin/postgres \"\$@\""
  } | as_user tee "$work/valgrind.postgres" >/dev/null
  as_user chmod +x "$work/valgrind.postgres"
  postgres_wrapper=$work/valgrind.postgres cluster_start valgrind "$checked_prefix/bin" ||
    { fail "start the server under valgrind"; return 0; }
  check "the server runs under valgrind" runs_under_valgrind
  MPK_CALLS=${MPK_CALLS:-1500} checked_suite valgrind "under valgrind" test/robust/calls.py
}

runs_under_valgrind() {
  local process
  process=$(head -n 1 "$work/valgrind.cluster/data/postmaster.pid")
  grep -q valgrind "/proc/$process/maps"
}

# checked_server FLAVOUR CFLAGS CONFIGURE_OPTION...: sets checked_prefix, a copy that is ours to
# install into.
checked_server() {
  local flavour=$1
  if ! fetch_server_source; then
    skip "PostgreSQL's source cannot be fetched: no such server ($flavour)"
    return 1
  fi
  need_packages liblz4-dev bison flex perl
  source_server "$@" || { fail "build a server ($flavour)"; return 1; }
  checked_prefix=$work/$flavour.server
  as_user cp -a "$source_prefix" "$checked_prefix"
}

# checked_extension FLAVOUR FLAGS
checked_extension() {
  local config=$checked_prefix/bin/pg_config
  if ! quietly "$work/$1.log" build_extension "$1" "$config" CC=gcc with_llvm=no COPT="$2" ||
    ! quietly "$work/$1.log" as_user make -s -C "$work/$1" install PG_CONFIG="$config" with_llvm=no; then
    fail "build for that server ($1)"
    return 1
  fi
}

# checked_suite FLAVOUR WHAT [PROGRAM...]: the tests on the cluster of that name, and its log.
checked_suite() {
  local flavour=$1 what=$2
  local -a programs
  shift 2
  programs=("$@")
  [ $# -gt 0 ] || mapfile -t programs < <(suite_programs)
  regress "pg_regress, $what" "$work/$flavour" "$checked_prefix/bin/pg_config"
  run_server_programs "$what" "$work/$flavour" "${programs[@]}"
  cluster_stop "$flavour"
  check "nothing in the server's log, $what" no_reports "$(cluster_log "$flavour")"
}

no_reports() {
  ! grep -nE -A 12 'TRAP:|terminated by signal|PANIC|WARNING:  problem|runtime error|AddressSanitizer|^==[0-9]+== ' "$1"
}
