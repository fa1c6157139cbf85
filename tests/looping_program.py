"""A server of tools whose schema cannot be used: `python looping_program.py FOLDER SCHEMA PLACE`.

`PLACE` is `inputSchema` or `outputSchema`. It writes a line into `FOLDER/asked` whenever it is asked for its tools.
"""

import json
import sys
from pathlib import Path
from typing import Any

FOLDER, SCHEMA, PLACE = Path(sys.argv[1]), json.loads(sys.argv[2]), sys.argv[3]


def answered(asked: dict[str, Any]) -> dict[str, Any]:
    match asked["method"]:
        case "initialize":
            about = {"name": "looping", "version": "1"}
            version = asked["params"]["protocolVersion"]
            return {"result": {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about}}
        case "tools/list":
            with (FOLDER / "asked").open("a") as file:
                file.write("asked\n")
            schemas = {"inputSchema": {"type": "object"}, PLACE: {"type": "object", **SCHEMA}}
            return {"result": {"tools": [{"name": "loop", "annotations": {"readOnlyHint": True}, **schemas}]}}
        case "tools/call":
            return {"result": {"content": [], "structuredContent": {"a": 1}}}
    return {"error": {"code": -32601, "message": "unknown"}}


if __name__ == "__main__":
    for line in sys.stdin:
        if "id" in (asked := json.loads(line)):
            sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answered(asked)}) + "\n")
            sys.stdout.flush()
