#!/usr/bin/env bash
# Real agents of other vendors in `taffrail box`, offline, against the scripted model server on loopback.
#
#   scripts/real-agents.sh CACHE_DIR [--bare] [--latest] [AGENT…]
#
# Installs the agents from npm into CACHE_DIR (1.3 GB for all; not below /tmp, which a box has for itself), gives each
# a fresh repository, and prints a table: agent, version, result, seconds. `ok` means that exactly the files of the
# script were changed in the box, and that the operator's tree and .git are as they were. --bare runs the agents
# without Taffrail, to tell its faults from theirs. Needs Node 20 or later, npm, git, GNU tar. The network is used for
# the installation only.
# TAFFRAIL and MODEL_SERVER name binaries; without them cargo builds both.
set -euo pipefail
cd "$(dirname "$0")/.."

# Versions that this was tried with; --latest takes what npm has.
readonly AGENTS="gemini claude codex qwen copilot goose"
declare -A PACKAGE=(
  [gemini]=@google/gemini-cli [claude]=@anthropic-ai/claude-code [codex]=@openai/codex
  [qwen]=@qwen-code/qwen-code [copilot]=@github/copilot [goose]=@aaif/goose-binary-linux-x64
)
declare -A VERSION=(
  [gemini]=0.61.0 [claude]=2.1.197 [codex]=0.171.0 [qwen]=0.15.10 [copilot]=1.0.102 [goose]=1.52.0
)
readonly TASK='<<script:edit>> Do what the script says.'
readonly LIMIT=120

usage() {
  sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2
  exit 2
}

main() {
  local wanted=()
  cache="" bare="" latest=""
  for word in "$@"; do
    case $word in
      --bare) bare=1 ;;
      --latest) latest=1 ;;
      -*) usage ;;
      *) if [ -z "$cache" ]; then cache=$word; else wanted+=("$word"); fi ;;
    esac
  done
  [ -n "$cache" ] || usage
  [ ${#wanted[@]} -gt 0 ] || read -ra wanted <<<"$AGENTS"
  for agent in "${wanted[@]}"; do
    [ -n "${PACKAGE[$agent]:-}" ] || { echo "unknown agent $agent; known: $AGENTS" >&2; exit 2; }
  done

  mkdir -p "$cache"
  cache=$(cd "$cache" && pwd)
  work=$(mktemp -d)
  trap 'clean_up' EXIT
  build
  for agent in "${wanted[@]}"; do install_agent "$agent"; done
  start_model_server
  prepare_home

  local failed=0
  printf '%-9s %-10s %-34s %s\n' agent version result seconds
  for agent in "${wanted[@]}"; do run_agent "$agent" || failed=1; done
  echo "logs: $(keep_logs)" >&2
  return $failed
}

clean_up() {
  if [ -n "${server_pid:-}" ]; then kill "$server_pid" 2>/dev/null || true; fi
  rm -rf "$work"
}

keep_logs() {
  rm -rf "$cache/logs"
  cp -r "$work/logs" "$cache/logs"
  echo "$cache/logs"
}

build() {
  local packages=()
  if [ -z "${MODEL_SERVER:-}" ]; then packages+=(-p taffrail-testkit); fi
  if [ -z "$bare" ] && [ -z "${TAFFRAIL:-}" ]; then packages+=(-p taffrail); fi
  if [ ${#packages[@]} -gt 0 ]; then cargo build --locked -q "${packages[@]}" --bins; fi
  local target=${CARGO_TARGET_DIR:-target}/debug
  MODEL_SERVER=$(realpath "${MODEL_SERVER:-$target/model-server}")
  if [ -z "$bare" ]; then TAFFRAIL=$(realpath "${TAFFRAIL:-$target/taffrail}"); fi
}

# A folder per agent, so that one version does not pull another agent along.
install_agent() {
  local package=${PACKAGE[$1]} version=${VERSION[$1]}
  if [ -n "$latest" ]; then version=latest; fi
  if [ "$version" != latest ] && [ "$(installed_version "$1")" = "$version" ]; then return; fi
  echo "installing $package@$version" >&2
  npm install --silent --no-audit --no-fund --prefix "$cache/$1" "$package@$version" >&2
  # npm names goose's program after its package.
  if [ "$1" = goose ]; then ln -sf "../${PACKAGE[goose]}/bin/goose" "$cache/goose/node_modules/.bin/goose"; fi
}

installed_version() {
  local manifest=$cache/$1/node_modules/${PACKAGE[$1]}/package.json
  if [ -f "$manifest" ]; then node -p 'require(process.argv[1]).version' "$manifest"; fi
}

start_model_server() {
  mkdir -p "$work/logs"
  "$MODEL_SERVER" --port 0 --log "$work/logs/requests.jsonl" >"$work/server" &
  server_pid=$!
  for _ in $(seq 200); do
    url=$(sed -n 's/^listening on //p' "$work/server")
    if [ -n "$url" ]; then return; fi
    kill -0 "$server_pid" || { echo "the model server ended" >&2; exit 1; }
    sleep 0.05
  done
  echo "the model server did not start" >&2
  exit 1
}

# The operator's home as a fresh sign-in leaves it, and Taffrail's with the model's port open for each agent.
prepare_home() {
  mkdir -p "$work/home/.gemini" "$work/tmp"
  mkdir -m 700 "$work/taffrail"
  echo '{"security":{"auth":{"selectedType":"gemini-api-key"}},"privacy":{"usageStatisticsEnabled":false}}' \
    >"$work/home/.gemini/settings.json"
  for agent in $AGENTS; do
    printf '[external_agents.%s]\nloopback_ports = [%s]\n' "$agent" "${url##*:}"
    # Where the box is a new folder every time, this is how gemini is told to work in it.
    if [ "$agent" = gemini ]; then echo 'env = { GEMINI_CLI_TRUST_WORKSPACE = "true" }'; fi
  done >"$work/taffrail/config.toml"
}

# Sets `command` and `variables`: what makes the agent do the task without a person, at our model.
describe() {
  variables=()
  case $1 in
    gemini)
      variables=(GEMINI_API_KEY=x "GOOGLE_GEMINI_BASE_URL=$url" GEMINI_CLI_TRUST_WORKSPACE=true)
      command=(gemini -p "$TASK" --yolo -m gemini-2.5-flash)
      ;;
    claude)
      variables=(ANTHROPIC_API_KEY=x "ANTHROPIC_BASE_URL=$url" IS_SANDBOX=1 DISABLE_AUTOUPDATER=1 DISABLE_TELEMETRY=1)
      command=(claude -p "$TASK" --permission-mode bypassPermissions)
      ;;
    codex)
      local provider="{name=\"scripted\",base_url=\"$url/v1\",wire_api=\"responses\"}"
      command=(codex exec --dangerously-bypass-approvals-and-sandbox -c "model_providers.scripted=$provider"
        -c 'model_provider="scripted"' -m scripted "$TASK")
      ;;
    qwen)
      variables=(OPENAI_API_KEY=x "OPENAI_BASE_URL=$url/v1" OPENAI_MODEL=scripted)
      command=(qwen -p "$TASK" --yolo --auth-type openai)
      ;;
    copilot)
      variables=(COPILOT_PROVIDER_API_KEY=x "COPILOT_PROVIDER_BASE_URL=$url/v1" COPILOT_MODEL=scripted
        COPILOT_OFFLINE=true)
      command=(copilot -p "$TASK" --allow-all-tools)
      ;;
    goose)
      variables=(GOOSE_PROVIDER=openai OPENAI_API_KEY=x "OPENAI_HOST=$url" GOOSE_MODEL=scripted GOOSE_MODE=auto
        GOOSE_DISABLE_KEYRING=1)
      command=(goose run --no-session -t "$TASK")
      ;;
  esac
}

clean_env() {
  env -i "PATH=$cache/$agent/node_modules/.bin:$PATH" "HOME=$work/home" "TAFFRAIL_HOME=$work/taffrail" \
    "TMPDIR=$work/tmp" LANG=C.UTF-8 NO_COLOR=1 "${variables[@]}" "$@"
}

run_agent() {
  local agent=$1 repo=$work/projects/$1 log=$work/logs/$1 result code=0
  make_repo "$repo"
  describe "$agent"
  local before start seconds
  before=$(digest "$repo")
  start=$(date +%s%N)
  if [ -n "$bare" ]; then
    (cd "$repo" && clean_env timeout $LIMIT "${command[@]}") </dev/null >"$log" 2>&1 || code=$?
  else
    (cd "$repo" && clean_env timeout $LIMIT "$TAFFRAIL" box --net on --name "$agent" --keep --unattended \
      -- "${command[@]}") </dev/null >"$log" 2>&1 || code=$?
  fi
  seconds=$(awk -v ns=$(($(date +%s%N) - start)) 'BEGIN { printf "%.1f", ns / 1e9 }')
  result=$(judge "$repo" "$before" $code)
  printf '%-9s %-10s %-34s %s\n' "$agent" "$(installed_version "$agent")" "$result" "$seconds"
  [ "$result" = ok ]
}

make_repo() {
  mkdir -p "$1"
  (
    cd "$1"
    export HOME=$work/home GIT_CONFIG_NOSYSTEM=1
    git init -q -b main
    printf 'line one\nline two\n' >README.md
    git add -A
    git -c user.name=Operator -c user.email=operator@example.invalid commit -q -m 'first'
  )
}

digest() {
  tar --sort=name --mtime=@0 -C "$1" -cf - . | sha256sum
}

# The word for how it went: what the agent left, and what it left alone.
judge() {
  local repo=$1 before=$2 code=$3 changed
  if [ "$code" != 0 ]; then echo "exit code $code"; return; fi
  if [ -n "$bare" ]; then
    changed=$(git -C "$repo" status --porcelain --untracked-files=all | cut -c4- | sort | tr '\n' ' ')
    judge_contents "$changed" "$(cat "$repo/hello.txt" "$repo/shell.txt" 2>&1)"
    return
  fi
  if [ "$(digest "$repo")" != "$before" ]; then echo "the operator's tree was changed"; return; fi
  local review
  review=$(cd "$repo" && clean_env "$TAFFRAIL" box review "$agent" 2>&1) || { echo "no review"; return; }
  echo "$review" >"$work/logs/$agent.review"
  (cd "$repo" && clean_env "$TAFFRAIL" box list --json) >"$work/logs/$agent.list" 2>&1 || { echo "no list"; return; }
  grep -q "\"$agent\"" "$work/logs/$agent.list" || { echo "not in the list"; return; }
  changed=$(cd "$repo" && clean_env "$TAFFRAIL" box review "$agent" --stat 2>&1 |
    grep -oE '[A-Za-z_/-]+\.(txt|md|json)' | sort -u | tr '\n' ' ')
  judge_contents "$changed" "$review"
}

judge_contents() {
  if [ "$1" != 'hello.txt shell.txt ' ]; then
    echo "changed: ${1:-nothing}"
  elif ! grep -q hello <<<"$2" || ! grep -q there <<<"$2" || ! grep -q from-shell <<<"$2"; then
    echo "other contents"
  else
    echo ok
  fi
}

main "$@"
