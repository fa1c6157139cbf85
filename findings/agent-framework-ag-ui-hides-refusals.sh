#!/bin/sh
# The AG-UI client of Microsoft's Agent Framework streams its requests, and where the server refuses one it reads the text
# of the answer for its log before the answer was read. httpx raises ResponseNotRead for that, so the program learns
# neither the status nor the reason. A response hook of one's own httpx.AsyncClient that reads the answer shows both.
#
# version: agent-framework-ag-ui==1.7.0 (httpx 0.28)
# behaviour: an answer 401 with a reason raises ResponseNotRead, which names neither
# seen: "Attempted to access streaming response content, without having called `read()`."
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q agent-framework-ag-ui==1.7.0
cat > "$folder/refused.py" <<'PYTHON'
import asyncio
import http.server
import threading

from agent_framework import Agent
from agent_framework_ag_ui import AGUIChatClient


class Refusing(http.server.BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(401)
        self.end_headers()
        self.wfile.write(b'{"detail": "sign in"}')

    def log_message(self, *_: object) -> None:
        pass


async def ask(address: str) -> None:
    try:
        await Agent(AGUIChatClient(endpoint=address)).run("Why?")
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


server = http.server.HTTPServer(("127.0.0.1", 0), Refusing)
threading.Thread(target=server.serve_forever, daemon=True).start()
asyncio.run(ask(f"http://127.0.0.1:{server.server_port}/"))
PYTHON
"$folder/venv/bin/python" "$folder/refused.py" 2> "$folder/log" | tee "$folder/said"
grep -q "^ResponseNotRead: " "$folder/said"
! grep -q "401\|sign in" "$folder/said"
