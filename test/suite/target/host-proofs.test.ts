import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Report } from "../../../src/engine/report/report.js";
import { verify } from "../../../src/engine/run/verify.js";
import { startMock } from "../../../src/mock/server.js";
import { suite } from "../../../src/suite/suite.js";
import { sampled } from "../../meta/sample.js";
import { openMutant } from "../../mutants/open.js";

const directory = mkdtempSync(join(tmpdir(), "hosts-"));
afterAll(() => rmSync(directory, { recursive: true }));

/** Examines a mock by its target file, with other values. A file without worlds gives the sessions. */
async function examine(url: string, changes: object, only: string[]): Promise<Report> {
  const { worlds: _, ...described } = (await (await fetch(`${url}/__mock/target`)).json()) as Record<string, unknown>;
  const path = join(directory, "target.yaml");
  const keys = { full: { value: "mock_full" } };
  writeFileSync(path, JSON.stringify({ ...described, keys, repos: ["acme/web/main", "acme/api/main"], ...changes }));
  const { report, messages } = await verify(suite, { target: path, only, runs: 0, seed: 1, profile: "full" });
  if (!report) throw new Error(messages.join("\n"));
  return report;
}

/** Returns the reasons of the checks that could not be judged, and the failures. */
function endOf({ checks }: Report) {
  return {
    failed: checks.flatMap(({ id, verdict }) => (verdict === "failed" ? [id] : [])),
    reasons: checks.flatMap(({ verdict, reason }) => (verdict === "inconclusive" && reason !== undefined ? [reason] : [])),
  };
}

/** Opens another service, which gives one answer to every request. */
async function openElsewhere(status: number, type: string, body: string) {
  const server = createServer((_, response) => void response.writeHead(status, { "content-type": type }).end(body));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

const HOSTS: readonly [field: string, clauses: string[]][] = [
  ["app_url", ["MCP-ENDPOINT-APP-BARE", "MCP-ENDPOINT-APP-FORWARD"]],
  ["docs_url", ["DOCS-OPENAPI-SERVED", "DOCS-RATE-EXTENSION"]],
];
const ELSEWHERE: readonly [status: number, type: string, body: string][] = [
  [200, "text/html", "<h1>Welcome</h1>"],
  [404, "application/json", '{"error":"not found"}'],
  [200, "application/json", '{"openapi":"3.1.0","paths":{"/pets":{"get":{}}}}'],
];
const cases = HOSTS.flatMap(([field, clauses]) => ELSEWHERE.map((response) => ({ field, clauses, answer: response })));

test.each(sampled(cases, 2))(
  "an untrue $field makes no finding: $answer",
  { timeout: 60_000 },
  async ({ field, clauses, answer: response }) => {
    const [mock, elsewhere] = await Promise.all([startMock({ clock: "frozen" }), openElsewhere(...response)]);
    const { failed, reasons } = endOf(await examine(mock.api_url, { [field]: elsewhere.url }, clauses));
    elsewhere.close();
    await mock.close();
    expect(failed).toEqual([]);
    expect(reasons).toContainEqual(expect.stringMatching(new RegExp(`^${field} may be untrue: `)));
  },
);

test.each(sampled(["admin", "owner"], 1))("an untrue sessions.%s makes no finding", { timeout: 60_000 }, async (session) => {
  const mock = await startMock({ clock: "frozen" });
  const sessions = Object.fromEntries(["admin", "owner", "member"].map((one) => [one, { value: `session=${one}` }]));
  const untrue = { sessions: { ...sessions, [session]: { value: "session=member" } } };
  const { failed, reasons } = endOf(
    await examine(mock.api_url, untrue, ["REPO-DELETE-ADMIN", "KEY-CREATE-ADMIN", "KEY-CREATE-OWNER"]),
  );
  await mock.close();
  expect(failed).toEqual([]);
  expect(reasons).toContainEqual(expect.stringMatching(new RegExp(`^sessions\\.${session} may be untrue: `)));
});

test("the failure of one duty of an admin stays a finding, since the others show the session to be true", async () => {
  const { url, close } = await openMutant({
    aroundWire: async (relayedRequest, send) =>
      relayedRequest.method === "DELETE" && relayedRequest.headers.cookie !== undefined
        ? { status: 403, headers: { "content-type": "application/json" }, text: FORBIDDEN }
        : send(relayedRequest),
  });
  const sessions = Object.fromEntries(["admin", "owner", "member"].map((one) => [one, { value: `session=${one}` }]));
  const { failed } = endOf(await examine(url, { sessions }, ["REPO-DELETE-ADMIN"]));
  await close();
  expect(failed).toContain("repository-delete-admin[1]/delete");
});

const FORBIDDEN = '{"error":{"type":"permission_error","code":"forbidden","message":"No.","request_id":"r1"}}';
