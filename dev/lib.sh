# shellcheck shell=bash
# What dev/test and dev/demo share: packages, a private copy of the sources,
# private clusters.  Sourced; afterwards $work is a private folder that goes
# away with the script, and every server started here is stopped with it.
#
# Nothing outside $work and $cache is written, except that missing Debian
# packages are installed.  Servers listen on a unix socket in $work alone.

set -eEuo pipefail
trap '[ "$BASH_SUBSHELL" -gt 0 ] ||
  printf "%s: failed in line %s of %s\n" "$(basename "$0")" "$LINENO" "${BASH_SOURCE[0]}" >&2' ERR
umask 022

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# A setting of the caller's that names another server or language would mislead us.
unset PGHOST PGHOSTADDR PGPORT PGUSER PGDATABASE PGDATA PGOPTIONS PGSERVICE PGSERVICEFILE \
  PGPASSFILE PGSSLMODE PGCLIENTENCODING PGTZ PGDATESTYLE COPT PROFILE MAKEFLAGS MAKELEVEL
export LC_ALL=C.UTF-8 TZ=UTC DEBIAN_FRONTEND=noninteractive

# The interpreter that Debian's packages of modules are for, whatever PATH has.
# shellcheck disable=SC2034 # for those who source this
python=/usr/bin/python3

# ---------------------------------------------------------------------------
# Saying what happens
# ---------------------------------------------------------------------------

if [ -t 1 ]; then bold=$'\e[1m' plain=$'\e[0m'; else bold='' plain=''; fi

say() { printf '%s==> %s%s\n' "$bold" "$*" "$plain"; }
note() { printf '    %s\n' "$*"; }

die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# quietly LOG COMMAND...: run it, its output into LOG; on failure show the end of LOG,
# of long lines (a compiler's flags) the beginning.
quietly() {
  local log=$1
  shift
  if "$@" >"$log" 2>&1 </dev/null; then
    return 0
  fi
  printf '    this failed: %s\n' "$*"
  tail -n 40 "$log" | cut -c1-240 | sed 's/^/    | /'
  return 1
}

# ---------------------------------------------------------------------------
# Packages
# ---------------------------------------------------------------------------

is_root() { [ "$(id -u)" = 0 ]; }

# as_root COMMAND...: directly, or by sudo.
as_root() {
  if is_root; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo DEBIAN_FRONTEND=noninteractive "$@"
  else
    die "this needs root, and there is no sudo here: $*"
  fi
}

package_installed() {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# need_packages PACKAGE...: install those that are missing, in one go; with
# MPK_INSTALL=no only name them, and what cannot do without is skipped.
need_packages() {
  local missing=() package
  for package; do
    package_installed "$package" || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "${MPK_INSTALL:-}" = no ]; then
    note "not installed: ${missing[*]}"
    return 0
  fi

  command -v apt-get >/dev/null || die "please install (no apt-get here): ${missing[*]}"
  say "Installing packages: ${missing[*]}"
  # A list that cannot be fetched matters only if a package then cannot be.
  as_root apt-get update -q || note "some package lists could not be fetched; going on"
  without_default_cluster as_root apt-get install -q -y --no-install-recommends "${missing[@]}" ||
    die "apt-get could not install: ${missing[*]}"
}

# Debian's server package makes and starts a cluster when it is first
# installed.  Nobody asked us for one: tell it not to, for this one command.
without_default_cluster() {
  local folder=/etc/postgresql-common/createcluster.d file status=0
  file=$folder/mpk-no-main-cluster.conf
  if compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null; then
    "$@"
    return
  fi
  as_root mkdir -p "$folder"
  echo 'create_main_cluster = false' | as_root tee "$file" >/dev/null
  "$@" || status=$?
  as_root rm -f "$file"
  return $status
}

# The server to build for: $PG_CONFIG, or the newest that is installed, or else
# the one that this Debian release has.  Sets pg_config, pg_major and pg_bin.
need_server() {
  if [ -n "${PG_CONFIG:-}" ]; then
    pg_config=$PG_CONFIG
    pg_major=$("$pg_config" --version | sed 's/^[^0-9]*\([0-9]*\).*/\1/')
  else
    pg_major=$(newest_installed_major)
    if [ -z "$pg_major" ]; then
      # a bare machine has no package lists yet
      [ -n "$(release_major)" ] || as_root apt-get update -q
      pg_major=$(release_major)
      [ -n "$pg_major" ] || die "apt knows no package postgresql: is this Debian 12 or later?"
    fi
    need_packages "postgresql-$pg_major" "postgresql-server-dev-$pg_major" gcc libc6-dev make
    pg_config=/usr/lib/postgresql/$pg_major/bin/pg_config
  fi
  [ "$pg_major" -ge 15 ] || die "mpk needs PostgreSQL 15 or later, and this is $pg_major"
  # shellcheck disable=SC2034 # for those who source this
  pg_bin=$("$pg_config" --bindir)
}

newest_installed_major() {
  local major
  for major in 19 18 17 16 15; do
    if [ -x "/usr/lib/postgresql/$major/bin/postgres" ]; then
      echo "$major"
      return
    fi
  done
}

# The major that the package "postgresql" stands for; nothing when apt knows none.
release_major() {
  { apt-cache depends postgresql 2>/dev/null || true; } |
    sed -n 's/.*Depends: postgresql-\([0-9]*\)$/\1/p' | sed -n 1p
}

# ---------------------------------------------------------------------------
# The private folder, and the user that owns it
# ---------------------------------------------------------------------------

# PostgreSQL refuses to run as root: there we build and run as "postgres".
as_user() {
  if is_root; then
    runuser -u postgres -- env HOME="$work" "$@"
  else
    "$@"
  fi
}

# Needs the server's package, for the user "postgres".  Sets work and cache.
make_work_folder() {
  # A socket's path must be short, so this does not follow TMPDIR.
  work=$(mktemp -d /tmp/mpk.XXXXXX)
  trap leave EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  if is_root; then
    cache=/var/cache/mpk
    mkdir -p "$cache"
    chown postgres "$work" "$cache"
  else
    cache=${XDG_CACHE_HOME:-$HOME/.cache}/mpk
    mkdir -p "$cache"
  fi
  cd "$work"
}

# What the exit trap does: stop our servers, by their own folders, and tidy up.
leave() {
  local status=$? name
  trap - EXIT
  trap '' INT TERM HUP
  for name in $(builtin jobs -p); do
    xargs -r kill 2>/dev/null <"/proc/$name/task/$name/children" || true
  done
  for name in "${clusters[@]}"; do
    cluster_stop "$name" || status=1
  done
  cd /
  if [ -n "${MPK_KEEP:-}" ]; then
    note "kept: $work"
  else
    rm -rf "$work"
  fi
  exit $status
}

# copy_sources FOLDER: the project without what was built in it, owned by the user.
copy_sources() {
  as_user mkdir -p "$1"
  tar -C "$project" -cf - --exclude=./.git --exclude=./build --exclude=./results \
    --exclude=./tmp_check --exclude=node_modules --exclude=__pycache__ \
    --exclude='*.o' --exclude='*.bc' --exclude='*.so' --exclude='./regression.*' . |
    as_user tar -C "$1" -xmf - --no-same-owner
}

jobs() { nproc; }

# The programs that test a server, from the project's root; drivers' tests are dev/clients.sh's.
server_programs() {
  (cd "$project" &&
    find test -path test/clients -prune -o -name '*.py' ! -name '_*' ! -name 'lib*' -print | sort)
}

# Does the program measure time or memory?  It has no place on a slow server, and wants to be alone.
measures() { [[ $1 =~ /(memory|limits|large)\.py$ ]]; }

# The others.
suite_programs() {
  local program
  for program in $(server_programs); do
    measures "$program" || echo "$program"
  done
}

# ---------------------------------------------------------------------------
# Clusters
# ---------------------------------------------------------------------------

clusters=()

# extension_settings BINDIR DESTDIR: the lines of postgresql.conf that let a
# server use what "make install DESTDIR=" put there.
extension_settings() {
  local config=$1/pg_config share lib major
  share=$("$config" --sharedir)
  lib=$("$config" --pkglibdir)
  major=$("$config" --version | sed 's/^[^0-9]*\([0-9]*\).*/\1/')
  if [ "$major" -ge 18 ]; then
    echo "extension_control_path = '$2$share:\$system'"
  else
    echo "extension_destdir = '$2'"
  fi
  echo "dynamic_library_path = '$2$lib:\$libdir'"
}

# cluster_start NAME BINDIR [LINE...]: make a cluster, with these lines in its
# postgresql.conf, start it (by $postgres_wrapper in place of BINDIR/postgres, if
# set), and point libpq's environment to it.
cluster_start() {
  local name=$1 bin=$2 folder=$work/$1.cluster
  shift 2
  as_user mkdir -p "$folder/socket"
  quietly "$folder.initdb" as_user "$bin/initdb" -D "$folder/data" -U postgres -A trust \
    -E UTF8 --locale=C.UTF-8 --no-sync --no-instructions || return 1
  {
    echo "listen_addresses = ''"
    echo "unix_socket_directories = '$folder/socket'"
    echo "fsync = off"
    echo "max_wal_size = 4GB"
    printf '%s\n' "$@"
  } | as_user tee -a "$folder/data/postgresql.conf" >/dev/null
  clusters+=("$name")
  if ! quietly "$folder.start" as_user "$bin/pg_ctl" -w -s -t 180 \
    ${postgres_wrapper:+-p "$postgres_wrapper"} -D "$folder/data" -l "$folder/log" start; then
    tail -n 20 "$folder/log" || true
    return 1
  fi
  echo "$bin" | as_user tee "$folder/bin" >/dev/null
  export PGHOST=$folder/socket PGUSER=postgres PGDATABASE=postgres
}

# cluster_stop NAME: does nothing when it does not run.
cluster_stop() {
  local folder=$work/$1.cluster
  [ -f "$folder/data/postmaster.pid" ] || return 0
  quietly "$folder.stop" as_user "$(cat "$folder/bin")/pg_ctl" -w -s -m fast -D "$folder/data" stop
}

cluster_log() { echo "$work/$1.cluster/log"; }

# ---------------------------------------------------------------------------
# Debian's archive beyond what this system uses: sources, other releases
# ---------------------------------------------------------------------------

# The archive's address, as apt has it.
archive_site() {
  # shellcheck disable=SC2016 # apt expands it
  apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(SITE)' 'Created-By: Packages' |
    sed -n 's/^Debian|Debian|//p' | sed -n 1p
}

# private_apt FOLDER apt-get|apt-cache ARGS...: with lists of its own; FOLDER/sources.list says whose.
private_apt() {
  local folder=$1 program=$2
  shift 2
  as_user mkdir -p "$folder/lists/partial" "$folder/archives/partial"
  as_user touch "$folder/status"
  as_user "$program" -q -o Dir::Etc::SourceList="$folder/sources.list" \
    -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists="$folder/lists" \
    -o Dir::State::Status="$folder/status" -o Dir::Cache="$folder" \
    -o Dir::Cache::Archives="$folder/archives" -o Acquire::Languages=none \
    -o Acquire::Check-Valid-Until=false -o APT::Sandbox::User="" -o Debug::NoLocking=1 "$@"
}

# The address of the release that this system runs, for a sources.list.
release_name() { sed -n 's/^VERSION_CODENAME=//p' /etc/os-release; }

# ---------------------------------------------------------------------------
# Servers from PostgreSQL's own source
# ---------------------------------------------------------------------------

# fetch_server_source: the release tarball of PostgreSQL, as Debian archives it
# (not Debian's patched tree, which installs over the system's server).
# Sets source_tarball.
fetch_server_source() {
  local folder=$cache/source-$pg_major
  as_user mkdir -p "$folder"
  source_tarball=$(find_tarball "$folder")
  [ -z "$source_tarball" ] || return 0
  echo "deb-src $(archive_site) $(release_name) main" | as_user tee "$folder/sources.list" >/dev/null
  (
    cd "$folder"
    private_apt "$folder" apt-get update &&
      private_apt "$folder" apt-get source --download-only "postgresql-$pg_major"
  ) >"$work/fetch-source.log" 2>&1 </dev/null || return 1
  source_tarball=$(find_tarball "$folder")
  [ -n "$source_tarball" ]
}

find_tarball() {
  find "$1" -name 'postgresql-*.orig.tar.*' ! -name '*.asc' ! -name '*.FAILED' | sort | tail -n 1
}

# source_server FLAVOUR CFLAGS CONFIGURE_OPTION...: that server, built once and
# kept in the cache.  Sets source_prefix.  Needs source_tarball.
source_server() {
  local flavour=$1 cflags=$2 version build
  shift 2
  version=$(basename "$source_tarball" | sed 's/^postgresql-[0-9]*_\(.*\)\.orig\.tar.*/\1/')
  source_prefix=$cache/server-$version-$flavour
  [ ! -f "$source_prefix/complete" ] || return 0

  note "building PostgreSQL $version, $flavour: a few minutes, once"
  build=$work/server-$flavour
  as_user rm -rf "$source_prefix"
  as_user mkdir -p "$build"
  as_user tar -C "$build" -xf "$source_tarball" --strip-components=1 || return 1
  (
    cd "$build"
    quietly "$build.configure" as_user ./configure --prefix="$source_prefix" \
      --without-readline --without-zlib --with-lz4 CFLAGS="$cflags" "$@" &&
      quietly "$build.make" as_user make -s -j "$(jobs)" &&
      quietly "$build.install" as_user make -s install
  ) || return 1
  # A build that would install elsewhere must not be used.
  case $("$source_prefix/bin/pg_config" --pkglibdir) in
    "$source_prefix"/*) as_user touch "$source_prefix/complete" ;;
    *) note "$source_prefix installs outside itself"; return 1 ;;
  esac
  as_user rm -rf "$build"
}
