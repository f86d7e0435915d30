import createClient from "openapi-fetch";
import type { paths } from "./service.js";

// Every line below a mark is a mistake that the types must catch; a mark without a mistake below it does not compile.
const service = createClient<paths>({ baseUrl: "http://127.0.0.1" });
const repo = { org: "acme", repository: "web", ref_name: "main" };
const named = { owner: "acme", repo: "web", branch: "main" };
const ref = { path: { ref: "SERVICE-1" } };
const boring = { dismissal_category: "boring", dismissal_note: "Checked by hand." } as const;

// @ts-expect-error: there is no such path
await service.GET("/api/job");
// @ts-expect-error: the path takes no such method
await service.GET("/api/jobs/{job_id}/cancel", { params: { path: { job_id: "job_1" } } });
// @ts-expect-error: the segments are missing
await service.POST("/api/repos/{org}/{repository}/{ref_name}/jobs", { body: { workflow: "audit", params: {} } });
// @ts-expect-error: the names of the contract are not those of the document
await service.GET("/api/repos/{owner}/{repo}/{branch}", { params: { path: named } });
// @ts-expect-error: the body lacks params
await service.POST("/api/repos/{org}/{repository}/{ref_name}/jobs", { params: { path: repo }, body: { workflow: "audit" } });
// @ts-expect-error: there is no such status
await service.GET("/api/observations", { params: { query: { status: "open" } } });
// @ts-expect-error: there is no such filter
await service.GET("/api/observations", { params: { query: { severity: "P0" } } });
// @ts-expect-error: the limit is a number
await service.GET("/api/observations", { params: { query: { limit: "50" } } });
// @ts-expect-error: there is no such category
await service.POST("/api/observations/{ref}/dismiss", { params: ref, body: boring });
// @ts-expect-error: the note is missing
await service.POST("/api/observations/{ref}/dismiss", { params: ref, body: { dismissal_category: "stale" } });

const { data } = await service.GET("/api/observations/{ref}", { params: ref });
// @ts-expect-error: an observation has no field of this name
data?.severity;
// @ts-expect-error: there is no such priority
if (data?.priority === "P9") console.log(data);
