import { expect, test } from "vitest";
import { openWire } from "../../../src/engine/http/rest.js";
import { findAbsentRepos } from "../../../src/engine/preflight/readable-repos.js";
import { startRun } from "../../../src/engine/run/connect.js";
import { parseTarget } from "../../../src/engine/target/target.js";
import { suite } from "../../../src/suite/suite.js";
import { serve } from "../server.js";

test("entries of repos that the server does not know are named, with its answer", async () => {
  const server = await serve(({ path }, response) => {
    const status = path.includes("/gone/") ? 404 : path.includes("/broken/") ? 500 : 200;
    response(status, status === 404 ? { error: { type: "not_found", code: "not_found", message: "m", request_id: "r" } } : {});
  });
  const repos = "repos: [acme/web/main, acme/gone/main, acme/broken/main]";
  const targetResult = parseTarget(suite.target, "target.yaml", `base_url: ${server.url}\n${repos}`, {});
  if (!targetResult.ok) throw new Error(targetResult.mistakes.join("\n"));
  const wire = openWire({ timeoutMs: 5000 });
  const run = startRun(suite, { profile: "safe", maxWait: 1 }, targetResult.target, wire);
  const found = await findAbsentRepos({ run, rules: suite }, "a-key-of-a-test");
  await wire.close();
  await server.close();
  expect([...found]).toEqual([
    [
      "acme/gone/main",
      expect.stringMatching(/^acme\/gone\/main does not exist: GET \S+ answered 404 \(not_found\)\. Correct repos/),
    ],
  ]);
});
