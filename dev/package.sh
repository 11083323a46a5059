# shellcheck shell=bash
# shellcheck disable=SC2154 # what dev/lib.sh sets
# The test of the Debian packages, for dev/test, which sources this.

# ---------------------------------------------------------------------------
# Part: package.  Debian's packages: built, their tests run, lintian
# ---------------------------------------------------------------------------

part_package() {
  local folder=$work/package
  need_packages build-essential debhelper lintian postgresql-server-dev-all
  copy_sources "$folder/mpk"
  # -d: the build needs no more than was just installed
  if ! quietly "$work/package.log" as_user env -u PGHOST -u PGUSER -u PGDATABASE -C "$folder/mpk" \
    dpkg-buildpackage -us -uc -b -d; then
    fail "build the packages"
    return
  fi
  pass
  note "ok: $(find "$folder" -name '*.deb' -printf '%f ')"
  check "the SQL tests ran against the package" grep -qE 'All [0-9]+ tests passed' "$work/package.log"
  check "lintian" as_user lintian --fail-on error "$folder"/mpk_*.changes
}
