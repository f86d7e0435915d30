import { describe, expect, test } from "vitest";
import { bindTool } from "../../../src/engine/scenario/tool-call.js";
import { readBinding } from "../../../src/engine/target/needs.js";
import type { TargetRules } from "../../../src/engine/target/rules.js";
import { parseTarget } from "../../../src/engine/target/target.js";

const description = "as it is";
const shell = (name: string) => `\${${name}}`;
/** The names of an example service. */
const rules: TargetRules = {
  toolServerPath: "/tools/",
  selfDescriptionPath: "/about",
  docsPath: "/description",
  names: {
    keys: { reader: { description }, lender: { description } },
    sessions: { clerk: { description } },
    drive: { "bring-back": { description } },
    bindings: {
      shelf: { description, example: {}, parts: { needed: "all", names: ["room", "row"], instead: ["map", "mark"] } },
      card_field: { description, example: "card" },
    },
    tools: { lend_book: { description, aliases: [], arguments: { room: [], row: [] }, optional: [], isRead: true } },
    combined: { place: { of: ["room", "row"], synonyms: ["spot"], aliases: [], join: (parts) => parts.join("-") } },
  },
};
const parsed = (...lines: string[]) =>
  parseTarget(rules, "library.yaml", ["base_url: http://library.test", ...lines].join("\n"), {});

describe("a typo in a target file", () => {
  test.each([
    ["of a role", "keys: { raeder: { env: A } }", /^library\.yaml:2:9: unknown role "raeder"; nearest: reader/],
    [
      "of an event",
      "drive: { bring_back: { command: [x] } }",
      /unknown event "bring_back"; nearest: bring-back|is not valid; allowed/,
    ],
    ["of a binding", "bindings: { card_filed: c }", /^library\.yaml:2:13: unknown binding "card_filed"; nearest: card_field$/],
    ["of a part", "bindings: { shelf: { room: 1, rwo: 2 } }", /unknown part "rwo"; nearest: row/],
    ["of a purpose", "bindings: { tools: { lend: x } }", /unknown tool purpose "lend"; nearest: lend_book/],
    ["of an argument", "bindings: { tool_args: { lend_book: { roow: x } } }", /unknown argument "roow"; nearest: /],
    ["of a missing part", "bindings: { shelf: { room: 1 } }", /"row" is missing: shelf needs room, row/],
    ["of a missing part that replaces others", "bindings: { shelf: { map: 1 } }", /"mark" is missing: shelf needs map, mark/],
    ["of a field", "base_ulr: x", /unknown key "base_ulr"/],
  ])("in the name %s is a mistake with its place", (_, line, mistake) => {
    const result = parsed(line);
    expect(result.ok ? [] : result.mistakes).toContainEqual(expect.stringMatching(mistake));
  });

  test("is not assumed for a name without a similar known name: a user's own scenarios may need it", () => {
    expect(parsed("keys: { zookeeper: { value: x } }", "bindings: { anything: 1 }").ok).toBe(true);
  });
});

describe("a value with only one possible meaning is corrected, with a message", () => {
  test.each([
    ["a variable in shell syntax", `keys: { reader: "${shell("READER")}" }`, /is read as \{ env: READER \}/],
    ["a variable in shell syntax as a value", "keys: { reader: { value: $READER } }", /is read as \{ env: READER \}/],
    ["an address without a scheme", "app_url: 127.0.0.1:4010", /has no scheme: using http:\/\/127\.0\.0\.1:4010/],
    [
      "the path of the description",
      "docs_url: http://library.test/description",
      /is appended automatically: using http:\/\/library\.test$/,
    ],
  ])("%s", (_, line, sentence) => {
    const result = parsed(line);
    expect(result.ok && result.target.corrections).toEqual([expect.stringMatching(sentence)]);
  });

  test("a variable in an address and a bare text as a secret are mistakes", () => {
    const result = parsed(`app_url: ${shell("APP")}`, "keys: { reader: abc }");
    expect(result.ok ? [] : result.mistakes).toEqual([
      expect.stringMatching(/^library\.yaml:2:1: an address must not contain a variable/),
      expect.stringMatching(/^library\.yaml:3:9: write \{ env: NAME \}/),
    ]);
  });
});

test("requests with a session go to the web app, or to session_url", () => {
  const urls = (...lines: string[]) => {
    const result = parsed(...lines);
    return result.ok ? result.target.urls.session : result.mistakes;
  };
  expect([urls(), urls("app_url: http://a.test"), urls("app_url: http://a.test", "session_url: http://b.test/")]).toEqual([
    undefined,
    "http://a.test",
    "http://b.test",
  ]);
});

test("a combined argument binds all the arguments that it replaces", () => {
  const result = parsed("bindings: { tools: { lend_book: lend }, tool_args: { lend_book: { place: where } } }");
  const bindings = result.ok ? result.target.bindings : {};
  expect(readBinding(bindings, "tool_args.lend_book.row")).toBe("where");
  const ask = { tool: "lend_book", arguments: { room: "A", row: "7", days: 3 } };
  expect(bindTool(ask, (name) => readBinding(bindings, name), rules.names?.combined)).toEqual({
    call: "lend",
    arguments: { where: "A-7", days: 3 },
  });
});
