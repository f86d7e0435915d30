import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readTextLines } from "../../../src/common/json-lines.js";
import type { Problem } from "../../../src/common/problem.js";
import { type Replay, replayLines } from "../../../src/mock/replay/replay-lines.js";
import { openMock, startMock } from "../../../src/mock/server.js";
import type { MockOptions } from "../../../src/mock/worlds/options.js";
import { counterpart } from "../../cli/counterpart.js";
import { send } from "../client.js";
import { mixedTraffic } from "./mixed-traffic.js";

const directory = mkdtempSync(join(tmpdir(), "recording-"));
const foreign = "Bearer sk_live_0123456789";
const ways: [string, MockOptions][] = [
  ["stands still", { clock: "frozen" }],
  ["follows real time, with sessions of the tool server", { clock: "real", mcp: { sessions: true, sse: true } }],
  ["runs ahead, on a fixture of the user", { clock: "30x", fixture: "fixtures/free.json", skip: "60x" }],
];
afterAll(() => rmSync(directory, { recursive: true }));

/** Replays a recording with this content. */
function mockOfRecording(content: string | Buffer): Promise<Replay | Problem> {
  const file = join(directory, "played.ndjson");
  writeFileSync(file, content);
  return replayLines(readTextLines(file));
}

describe.each(ways)("a recorded session with worlds, faults and clock moves that %s", (way, options) => {
  const file = join(directory, `${way.slice(0, 4)}.ndjson`);
  let text: string;
  beforeAll(async () => {
    const mock = await startMock({ ...options, record: file });
    await mixedTraffic(mock, mock);
    const world = await mock.world({ seed: 7 });
    await mixedTraffic(mock, world);
    await world.rewind(12);
    await send(`GET ${mock.api_url}/api/jobs`, { key: world.keys.full! });
    await send(`GET ${mock.api_url}/api/jobs`, { headers: { authorization: foreign, cookie: "session=eyJhbGciOi; other=1" } });
    world.remove();
    mock.reset();
    await mixedTraffic(mock, mock);
    await mock.close();
    text = readFileSync(file, "utf8");
  });

  test("is answered with the same bytes when it is replayed", async () => {
    const replay = (await mockOfRecording(text)) as Replay;
    expect(replay).toMatchObject({ difference: null, worlds: 2 });
    expect(replay.answers).toBeGreaterThan(90);
    expect(replay.entries).toBeGreaterThan(90);
  });

  test("has no secret of another client", () => {
    expect(["sk_live", "eyJhbGciOi", '"Bearer ***"'].map((part) => text.includes(part))).toEqual([false, false, true]);
  });

  test("reports the first different answer", async () => {
    const lines = text.split("\n");
    const at = lines.findIndex((line) => line.includes('"url":"/api/observations?limit=3"'));
    const line = JSON.parse(lines[at]!);
    line.answer ??= JSON.parse(lines.find((one) => one.includes(`"answer_to":${line.number}`))!).answer;
    const body = JSON.parse(line.answer.text);
    body.data[1].title = "Something else";
    line.answer.text = JSON.stringify(body);
    lines[at] = JSON.stringify(line);
    const replay = (await mockOfRecording(lines.join("\n"))) as Replay;
    expect(replay.difference).toMatchObject({
      line: at + 1,
      entry: "GET /api/observations?limit=3",
      where: "body/data/1/title",
      recorded: "Something else",
    });
  });
});

describe("counterpart replay RECORDING", () => {
  const file = join(directory, "cli.ndjson");
  beforeAll(async () => {
    const mock = await startMock({ record: file });
    await send(`GET ${mock.api_url}/api/repos`, { key: mock.keys.full });
    mock.advance("1h");
    await mock.close();
  });

  test("exits with 0 if all answers are equal", async () => {
    const { code, out } = await counterpart("replay", file);
    expect([code, out]).toEqual([0, `${file}: 2 entries of 1 world replayed, 2 answers compared, all equal.\n`]);
  });

  test("exits with 1 and the first difference if one is not equal", async () => {
    const altered = join(directory, "altered.ndjson");
    writeFileSync(altered, readFileSync(file, "utf8").replace('"status":200', '"status":201'));
    const { code, out } = await counterpart("replay", altered);
    expect(code).toBe(1);
    expect(out).toContain(`${altered}:3: GET /api/repos (entry 1 of the world default) has another answer now.\n  status\n`);
  });

  test.each<[string, (text: string) => string, string]>([
    [
      "of another version",
      (text) => text.replace('recording":1', 'recording":2'),
      "line 1: counterpart_recording must be equal to constant",
    ],
    ["with a line that is not JSON", (text) => text.replace('{"world"', "{world"), "line 2 is not JSON (column 2)"],
    [
      "without the configuration",
      (text) => text.replace(/\{"world":"default","created".*\n/, ""),
      "line 2: No world 'default' was created before.",
    ],
    [
      "without one of its entries",
      (text) => text.replace(/.*"number":1,.*\n/, ""),
      "line 3: Entry 1 is missing: the next line is entry 2.",
    ],
    ["with an unknown call", (text) => text.replace("clock/advance", "clock/turn"), "line 4: the control plane has no"],
    ["with an unknown field", (text) => text.replace('"call":{', '"call":{"x":1,'), "line 3: 'x' is not known in call"],
  ])("refuses a recording %s", async (_, alter, description) => {
    const { problem } = (await mockOfRecording(alter(readFileSync(file, "utf8")))) as Problem;
    expect(problem).toContain(description);
  });

  test.each<[string, (line: string) => string | Buffer, string]>([
    ["is not text in UTF-8", (line) => Buffer.from(line.replace("world", "w\xffrld"), "latin1"), "is not text in UTF-8"],
    ["has a name twice", (line) => line.replace("{", '{"world":"default",'), 'has the name "world" twice in one object'],
    ["is nested too deeply", () => "[".repeat(2000) + "]".repeat(2000), "has more than 512 levels of objects and lists"],
    ["is cut", (line) => line.slice(0, 20), "is not JSON (column 21)"],
    ["is empty", () => "", "is not JSON (column 1)"],
  ])("exits with 2, the place and the reason if a line %s", async (_, alter, says) => {
    const altered = join(directory, "unreadable.ndjson");
    const [first, second = "", ...others] = readFileSync(file, "utf8").split("\n");
    writeFileSync(
      altered,
      Buffer.concat([`${first}\n`, alter(second), `\n${others.join("\n")}`].map((part) => Buffer.from(part))),
    );
    const { code, err } = await counterpart("replay", altered);
    expect([code, err]).toEqual([2, `counterpart: ${altered}, line 2 ${says}\n`]);
  });

  test("exits with 2 for a refused recording", async () => {
    const altered = join(directory, "wrong.ndjson");
    writeFileSync(altered, readFileSync(file, "utf8").replace('"call":{', '"call":{"x":1,'));
    const { code, err } = await counterpart("replay", altered);
    expect(code).toBe(2);
    expect(err).toContain(`${altered}, line 3: 'x' is not known in call`);
  });
});

test("a mock that does not start keeps an earlier recording, and creates none", async () => {
  const [kept, made] = ["kept.ndjson", "made.ndjson"].map((name) => join(directory, name)) as [string, string];
  writeFileSync(kept, "an earlier one");
  for (const record of [kept, made])
    expect(await openMock({ record, fixture: "nowhere.json" })).toMatchObject({ problem: expect.any(String) });
  expect([readFileSync(kept, "utf8"), existsSync(made)]).toEqual(["an earlier one", false]);
});

test("a recording that cannot be written is refused at the start", async () => {
  const mock = await openMock({ record: join(directory, "nowhere", "x.ndjson") });
  expect(mock).toMatchObject({ problem: expect.stringContaining("Cannot record to") });
});
