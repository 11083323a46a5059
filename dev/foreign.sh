# shellcheck shell=bash
# shellcheck disable=SC2154 # what dev/lib.sh sets
# The lower layers on other machines: cross-compiled, run under qemu's user
# mode.  Sourced by dev/test after dev/lib.sh.
#
# A machine's headers and libpgcommon come from Debian's server-dev package for
# it, unpacked below $cache.

# Big-endian with 64 bits; 32 bits with the x87's arithmetic; 32 bits and no wide long double.
foreign_machines=(s390x i386 armhf)

# foreign_triplet MACHINE: what its compiler is called.
foreign_triplet() {
  case $1 in
    s390x) echo s390x-linux-gnu ;;
    i386) echo i686-linux-gnu ;;
    armhf) echo arm-linux-gnueabihf ;;
  esac
}

foreign_qemu() {
  case $1 in
    s390x) echo qemu-s390x-static ;;
    i386) echo qemu-i386-static ;;
    armhf) echo qemu-arm-static ;;
  esac
}

part_foreign() {
  local machine
  local -a packages=(qemu-user-static)
  for machine in "${foreign_machines[@]}"; do
    packages+=("gcc-$(foreign_triplet "$machine" | tr _ -)" "libc6-dev-$machine-cross")
  done
  need_packages "${packages[@]}"
  for machine in "${foreign_machines[@]}"; do
    if fetch_foreign "$machine"; then
      foreign_tests "$machine"
    else
      skip "PostgreSQL's files for $machine cannot be fetched"
    fi
  done
}

# fetch_foreign MACHINE: that machine's postgresql-server-dev, below $cache/foreign-MACHINE-MAJOR.
fetch_foreign() {
  local machine=$1 folder=$cache/foreign-$1-$pg_major
  local -a of_machine=(-o "APT::Architecture=$machine" -o "APT::Architectures=$machine")
  [ ! -f "$folder/complete" ] || return 0
  as_user rm -rf "$folder"
  as_user mkdir -p "$folder/apt"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(archive_site) $(release_name) main" |
    as_user tee "$folder/apt/sources.list" >/dev/null
  (
    cd "$folder" || exit
    quietly "$work/foreign.log" private_apt "$folder/apt" apt-get "${of_machine[@]}" update &&
      quietly "$work/foreign.log" private_apt "$folder/apt" apt-get "${of_machine[@]}" download \
        "postgresql-server-dev-$pg_major" &&
      as_user dpkg -x ./postgresql-server-dev-*.deb . && as_user touch complete
  )
}

# foreign_tests MACHINE: every C test, compiled for it without a warning.
foreign_tests() {
  local machine=$1 folder=$work/foreign-$1 files=$cache/foreign-$1-$pg_major program
  local compile
  # PGXS would bring in the headers of this machine.
  compile="$(foreign_triplet "$machine")-gcc -std=gnu11 -O2 -fwrapv -fno-strict-aliasing -fexcess-precision=standard $strict"
  compile+=" -D_GNU_SOURCE -DFRONTEND -DUSE_PRIVATE_ENCODING_FUNCS -Isrc"
  compile+=" -isystem $files/usr/include/postgresql/$pg_major/server"
  copy_sources "$folder"
  if ! quietly "$folder.log" as_user make -C "$folder" -j "$(jobs)" frontend PG_CONFIG="$pg_config" \
    FRONTEND_COMPILE="$compile" LDFLAGS=-static \
    FRONTEND_LIBS="-L$files/usr/lib/postgresql/$pg_major/lib -lpgcommon -lpgport -lm"; then
    fail "build the lower layers for $machine"
    return
  fi
  pass
  for program in "$folder"/build/frontend/*_test; do
    check "$(basename "$program") is of that machine" is_foreign "$machine" "$program"
    begin_program "$(basename "$program"), $machine" as_user env -C "$folder" \
      "$(foreign_qemu "$machine")" "$program"
  done
  finish_programs
}

is_foreign() {
  case $1 in
    s390x) readelf -h "$2" | grep -E 'big endian' ;;
    i386 | armhf) readelf -h "$2" | grep -E 'ELF32' ;;
  esac
}
