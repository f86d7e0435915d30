import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Report } from "../../../src/engine/report/report.js";
import { verify } from "../../../src/engine/run/verify.js";
import { startMock } from "../../../src/mock/server.js";
import { suite } from "../../../src/suite/suite.js";
import { sampled } from "../../meta/sample.js";
import { treatAsMember } from "../../mutants/helpers/keys.js";
import { type WrapCall, withResponse } from "../../mutants/mutant.js";
import { openMutant } from "../../mutants/open.js";

const directory = mkdtempSync(join(tmpdir(), "hosts-"));
afterAll(() => rmSync(directory, { recursive: true }));

/**
 * Examines a mock by its target file, with other values. A file without worlds gives the sessions. No other client uses the mock, so the
 * runner does not pause and repeat what failed.
 */
async function examine(url: string, changes: object, only: string[]): Promise<Report> {
  const { worlds: _, ...described } = (await (await fetch(`${url}/__mock/target`)).json()) as Record<string, unknown>;
  const path = join(directory, "target.yaml");
  const keys = { full: { value: "mock_full" } };
  writeFileSync(
    path,
    JSON.stringify({ ...described, keys, repos: ["acme/web/main", "acme/api/main"], exclusive: true, ...changes }),
  );
  const { report, messages } = await verify(suite, { target: path, only, runs: 0, seed: 1, profile: "full" });
  if (!report) throw new Error(messages.join("\n"));
  return report;
}

/** Returns the reasons of the checks that could not be judged, and the failures. */
function getEnd({ checks }: Report) {
  return {
    failed: checks.flatMap(({ id, verdict }) => (verdict === "failed" ? [id] : [])),
    reasons: checks.flatMap(({ verdict, reason }) => (verdict === "inconclusive" && reason !== undefined ? [reason] : [])),
  };
}

/** Opens another service, which gives one response to every request. */
async function openElsewhere(status: number, headers: Record<string, string>, body: string) {
  const server = createServer(({ url = "" }, response) => {
    const filled = Object.entries(headers).map(([name, value]) => [name, value.replace("*", url)]);
    response.writeHead(status, Object.fromEntries(filled)).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

const HOSTS: readonly [field: string, clauses: string[]][] = [
  ["app_url", ["MCP-ENDPOINT-APP-BARE", "MCP-ENDPOINT-APP-FORWARD"]],
  ["docs_url", ["DOCS-OPENAPI-SERVED", "DOCS-RATE-EXTENSION"]],
];
const JSON_TYPE = { "content-type": "application/json" };
const HTML_TYPE = { "content-type": "text/html" };
const OTHER_HOSTS: readonly Parameters<typeof openElsewhere>[] = [
  [200, JSON_TYPE, '{"openapi":"3.1.0","paths":{"/pets":{"get":{}}}}'],
  [308, { location: "https://other.test*" }, ""],
];
const BROKEN_HOSTS: readonly Parameters<typeof openElsewhere>[] = [
  [200, HTML_TYPE, "<h1>Welcome</h1>"],
  [404, HTML_TYPE, "<h1>Not found</h1>"],
  [404, JSON_TYPE, '{"error":"not found"}'],
  [302, { ...HTML_TYPE, location: "/login" }, ""],
];
const cases = HOSTS.flatMap(([field, clauses]) => OTHER_HOSTS.map((response) => ({ field, clauses, answer: response })));
const broken = [
  ...BROKEN_HOSTS.map((response) => ({ field: "app_url", clause: "MCP-ENDPOINT-APP-FORWARD", answer: response })),
  ...BROKEN_HOSTS.map((response) => ({ field: "docs_url", clause: "DOCS-OPENAPI-SERVED", answer: response })),
];

test.each(sampled(broken, 1))(
  "a $field that does nothing for the service fails $clause: $answer",
  { timeout: 60_000 },
  async ({ field, clause, answer: response }) => {
    const [mock, elsewhere] = await Promise.all([startMock({ clock: "frozen" }), openElsewhere(...response)]);
    const { clauses } = await examine(mock.api_url, { [field]: elsewhere.url }, [clause]);
    elsewhere.close();
    await mock.close();
    expect(clauses.find(({ id }) => id === clause)).toMatchObject({ verdict: "failed" });
  },
);

test.each(sampled(cases, 1))(
  "an untrue $field causes no finding: $answer",
  { timeout: 60_000 },
  async ({ field, clauses, answer: response }) => {
    const [mock, elsewhere] = await Promise.all([startMock({ clock: "frozen" }), openElsewhere(...response)]);
    const { failed, reasons } = getEnd(await examine(mock.api_url, { [field]: elsewhere.url }, clauses));
    elsewhere.close();
    await mock.close();
    expect(failed).toEqual([]);
    expect(reasons).toContainEqual(expect.stringMatching(new RegExp(`^${field} may be untrue: `)));
  },
);

test.each(sampled(["admin", "owner"], 1))("an untrue sessions.%s causes no finding", { timeout: 60_000 }, async (session) => {
  const mock = await startMock({ clock: "frozen" });
  const sessions = Object.fromEntries(["admin", "owner", "member"].map((one) => [one, { value: `session=${one}` }]));
  const untrue = { sessions: { ...sessions, [session]: { value: "session=member" } } };
  const { failed, reasons } = getEnd(
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
  const { failed } = getEnd(await examine(url, { sessions }, ["REPO-DELETE-ADMIN"]));
  await close();
  expect(failed).toContain("repository-delete-admin[1]/delete");
});

describe("without a spare repository", () => {
  const sessions = { admin: { value: "session=admin" }, owner: { value: "session=owner" } };
  const refuseAdmin = treatAsMember("POST /api/keys", "admin");

  async function examineWithoutSpare(url: string, changes: object) {
    const described = (await (await fetch(`${url}/__mock/target`)).json()) as { bindings: Record<string, unknown> };
    const { spare: _, ...bindings } = described.bindings;
    return getEnd(await examine(url, { sessions, bindings, ...changes }, ["KEY-CREATE-ADMIN"]));
  }

  const faults: [string, WrapCall][] = [
    ["an admin", refuseAdmin],
    // so no session can edit a key of another one
    [
      "an admin, and shows no key_id",
      (...args) => {
        const response = refuseAdmin(...args);
        return response.status === 201 ? withResponse(response, { key_id: undefined }) : response;
      },
    ],
  ];

  test.each(sampled(faults, 1))("a server that refuses key creation by %s is a finding", async (_, around) => {
    const { url, close } = await openMutant({ around });
    const { failed } = await examineWithoutSpare(url, {});
    await close();
    expect(failed).toContain("key-create/admin");
  });

  test("a session that may neither create nor edit keys causes no finding", async () => {
    const mock = await startMock({ clock: "frozen" });
    const untrue = { sessions: { ...sessions, admin: { value: "session=member" } } };
    const { failed, reasons } = await examineWithoutSpare(mock.api_url, untrue);
    await mock.close();
    expect(failed).toEqual([]);
    expect(reasons).toContainEqual(expect.stringMatching(/^sessions\.admin may be untrue: /));
  });
});

const FORBIDDEN = '{"error":{"type":"permission_error","code":"forbidden","message":"No.","request_id":"r1"}}';
