import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Mock, openMock, startMock } from "../../../src/mock/server.js";
import { counterpartProcess } from "../../cli/counterpart.js";
import { send } from "../client.js";
import { mixedTraffic } from "../replay/mixed-traffic.js";

const directory = mkdtempSync(join(tmpdir(), "configuration-"));
let mock: Mock;
beforeAll(async () => {
  mock = await startMock({ clock: "frozen" });
});
afterAll(async () => {
  await mock.close();
  rmSync(directory, { recursive: true });
});

const found = (json: unknown) => send(`POST ${mock.control_url}/worlds`, { json });
const read = (key: string | undefined, path = "/api/jobs") => send(`GET ${mock.api_url}${path}`, { key });

describe("a world created from a snapshot", () => {
  test("has the state of the snapshot, its own name and keys, and continues in the same way", async () => {
    const world = await mock.world();
    await mixedTraffic(mock, world);
    world.setClock({ clock: "frozen", skip: "off", work: "time" });
    const snapshot = world.snapshot();
    const { status, json } = await found({ fixture: snapshot, id: "again" });
    expect([status, json.id, json.keys.full, json.sessions.owner]).toEqual([
      201,
      "again",
      "mock_again_full",
      "session=again_owner",
    ]);
    const responses = await Promise.all([read(world.keys.full), read(json.keys.full)]);
    expect(responses[1]?.json).toEqual(responses[0]?.json);
    const submit = (key: string | undefined) =>
      send(`POST ${mock.api_url}/api/repos/${world.repos[0]}/jobs`, { key, json: { workflow: "review", params: {} } });
    expect((await submit(json.keys.full)).text).toBe((await submit(world.keys.full)).text);
  });

  test("has the same state again after a reset", async () => {
    const world = await mock.world({ fixture: mock.snapshot() });
    const snapshotBefore = world.snapshot();
    world.drive("suspend");
    world.advance("1h");
    world.reset();
    expect(world.snapshot()).toEqual(snapshotBefore);
  });

  test("has another seed, plan and options if they are given", async () => {
    const world = await mock.world({ fixture: mock.snapshot(), seed: 9, plan: "free", options: { rate_window: "sliding" } });
    const { random, workspaces, options } = world.snapshot().world;
    expect([random, workspaces.acme?.plan, options.rate_window]).toEqual([9, "free", "sliding"]);
  });

  test("is refused with the place, as a snapshot is", async () => {
    const snapshot = mock.snapshot();
    snapshot.world.repos.repo_1!.workspace = "nobody";
    const { status, json } = await found({ fixture: snapshot });
    expect(status).toBe(400);
    expect(json).toMatchObject({ pointer: "/fixture/world/repos/repo_1/workspace" });
    expect(json.detail).toContain("There is no nobody in workspaces.");
  });

  test("can be a file: mistakes in it have line and column", async () => {
    const file = join(directory, "taken.json");
    writeFileSync(file, JSON.stringify(mock.snapshot(), null, 2));
    const repeatedMock = await startMock({ fixture: file });
    expect(Object.keys(repeatedMock.keys)).toEqual(Object.keys(mock.keys));
    await repeatedMock.close();
    writeFileSync(file, readFileSync(file, "utf8").replace('"kind": "finding"', '"kind": "joke"'));
    const { problem } = (await openMock({ fixture: file })) as { problem: string };
    expect(problem).toMatch(/taken\.json:\d+:\d+: \/world\/observations\/SERVICE-\d+\/kind must be equal to one of/);
  });
});

describe("a world created from a fixture in the request", () => {
  const fixture = JSON.parse(readFileSync("fixtures/empty.json", "utf8"));

  test("has the rows of the fixture", async () => {
    const { status, json } = await found({
      fixture: {
        ...fixture,
        repositories: [{ workspace: Object.keys(fixture.workspaces)[0], owner: "me", repo: "mine", branch: "main" }],
      },
    });
    expect([status, json.repos]).toEqual([201, ["me/mine/main"]]);
  });

  test("is refused with the place of a mistake in it", async () => {
    const { status, json } = await found({ fixture: { ...fixture, clock: "noon" } });
    expect([status, json.pointer]).toEqual([400, "/fixture/clock"]);
  });

  test("cannot be a file on the machine of the mock", async () => {
    const { status, json } = await found({ fixture: "fixtures/demo.json" });
    expect([status, json.field, json.allowed]).toEqual([400, "fixture", expect.arrayContaining(["demo"])]);
  });
});

describe("a world with a name", () => {
  test("is selected by its keys, and does not return them", async () => {
    const { json } = await found({ id: "ci-42", fixture: "demo" });
    expect(json).toMatchObject({ id: "ci-42", keys: { full: "mock_ci-42_full", no_fix: "mock_ci-42_no_fix" } });
    expect((await read("mock_ci-42_no_fix")).status).toBe(200);
    const journal = await send(`GET ${mock.control_url}/worlds/ci-42/journal`);
    expect(journal.json.entries).toMatchObject([{ role: "no_fix", status: 200 }]);
    await send(`GET ${mock.api_url}/api/jobs?x=mock_ci-42_full`, { key: "mock_ci-42_full" });
    expect((await send(`GET ${mock.control_url}/worlds/ci-42/journal`)).text).not.toContain("42_full");
  });

  test("can be created once", async () => {
    await found({ id: "twice" });
    const { status, json } = await found({ id: "twice" });
    expect([status, json.field]).toEqual([409, "id"]);
    expect((await found({ id: "default" })).status).toBe(409);
  });

  test.each(["no", "fenced", "beta"])("cannot have the beginning of a key of the default world as its name: %s", async (id) => {
    const { status, json } = await found({ id });
    expect([status, json.field]).toEqual([409, "id"]);
    expect((await read(mock.keys.no_fix)).status).toBe(200);
  });

  test.each(["", "a_b", "-a", "a/b", "ä", "a".repeat(64), 7, null])("cannot have the name %j", async (id) => {
    const before = mock.worlds();
    const { status, json } = await found({ id });
    expect([status, json.field]).toEqual([400, "id"]);
    expect(mock.worlds()).toEqual(before);
  });

  test("does not take the short key names", async () => {
    const freshMock = await startMock();
    await freshMock.world({ id: "w1" });
    expect((await freshMock.world()).id).toBe("w2");
    await freshMock.close();
  });
});

test("--export-on-exit writes a file that --fixture reads, and leaves no other file", { timeout: 60_000 }, async () => {
  const file = join(directory, "end.json");
  const script = `fetch(process.env.COUNTERPART_API_URL+"/api/repos/acme/web/main/jobs",{method:"POST",headers:{authorization:"Bearer mock_full","content-type":"application/json"},body:'{"workflow":"review","params":{}}'}).then(async r=>{console.log((await r.json()).id)})`;
  const first = await counterpartProcess(
    "exec",
    "--clock",
    "frozen",
    "--export-on-exit",
    file,
    "--",
    process.execPath,
    "-e",
    script,
  );
  expect([first.code, first.out]).toEqual([0, expect.stringMatching(/^job_/)]);
  expect(readdirSync(directory).filter((name) => name.startsWith("end"))).toEqual(["end.json"]);
  const repeatedMock = await startMock({ fixture: file, clock: "frozen" });
  const { json } = await send(`GET ${repeatedMock.api_url}/api/jobs?limit=1`, { key: repeatedMock.keys.full! });
  expect(json.data[0].id).toBe(first.out.trim());
  await repeatedMock.close();
});
