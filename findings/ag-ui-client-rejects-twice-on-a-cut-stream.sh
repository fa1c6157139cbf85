#!/bin/sh
# @ag-ui/client (Node) reports a stream that is cut twice: once as the rejection of runAgent, which a program can catch,
# and once as a rejection that belongs to no promise the program has. Node ends the process because of that one.
#
# version: @ag-ui/client 1.0.0 (npm), Node 20
# behaviour: a connection that is cut behind the first event of a run rejects runAgent and raises one unhandledRejection
# seen: caught: terminated; unhandled: TypeError: terminated. A program that asks again, as it should, needs
#   process.on("unhandledRejection", ...) to live to do so.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @ag-ui/client@1.0.0 > /dev/null
cat > cut.mjs << 'PROGRAM'
import http from "node:http";
import { HttpAgent } from "@ag-ui/client";

const server = http.createServer((request, answer) => {
  answer.writeHead(200, { "Content-Type": "text/event-stream" });
  answer.write('data: {"type":"RUN_STARTED","threadId":"t","runId":"r"}\n\n');
  setTimeout(() => answer.destroy(), 300);
});
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
process.on("unhandledRejection", (error) => console.log(`unhandled: ${error.name}: ${error.message}`));
const agent = new HttpAgent({ url: `http://127.0.0.1:${server.address().port}` });
agent.messages = [{ id: "1", role: "user", content: "?" }];
await agent.runAgent({ runId: "r" }).catch((error) => console.log(`caught: ${error.message}`));
await new Promise((ready) => setTimeout(ready, 500));
server.close();
process.exit(0);
PROGRAM
node cut.mjs 2> /dev/null | tee said
grep -q "^caught: " said
grep -q "^unhandled: TypeError: terminated" said
