"""Serves the FastAPI hooks on a free port, with a mock in place of the service. Prints its address."""

import json
import socket
import sys
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures" / "examples" / "hooks"))
import uvicorn  # noqa: E402
from fastapi import FastAPI  # noqa: E402
from fastapi_hooks import hooks  # noqa: E402

CONTROL, TOKEN = sys.argv[1:]


def call(method: str, path: str, values: dict | None = None) -> dict:
    body = json.dumps(values or {}).encode() if method == "POST" else None
    request = urllib.request.Request(CONTROL + path, body, {"content-type": "application/json"}, method=method)
    with urllib.request.urlopen(request) as answer:
        return json.loads(answer.read() or b"{}")


class Service:
    def create_world(self, values: dict) -> dict:
        return call("POST", "/worlds", {"clock": "frozen"})

    def remove_world(self, world: str) -> None:
        call("DELETE", f"/worlds/{world}")

    def now(self, world: str) -> str:
        return call("GET", f"/worlds/{world}/clock")["now"]

    def advance(self, world: str, values: dict) -> None:
        call("POST", f"/worlds/{world}/clock/advance", values)

    @property
    def events(self) -> dict:
        names = ["finish-job", "find", "suspend", "reactivate"]
        return {
            name: lambda world, values, name=name: call("POST", f"/worlds/{world}/drive/{name}", values).get("result")
            for name in names
        }


app = FastAPI()
app.include_router(hooks(Service(), TOKEN), prefix="/control")
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
print(f"http://127.0.0.1:{listener.getsockname()[1]}/control", flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])
