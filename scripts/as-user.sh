#!/usr/bin/env bash
# Runs the test programs that touch files, processes and the sandbox as an ordinary user: users are not root.
#
#   scripts/as-user.sh USER
#
# Builds as whoever calls; runs each program in its crate's folder, as cargo does, with a HOME of the user's own.
set -euo pipefail
cd "$(dirname "$0")/.."
user=${1:?a user}
target=${CARGO_TARGET_DIR:-target}

programs=$(cargo test --locked --workspace --all-features --no-run --message-format=json 2>/dev/null |
  python3 -c '
import json, sys
wanted = {"taffrail-confine", "taffrail-tools", "taffrail-gitbox", "taffrail-store", "taffrail-secrets", "taffrail-app",
          "taffrail", "taffrail-testkit"}
# These read the workspace itself (cargo metadata, generated documents), not the machine. Pure crates (memory, text …)
# touch nothing of it, and their snapshots lie in the sources.
unwanted = {"architecture", "docs"}
for line in sys.stdin:
    row = json.loads(line)
    if row.get("reason") != "compiler-artifact" or not row.get("executable") or not row["profile"]["test"]:
        continue
    folder = row["manifest_path"].rsplit("/", 1)[0]
    name = row["target"]["name"]
    package = row["package_id"].split("#")[-1].split("@")[0]
    if package[0].isdigit():
        package = {"taffrail": "taffrail"}.get(folder.rsplit("/", 1)[1], "taffrail-" + folder.rsplit("/", 1)[1])
    if package in wanted and name not in unwanted:
        print(folder, row["executable"])
')
[ -n "$programs" ] || { echo "no test programs were built" >&2; exit 1; }

passed=0
while read -r folder program; do
  echo "-- $user: ${program##*/}"
  out=$(mktemp)
  (cd "$folder" && runuser -u "$user" -- env -i PATH="$PATH" HOME="/home/$user" LANG=C.UTF-8 TERM=xterm \
    "$program" --test-threads=2) >"$out" 2>&1 || { cat "$out"; exit 1; }
  grep '^test result' "$out"
  passed=$((passed + $(sed -n 's/^test result: ok\. \([0-9]*\) passed.*/\1/p' "$out" | awk '{ n += $1 } END { print n + 0 }')))
  rm -f "$out"
done <<<"$programs"
printf 'as %s: %s passed, 0 failed\n' "$user" "$passed"
printf '%s passed, 0 failed\n' "$passed" >"$(dirname "$target")/as-user.total"
