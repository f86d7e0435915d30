import { expect, test } from "vitest";
import type { WireResponse } from "../../../../src/engine/http/exchange.js";
import type { SystemUnderTest } from "../../../../src/engine/property/property.js";
import type { Step } from "../../../../src/engine/scenario/format.js";
import { readEachGuide } from "../../../../src/suite/laws/surfaces/guide-reads.js";

const refusal = (type: string) => ({ error: { type, code: "code", message: "No.", request_id: "r1" } });

/** Reads the guides of a server that lists these guides and shows those with these names. The known guide is `triage`. */
function read(guides: readonly object[], names: readonly string[], error = refusal("not_found")) {
  const result = (structuredContent: object, isError = false): WireResponse => {
    const content = [{ type: "text", text: JSON.stringify(structuredContent) }];
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, result: { content, structuredContent, isError } });
    return { status: 200, headers: { "content-type": "application/json" }, body: new TextEncoder().encode(body) };
  };
  const respond = ({ mcp }: Step): WireResponse => {
    if (mcp?.tool === "list_guides") return result({ guides });
    return names.includes(String(mcp?.arguments?.guide)) ? result({ body: "Text" }) : result(error, true);
  };
  const sut = { lookup: () => "triage", send: async (step: Step) => ({ ok: true, response: respond(step) }) };
  return readEachGuide(sut as unknown as SystemUnderTest);
}

const TWO_FIELDS = [
  { title: "triage", name: "triage" },
  { title: "Fix loop", name: "fix-loop" },
];

test("a server may name guides in one of several fields that show the known guide", async () => {
  expect(await read(TWO_FIELDS, ["triage", "fix-loop"])).toMatchObject({ verdict: "passed" });
});

test("a guide that the server refuses by every such field is a failure, which shows each refusal", async () => {
  const outcome = await read(TWO_FIELDS, ["triage"]);
  expect(outcome).toMatchObject({ verdict: "failed", clauses: ["MCP-TOOL-GUIDES"] });
  const steps = "steps" in outcome ? outcome.steps.map(({ mcp }) => mcp?.arguments?.guide) : [];
  expect(steps).toEqual([undefined, "{binding.guide}", "fix-loop", "Fix loop"]);
});

test("a failure of the server is not a refusal", async () => {
  expect(await read(TWO_FIELDS, ["triage"], refusal("server_error"))).toMatchObject({ verdict: "inconclusive" });
});
