#!/bin/sh
# openai (Node) retries a connection that is cut before the head of an answer, and not one that is cut behind it.
#
# version: openai 6.49.0 (npm), Node 20
# behaviour: with maxRetries 2, an answer whose connection is cut after its head and part of its body is asked for once;
#   the call fails with the TypeError "terminated" of fetch and not with an APIConnectionError. One that is cut before its
#   head is asked for three times. The Python package (openai 3.57.0) asks again in both cases.
# seen: a slow answer whose head goes out early, so that no client gives up, is not repeated by this client if a gateway
#   cuts it: the program has to ask again.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund openai@6.49.0 > /dev/null
cat > cut.mjs << 'PROGRAM'
import http from "node:http";
import OpenAI from "openai";

let asked = 0;
const server = http.createServer((request, answer) => {
  asked += 1;
  if (request.url.startsWith("/behind")) {
    answer.writeHead(200, { "Content-Type": "application/json" });
    answer.write('{"id":');
    setTimeout(() => answer.destroy(), 100);
  } else answer.destroy();
});
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));

async function ask(path) {
  asked = 0;
  const client = new OpenAI({ apiKey: "none", baseURL: `http://127.0.0.1:${server.address().port}/${path}`, maxRetries: 2 });
  const error = await client.chat.completions
    .create({ model: "m", messages: [{ role: "user", content: "?" }] })
    .catch((found) => found);
  return `${path}: asked ${asked} times, ${error.constructor.name}: ${error.message}`;
}

console.log(await ask("before"));
console.log(await ask("behind"));
server.close();
process.exit(0);
PROGRAM
node cut.mjs | tee said
grep -q "^before: asked 3 times, APIConnectionError" said
grep -q "^behind: asked 1 times, TypeError: terminated" said
