import { expect, test } from "vitest";
import { execution, refusal, removeDirectories, scenario } from "../run/execution.js";
import type { Handler } from "../server.js";

removeDirectories();

/** Executes a burst of registrations that the target file has room for, against a server with room for fewer in one access mode. */
async function burstCheck(room: { anonymous: number; installed: number }) {
  const counts = { anonymous: 0, installed: 0 };
  const handler: Handler = ({ path, body }, response) => {
    const mode = /"installed"/.test(body) ? "installed" : "anonymous";
    return path === "/api/repos" && ++counts[mode] <= room[mode] ? response(201, {}) : response(403, refusal);
  };
  const targetText = () => `keys: { free: { value: a-key-of-a-test } }
bindings: { room: { repositories: 3 }, spare: { owner: a, repo: "b-{unique}", branch: c },
  register_body: { owner: owner, repo: repo, branch: branch } }
timing: { rate_minute_s: 0.8 }
allow: { paid: true, destructive: true }`;
  const steps = `  - burst: { n: 6, rest: POST /api/repos, as: free, json: { access_mode: anonymous } }
    expect: { statuses: { 2xx: "{binding.room.repositories}" } }
`;
  return (await execution(handler, scenario(steps), { targetText, maxWait: 5 })).report.checks[0];
}

test("a failure is a finding if a proof shows that the binding is true", async () => {
  expect(await burstCheck({ anonymous: 2, installed: 3 })).toMatchObject({ verdict: "failed" });
});

test("a failure is inconclusive if no proof shows that the binding is true", async () => {
  expect(await burstCheck({ anonymous: 2, installed: 2 })).toMatchObject({
    verdict: "inconclusive",
    reason: expect.stringMatching(
      /^bindings\.room\.repositories may be untrue: #1: .*; the check expected answers with 2xx: 3 and got answers with 2xx: 2/,
    ),
  });
});
