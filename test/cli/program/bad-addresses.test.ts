import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { serve } from "../../engine/server.js";
import { counterpart } from "../counterpart.js";
import { examine, LIST, openStarts, ownDirectory } from "../starts.js";

openStarts();

describe("an address", () => {
  test("where no server listens, and a variable that is not set, are named by --plan and reproduce in the words of verify", async () => {
    const { url, close } = await serve((_, reply) => reply(200));
    await close();
    const target = join(ownDirectory(), "target.yaml");
    writeFileSync(target, `base_url: ${url}\nkeys: { full: { env: NO_SUCH_FULL } }`);
    const unset = `${target} names environment variables that are not set: NO_SUCH_FULL (keys.full).`;
    const nobody = `${url} cannot be examined: no server listens at this address. Start the server, or give another address.`;
    const plan = await counterpart("verify", "--target", target, "--only", LIST, "--plan");
    expect([plan.code, plan.out]).toEqual([0, expect.stringContaining(`! ${nobody}`)]);
    expect(plan.out).toContain(`! ${unset}`);
    const reproduced = await counterpart("reproduce", "not_found", "--target", target);
    expect([reproduced.code, reproduced.err]).toEqual([4, expect.stringContaining(`counterpart: ${nobody}`)]);
    expect(reproduced.err).toContain(unset);
  });

  test.each([
    ["verify", ["verify", "http://me:hunter2@127.0.0.1:9/x"]],
    ["verify without a scheme", ["verify", "me:hunter2@127.0.0.1:9"]],
    ["verify --plan", ["verify", "http://me:hunter2@127.0.0.1:9", "--plan"]],
    ["target init", ["target", "init", "http://me:hunter2@127.0.0.1:9"]],
    ["reproduce", ["reproduce", "not_found", "http://me:hunter2@127.0.0.1:9"]],
    ["diff", ["diff", "http://me:hunter2@127.0.0.1:9"]],
  ])("with a user name and a password is refused by %s, and not shown", async (_, args) => {
    const { code, out, err } = await counterpart(...args);
    expect([code, err]).toEqual([2, expect.stringContaining("an address must not contain a user name or a password")]);
    expect(out + err).not.toContain("hunter2");
  });

  test("with a user name and a password in a target file is refused, and not shown", async () => {
    const { code, out, err } = await examine("http://127.0.0.1:9", { lines: ["mcp_url: http://me:hunter2@127.0.0.1:9/mcp/"] });
    expect([code, err]).toEqual([2, expect.stringMatching(/target\.yaml:2:\d+: .*an address must not contain a user name/)]);
    expect(out + err).not.toContain("hunter2");
  });
});
