# shellcheck shell=bash
# shellcheck disable=SC2154 # what dev/lib.sh sets
# Other majors of PostgreSQL than this system's: each from the Debian release
# that has it, in a small system of its own below $cache.  Sourced by dev/test
# after dev/lib.sh.
#
# Nothing that happens in such a system lasts or reaches this one: it is seen
# through an overlay whose changes lie in $work, in a mount and a process
# namespace of its own.

# The parts that are run for another major; each needs its stock server only.
# shellcheck disable=SC2034 # for those who source this
major_parts=(house build frontend regress tap readme ubsan upgrade programs)

# The Debian releases that major MAJOR comes from, the one to start from first.
major_suites() {
  case $1 in
    15) echo bookworm ;;
    17) echo trixie ;;
    18) echo sid ;;
    19) echo sid experimental ;;
    *) return 1 ;;
  esac
}

# major_system MAJOR: a system with that server, made once and kept in the
# cache.  Sets system.
major_system() {
  local major=$1 suite site packages pin=''
  local -a suites sources=()
  system=$cache/system-$major
  [ ! -f "$system.complete" ] || return 0

  read -ra suites <<<"$(major_suites "$major")"
  need_packages mmdebstrap
  note "making a system with PostgreSQL $major, from Debian's ${suites[*]}: two minutes, once"
  site=$(archive_site)
  for suite in "${suites[@]}"; do
    sources+=("deb $site $suite main")
  done
  # The last suite is named for the server alone: all else comes from the first.
  if [ ${#suites[@]} -gt 1 ]; then
    pin="Package: src:postgresql-$major
Pin: release a=${suites[-1]}
Pin-Priority: 990
"
  fi
  packages=postgresql-$major,postgresql-server-dev-$major,gcc,libc6-dev,make,binutils
  packages+=,libipc-run-perl,python3,python3-msgpack,python3-psycopg,iso-codes,bzip2
  as_root rm -rf "$system"
  # A release that is no longer new has lists past their date; a machine's clock may be wrong.
  # shellcheck disable=SC2016 # the hook's own shell expands it
  quietly "$work/system-$major.log" as_root env PIN="$pin" mmdebstrap --mode=root --variant=minbase \
    --aptopt='APT::Install-Recommends "false"' --aptopt='Acquire::Check-Valid-Until "false"' \
    --aptopt='Acquire::Check-Date "false"' \
    --setup-hook='mkdir -p "$1/etc/apt/preferences.d" "$1/etc/postgresql-common/createcluster.d"' \
    --setup-hook='printf "%s" "$PIN" >"$1/etc/apt/preferences.d/server"' \
    --setup-hook='echo "create_main_cluster = false" >"$1/etc/postgresql-common/createcluster.d/none.conf"' \
    --include="$packages" "${suites[0]}" "$system" "${sources[@]}" || return 1
  as_root touch "$system.complete"
}

# The server that "upgrade" starts from, and the libraries that later releases have not.
old_major=15
old_packages=(postgresql-15 postgresql-client-15 postgresql-server-dev-15 libicu72 libxml2
  libldap-2.5-0 libgnutls30 libnettle8 libhogweed6 libp11-kit0 libtasn1-6 libunistring2 libidn2-0)

# fetch_old_server: its packages, into $cache/old-MAJOR.
fetch_old_server() {
  local folder=$cache/old-$old_major
  [ ! -f "$folder/complete" ] || return 0
  as_user rm -rf "$folder"
  as_user mkdir -p "$folder/apt"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(archive_site) $(major_suites "$old_major") main" |
    as_user tee "$folder/apt/sources.list" >/dev/null
  (
    cd "$folder" || exit
    quietly "$work/old.log" private_apt "$folder/apt" apt-get update &&
      quietly "$work/old.log" private_apt "$folder/apt" apt-get download "${old_packages[@]}" &&
      as_user touch complete
  )
}

# Part upgrade, in another major's system, where servers can be installed: dumped, and upgraded
# in place, from the old major to that one.
part_upgrade() {
  local package config
  if [ ! -f /mpk-old/complete ]; then
    skip "no older server (see --pg)"
    return
  fi
  for package in /mpk-old/*.deb; do dpkg -x "$package" /; done
  for config in "/usr/lib/postgresql/$old_major/bin/pg_config" "$pg_config"; do
    if ! quietly "$work/upgrade.log" install_into_server "$config"; then
      fail "install for $config"
      return
    fi
  done
  need_gcc_build >/dev/null || { fail "build with gcc"; return; }
  # not tap.conf: both servers have mpk in their own folders, and the older one would not know its settings
  as_user touch "$work/upgrade.conf"
  prove_tests upgrade "$work/upgrade.conf" MPK_OLD_INSTALL="/usr/lib/postgresql/$old_major" -- \
    "$work/gcc/t/007_upgrade.pl"
}

# Into the server's own folders: this system is thrown away.
install_into_server() {
  local folder
  folder=upgrade-$("$1" --version | tr -dc 0-9)
  build_extension "$folder" "$1" CC=gcc with_llvm=no &&
    make -s -C "$work/$folder" install PG_CONFIG="$1" CC=gcc with_llvm=no
}

# in_system NAME SYSTEM COMMAND...: run it as root there, the project at /mpk.
in_system() {
  local folder=$work/$1.system system=$2 status=0
  shift 2
  as_root mkdir -p "$folder/changes" "$folder/scratch" "$folder/root"
  # Should this script die, all that runs in there dies too.
  # shellcheck disable=SC2016 # the inner shell expands it
  as_root unshare --mount --pid --fork --kill-child bash -euc '
    folder=$1 system=$2 project=$3 old=$4
    shift 4
    mount -t overlay overlay \
      -o "lowerdir=$system,upperdir=$folder/changes,workdir=$folder/scratch" "$folder/root"
    mkdir -p "$folder/root/mpk"
    mount --bind -o ro "$project" "$folder/root/mpk"
    if [ -d "$old" ]; then
      mkdir -p "$folder/root/mpk-old"
      mount --bind -o ro "$old" "$folder/root/mpk-old"
    fi
    mount -t proc proc "$folder/root/proc"
    mount --rbind /dev "$folder/root/dev"
    mount -t tmpfs tmpfs "$folder/root/dev/shm"
    exec chroot "$folder/root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb \
      MPK_KEEP="${MPK_KEEP:-}" MPK_INSTALL=no "$@"
  ' bash "$folder" "$system" "$project" "$cache/old-$old_major" "$@" </dev/null || status=$?
  [ -n "${MPK_KEEP:-}" ] || as_root rm -rf "$folder"
  return $status
}

# run_major MAJOR PART...: these parts in that major's system, its counts entered as ours.
run_major() {
  local major=$1 log=$work/major-$1.log status=0 counts p f s line
  shift
  if ! major_system "$major"; then
    fail "make a system with PostgreSQL $major"
    return
  fi
  if [[ " $* " == *" upgrade "* ]] && ! fetch_old_server; then
    fail "fetch PostgreSQL $old_major"
  fi
  in_system "major-$major" "$system" /mpk/dev/test "$@" 2>&1 | as_user tee "$log" | sed -u "s/^/[$major] /" ||
    status=${PIPESTATUS[0]}
  counts=$(sed -nE 's/^([0-9]+) passed, ([0-9]+) failed(, ([0-9]+) skipped)?$/\1 \2 \4/p' "$log" | tail -n 1)
  if [ -z "$counts" ]; then
    fail "PostgreSQL $major: no counts, status $status"
    return
  fi
  read -r p f s <<<"$counts"
  while IFS= read -r line; do
    failures+=("PostgreSQL $major: $line")
  done < <(sed -n 's/^    FAILED: \([a-z]*: .*\)/\1/p' "$log" | sort -u)
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + ${s:-0}))
  note "PostgreSQL $major: $p passed, $f failed, ${s:-0} skipped"
  if [ "$f" = 0 ] && [ "$status" != 0 ]; then fail "PostgreSQL $major: ended with status $status"; fi
}
