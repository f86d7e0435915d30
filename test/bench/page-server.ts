import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { startMock } from "../../src/mock/server.js";
import type { Fixture } from "../../src/service/fixture/fixture.js";

/** A mock on the port of its first argument, whose first workspace has as many observations as the second one says, in five repositories. */
const demo = JSON.parse(readFileSync(fileURLToPath(new URL("../../../fixtures/demo.json", import.meta.url)), "utf8")) as Fixture;
const [workspace] = Object.keys(demo.workspaces) as [string];
const repositories = [1, 2, 3, 4, 5].map((i) => ({ workspace, owner: "acme", repo: `large-${i}`, branch: "main" }));
const observations = Object.fromEntries(
  repositories.map(({ owner, repo, branch }) => [`${owner}/${repo}/${branch}`, Number(process.argv[3]) / repositories.length]),
);
const { jobs: _jobs, observations: _observations, ...rest } = demo;
const fixture: Fixture = { ...rest, repositories: [...(demo.repositories ?? []), ...repositories], generate: { observations } };
const mock = await startMock({ port: Number(process.argv[2]), clock: "frozen", limits: "off", fixture });
console.log(JSON.stringify({ key: Object.values(mock.keys)[0] }));
