#!/bin/sh
# A stream of server-sent events may begin with a byte order mark, which the specification has clients drop (HTML,
# 9.2.6), and which .NET's StreamWriter writes for Encoding.UTF8. openai reads it as part of the first line: the first
# chunk of the answer is lost, and "not effective" is "effective". httpx-sse loses the first event as well. A "retry:"
# line alone, or a comment as a keep-alive behind an event with an id, is no event by the specification; openai takes
# either for a chunk and raises a JSONDecodeError in mid-answer, and httpx-sse returns an event without data.
#
# version: openai==3.57.0, httpx-sse==0.4.3 httpx==0.28.1
# behaviour: with U+FEFF before it, a stream lacks its first chunk; "retry: 100" and an empty line raise
#   JSONDecodeError
# seen: "not effective"; behind the mark "effective"; JSONDecodeError for retry and for a comment behind an id;
#   httpx-sse ['not ', 'effective'], ['effective'], ['', 'not ', 'effective'] and ['not ', '', 'effective']
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check openai==3.57.0 httpx-sse==0.4.3 httpx==0.28.1
"$folder/venv/bin/python" - <<'PYTHON'
import json
import sys

import httpx
from httpx_sse import EventSource
from openai import OpenAI


def chunk(text):
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
    body = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    return f"data: {json.dumps(body)}\n\n"


def read_with_openai(stream):
    answer = httpx.MockTransport(lambda request: httpx.Response(200, headers=HEADERS, content=stream.encode()))
    client = OpenAI(api_key="x", base_url="http://x/v1", max_retries=0, http_client=httpx.Client(transport=answer))
    asked = [{"role": "user", "content": "?"}]
    try:
        chunks = client.chat.completions.create(model="m", messages=asked, stream=True)
        return "".join(one.choices[0].delta.content or "" for one in chunks)
    except json.JSONDecodeError:
        return "JSONDecodeError"


def read_with_httpx_sse(stream):
    answer = httpx.Response(200, headers=HEADERS, content=stream.encode())
    data = [event.data for event in EventSource(answer).iter_sse() if event.data != "[DONE]"]
    return [json.loads(one)["choices"][0]["delta"]["content"] if one else "" for one in data]


HEADERS = {"Content-Type": "text/event-stream"}
first, second, done = chunk("not "), chunk("effective"), "data: [DONE]\n\n"
streams = {
    "plain": first + second + done,
    "mark": "\ufeff" + first + second + done,
    "retry": "retry: 100\n\n" + first + second + done,
    "comment": "id: 1\n" + first + ": keep-alive\n\n" + second + done,
}
found = {name: (read_with_openai(stream), read_with_httpx_sse(stream)) for name, stream in streams.items()}
for name, read in found.items():
    print(name, *map(repr, read))
same = found == {
    "plain": ("not effective", ["not ", "effective"]),
    "mark": ("effective", ["effective"]),
    "retry": ("JSONDecodeError", ["", "not ", "effective"]),
    "comment": ("JSONDecodeError", ["not ", "", "effective"]),
}
sys.exit(0 if same else 1)
PYTHON
