#!/usr/bin/env bash
# The second suite: what needs programs of others on this machine. A missing one is a failure, never a skip.
#
#   scripts/peers.sh [CACHE_DIR]
#
# Runs every test, those behind the feature `peers` too, then the real gemini from npm in the box.
set -euo pipefail
cd "$(dirname "$0")/.."

for peer in bwrap git npm node python3 dbus-daemon dbus-send gnome-keyring-daemon secret-tool; do
  command -v "$peer" >/dev/null || { echo "missing: $peer" >&2; exit 1; }
done

"$([ -x /usr/bin/python3 ] && echo /usr/bin/python3 || echo python3)" -c 'import ensurepip, venv' ||
  { echo "missing: venv of python3" >&2; exit 1; }

cargo test --locked --workspace --all-features
cargo test --locked --manifest-path crates/acp/oracle/Cargo.toml
scripts/real-agents.sh "${1:-target/real-agents}" gemini
