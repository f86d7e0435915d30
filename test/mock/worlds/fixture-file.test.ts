import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Mock, startMock } from "../../../src/mock/server.js";
import { parseFixture } from "../../../src/mock/worlds/fixture-file.js";
import { listBundledFixtures, loadFixture } from "../../../src/mock/worlds/fixtures.js";
import type { Fixture } from "../../../src/service/fixture/fixture.js";
import { readFixture } from "../../service/world.js";

const emptyFixture = readFixture("empty");
const write = (fixture: object) => JSON.stringify(fixture, null, 2);

/** Line and column of the first place where a text stands. */
const getPlace = (text: string, what: string) => {
  const before = text.slice(0, text.indexOf(what)).split("\n");
  return `${before.length}:${before.at(-1)!.length + 1}`;
};

describe("a fixture file", () => {
  it("that is valid is read", () => {
    expect(parseFixture(write(emptyFixture), "mine.json")).toEqual({ fixture: emptyFixture });
  });

  it.each(listBundledFixtures())("of the package, %s, is valid", async (name) => {
    const fixtureResult = await loadFixture(name);
    expect("fixture" in fixtureResult && parseFixture(write(fixtureResult.fixture), name)).toHaveProperty("fixture");
  });

  it("with a typing mistake is refused with the place", () => {
    expect(parseFixture('{\n  "plans": {,}\n}', "mine.json")).toEqual({
      mistakes: [expect.stringMatching(/^mine\.json:2:\d+: \w+/)],
    });
  });

  it.each<[string, object, string, RegExp]>([
    ["an unknown field", { ...emptyFixture, colour: "#f00" }, '"#f00"', /'colour' is not known/],
    ["a wrong value", { ...emptyFixture, clock: 5 }, "5", /clock must/],
    [
      "a role without a workspace",
      { ...emptyFixture, roles: { lost: { workspace: "nowhere-co", scopes: "all" } } },
      '"nowhere-co"',
      /nowhere-co/,
    ],
  ])("with %s is refused with the place and the reason", (_, fixture, where, description) => {
    const text = write(fixture);
    const fixtureResult = parseFixture(text, "mine.json");
    expect(fixtureResult).toHaveProperty("mistakes");
    const [first] = (fixtureResult as { mistakes: string[] }).mistakes;
    expect(first).toMatch(description);
    expect(first!.startsWith(`mine.json:${getPlace(text, where)}: `)).toBe(true);
  });

  it("that does not exist is refused with the valid names", async () => {
    expect(await loadFixture("./nowhere.json")).toEqual({ mistakes: [expect.stringContaining("demo")] });
    expect(await loadFixture("nowhere")).toEqual({ mistakes: [expect.stringContaining("demo")] });
  });

  it("of a user starts a mock; an invalid one does not", async () => {
    const folder = mkdtempSync(join(tmpdir(), "fixture-"));
    const [good, bad] = [join(folder, "good.json"), join(folder, "bad.json")];
    writeFileSync(good, write({ ...emptyFixture, clock: "2030-02-03T04:05:30.000Z" }));
    writeFileSync(bad, write({ ...emptyFixture, colour: "red" }));
    const mock = await startMock({ fixture: good, clock: "frozen" });
    expect(mock.advance({ until: "next-event" }).now).toBe("2030-02-03T04:05:30.000Z");
    await mock.close();
    await expect(startMock({ fixture: bad })).rejects.toThrow(/bad\.json:\d+:\d+: 'colour'/);
  });
});

describe("a fixture given as an object", () => {
  const round: { self?: object } = {};
  round.self = round;

  it.each<[string, object, RegExp]>([
    ["an unknown field", { ...emptyFixture, colour: "red" }, /the fixture, at \/colour: 'colour' is not known/],
    ["next to nothing", { roles: {} }, /the fixture, at \/: /],
    ["itself inside", round, /the fixture is not plain JSON: /],
  ])("with %s is refused", async (_, fixture, description) => {
    await expect(startMock({ fixture: fixture as Fixture })).rejects.toThrow(description);
  });

  it("makes worlds that do not change with it afterwards, also when they are reset or created again", async () => {
    const fixture = structuredClone(emptyFixture);
    const mock = await startMock({ fixture, clock: "frozen" });
    const now = (world: Pick<Mock, "advance">) => world.advance({ by: "0s" }).now;
    const before = now(mock);
    fixture.clock = "2030-02-03T04:05:30.000Z";
    mock.reset();
    const [old, changed] = [await mock.world(), await mock.world({ fixture })];
    expect([mock, old, changed].map(now)).toEqual([before, before, fixture.clock]);
    await mock.close();
  });
});
