import json
import sys

from service import AuthenticatedClient
from service.api.jobs import cancel_job, list_jobs, submit_job
from service.api.observations import list_observations
from service.api.repositories import register_repo
from service.models import (
    ErrorEnvelope,
    Job,
    JobSubmission,
    JobSubmissionParams,
    ObservationKind,
    ObservationStatus,
    PageOfObservation,
    Registration,
    RepositoryRegistration,
)
from service.types import UNSET

url, full, broke, slow, done = sys.argv[1:]


def client(key):
    return AuthenticatedClient(base_url=url, token=key)


def submit(key, org, repository, workflow):
    body = JobSubmission(workflow=workflow, params=JobSubmissionParams())
    return submit_job.sync(org, repository, "main", client=client(key), body=body)


def code_of(answer):
    assert isinstance(answer, ErrorEnvelope), answer
    return answer.error.code


refs, cursor, has_more, acknowledged = [], UNSET, True, ""
while cursor is not None:
    page = list_observations.sync(
        client=client(full), kind=ObservationKind.FINDING, status=ObservationStatus.NEW, limit=20, cursor=cursor
    )
    assert isinstance(page, PageOfObservation), page
    if not refs:
        acknowledged = page.data[0].acknowledged_at
    refs += [one.ref for one in page.data]
    cursor, has_more = page.next_cursor, page.has_more

registration = RepositoryRegistration(owner="octocat", repo="hello-world", branch="main")
registered = register_repo.sync(client=client(full), body=registration)
job = submit(full, "acme", "web", "audit")
assert isinstance(registered, Registration) and isinstance(job, Job)
codes = [
    code_of(submit(broke, "broke-co", "site", "audit")),
    code_of(cancel_job.sync(done, client=client(full))),
    code_of(submit(full, "acme", "web", "mini_audit")),
]
limited = None
while not isinstance(limited, ErrorEnvelope):
    limited = list_jobs.sync(client=client(slow))
seen = {"refs": refs, "hasMore": has_more, "acknowledged": acknowledged, "discover": registered.discover_job_id}
print(json.dumps({**seen, "job": [job.id, job.workflow, job.status.value], "codes": [*codes, code_of(limited)]}))
