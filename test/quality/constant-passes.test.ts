import { expect, test } from "vitest";
import { draw } from "../meta/sample.js";
import { hollowPasses } from "./constant-passes.js";
import { constantServers } from "./constant-servers.js";
import { examine } from "./examine.js";

const clause = (id: string, verdict: "passed" | "inconclusive", surface: string[]) => ({
  ...{ id, verdict, surface, level: "stated", subjects: 1, by: ["a/b"] },
});

test("a pass on a server without behaviour needs a reason", () => {
  const clauses = [
    clause("AUTH-BEARER", "passed", ["rest", "mcp"]),
    clause("PAGE-FIELD-TYPES", "passed", ["rest"]),
    clause("MCP-ARG-NAMED", "passed", ["mcp"]),
    clause("MCP-ARG-EVERY", "inconclusive", ["mcp"]),
  ];
  const passesOn = (server: string) => hollowPasses(server, { clauses }).map((line) => line.split(" ")[0]);
  expect(passesOn("answers 401 without a body")).toEqual(["AUTH-BEARER", "PAGE-FIELD-TYPES", "MCP-ARG-NAMED"]);
  expect(passesOn("answers an empty list")).toEqual(["AUTH-BEARER", "MCP-ARG-NAMED"]);
});

const refusing = [...constantServers.keys()].filter((name) => /^(answers 4|refuses)/.test(name));

test.each(draw(refusing, 1))(
  "no clause about keys and errors passes on a server that %s",
  async (name) => {
    const only = ["5-authentication/*", "7-errors/*"];
    const { problem, scenarios, passed, alarms } = await examine({ kind: "constant", name, only, seeds: [1] });
    expect({ problem, passed, alarms }).toEqual({ problem: undefined, passed: 0, alarms: [] });
    expect(scenarios).toBeGreaterThan(20);
  },
  60_000,
);
