import { expect, test } from "vitest";
import type { RunEvidence } from "../../../src/engine/report/report.js";
import { listHooks } from "../../../src/engine/run/evidence.js";
import { joinShards } from "../../../src/engine/run/join-shards.js";
import type { VerifyOptions } from "../../../src/engine/run/verify.js";
import type { Profile } from "../../../src/engine/scenario/effects.js";
import type { Target } from "../../../src/engine/target/target.js";
import { suite } from "../../../src/suite/suite.js";
import { sample } from "../report/sample.js";

const names = {
  keys: { full: { description: "" } },
  sessions: { owner: { description: "" } },
  drive: { find: { description: "" }, expire: { description: "" } },
};
const rules = { names: { ...names, bindings: { spare: { description: "", example: "x" } }, tools: {}, combined: {} } };
const hook = { http: "POST /it" };

/** A target that offers everything that the rules name. It has keys itself, because the keys of a world are known only later. */
const wholeTarget: Target = {
  name: "it",
  urls: { api: "http://127.0.0.1:1", app: "http://127.0.0.1:2", docs: "http://127.0.0.1:3", mcp: "http://127.0.0.1:1/mcp/" },
  keys: { full: "k" },
  sessions: { owner: "s" },
  unset: {},
  repos: [],
  worlds: { create: hook },
  clock: { now: hook, advance: hook },
  drive: { find: hook, expire: hook },
  bindings: { spare: "x" },
  timing: { requestTimeoutSeconds: 1, rateMinuteSeconds: 60, dispatchTickSeconds: 1 },
  allow: { paid: true, destructive: true },
  exclusive: false,
};
const { worlds: _, clock: __, ...rest } = wholeTarget;
const bareTarget: Target = { ...rest, drive: {} };
const hooks = (target: Target, profile: Profile = "full", options: VerifyOptions = {}) =>
  listHooks(rules, options, { target, profile });

test("a target with all hooks or without hooks has a run kind", () => {
  expect([hooks(wholeTarget), hooks(bareTarget)]).toEqual(["all-hooks", "no-hooks"]);
});

test.each<[what: string, target: Target]>([
  ["worlds", { ...rest, clock: { now: hook, advance: hook } }],
  ["a clock", { ...rest, worlds: { create: hook } }],
  ["one event", { ...wholeTarget, drive: { find: hook } }],
  ["all hooks but one event", { ...bareTarget, drive: { find: hook } }],
  ["a binding", { ...wholeTarget, bindings: {} }],
  ["a key", { ...bareTarget, keys: {} }],
  ["a session", { ...bareTarget, sessions: {} }],
  [
    "the docs host",
    { ...wholeTarget, urls: { api: "http://127.0.0.1:1", app: "http://127.0.0.1:2", mcp: "http://127.0.0.1:1/mcp/" } },
  ],
  ["permission for paid work", { ...wholeTarget, allow: { paid: false, destructive: true } }],
])("a target without %s has no run kind", (_, target) => expect(hooks(target)).toBeUndefined());

test("permissions matter only to the full profile", () => {
  const target = { ...wholeTarget, allow: { paid: false, destructive: false } };
  expect([hooks(target, "read-only"), hooks(target, "safe")]).toEqual(["all-hooks", "all-hooks"]);
});

/**
 * The effect of each option on the kind of a run. `part`: the selection of the report shows it, and its rate is refused there. `cut`: a
 * scenario is not observed because of it. A new option does not compile without a row here.
 */
const effects: Record<keyof VerifyOptions, "reduces" | "part" | "cut" | "none"> = {
  among: "reduces",
  scenarios: "reduces",
  runs: "reduces",
  budgetPaid: "reduces",
  claim: "reduces",
  serverVersion: "none",
  saveBaseline: "none",
  only: "part",
  surface: "part",
  shard: "part",
  maxTime: "cut",
  deadline: "reduces",
  signal: "cut",
  url: "none",
  target: "none",
  key: "none",
  mcpRevision: "none",
  profile: "none",
  seed: "none",
  maxWait: "none",
  waitForServer: "none",
  waivers: "none",
  secondOpinion: "none",
  resume: "none",
  out: "none",
  signKey: "none",
  forms: "none",
  preflight: "none",
  selfDescription: "none",
  describedPorts: "none",
  throttles: "none",
  onProgress: "none",
  onEstimate: "none",
  onOutage: "none",
  onStart: "none",
  sandbox: "none",
  env: "none",
};
const values: Partial<VerifyOptions> = {
  among: new Set(["a"]),
  deadline: 60,
  scenarios: "dir",
  runs: 0,
  budgetPaid: 3,
  claim: "1.0.0",
};

test.each(Object.entries(effects))("the option %s: %s", (name, effect) => {
  const value = values[name as keyof VerifyOptions] ?? "given";
  expect(hooks(wholeTarget, "full", { [name]: value } as VerifyOptions)).toBe(effect === "reduces" ? undefined : "all-hooks");
});

test.each<[hooks: (RunEvidence["hooks"] | undefined)[], joined: RunEvidence["hooks"] | undefined]>([
  [["all-hooks", "all-hooks"], "all-hooks"],
  [["all-hooks", "no-hooks"], undefined],
  [["no-hooks", undefined], undefined],
  [[undefined, "no-hooks"], undefined],
])("shards on targets with %j are one run with %s", (each, joinedHooks) => {
  const shards = each.map((one, at) => ({ index: at + 1, report: sample({ ...(one && { hooks: one }) }) }));
  expect(joinShards(suite, shards.length, shards).hooks).toBe(joinedHooks);
});
