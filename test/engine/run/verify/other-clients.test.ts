import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { verify } from "../../../../src/engine/run/verify.js";
import { type Mock, startMock } from "../../../../src/mock/server.js";
import { suite } from "../../../../src/suite/suite.js";

/** Reads of every list, walks, filters and triage: what others upset most easily. */
const AFFECTED_SCENARIOS = ["page-*", "cursor-*", "4-observations/*", "3-states/observation-*", "dedupe-*", "job-lists"];

/** The bodies of actions of another client. */
const ACTIONS = {
  acknowledge: undefined,
  dismiss: { dismissal_category: "stale", dismissal_note: "Dismissed by another client." },
  reopen: { reopen_reason: "Reopened by another client." },
} as const;

/** Acts as other users of the workspace: triages, submits and finds as fast as it can until it is stopped. Returns how often each act was accepted. */
async function actOn(mock: Mock, signal: AbortSignal): Promise<Record<string, number>> {
  const headers = { authorization: `Bearer ${mock.keys.no_fix}`, "content-type": "application/json" };
  const accepted: Record<string, number> = {};
  const post = async (act: string, path: string, body?: object) => {
    const response = await fetch(mock.api_url + path, { method: "POST", headers, ...(body && { body: JSON.stringify(body) }) });
    await response.text();
    if (response.ok) accepted[act] = (accepted[act] ?? 0) + 1;
  };
  for (let n = 0; !signal.aborted; n++) {
    const list = await fetch(`${mock.api_url}/api/observations?limit=20`, { headers }).then((response) => response.json());
    for (const { ref } of (list as { data?: { ref: string }[] }).data ?? []) {
      for (const [act, body] of Object.entries(ACTIONS)) await post(act, `/api/observations/${ref}/${act}`, body);
      await post("find", "/__mock/worlds/default/drive/find", { repo: mock.repos[0] });
      const submission = { workflow: "audit", params: {} };
      await post("submit", `/api/repos/${mock.repos[n % mock.repos.length]}/jobs?force=true`, submission);
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (signal.aborted) break;
    }
  }
  return accepted;
}

test("changes of other clients in the same workspace are not findings", { timeout: 120_000 }, async () => {
  const mock = await startMock({ clock: "real", limits: "off" });
  const directory = mkdtempSync(join(tmpdir(), "others-"));
  const stop = new AbortController();
  try {
    const {
      worlds: _,
      clock: __,
      ...own
    } = (await fetch(`${mock.api_url}/__mock/target`).then((response) => response.json())) as Record<string, unknown>;
    const target = join(directory, "target.yaml");
    writeFileSync(target, JSON.stringify({ ...own, timing: { rate_minute_s: 60 } }));
    const others = actOn(mock, stop.signal);
    const { report, messages } = await verify(suite, { target, only: AFFECTED_SCENARIOS, seed: 1, maxWait: 1, maxTime: 20 });
    stop.abort();
    const accepted = await others;
    for (const act of [...Object.keys(ACTIONS), "find", "submit"]) expect([act, (accepted[act] ?? 0) > 10]).toEqual([act, true]);
    if (!report) throw new Error(messages.join("\n"));
    expect(
      report.checks
        .filter(({ verdict }) => verdict === "failed")
        .map(({ id, expected, actual }) => `${id}: ${expected}; ${actual}`),
    ).toEqual([]);
    expect(report.checks.filter(({ verdict }) => verdict === "passed").length).toBeGreaterThan(10);
  } finally {
    stop.abort();
    rmSync(directory, { recursive: true });
    await mock.close();
  }
});
