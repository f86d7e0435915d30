import json
import sys

from openapi_client import ApiClient, Configuration, JobsApi, ObservationsApi, RepositoriesApi
from openapi_client.exceptions import ApiException
from openapi_client.models import ErrorEnvelope, JobSubmission, ObservationKind, ObservationStatus, RepositoryRegistration

url, full, broke, slow, done = sys.argv[1:]


def client(key):
    configuration = Configuration(host=url, access_token=key)
    configuration.retries = False  # else a 429 is waited out, as Retry-After says
    return ApiClient(configuration)


def submit(key, org, repository, workflow):
    return JobsApi(client(key)).submit_job(org, repository, "main", JobSubmission(workflow=workflow, params={}))


def code_of(call):
    try:
        call()
    except ApiException as refusal:
        assert isinstance(refusal.data, ErrorEnvelope), refusal.data
        return refusal.data.error.code
    return None


observations = ObservationsApi(client(full))
refs, cursor, has_more, acknowledged = [], "", True, ""
while cursor is not None:
    page = observations.list_observations(
        kind=ObservationKind.FINDING, status=ObservationStatus.NEW, limit=20, cursor=cursor or None
    )
    if not refs:
        acknowledged = page.data[0].acknowledged_at
    refs += [one.ref for one in page.data]
    cursor, has_more = page.next_cursor, page.has_more

registered = RepositoriesApi(client(full)).register_repo(
    RepositoryRegistration(owner="octocat", repo="hello-world", branch="main")
)
job = submit(full, "acme", "web", "audit")
codes = [
    code_of(lambda: submit(broke, "broke-co", "site", "audit")),
    code_of(lambda: JobsApi(client(full)).cancel_job(done)),
    code_of(lambda: submit(full, "acme", "web", "mini_audit")),
]
limited = None
while limited is None:
    limited = code_of(JobsApi(client(slow)).list_jobs)
seen = {"refs": refs, "hasMore": has_more, "acknowledged": acknowledged, "discover": registered.discover_job_id}
print(json.dumps({**seen, "job": [job.id, job.workflow, job.status.value], "codes": [*codes, limited]}))
