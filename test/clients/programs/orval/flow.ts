import { cancelJob, listJobs, listObservations, registerRepo, submitJob } from "./service.js";

declare const process: { argv: string[] };

const [, , , full = "", broke = "", slow = "", done = ""] = process.argv;
const as = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });
const submit = (key: string, org: string, repository: string, workflow: string) =>
  submitJob(org, repository, "main", { workflow, params: {} }, undefined, as(key));

const refs: string[] = [];
let cursor: string | null | undefined;
let hasMore = true;
let acknowledged: string | null | undefined;
while (cursor !== null) {
  const page = await listObservations(
    { kind: "finding", status: "new", limit: 20, ...(cursor !== undefined && { cursor }) },
    as(full),
  );
  if (page.status !== 200) throw new Error("no page");
  if (refs.length === 0) acknowledged = page.data.data[0]?.acknowledged_at;
  refs.push(...page.data.data.map(({ ref }) => ref));
  cursor = page.data.next_cursor;
  hasMore = page.data.has_more;
}
const registered = await registerRepo({ owner: "octocat", repo: "hello-world", branch: "main" }, as(full));
const submitted = await submit(full, "acme", "web", "audit");
if (registered.status !== 201 || submitted.status !== 201) throw new Error("refused");
const unpaid = await submit(broke, "broke-co", "site", "audit");
const over = await cancelJob(done, as(full));
const retired = await submit(full, "acme", "web", "mini_audit");
if (unpaid.status !== 402 || over.status !== 409 || retired.status !== 422) throw new Error("not refused");
let limited = await listJobs(undefined, as(slow));
while (limited.status !== 429) limited = await listJobs(undefined, as(slow));

const { id, workflow, status } = submitted.data;
const codes = [unpaid, over, retired, limited].map(({ data }) => data.error.code);
console.log(
  JSON.stringify({ refs, hasMore, acknowledged, discover: registered.data.discover_job_id, job: [id, workflow, status], codes }),
);
