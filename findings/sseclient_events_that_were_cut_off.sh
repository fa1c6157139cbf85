#!/bin/sh
# An event of a stream ends with an empty line; what the stream ends in the midst of has to be dropped (HTML, 9.2.6).
# Two readers pass it on as an event like any other if a proxy or a restart closes the connection in good order there:
# sseclient-py in Python, and parse-sse in Node. A figure is then what was sent of its digits, 12 for 120. httpx-sse
# and eventsource-parser drop it. parse-sse also ends an event early if a chunk of the network ends between CR and LF:
# of two lines of data it makes two events.
#
# version: sseclient-py==1.9.0, httpx-sse==0.4.3, parse-sse 0.1.0 and eventsource-parser 3.1.1 (npm), Node 20
# behaviour: "data: 12" at the end of a stream is an event in sseclient-py and parse-sse; it was to be "data: 120"
# seen: ['8', '12'] by sseclient-py, ['8'] by httpx-sse; 8,12 by parse-sse, 8 by eventsource-parser; of the lines a and
#   b, sent with CR | LF in two chunks, a,b by parse-sse and a\nb by eventsource-parser
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check sseclient-py==1.9.0 httpx-sse==0.4.3 httpx==0.28.1
"$folder/venv/bin/python" - <<'PYTHON'
import sys

import httpx
import httpx_sse
import sseclient

CUT = b"data: 8\n\ndata: 12"
plain = [event.data for event in sseclient.SSEClient(iter([CUT])).events()]
answer = httpx.Response(200, headers={"Content-Type": "text/event-stream"}, content=CUT)
other = [event.data for event in httpx_sse.EventSource(answer).iter_sse()]
print("sseclient-py", plain, "httpx-sse", other)
sys.exit(0 if (plain, other) == (["8", "12"], ["8"]) else 1)
PYTHON
cd "$folder"
npm install --silent --no-audit --no-fund parse-sse@0.1.0 eventsource-parser@3.1.1 > /dev/null
cat > cut.mjs <<'PROGRAM'
import { EventSourceParserStream } from "eventsource-parser/stream";
import { parseServerSentEvents } from "parse-sse";

const answer = (...chunks) => {
  const body = new ReadableStream({
    start(sink) {
      for (const chunk of chunks) sink.enqueue(new TextEncoder().encode(chunk));
      sink.close();
    },
  });
  return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
};
const collect = async (events) => {
  const data = [];
  for await (const event of events) data.push(event.data);
  return JSON.stringify(data);
};
for (const chunks of [["data: 8\n\ndata: 12"], ["data: a\r", "\ndata: b\r\n\r\n"]]) {
  const parsed = answer(...chunks).body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  console.log(await collect(parseServerSentEvents(answer(...chunks))), await collect(parsed));
}
PROGRAM
node cut.mjs | tee seen
cat > expected <<'SEEN'
["8","12"] ["8"]
["a","b"] ["a\nb"]
SEEN
cmp seen expected
