import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { verify } from "../../../../src/engine/run/verify.js";
import { type Mock, startMock } from "../../../../src/mock/server.js";
import { suite } from "../../../../src/suite/suite.js";

/** Reads of every list, walks, filters and triage: what others upset most easily. */
const UPSET = ["page-*", "cursor-*", "4-observations/*", "3-states/observation-*", "dedupe-*", "job-lists"];

/** Other users of the workspace, who dismiss, reopen, submit and find things as fast as they can until they are stopped. */
async function actOn(mock: Mock, signal: AbortSignal): Promise<number> {
  const headers = { authorization: `Bearer ${mock.keys.no_fix}`, "content-type": "application/json" };
  const post = (path: string, body: object) =>
    fetch(mock.api_url + path, { method: "POST", headers, body: JSON.stringify(body) }).then((answer) => answer.text());
  let acts = 0;
  while (!signal.aborted) {
    const list = await fetch(`${mock.api_url}/api/observations?limit=20`, { headers }).then((answer) => answer.json());
    for (const { ref } of (list as { data?: { ref: string }[] }).data ?? []) {
      const act = ["acknowledge", "dismiss", "reopen"][acts % 3] as string;
      await post(`/api/observations/${ref}/${act}`, { reason: "by somebody else", category: "stale" });
      await post("/__mock/worlds/default/drive/find", { repo: mock.repos[0] });
      await post(`/api/repos/${mock.repos[acts % mock.repos.length]}/jobs`, { workflow: "audit", params: { n: acts } });
      acts += 1;
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (signal.aborted) break;
    }
  }
  return acts;
}

test("changes of other clients in the same workspace are no findings", { timeout: 120_000 }, async () => {
  const mock = await startMock({ clock: "real" });
  const directory = mkdtempSync(join(tmpdir(), "others-"));
  const stop = new AbortController();
  try {
    const {
      worlds: _,
      clock: __,
      ...own
    } = (await fetch(`${mock.api_url}/__mock/target`).then((answer) => answer.json())) as Record<string, unknown>;
    const target = join(directory, "target.yaml");
    writeFileSync(target, JSON.stringify({ ...own, timing: { rate_minute_s: 60 } }));
    const others = actOn(mock, stop.signal);
    const { report, messages } = await verify(suite, { target, only: UPSET, seed: 1, maxWait: 1, maxTime: 20 });
    stop.abort();
    expect(await others).toBeGreaterThan(30);
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
