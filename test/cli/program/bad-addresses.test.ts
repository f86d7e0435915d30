import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readSpec } from "../../../src/contract/load.js";
import { serve } from "../../engine/server.js";
import { counterpart } from "../counterpart.js";
import { examine, LIST, openStarts, ownDirectory } from "../starts.js";

openStarts();

describe("an address", () => {
  test("where no server listens, and a variable that is not set, are named by --plan and reproduce in the words of verify", async () => {
    const { url, close } = await serve((_, response) => response(200));
    await close();
    const target = join(ownDirectory(), "target.yaml");
    writeFileSync(target, `base_url: ${url}\nkeys: { full: { env: NO_SUCH_FULL } }`);
    const unset = `${target} names environment variables that are not set: NO_SUCH_FULL (keys.full).`;
    const unreachableMessage = `${url} cannot be examined: no server listens at this address. Start the server, or give another address.`;
    const plan = await counterpart("verify", "--target", target, "--only", LIST, "--plan");
    expect([plan.code, plan.out]).toEqual([0, expect.stringContaining(`! ${unreachableMessage}`)]);
    expect(plan.out).toContain(`! ${unset}`);
    const reproduced = await counterpart("reproduce", "not_found", "--target", target);
    expect([reproduced.code, reproduced.err]).toEqual([4, expect.stringContaining(`counterpart: ${unreachableMessage}`)]);
    expect(reproduced.err).toContain(unset);
    const verified = await counterpart("verify", "--target", target, "--only", LIST);
    const sentence = `${target} names the environment variable NO_SUCH_FULL for keys.full, and it is not set. Set it,`;
    expect([verified.code, verified.err]).toEqual([2, expect.stringContaining(sentence)]);
  });

  test.each([
    ["verify", ["verify", "http://me:hunter2@127.0.0.1:9/x"]],
    ["verify without a scheme", ["verify", "me:hunter2@127.0.0.1:9"]],
    ["verify --plan", ["verify", "http://me:hunter2@127.0.0.1:9", "--plan"]],
    ["verify with three slashes", ["verify", "http:///me:hunter2@127.0.0.1:9"]],
    ["verify with backslashes", ["verify", "http:\\\\me:hunter2@127.0.0.1:9"]],
    ["target init", ["target", "init", "http://me:hunter2@127.0.0.1:9"]],
    ["target init --app-url", ["target", "init", "http://127.0.0.1:9", "--app-url", "http://me:hunter2@127.0.0.1:9"]],
    ["target init --docs-url", ["target", "init", "http://127.0.0.1:9", "--docs-url", "http://me:hunter2@127.0.0.1:9"]],
    ["reproduce", ["reproduce", "not_found", "http://me:hunter2@127.0.0.1:9"]],
    ["diff", ["diff", "http://me:hunter2@127.0.0.1:9"]],
  ])("with a user name and a password is refused by %s, and not shown", async (_, args) => {
    const { code, out, err } = await counterpart(...args);
    expect([code, err]).toEqual([2, expect.stringContaining("an address must not contain a user name or a password")]);
    expect(out + err).not.toContain("hunter2");
  });

  test.each([
    ["verify --target", ["verify", "--target", "http://me:hunter2@127.0.0.1:9"]],
    ["mock --port", ["mock", "--port", "http://me:hunter2@127.0.0.1:9"]],
    ["mock --fixture", ["mock", "--fixture", "http://me:hunter2@127.0.0.1:9"]],
  ])("in an option for another value is shown without its user name and password by %s", async (_, args) => {
    const { code, out, err } = await counterpart(...args);
    expect([code, out, err]).toEqual([2, "", expect.stringContaining("http://***@127.0.0.1:9")]);
    expect(err).not.toContain("hunter2");
  });

  test.each(targetAddresses())(
    "with a user name and a password at %s of a target file is refused, and not shown",
    async (_, lines) => {
      const secret = "http://me:hunter2@127.0.0.1:9/mcp/";
      const { code, out, err } = await examine("http://127.0.0.1:9", { lines: lines.map((line) => line.replace("URL", secret)) });
      expect([code, err]).toEqual([2, expect.stringMatching(/target\.yaml:\d+:\d+: .*an address must not contain a user name/)]);
      expect(out + err).not.toContain("hunter2");
    },
  );
});

/** Returns each place of an address in the schema of target files, with lines of a file that has one there. */
function targetAddresses(): [place: string, lines: string[]][] {
  const { properties } = readSpec("schema/target.json") as { properties: Record<string, Place> };
  return Object.entries(properties).flatMap(([name, place]): [string, string[]][] => {
    if (name === "base_url") return []; // the file of this test has one
    if (name.endsWith("_url")) return [[name, [`${name}: URL`]]];
    const hooks = Object.entries({
      ...place.properties,
      ...(place.additionalProperties && { suspend: place.additionalProperties }),
    });
    return hooks.flatMap(([hook, { $ref }]): [string, string[]][] =>
      $ref?.endsWith("/hook") ? [[`${name}.${hook}`, [`${name}: { ${hook}: { http: "POST URL" } }`]]] : [],
    );
  });
}

interface Place {
  $ref?: string;
  properties?: Record<string, Place>;
  additionalProperties?: Place;
}
