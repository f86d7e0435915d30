import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkTarget } from "../../../../src/engine/run/target/check-target.js";
import type { ControlText } from "../../../../src/engine/target/control.js";
import { suite } from "../../../../src/suite/suite.js";
import { OPS_TOKEN, startReference } from "../../../reference/server.js";
import { sharedChoices, terse } from "../../../reference/variants.js";

type Server = Awaited<ReturnType<typeof startReference>>;

const here = mkdtempSync(join(tmpdir(), "hooks-"));
let worlds: Server;
let oneWorld: Server;
beforeAll(async () => {
  [worlds, oneWorld] = await Promise.all([startReference({ ...terse, oneAddress: false }), startReference(sharedChoices)]);
});
afterAll(async () => {
  await Promise.all([worlds.close(), oneWorld.close()]);
  rmSync(here, { recursive: true });
});

/** Checks a target with some hooks of a server, of which `broken` replaces some by hooks with other addresses. */
async function getEntries(server: Server, hooks: readonly string[], broken: Readonly<Record<string, string>> = {}) {
  const { control, bindings, ...target } = server.target as { control: ControlText; bindings: Record<string, unknown> };
  const { url, headers, offers = ["worlds"] } = control;
  const drive = Object.fromEntries(
    hooks.map((event) => [event, { headers, http: `POST ${url}/worlds/{world}/drive/${broken[event] ?? event}` }]),
  );
  const others = { ...control, offers: ["clock", ...offers.filter((name) => name === "worlds")] };
  const file = join(here, "target.json");
  const names = hooks.includes("revoke-key") ? ["key_name_field", "key_scopes_field", "key_value_field"] : [];
  const named = Object.fromEntries(names.map((name) => [name, bindings[name]]));
  writeFileSync(file, JSON.stringify({ ...target, control: others, drive, bindings: named }));
  const env = { REFERENCE_OPS: OPS_TOKEN };
  const found = await checkTarget(suite, { target: file, profile: "full", env });
  if (!("entries" in found)) throw new Error(found.messages.join("\n"));
  const entries = Object.fromEntries(found.entries.map(({ entry, state, message }) => [entry, `${state}: ${message}`]));
  return { entries, notes: found.notes };
}

describe("target check calls each hook", () => {
  test("in a world, and names those that fail, do nothing, or do something else", async () => {
    const broken = {
      "finish-job": "now",
      "merge-fix-pr": "expire-observation",
      suspend: "reactivate",
      "expire-observation": "no-such-event",
    };
    const hooks = ["find", "open-fix-pr", "set-credit", "revoke-key", ...Object.keys(broken)];
    const { entries } = await getEntries(worlds, hooks, broken);
    expect(entries).toMatchObject({
      "worlds.create": expect.stringMatching(/^works: each world has its own id and key, with \d+ keys/),
      "worlds.remove": "works: after it, the key of the world is answered with 401",
      clock: expect.stringMatching(/^works: after it, an observation that is found 2 hours later is in the list/),
      "drive.find": "works: after it, the list of open observations has a new one with the given title and kind",
      "drive.set-credit": "works: after it, a submission without credit is refused with 402 or 429",
      "drive.revoke-key": "works: after it, the key is refused with 401",
      "drive.finish-job": expect.stringMatching(
        /^wrong: it did nothing that a caller sees: after it, a job that ends in success reads completed is not true: GET .*status/,
      ),
      "drive.merge-fix-pr": expect.stringMatching(/^wrong: it did something else: .* closed as fixed is not true: .*expired/),
      "drive.suspend": expect.stringMatching(/^wrong: it did nothing that a caller sees: .* 401 is not true: .*200/),
      "drive.expire-observation": expect.stringMatching(/^wrong: it fails: expire-observation could not be driven: .*404/),
    });
  });

  test("except those that would disturb a workspace that others use, and leaves nothing behind", async () => {
    const { entries, notes } = await getEntries(oneWorld, ["find", "finish-job", "suspend"]);
    expect(entries).toMatchObject({
      clock: "not tried: to try it, add worlds",
      "drive.find": expect.stringMatching(/^works/),
      "drive.finish-job":
        "works: after it, a job that ends in success reads completed; after it, a job that ends in failure reads failed",
      "drive.suspend": "not tried: to try it, add worlds",
    });
    expect(notes.filter((note) => note.startsWith("Left behind"))).toEqual([]);
  });
});
