import { createClient } from "./service/client/index.js";
import { cancelJob, listJobs, listObservations, registerRepo, submitJob } from "./service/index.js";

declare const process: { argv: string[] };

const [, , baseUrl = "", full = "", broke = "", slow = "", done = ""] = process.argv;
const as = (key: string) => createClient({ baseUrl, auth: key });
const client = as(full);
const submit = (by: typeof client, org: string, repository: string, workflow: string) =>
  submitJob({ client: by, path: { org, repository, ref_name: "main" }, body: { workflow, params: {} } });

const refs: string[] = [];
let cursor: string | null | undefined;
let hasMore = true;
let acknowledged: string | null | undefined;
while (cursor !== null) {
  const query = { kind: "finding", status: "new", limit: 20, ...(cursor !== undefined && { cursor }) } as const;
  const { data } = await listObservations({ client, query });
  if (!data) throw new Error("no page");
  if (refs.length === 0) acknowledged = data.data[0]?.acknowledged_at;
  refs.push(...data.data.map(({ ref }) => ref));
  cursor = data.next_cursor;
  hasMore = data.has_more;
}
const registered = await registerRepo({ client, body: { owner: "octocat", repo: "hello-world", branch: "main" } });
const { data: job } = await submit(client, "acme", "web", "audit");
const unpaid = await submit(as(broke), "broke-co", "site", "audit");
const over = await cancelJob({ client, path: { job_id: done } });
const retired = await submit(client, "acme", "web", "mini_audit");
let limited: string | undefined;
while (limited === undefined) limited = (await listJobs({ client: as(slow) })).error?.error.code;

const codes = [unpaid.error?.error.code, over.error?.error.code, retired.error?.error.code, limited];
const seen = { refs, hasMore, acknowledged, discover: registered.data?.discover_job_id };
console.log(JSON.stringify({ ...seen, job: [job?.id, job?.workflow, job?.status], codes }));
