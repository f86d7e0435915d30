import createClient from "openapi-fetch";
import type { paths } from "./service.js";

declare const process: { argv: string[] };

const [, , baseUrl = "", key = ""] = process.argv;
const service = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } });

/** Reads two pages of open findings, with the cursor unchanged. */
async function listFindings(): Promise<string[]> {
  const query = { kind: "finding", status: "new", limit: 2 } as const;
  const first = await service.GET("/api/observations", { params: { query } });
  const cursor = first.data?.next_cursor;
  if (!first.data || !cursor) return [];
  const second = await service.GET("/api/observations", { params: { query: { ...query, cursor } } });
  return [...first.data.data, ...(second.data?.data ?? [])].map(({ ref }) => ref);
}

/** Submits an audit of the first repository, and finds it again alone and in the list. */
async function submit() {
  const repos = await service.GET("/api/repos");
  const { owner = "", repo = "", branch = "" } = repos.data?.data[0] ?? {};
  const path = { org: owner, repository: repo, ref_name: branch };
  const submitted = await service.POST("/api/repos/{org}/{repository}/{ref_name}/jobs", {
    params: { path },
    body: { workflow: "audit", params: {} },
  });
  const id = submitted.data?.id ?? "";
  const alone = await service.GET("/api/jobs/{job_id}", { params: { path: { job_id: id } } });
  const listed = await service.GET("/api/repos/{org}/{repository}/{ref_name}/jobs", {
    params: { path, query: { workflow: "audit" } },
  });
  return {
    status: submitted.response.status,
    job: submitted.data,
    alone: alone.data,
    listed: listed.data?.data.some((job) => job.id === id),
  };
}

/** Dismisses an observation and reads it. */
async function dismiss(ref: string) {
  const path = { ref };
  const dismissed = await service.POST("/api/observations/{ref}/dismiss", {
    params: { path },
    body: { dismissal_category: "false_positive", dismissal_note: "Checked by hand: the input is trusted." },
  });
  const after = await service.GET("/api/observations/{ref}", { params: { path } });
  return { status: dismissed.response.status, after: after.data };
}

const findings = await listFindings();
const submission = await submit();
const dismissal = await dismiss(findings[0] ?? "");
const missing = await service.GET("/api/jobs/{job_id}", { params: { path: { job_id: "job_none" } } });

console.log(JSON.stringify({ findings, submission, dismissal, refusal: missing.error?.error }));
