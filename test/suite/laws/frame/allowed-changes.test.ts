import { describe, expect, test } from "vitest";
import { type Between, findUnexplained } from "../../../../src/suite/laws/frame/allowed-changes.js";
import { listDifferences, type View } from "../../../../src/suite/laws/frame/view.js";
import { findFrame } from "../../../../src/suite/statements/frames.js";
import type { Operation } from "../../../../src/suite/statements/operations.js";

const open = { kind: "finding", priority: "P1", status: "new", close_reason: null, acknowledged_at: null };
const job = { workflow: "audit", repo_name: "web@main", status: "running" };

function view(
  changes: { a?: object; b?: object; job?: object; jobs?: Record<string, object>; repositories?: number; lane?: string[] } = {},
): View {
  return {
    observation: new Map([
      ["A", { ...open, ...changes.a }],
      ["B", { ...open, ...changes.b }],
    ]),
    job: new Map(Object.entries<Record<string, unknown>>({ J: { ...job, ...changes.job }, ...changes.jobs })),
    repository: new Map(Array.from({ length: changes.repositories ?? 2 }, (_, place) => [String(place), {}])),
    lane: new Map((changes.lane ?? ["B"]).map((ref) => [ref, {}])),
  };
}

/** Returns the changes that no frame allows after a request with the ids A and J. */
function unexplainedChanges(operation: Operation | undefined, after: View, more: Partial<Between> = {}): string[] {
  const before = view();
  const frame = operation && findFrame(operation);
  const between: Between = {
    ...{ performed: [{ ids: ["A", "J"], ...(frame && { frame }) }], before, after, cancelled: new Set() },
    isInRepository: ({ id }) => id === "A" || id === "J",
    ...more,
  };
  return findUnexplained(listDifferences(before, after), between).map(({ kind, id, field = "" }) =>
    `${kind} ${id} ${field}`.trim(),
  );
}

const dismissed = { status: "closed", close_reason: "dismissed" };
const DISMISS = "POST /api/observations/{ref}/dismiss";
const DELETE = "DELETE /api/repos/{owner}/{repo}/{branch}";

describe("an accepted request", () => {
  const rows: [Operation, string, View, string[]][] = [
    [DISMISS, "closes the named observation", view({ a: dismissed }), []],
    [DISMISS, "closes another one", view({ b: dismissed }), ["observation B status", "observation B close_reason"]],
    [DISMISS, "changes the priority", view({ a: { ...dismissed, priority: "P2" } }), ["observation A priority"]],
    [DISMISS, "takes another one out of the lane", view({ a: dismissed, lane: [] }), ["lane B"]],
    [DISMISS, "puts the named one into the lane", view({ a: dismissed, lane: ["A", "B"] }), []],
    [DISMISS, "acknowledges", view({ a: { acknowledged_at: "now" } }), ["observation A acknowledged_at"]],
    [DISMISS, "starts a job", view({ jobs: { K: job } }), ["job K"]],
    ["POST /api/observations/{ref}/acknowledge", "acknowledges", view({ a: { acknowledged_at: "now" } }), []],
    ["POST /api/jobs/{job_id}/cancel", "cancels the named job", view({ job: { status: "cancelled" } }), []],
    ["POST /api/jobs/{job_id}/cancel", "removes a repository", view({ repositories: 1 }), ["repository 1"]],
    ["POST /api/jobs/{job_id}/retry", "starts one job", view({ jobs: { K: job } }), []],
    ["POST /api/jobs/{job_id}/retry", "starts two jobs", view({ jobs: { K: job, L: job } }), ["job L"]],
    [DELETE, "removes the repository", view({ repositories: 1, a: dismissed }), []],
    [
      DELETE,
      "changes another repository",
      view({ repositories: 1, b: dismissed }),
      ["observation B status", "observation B close_reason"],
    ],
    ["POST /api/repos/{owner}/{repo}/{branch}/reset", "removes the repository", view({ repositories: 1 }), ["repository 1"]],
  ];
  test.each(rows)("%s: %s", (operation, _, after, expected) => expect(unexplainedChanges(operation, after)).toEqual(expected));
});

describe("time alone", () => {
  const rows: [string, View, string[]][] = [
    ["ends a run", view({ job: { status: "completed" } }), []],
    ["closes an observation as fixed", view({ b: { status: "closed", close_reason: "fixed" } }), []],
    ["starts a discovery", view({ jobs: { K: { ...job, workflow: "discover" } } }), []],
    ["cancels no job", view({ job: { status: "cancelled" } }), ["job J status"]],
    [
      "closes no observation as completed",
      view({ b: { ...dismissed, close_reason: "completed" } }),
      ["observation B status", "observation B close_reason"],
    ],
    [
      "acknowledges nothing",
      view({ job: { status: "completed" }, b: { acknowledged_at: "now" } }),
      ["observation B acknowledged_at"],
    ],
    ["may find an observation again when a run ends", view({ job: { status: "completed" }, b: { priority: "P0" } }), []],
  ];
  test.each(rows)("%s", (_, after, expected) => expect(unexplainedChanges(undefined, after)).toEqual(expected));
});

test("a job that was cancelled before may end later", () => {
  expect(unexplainedChanges(undefined, view({ job: { status: "cancelled" } }), { cancelled: new Set(["J"]) })).toEqual([]);
});
