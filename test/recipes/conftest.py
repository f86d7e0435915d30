import json, os, pytest
from urllib.request import Request, urlopen

def post(url, body):
    with urlopen(Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})) as answer:
        return json.load(answer)

@pytest.fixture
def world():
    worlds = os.environ["COUNTERPART_CONTROL_URL"] + "/worlds"
    world = post(worlds, {"clock": "frozen", "skip": "at-once"})  # id, keys and sessions by role, repos
    url = f"{worlds}/{world['id']}"
    yield {**world, "api_url": os.environ["COUNTERPART_API_URL"], "control": lambda path, body: post(url + path, body)}
    urlopen(Request(url, method="DELETE")).close()
