import { type Mutant, routeOf, withAnswer, withError, withoutHeader, withQuery } from "./mutant.js";

const retry = "POST /api/jobs/{job_id}/retry";

/** Faults in what is said of every request: keys, errors, buckets, pages and cursors. */
export const ruleMutants: Mutant[] = [
  {
    name: "lets 29 submissions a minute pass instead of 30",
    breaks: "BUCKET-JOB-START",
    around(world, call, perform) {
      for (const windows of Object.values(world.rates)) if (windows.submit?.used === 29) windows.submit.used = 30;
      return perform(world, call);
    },
  },
  {
    name: "counts retries apart from submissions",
    breaks: "BUCKET-JOB-COMBINED",
    around(world, call, perform) {
      if (routeOf(call) !== retry) return perform(world, call);
      const swap = () => {
        for (const windows of Object.values(world.rates)) {
          [windows.submit, windows.retry] = [windows.retry!, windows.submit!];
        }
      };
      swap();
      const reply = perform(world, call);
      swap();
      return reply;
    },
  },
  {
    name: "has no bucket on the repository list",
    breaks: "BUCKET-ENFORCED",
    around(world, call, perform) {
      if (routeOf(call) === "GET /api/repos") for (const windows of Object.values(world.rates)) delete windows.list_repos;
      return perform(world, call);
    },
  },
  {
    name: "leaves out Retry-After",
    breaks: "RETRY-AFTER-429",
    around(world, call, perform) {
      const reply = perform(world, call);
      return reply.status === 429 ? withoutHeader(reply, "retry-after") : reply;
    },
  },
  {
    name: "says too short a wait",
    breaks: "RETRY-AFTER-HELPS",
    around(world, call, perform) {
      const reply = perform(world, call);
      return reply.status === 429 ? { ...reply, headers: { ...reply.headers, "retry-after": "1" } } : reply;
    },
  },
  {
    name: "leaves the request id out of errors",
    breaks: "ERR-ENVELOPE-ONE",
    around(world, call, perform) {
      const reply = perform(world, call);
      return reply.status >= 400 ? withError(reply, { request_id: undefined }) : reply;
    },
  },
  {
    name: "answers 403 to a request without a key",
    breaks: "AUTH-MISSING",
    around(world, call, perform) {
      const reply = perform(world, call);
      return reply.rule.code === "missing_key" ? { ...reply, status: 403 } : reply;
    },
  },
  {
    name: "takes a cursor with other filters",
    breaks: "CURSOR-FILTERS",
    around(world, call, perform) {
      const reply = perform(world, call);
      return reply.rule.code === "invalid_cursor" ? perform(world, withQuery(call, { cursor: undefined })) : reply;
    },
  },
  {
    name: "cuts a limit above 200 down to 200",
    breaks: "PAGE-LIMIT-OVER",
    around(world, call, perform) {
      return perform(world, Number(call.query.limit?.[0]) > 200 ? withQuery(call, { limit: "200" }) : call);
    },
  },
  {
    name: "promises more on the last page",
    breaks: "CURSOR-LAST",
    around(world, call, perform) {
      const reply = perform(world, call);
      return isLastPage(reply.body) ? withAnswer(reply, { has_more: true }) : reply;
    },
  },
  {
    name: "shows the first row of a later page twice",
    breaks: "CURSOR-WALK",
    around(world, call, perform) {
      const reply = perform(world, call);
      const { data } = (reply.body ?? {}) as { data?: unknown[] };
      return call.query.cursor && data?.length ? withAnswer(reply, { data: [data[0], ...data] }) : reply;
    },
  },
  {
    name: "answers 50 rows whatever the limit",
    breaks: "PAGE-LIMIT-HELD",
    around: (world, call, perform) =>
      perform(world, Number(call.query.limit?.[0]) < 50 ? withQuery(call, { limit: "50" }) : call),
  },
  {
    name: "lets keys of a suspended workspace in",
    breaks: "WORKSPACE-SUSPEND-401",
    around(world, call, perform) {
      const suspended = Object.values(world.workspaces).filter((workspace) => workspace.state === "suspended");
      for (const workspace of suspended) workspace.state = "active";
      const reply = perform(world, call);
      for (const workspace of suspended) workspace.state = "suspended";
      return reply;
    },
  },
];

function isLastPage(body: unknown): boolean {
  return typeof body === "object" && body !== null && "has_more" in body && body.has_more === false;
}
