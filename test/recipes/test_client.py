import pytest
from service_client import ServiceClient, ServiceError

JOBS = "POST /api/repos/{owner}/{repo}/{branch}/jobs"
REPO = "acme/web/main"


@pytest.fixture
def waits():
    return []


@pytest.fixture
def client(world, waits):
    """The client under test, and the seconds that it was told to wait: nobody waits them."""
    return ServiceClient(world["api_url"], world["keys"]["full"], sleep=waits.append)


def test_waits_as_long_as_it_is_told(client, world, waits):
    world["control"]("/faults", {"on": "*", "first": 2, "code": "rate_limit_qps", "retry_after": 7})
    client.send("GET", "/api/jobs")
    assert waits == [7, 7]


def test_walks_pages_to_their_end(client):
    refs = [row["ref"] for row in client.walk("/api/observations?limit=50")]
    assert len(refs) == len(set(refs)) > 50


def test_starts_work_once_though_its_answer_is_lost(client, world):
    world["control"]("/faults", {"on": JOBS, "nth": 1, "socket": "CONNECTION_RESET_BY_PEER", "performs": True})
    job = client.submit(REPO, "audit")
    calls = world["control"]("/journal/find", {"route": JOBS})["entries"]
    assert [change["id"] for call in calls for change in call["changes"] if change["kind"] == "job"] == [job["id"]]
    assert len({call["headers"]["idempotency-key"] for call in calls}) == 1


@pytest.mark.parametrize("code, status", [("spend_paused", 402), ("repo_already_registered", 409), ("rate_limit_qps", 429)])
def test_tells_a_refusal(client, world, code, status):
    world["control"]("/faults", {"on": "*", "code": code})
    with pytest.raises(ServiceError) as refusal:
        client.send("GET", "/api/jobs")
    assert (refusal.value.status, refusal.value.code) == (status, code)


def test_sees_a_run_fail(client, world):
    job = client.submit(REPO, "review")
    world["control"]("/drive/finish-job", {"job_id": job["id"], "outcome": "failure"})
    assert client.send("GET", f"/api/jobs/{job['id']}")["status"] == "failed"
    assert client.send("POST", f"/api/jobs/{job['id']}/retry")["status"] == "pending"


def test_sees_a_fix_merge(client, world):
    ref = world["control"]("/drive/find", {"repo": REPO, "observation": {"kind": "finding"}})["result"]["ref"]
    client.send("POST", f"/api/observations/{ref}/fix")
    world["control"]("/drive/open-fix-pr", {"ref": ref})
    world["control"]("/drive/merge-fix-pr", {"ref": ref})
    assert client.send("GET", f"/api/observations/{ref}")["close_reason"] == "fixed"
