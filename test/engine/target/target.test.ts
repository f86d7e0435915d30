import { describe, expect, test } from "vitest";
import { isToolServer, parseTarget, readSelfDescription, type TargetResult } from "../../../src/engine/target/target.js";

/** The paths of an example service. */
const rules = { toolServerPath: "/tools/", selfDescriptionPath: "/about/target" };
const URL = "http://library.test";

function getTarget(result: TargetResult | undefined) {
  if (!result?.ok) throw new Error(result?.mistakes.join("\n") ?? "no target");
  return result.target;
}
const parsed = (...lines: string[]) =>
  parseTarget(rules, "library.yaml", [`base_url: ${URL}/`, ...lines].join("\n"), { READER: "r", EMPTY: "" });

describe("a target file", () => {
  test.each([
    ["is at the path of the contract", [], `${URL}/tools/`],
    ["is at the address in the file", ["mcp_url: http://elsewhere.test/t"], "http://elsewhere.test/t"],
  ])("has a tool server that %s", (_, lines, mcp) => {
    expect(getTarget(parsed(...lines)).urls).toEqual({ api: URL, mcp });
  });

  test("reads secrets from the environment, and names unset variables", () => {
    const target = getTarget(
      parsed("keys: { reader: { env: READER }, clerk: { env: CLERK }, lender: { env: EMPTY }, x: { value: y } }"),
    );
    expect([target.keys, target.unset]).toEqual([
      { reader: "r", x: "y" },
      { "keys.clerk": "CLERK", "keys.lender": "EMPTY" },
    ]);
  });

  test.each(["constructor", "__proto__", "toString"])("no inherited property of the environment is a key: %s", (name) => {
    const target = getTarget(parsed(`keys: { reader: { env: ${name} } }`));
    expect([target.keys, target.unset]).toEqual([{}, { "keys.reader": name }]);
  });

  test.each([
    `keys: { reader: \${READER} }`,
    `keys: { reader: { value: \${READER} } }`,
    `keys: { clerk: x, reader: \${READER}, x: y }`,
  ])("with an unquoted variable in braces gets advice: %s", (line) => {
    const what = expect.stringMatching(
      /^library\.yaml:2:\d+: \$\{READER\} stands in \{…\} without quotes: for an environment variable write \{ env: READER \}$/,
    );
    expect(parsed(line)).toEqual({ ok: false, mistakes: [what] });
  });

  test("with a mistake is refused, with the place of the mistake", () => {
    expect(parsed("timing: { rate_minute_s: soon }")).toEqual({
      ok: false,
      mistakes: [expect.stringMatching(/^library\.yaml:2:\d+: .*number/)],
    });
  });
});

describe("the description that a server publishes of itself", () => {
  const answering = (status: number, body: unknown) => {
    const sent: string[] = [];
    const response = { status, headers: {}, body: new TextEncoder().encode(JSON.stringify(body)) };
    const send = async (request: { method: string; url: string; headers: Record<string, string> }) => {
      sent.push(request.url);
      return { request, startedAt: 0, endedAt: 0, response };
    };
    return { wire: { send, close: async () => {} }, sent };
  };

  test("is read at the path of the contract", async () => {
    const { wire, sent } = answering(200, { base_url: URL, name: "the library" });
    expect(getTarget(await readSelfDescription(rules, wire, `${URL}/`)).name).toBe("the library");
    expect(sent).toEqual([`${URL}/about/target`]);
  });

  test.each([
    ["is not there", 404, { base_url: URL }],
    ["has no address", 200, { name: "the library" }],
    ["is not an object", 200, []],
  ])("is undefined if it %s", async (_, status, body) => {
    expect(await readSelfDescription(rules, answering(status, body).wire, URL)).toBeUndefined();
  });

  test.each<[string, object, RegExp]>([
    ["a command", { clock: { now: { command: ["date"] }, advance: { command: ["date"] } } }, /the command date/],
    ["a variable", { keys: { reader: { env: "HOME" } } }, /the environment variable HOME/],
    ["a variable of ours", { keys: { reader: { env: "COUNTERPART_ADMIN_TOKEN" } } }, /variable COUNTERPART_ADMIN_TOKEN/],
    ["a variable in a text", { keys: { reader: "$HOME" } }, /the environment variable HOME/],
    ["a variable in braces", { sessions: { reader: { value: `\${HOME}` } } }, /the environment variable HOME/],
    ["a variable of a hook", withHook("GET /a", { authorization: { env: "HOME" } }), /the environment variable HOME/],
    ["another host", { docs_url: "http://elsewhere.test" }, /the address http:\/\/elsewhere\.test/],
    ["another host without a scheme", { docs_url: "elsewhere.test" }, /the address https:\/\/elsewhere\.test/],
    ["another port", { docs_url: `${URL}:81` }, /the address .*:81;? ?.*/],
    ["another port without a scheme", { docs_url: "library.test:2375" }, /the address http.*:2375/],
    ["another scheme, and so another port", { docs_url: URL.replace("http:", "https:") }, /the address https:/],
    ["another port in a hook", withHook(`POST ${URL}:2375/containers`), /the address .*:2375/],
    ["another host after its own name", withHook(`POST ${URL}@elsewhere.test/a`), /the address .*elsewhere/],
    ["a port that the user does not allow", { docs_url: `${URL}:8080` }, /--described-ports/],
  ])("may not name %s", async (_, more, mistake) => {
    const result = await readSelfDescription(rules, answering(200, { base_url: URL, ...more }).wire, URL, [82]);
    expect(result).toEqual({ ok: false, mistakes: [expect.stringMatching(mistake)] });
  });

  test("may name its own port and ports that the user allows", async () => {
    const description = { base_url: URL, app_url: `${URL}:80/app`, docs_url: `${URL}:81`, keys: { reader: { value: "r" } } };
    const result = getTarget(await readSelfDescription(rules, answering(200, description).wire, URL, [81]));
    expect([result.keys, result.urls.docs]).toEqual([{ reader: "r" }, `${URL}:81`]);
  });

  function withHook(http: string, headers: object = {}): object {
    return { clock: { now: { http, headers }, advance: { http: "POST /a" } } };
  }
});

test.each([
  [`${URL}/tools/`, true],
  [`${URL}/tools`, true],
  [`${URL}/edge/tools/?x=1`, true],
  [`${URL}/toolshed/`, false],
  [`${URL}/books?at=/tools/`, false],
  ["http://elsewhere.test/t?x=1", true],
  ["http://elsewhere.test/t/more", false],
])("%s is an address of the tool server: %s", (address, isExpected) => {
  const target = getTarget(parsed("mcp_url: http://elsewhere.test/t"));
  expect(isToolServer(rules, target, address)).toBe(isExpected);
});
