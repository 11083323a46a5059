# shellcheck shell=bash
# shellcheck disable=SC2154 # what dev/lib.sh sets
# The tests of other programs' client libraries, for dev/test, which sources this: each program in
# test/clients with the packages that it needs.  Prints what runs with which version.

# Debian's; of JavaScript what npm has.
clients_packages=(python3-psycopg python3-asyncpg python3-sqlalchemy python3-psycopg2 python3-msgpack
  ruby ruby-pg ruby-msgpack ruby-activerecord php-cli php-pgsql php-msgpack libpq-dev libmsgpack-dev
  golang-go golang-github-jackc-pgx-v4-dev golang-github-vmihailenco-msgpack.v5-dev
  default-jdk-headless libpostgresql-jdbc-java libmsgpack-java)
clients_modules=(pg pg-copy-streams postgres @msgpack/msgpack msgpackr)

# ---------------------------------------------------------------------------
# Part: clients.  Other programs' drivers and codecs
# ---------------------------------------------------------------------------

part_clients() {
  local folder=$work/gcc/test/clients language
  quietly "$work/gcc.log" need_gcc_build || { fail "build with gcc"; return 0; }
  need_packages "${clients_packages[@]}"
  if [ "$pg_bin" = "/usr/lib/postgresql/$pg_major/bin" ]; then
    need_packages "postgresql-plpython3-$pg_major"
  fi
  clients_server || { fail "start a server for clients"; return 0; }
  for language in python ruby php c go java node; do
    "clients_$language" "$folder"
  done
  cluster_stop clients
  unset PGPORT
}

# JDBC speaks TCP alone.
clients_server() {
  PGPORT=$("$python" -c 'import socket; s = socket.socket(); s.bind(("localhost", 0)); print(s.getsockname()[1])')
  export PGPORT
  mapfile -t settings < <(extension_settings "$pg_bin" "$work/gcc.inst")
  cluster_start clients "$pg_bin" "${settings[@]}" "listen_addresses = 'localhost'" "port = $PGPORT"
}

# run_client NAME COMMAND...: in a database of its own.
run_client() {
  local what=$1
  shift
  quietly "$work/database.log" fresh_database mpk_clients || { fail "make a database for $what"; return 0; }
  run_program "$what" as_user env PGDATABASE=mpk_clients PYTHONDONTWRITEBYTECODE=1 "$@"
  # the line before the counts says what was tested
  note "$(tail -n 2 "$work/program.log" | sed -n 1p)"
}

# without COMMAND...: skips when one of them is missing.
without() {
  local command
  for command; do
    command -v "$command" >/dev/null || { skip "$command is not installed"; return 0; }
  done
  return 1
}

clients_python() {
  local program
  for program in psycopg asyncpg sqlalchemy; do
    run_client "$program" "$python" "$1/${program}_test.py"
  done
  if [ -e "$("$pg_config" --sharedir)/extension/plpython3u.control" ]; then
    run_client PL/Python "$python" "$1/plpython_test.py"
  else
    skip "PL/Python is not installed"
  fi
}

clients_ruby() {
  without ruby && return
  run_client ruby-pg ruby "$1/ruby_pg_test.rb"
  run_client ActiveRecord ruby "$1/activerecord_test.rb"
}

clients_php() {
  without php && return
  run_client PHP php "$1/php_test.php"
}

clients_c() {
  if ! quietly "$work/libpq.log" as_user gcc -Wall -Wextra -Werror -I"$("$pg_config" --includedir)" \
    -o "$work/libpq_test" "$1/libpq_test.c" -lpq -lmsgpackc; then
    fail "build libpq_test"
    return
  fi
  run_client "libpq with msgpack-c" "$work/libpq_test" "$1/documents.hex"
}

# Debian's Go libraries are a GOPATH; nothing is fetched.
clients_go() {
  without go && return
  as_user mkdir -p "$work/go/src/pgx_test"
  as_user cp "$1/pgx/main.go" "$work/go/src/pgx_test"
  if ! quietly "$work/go.log" as_user env -C "$work/go/src/pgx_test" GOPATH="$work/go:/usr/share/gocode" \
    GO111MODULE=off GOFLAGS= GOCACHE="$work/go/cache" go build -o "$work/pgx_test" .; then
    fail "build with pgx"
    return
  fi
  run_client "$(dpkg-query -W -f '${Package} ${Version}' golang-github-jackc-pgx-v4-dev)" \
    "$work/pgx_test" "$1/documents.hex"
}

clients_java() {
  local jars=/usr/share/java/postgresql.jar:/usr/share/java/msgpack-core.jar
  without java javac && return
  as_user mkdir -p "$work/java"
  if ! quietly "$work/java.log" as_user javac -Xlint:all -Werror -d "$work/java" -cp "$jars" "$1/JdbcTest.java"; then
    fail "build with JDBC"
    return
  fi
  run_client JDBC java -cp "$work/java:$jars" JdbcTest "$1/documents.hex"
}

clients_node() {
  local program
  without node npm && return
  if ! as_user npm install --prefix "$1" --ignore-scripts --no-audit --no-fund --no-save \
    --cache "$work/npm" "${clients_modules[@]}" >"$work/npm.log" 2>&1 </dev/null; then
    skip "npm cannot fetch ${clients_modules[*]}"
    return
  fi
  for program in pg postgres; do
    run_client "node, $program" node "$1/node_${program}_test.cjs"
  done
}
