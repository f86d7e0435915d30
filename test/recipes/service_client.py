import json
import time
import uuid
from http.client import HTTPException
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

MOST_TRIES = 3


class ServiceError(Exception):
    """A refusal of the service."""

    def __init__(self, status, error):
        super().__init__(error["message"])
        self.status, self.code = status, error["code"]


class ServiceClient:
    """A small client as somebody may write one: it waits as it is told, repeats what was lost, and walks pages to their end."""

    def __init__(self, base_url, key, sleep=time.sleep):
        self.base_url, self.key, self.sleep = base_url, key, sleep

    def send(self, method, path, body=None):
        headers = {"Authorization": f"Bearer {self.key}", "Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if method == "POST":  # one key for all tries: work that was started once is not started again
            headers["Idempotency-Key"] = str(uuid.uuid4())
        data = None if body is None else json.dumps(body).encode()
        for tries in range(1, MOST_TRIES + 1):
            try:
                with urlopen(Request(self.base_url + path, data, headers, method=method)) as answer:
                    return json.load(answer)
            except HTTPError as refusal:
                after = refusal.headers.get("Retry-After")
                if after is None or tries == MOST_TRIES:
                    raise ServiceError(refusal.code, json.load(refusal)["error"]) from None
                self.sleep(int(after))
            except (URLError, HTTPException, ConnectionError):
                if tries == MOST_TRIES:
                    raise

    def submit(self, repo, workflow):
        return self.send("POST", f"/api/repos/{repo}/jobs", {"workflow": workflow, "params": {}})

    def walk(self, path):
        page = self.send("GET", path)
        yield from page["data"]
        while page["has_more"]:
            page = self.send("GET", f"{path}&cursor={page['next_cursor']}")
            yield from page["data"]
