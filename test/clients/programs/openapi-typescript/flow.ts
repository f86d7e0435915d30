import createClient from "openapi-fetch";
import type { paths } from "./service.js";

declare const process: { argv: string[] };

const [, , baseUrl = "", full = "", broke = "", slow = "", done = ""] = process.argv;
const as = (key: string) => createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } });
const service = as(full);
const submit = (client: typeof service, org: string, repository: string, workflow: string) =>
  client.POST("/api/repos/{org}/{repository}/{ref_name}/jobs", {
    params: { path: { org, repository, ref_name: "main" } },
    body: { workflow, params: {} },
  });

const refs: string[] = [];
let cursor: string | null | undefined;
let hasMore = true;
let acknowledged: string | null | undefined;
while (cursor !== null) {
  const query = { kind: "finding", status: "new", limit: 20, ...(cursor !== undefined && { cursor }) } as const;
  const { data } = await service.GET("/api/observations", { params: { query } });
  if (!data) throw new Error("no page");
  if (refs.length === 0) acknowledged = data.data[0]?.acknowledged_at;
  refs.push(...data.data.map(({ ref }) => ref));
  cursor = data.next_cursor;
  hasMore = data.has_more;
}
const registered = await service.POST("/api/repos", {
  body: { owner: "octocat", repo: "hello-world", branch: "main", access_mode: "installed" },
});
const { data: job } = await submit(service, "acme", "web", "audit");
const unpaid = await submit(as(broke), "broke-co", "site", "audit");
const over = await service.POST("/api/jobs/{job_id}/cancel", { params: { path: { job_id: done } } });
const retired = await submit(service, "acme", "web", "mini_audit");
let limited: string | undefined;
while (limited === undefined) limited = (await as(slow).GET("/api/jobs")).error?.error.code;

const codes = [unpaid.error?.error.code, over.error?.error.code, retired.error?.error.code, limited];
const seen = { refs, hasMore, acknowledged, discover: registered.data?.discover_job_id };
console.log(JSON.stringify({ ...seen, job: [job?.id, job?.workflow, job?.status], codes }));
