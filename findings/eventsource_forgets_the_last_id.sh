#!/bin/sh
# Each event that a browser's EventSource hands on says the last id that its stream has named (lastEventId; HTML,
# 9.2.6), also if the event has none of its own, so that a program can store its place with what it has read. In the
# package eventsource for Node it is empty for such events. A program that stores it, to go on behind a restart, loses
# its place and reads the stream from the beginning. The package itself sends the id when it connects again.
#
# version: eventsource 4.1.1 (npm), Node 20
# behaviour: behind "id: 7", an event without an id has the lastEventId "" though Last-Event-ID: 7 is sent afterwards
# seen: a "7", b "", Last-Event-ID: 7
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund eventsource@4.1.1 > /dev/null
cat > ids.mjs <<'PROGRAM'
import http from "node:http";
import { EventSource } from "eventsource";

const again = {};
again.promise = new Promise((resolve) => (again.resolve = resolve));
let connections = 0;
const server = http.createServer((request, answer) => {
  connections += 1;
  if (connections === 2) again.resolve(request.headers["last-event-id"]);
  answer.writeHead(200, { "Content-Type": "text/event-stream" });
  answer.end("retry: 50\nid: 7\ndata: a\n\ndata: b\n\n");
});
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
const source = new EventSource(`http://127.0.0.1:${server.address().port}`);
const seen = [];
source.onmessage = (event) => seen.push(`${event.data} ${JSON.stringify(event.lastEventId)}`);
const sent = await again.promise;
source.close();
console.log([...seen.slice(0, 2), `Last-Event-ID: ${sent}`].join(", "));
process.exit(0);
PROGRAM
node ids.mjs | tee seen
test "$(cat seen)" = 'a "7", b "", Last-Event-ID: 7'
