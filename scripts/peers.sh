#!/usr/bin/env bash
# The second suite: what needs programs of others on this machine. A missing one is a failure, never a skip.
#
#   scripts/peers.sh [CACHE_DIR]
#
# Runs the tests behind the feature `peers` of every crate that has it, then the real gemini from npm in the box.
set -euo pipefail
cd "$(dirname "$0")/.."

for peer in bwrap git npm node python3; do
  command -v "$peer" >/dev/null || { echo "missing: $peer" >&2; exit 1; }
done

features=$(sed -n 's/^name = "\(.*\)"$/\1/p;/^\[features\]/,/^\[/s/^peers = .*/+/p' crates/*/Cargo.toml |
  awk '$0 == "+" { print name "/peers"; next } { name = $0 }' | paste -sd,)
cargo test --locked --workspace --features "$features"
scripts/real-agents.sh "${1:-target/real-agents}" gemini
