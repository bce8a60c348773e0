# The recipes of CI, by name. Plain cargo does the same; see .ci/run.
set shell := ["bash", "-euo", "pipefail", "-c"]

# What must be green before a commit.
check: fmt clippy test deny

fmt:
    cargo fmt --all --check

clippy:
    cargo clippy --locked --workspace --all-targets --features taffrail/peers -- -D warnings

# Needs Rust and git only.
test:
    cargo test --locked --workspace

# Needs bubblewrap and npm as well; a missing peer is a failure.
test-peers:
    scripts/peers.sh

deny:
    cargo deny check bans licenses sources

advisories:
    cargo deny check advisories

# Generated documents: docs/schema.md, docs/errors.md, docs/config.md, docs/agents.md.
docs:
    UPDATE_DOCS=1 cargo test --locked --workspace docs_are_current

# Every figure of docs/performance.md.
bench:
    cargo bench --locked --workspace --features taffrail-store/bench

# What the MCP server costs, with 0 to 10,000 closed slates: docs/performance.md, section MCP.
bench-mcp most="10000":
    cargo build --locked --release -p taffrail
    python3 scripts/mcp/bench.py --most {{most}} "${CARGO_TARGET_DIR:-target}/release/taffrail"

demo:
    cargo run --locked -q -- demo

# Real agents from npm against a scripted model on loopback: in the box, then driven over ACP.
real-agents cache="target/real-agents":
    scripts/real-agents.sh {{cache}}
    TAFFRAIL_TEST_AGENTS="$(realpath {{cache}})" cargo test --locked -p taffrail --features peers \
        --test external_real -- --include-ignored --nocapture

# Recorded conversations of real agents, below a folder, played through the real binary by a fake agent: a table of how
# each ended and what was decided.
play-transcripts folder:
    TAFFRAIL_TRANSCRIPTS="$(realpath {{folder}})" cargo test --locked -p taffrail --test external_playback -- --ignored --nocapture
