import { existsSync, mkdtempSync, readdirSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addMock } from "../../../src/cli/mock.js";
import { type DemoMock, type MockOptions, startMock } from "../../../src/index.js";
import { openFront } from "../../../src/mock/cluster/workers/front.js";
import { openMock } from "../../../src/mock/server.js";
import { clockKinds, worldKinds } from "../../../src/mock/worlds/option-validation.js";
import { counterpart, counterpartIn } from "../../cli/counterpart.js";
import { send } from "../client.js";

let mock: DemoMock;
beforeAll(async () => {
  mock = await startMock({ clock: "frozen" });
});
afterAll(() => mock.close());

/** For each option: invalid values, and a part of the message about allowed values. */
const bad: Record<string, [values: unknown[], allowed: RegExp]> = {
  id: [["a_b", "", 1], /letters, digits and hyphens/],
  fixture: [["", 1, []], /fixture/],
  seed: [["abc", -1, 1.5, Number.NaN], /a whole number of 0 or more/],
  clock: [["frozn", 30, true], /"real", "frozen", "30x"/],
  skip: [["banana", "0x", 1], /"off", "at-once" or a factor such as "60x"/],
  work: [["polls:0", "polls", 1], /"time", "at-once"/],
  limits: [["of", false], /"text", "off"/],
  plan: [["payed", 1], /"free", "paid"/],
  variations: [["all", -1, ["extra-feilds"]], /extra-fields/],
  options: [["x", [], { rate_window: "slding" }, { rate_windw: 1 }, { dispatch_seconds: "x" }], /rate_window|number/],
  listen: [["no"], /true or false/],
  port: [["abc", -1, 65_536, 1.5], /a whole number from 0 to 65535/],
  appPort: [["abc", 65_536], /a whole number from 0 to 65535/],
  docsPort: [["abc", 65_536], /a whole number from 0 to 65535/],
  host: [["", 1, "a b"], /a host name/],
  allowHost: [["x", [1], [""]], /a list of host names/],
  publicUrl: [["api.example.test", 1], /http or https address/],
  publicAppUrl: [["https://a.test/path"], /http or https address/],
  publicDocsUrl: [["https://me:hidden@a.test"], /http or https address/],
  adminToken: [["", 1], /a text/],
  journal: [["x", -1, 0.5], /a whole number of 0 or more/],
  record: [["", 1], /a text/],
  onCall: [["x"], /a function/],
  trustClientIp: [["yes"], /true or false/],
  answers: [["", 1], /a text/],
  mcp: [
    [
      "x",
      { sessions: 1 },
      { sse: "x" },
      { names: { a: 1 } },
      { sesions: true },
      { revisions: [] },
      { revisions: ["2026-07-27"] },
    ],
    /true or false|texts|sessions|nearest: 2026-07-28|a list of modern/,
  ],
};
const worldNames = Object.keys(worldKinds);
const rows = (names: readonly string[]) =>
  names.flatMap((name) => bad[name]![0].map((value) => ({ name, value, allowed: bad[name]![1] })));

/** The flags of `counterpart mock` by the option that each sets. */
const flags = (() => {
  const program = new Command();
  addMock(program);
  const camel = (name: string) => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(program.commands[0]!.options.map((option) => [camel(option.name()), option]));
})();
const ofProcess = ["exportOnExit", "store", "workers", "json", "quiet"];
const ofLibrary = ["options", "plan", "listen", "onCall", "mcp", "id"];
const ofToolServer = ["mcpSessions", "mcpSse", "mcpNames", "mcpRevisions"];

test("flags, environment and API have the same names for the same options", () => {
  const common = Object.keys(bad).filter((name) => !ofLibrary.includes(name));
  expect(Object.keys(flags).toSorted()).toEqual([...common, ...ofProcess, ...ofToolServer].toSorted());
  const variables = Object.values(flags).flatMap(({ envVar, long }) => (envVar ? [[envVar, long]] : []));
  for (const [variable, long] of variables)
    expect(variable).toBe(`COUNTERPART_${long!.slice(2).replaceAll("-", "_").toUpperCase()}`);
  expect(worldNames.every((name) => name in bad)).toBe(true);
  // `mode` is the earlier name of `clock`, which stays over HTTP alone
  expect(Object.keys(clockKinds).filter((name) => name !== "mode" && !worldNames.includes(name))).toEqual([]);
});

describe("startMock refuses", () => {
  test.each(rows(Object.keys(bad).filter((name) => name !== "id")))("$name: $value", async ({ name, value, allowed }) => {
    const folder = mkdtempSync(join(tmpdir(), "options-"));
    const record = join(folder, "record");
    const countBefore = process.getActiveResourcesInfo().length;
    const refused = startMock({ ...(name !== "record" && { record }), [name]: value } as MockOptions);
    await expect(refused).rejects.toThrow(new RegExp(`${name}.*(?:${allowed.source})`, "s"));
    expect(readdirSync(folder)).toEqual([]);
    expect(existsSync(String(value))).toBe(false);
    expect(process.getActiveResourcesInfo().length).toBeLessThanOrEqual(countBefore);
    if (typeof value === "string" && value.includes("hidden")) await expect(refused).rejects.not.toThrow(/hidden/);
  });

  test.each([
    ["an object that inherits an option", Object.create({ port: "inherited-port" })],
    ["one that inherits it from an object without a prototype", Object.create(Object.assign(Object.create(null), { port: "p" }))],
    ["a date", new Date(0)],
    ["a Map", new Map()],
  ])("%s", async (_, given) => {
    await expect(startMock(given as MockOptions)).rejects.toThrow("Give an object of options");
    await expect(mock.world(given)).rejects.toThrow("Give an object of options");
    expect(existsSync("inherited-port")).toBe(false);
  });

  const groups = ["fixture", "options"].flatMap((name) =>
    [new Date(0), new Map(), Object.create({ plans: 1 }), Object(3)].map((value: unknown) => ({ name, value })),
  );
  test.each(groups)("an object of a class in $name: $value", async ({ name, value }) => {
    await expect(startMock({ [name]: value })).rejects.toThrow(`${name}: `);
    await expect(mock.world({ [name]: value })).rejects.toThrow(`${name}: `);
  });

  test("every option of a mock is in the table", async () => {
    const problem = await openMock({ nothing: 1 } as MockOptions);
    expect("problem" in problem && problem.allowed?.toSorted()).toEqual(
      Object.keys(bad)
        .filter((name) => name !== "id")
        .toSorted(),
    );
  });
});

describe.each(rows(worldNames))("of a world, $name: $value", ({ name, value, allowed }) => {
  const description = new RegExp(`${name}.*(?:${allowed.source})`, "s");
  test("is refused by world() and POST /worlds", async () => {
    await expect(mock.world({ [name]: value })).rejects.toThrow(description);
    if (typeof value === "number" && Number.isNaN(value)) return;
    const { status, json } = await send(`POST ${mock.control_url}/worlds`, { json: { [name]: value } });
    expect([status, json.field.startsWith(name)]).toEqual([400, true]);
    expect(json.detail).toMatch(description);
    expect(mock.worlds()).toEqual(["default"]);
  });

  test.runIf(name in clockKinds)("is refused by setClock() and POST clock", async () => {
    expect(() => mock.setClock({ [name]: value })).toThrow(description);
    const { status, json } = await send(`POST ${mock.control_url}/worlds/default/clock`, { json: { [name]: value } });
    expect([status, json.field]).toEqual([400, name]);
  });
});

const byFlag = rows(Object.keys(bad)).filter(
  ({ name, value }) => flags[name] && !flags[name]?.isBoolean() && typeof value === "string",
);
test.each(byFlag)("the command line and the environment refuse $name: $value", async ({ name, value, allowed }) => {
  const { long, envVar } = flags[name]!;
  if (name === "variations" || name === "allowHost") return; // a string counts as a list of one name
  const byArgument = await counterpart("mock", `${long}=${value}`, "--port=0");
  expect([byArgument.code, byArgument.out]).toEqual([2, ""]);
  expect(byArgument.err).toMatch(new RegExp(allowed.source));
  if (value === "") return; // an empty variable is none
  const showAsVariable = await counterpartIn({ ...process.env, [envVar!]: String(value), CI: "" }, "mock");
  expect([showAsVariable.code, showAsVariable.out]).toEqual([2, ""]);
});

test.each(Object.values(flags).filter((option) => option.isBoolean() && option.envVar))(
  "the environment refuses $flags: maybe",
  async ({ envVar }) => {
    const refused = await counterpartIn({ ...process.env, [envVar!]: "maybe", CI: "" }, "mock", "--port=0");
    expect([refused.code, refused.out]).toEqual([2, ""]);
    expect(refused.err).toContain(`value 'maybe' from env '${envVar}' is invalid. Use true or false.`);
  },
);

test("a clock is set by one word in the configuration, and by mode over HTTP", async () => {
  const world = await mock.world();
  const clock = `${mock.control_url}/worlds/${world.id}/clock`;
  expect((await send(`POST ${clock}`, { json: { clock: "30x" } })).json).toMatchObject({ clock: "30x" });
  expect((await send(`POST ${clock}`, { json: { mode: "frozen" } })).json).toMatchObject({ clock: "frozen" });
  expect(await send(`POST ${clock}`, { json: { mode: "frozen", clock: "real" } })).toMatchObject({
    status: 400,
    json: { field: "mode" },
  });
  world.remove();
});

describe("default ports", () => {
  const getPort = (url: string) => Number(new URL(url).port);
  /** A port with the two behind it free. */
  let tried = 0;

  /** Returns a port below the ephemeral range, so that no other test opens the next ports. */
  async function freePort(): Promise<number> {
    return 20_000 + ((process.pid * 30 + 10 * tried++) % 9_000);
  }

  test("follow the port of the API host, or are free ports", async () => {
    const port = await freePort();
    await using demoMock = await startMock({ port });
    expect([demoMock.app_url, demoMock.docs_url].map(getPort)).toEqual([port + 1, port + 2]);
    await using freeDemoMock = await startMock({ port: 0 });
    expect(new Set([freeDemoMock.api_url, freeDemoMock.app_url, freeDemoMock.docs_url].map(getPort)).size).toBe(3);
    await using mockWithoutPorts = await startMock({ port: 4020, listen: false });
    expect([mockWithoutPorts.api_url, mockWithoutPorts.app_url, mockWithoutPorts.docs_url].map(getPort)).toEqual([
      4020, 4021, 4022,
    ]);
  });

  test.each([["one process"], ["workers"]])("are named in the error if they are in use: %s", async (how) => {
    const port = await freePort();
    const taken = createServer().listen(port + 1, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    const front = { count: 2, program: "none", store: undefined, shows: false, exportOnExit: undefined, say: () => {} };
    const refused = how === "workers" ? await openFront({ ...front, options: { port } }) : await openMock({ port });
    expect(refused).toMatchObject({
      problem: expect.stringMatching(
        new RegExp(`^Port ${port + 1} of 127.0.0.1 is in use.*follows --port ${port}: give --app-port`),
      ),
    });
    taken.close();
  });

  test.each([
    [{ port: 65_535 }, /no port 65536 for --app-port behind --port 65535/],
    [{ port: 4020, docsPort: 4021 }, /Port 4021 is given for two hosts: give --docs-port another port/],
  ])("are refused beyond the last port: %j", async (options, description) => {
    await expect(startMock(options)).rejects.toThrow(description);
  });
});
