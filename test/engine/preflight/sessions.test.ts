import { afterEach, describe, expect, test } from "vitest";
import { openWire } from "../../../src/engine/http/rest.js";
import { checkSessions } from "../../../src/engine/preflight/sessions.js";
import { startRun } from "../../../src/engine/run/connect.js";
import type { Profile } from "../../../src/engine/scenario/effects.js";
import { parseTarget } from "../../../src/engine/target/target.js";
import { suite } from "../../../src/suite/suite.js";
import { type Handler, serve } from "../server.js";

const open: { close(): unknown }[] = [];
afterEach(async () => void (await Promise.all(open.splice(0).map((one) => one.close()))));

const refusal = (type: string) => ({ error: { type, code: type, message: "m", request_id: "r" } });

/** Checks the sessions of two roles at a web app that answers in this way. */
async function check(handler: Handler, profile: Profile = "full", roles = ["admin", "owner", "member"]) {
  const server = await serve(handler);
  const targetResult = parseTarget(suite.target, "target.yaml", `base_url: http://service.test\napp_url: ${server.url}`, {});
  if (!targetResult.ok) throw new Error(targetResult.mistakes.join("\n"));
  const wire = openWire({ timeoutMs: 5000 });
  open.push(server, wire);
  const run = startRun(suite, { profile, maxWait: 1 }, targetResult.target, wire);
  const sessions = { admin: "session=admin-cookie", owner: "session=owner-cookie", member: "session=member-cookie" };
  return { note: await checkSessions({ run, rules: suite }, sessions, roles), received: server.received };
}

describe("a host for sessions", () => {
  test.each<[string, Handler]>([
    ["does not know the key", (_, response) => response(404, refusal("not_found"))],
    ["refuses the empty change", (_, response) => response(422, refusal("validation_error"))],
    [
      "accepts one of the sessions",
      ({ headers }, response) => (headers.cookie?.includes("owner") ? response(404, refusal("not_found")) : response(401, {})),
    ],
  ])("that %s is the right one", async (_, handler) => {
    expect((await check(handler)).note).toBeUndefined();
  });

  test.each<[string, Handler, RegExp]>([
    [
      "refuses every session",
      (_, response) => response(401, refusal("authentication_error")),
      /answered 401 \(authentication_error\)/,
    ],
    [
      "has no such route",
      (_, response) => response(404, "Not found", { "content-type": "text/plain" }),
      /answered 404 with no JSON/,
    ],
    [
      "answers with its start page",
      (_, response) => response(200, "<!doctype html>", { "content-type": "text/html" }),
      /an HTML page/,
    ],
    ["redirects to a sign-in page", (_, response) => response(302, "", { location: "/login" }), /answered 302/],
    ["does not answer", (_, __, response) => response.destroy(), /got no answer/],
  ])("that %s is not one: the note names session_url", async (_, handler, response) => {
    const { note } = await check(handler);
    expect(note).toMatch(/^The host for sessions accepts none: PATCH \S+ with the session of admin /);
    expect(note).toMatch(response);
    expect(note).toMatch(/Set session_url in the target file to the host that accepts sessions/);
  });

  test("gets no request in a read-only run, and none for a role that may not manage keys", async () => {
    const handler: Handler = (_, response) => response(401, {});
    expect(await check(handler, "read-only")).toEqual({ note: undefined, received: [] });
    expect(await check(handler, "full", ["member"])).toEqual({ note: undefined, received: [] });
  });
});
