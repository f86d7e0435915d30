import { describe, expect, test } from "vitest";
import { contract } from "../../../src/contract/load.js";
import type { DismissalCategory, RouteName } from "../../../src/contract/types.js";
import { advance } from "../../../src/service/advance.js";
import { drives } from "../../../src/service/drives/index.js";
import { createObservation, type ObservationFields } from "../../../src/service/observations/observations.js";
import { perform } from "../../../src/service/perform.js";
import type { Observation, World } from "../../../src/service/world/world.js";
import { call, demoWorld } from "../world.js";

type Verb = "dismiss" | "reopen" | "complete" | "acknowledge" | "publish-ticket";

const note = "Looked at it twice.";
const dismissal = { dismissal_category: "wont_fix", dismissal_note: note };
const bodies: Record<Verb, unknown> = {
  dismiss: dismissal,
  reopen: { reopen_reason: "It is back." },
  complete: undefined,
  acknowledge: undefined,
  "publish-ticket": undefined,
};

describe("a triage operation", () => {
  test.each<[Verb, Partial<Observation>, Record<string, unknown>]>([
    ["dismiss", {}, { status: "closed", close_reason: "dismissed", dismissal_category: "wont_fix", dismissal_note: note }],
    ["complete", {}, { status: "closed", close_reason: "completed", completion: { url: null, note: null } }],
    ["acknowledge", {}, { status: "new", acknowledged_at: "2026-01-05T09:00:05.000Z" }],
    [
      "reopen",
      { close_reason: "dismissed" },
      { status: "new", resolved_at: null, dismissal_category: null, dismissal_note: null },
    ],
    ["reopen", { close_reason: "completed" }, { status: "new", resolved_at: null, completion: null }],
    ["reopen", { close_reason: "fixed" }, { status: "new", resolved_at: null }],
    ["reopen", { close_reason: "expired" }, { status: "new", resolved_at: null }],
  ])("%s on %j shows its effect and its time in this and later answers", (verb, parts, shown) => {
    const { world, ref } = worldWith(parts);
    advance(world, { to: world.now + 5000 });
    const response = triage(world, verb, ref);
    expect(response).toMatchObject({ status: 200, body: { ...shown, updated_at: "2026-01-05T09:00:05.000Z" } });
    expect("close_reason" in (response.body as object)).toBe("close_reason" in shown);
    expect(read(world, ref)).toEqual(response.body);
    expect(response.changes).toHaveLength(1);
  });

  test.each<[Verb, Partial<Observation>, string]>([
    ["dismiss", { close_reason: "completed" }, "observation_not_open"],
    ["complete", { close_reason: "dismissed" }, "observation_not_open"],
    ["acknowledge", { close_reason: "expired" }, "observation_not_open"],
    ["reopen", {}, "observation_not_closed"],
  ])("%s is refused on %j with 409 and changes nothing", (verb, parts, code) => {
    const { world, ref } = worldWith(parts);
    const before = structuredClone(world.observations);
    expect(triage(world, verb, ref)).toMatchObject({ status: 409, rule: { code }, changes: [] });
    expect(world.observations).toEqual(before);
  });

  test.each(Object.keys(bodies) as Verb[])(
    "%s answers 404 for another workspace's observation and for an unknown ref",
    (verb) => {
      const { world, ref } = worldWith({}, "free-co");
      expect(triage(world, verb, ref).status).toBe(404);
      expect(triage(world, verb, "SERVICE-99999").status).toBe(404);
    },
  );

  test.each(Object.keys(bodies) as Verb[])("%s needs the triage scope", (verb) => {
    const { world, ref } = worldWith({});
    expect(triage(world, verb, ref, bodies[verb], "viewer").rule.code).toBe("insufficient_scope");
  });

  test("acknowledged twice keeps the first time and its place", () => {
    const { world, ref } = worldWith({});
    const first = triage(world, "acknowledge", ref).body;
    advance(world, { to: world.now + 60_000 });
    expect(triage(world, "acknowledge", ref).body).toEqual(first);
  });

  test("complete keeps the proof link and the note, together or alone", () => {
    for (const body of [
      { url: "https://example.com/1", note: "Done." },
      { url: "https://example.com/1" },
      { note: "Done." },
      {},
    ]) {
      const { world, ref } = worldWith({});
      expect(triage(world, "complete", ref, body).body).toMatchObject({ completion: { url: null, note: null, ...body } });
    }
  });
});

describe("the body", () => {
  test.each<[Verb, string, unknown, number]>([
    ["dismiss", "a note of 9", { ...dismissal, dismissal_note: "x".repeat(9) }, 422],
    ["dismiss", "a note of 10", { ...dismissal, dismissal_note: "x".repeat(10) }, 200],
    ["dismiss", "a note of 500", { ...dismissal, dismissal_note: "x".repeat(500) }, 200],
    ["dismiss", "a note of 501", { ...dismissal, dismissal_note: "x".repeat(501) }, 422],
    ["dismiss", "a note of 9 code points in 18 units", { ...dismissal, dismissal_note: "😀".repeat(9) }, 422],
    ["dismiss", "a note of 500 code points in 1000 units", { ...dismissal, dismissal_note: "😀".repeat(500) }, 200],
    ["dismiss", "a note that is a number", { ...dismissal, dismissal_note: 1234567890 }, 422],
    ["dismiss", "no note", { dismissal_category: "stale" }, 422],
    ["dismiss", "no category", { dismissal_note: note }, 422],
    ["dismiss", "an unknown category", { ...dismissal, dismissal_category: "later" }, 422],
    ["dismiss", "the service's own category", { ...dismissal, dismissal_category: "exhausted_fix_attempts" }, 422],
    ["dismiss", "no body", undefined, 422],
    ["reopen", "no reason", {}, 422],
    ["reopen", "an empty reason", { reopen_reason: "" }, 422],
    ["reopen", "a reason of 1", { reopen_reason: "x" }, 200],
    ["reopen", "a reason of 2000", { reopen_reason: "x".repeat(2000) }, 200],
    ["reopen", "a reason of 2001", { reopen_reason: "x".repeat(2001) }, 422],
    ["reopen", "a reason that is a list", { reopen_reason: ["x"] }, 422],
    ["complete", "a link that is a number", { url: 1 }, 422],
  ])("of %s with %s answers by the length limits", (verb, _, body, status) => {
    const { world, ref } = worldWith(verb === "reopen" ? { close_reason: "dismissed" } : {});
    const before = read(world, ref);
    const response = perform(world, call(route(verb), { params: { ref }, body }));
    expect(response.status).toBe(status);
    if (status === 422) {
      expect(response.body).toMatchObject({ error: { type: "validation_error", code: "invalid_payload", errors: [{}] } });
      expect(read(world, ref)).toEqual(before);
    }
  });

  test("of dismiss accepts exactly the client categories", () => {
    const clients = Object.entries(contract.transitions.dismissal).filter(([, row]) => row.client);
    expect(contract.openapi.components?.schemas?.DismissalCategory?.enum).toEqual(clients.map(([name]) => name));
  });
});

describe("a ticket", () => {
  test("is published once in a repository with an integration", () => {
    const { world, ref } = worldWith({});
    const first = triage(world, "publish-ticket", ref);
    expect(first).toMatchObject({ status: 200, body: { ref, ticket_url: expect.stringContaining("https://") } });
    expect(triage(world, "publish-ticket", ref).body).toEqual(first.body);
  });

  test("is refused with 422 without an integration", () => {
    const { world, ref } = worldWith({}, "acme", "api");
    expect(triage(world, "publish-ticket", ref)).toMatchObject({
      status: 422,
      body: { error: { type: "invalid_request_error", code: "no_ticket_integration" } },
    });
    expect(world.observations[ref]!.ticket_url).toBeNull();
  });
});

describe("rediscovery", () => {
  test.each<[DismissalCategory, boolean]>([
    ["false_positive", false],
    ["wont_fix", false],
    ["out_of_scope", false],
    ["stale", true],
    ["no_longer_found", true],
    ["other", true],
    ["exhausted_fix_attempts", true],
  ])("reopens an observation dismissed as %s: %s", (dismissal_category, reappears) => {
    const { world, ref } = worldWith({ close_reason: "dismissed", dismissal_category });
    const outcome = drives.rediscover!.run(world, { repo: "acme/web/main" }) as { result: { reappeared: string[] } };
    expect(outcome.result.reappeared.includes(ref)).toBe(reappears);
    expect(read(world, ref)).toMatchObject({ ref, status: reappears ? "new" : "closed" });
    expect("close_reason" in read(world, ref)).toBe(!reappears);
  });

  test.each(["fixed", "completed", "expired"] as const)("does not reopen an observation closed as %s", (close_reason) => {
    const { world, ref } = worldWith({ close_reason });
    drives.rediscover!.run(world, { repo: "acme/web/main" });
    expect(read(world, ref)).toMatchObject({ status: "closed", close_reason });
  });

  test("affects only the given repository", () => {
    const { world, ref } = worldWith({ close_reason: "dismissed", dismissal_category: "stale" });
    drives.rediscover!.run(world, { repo: "acme/api/main" });
    expect(read(world, ref).status).toBe("closed");
  });
});

/** Returns a demo world with one more observation, by default in `acme/web/main`. */
function worldWith(parts: ObservationFields, workspace = "acme", name = "web"): { world: World; ref: string } {
  const world = demoWorld();
  const repos = Object.values(world.repos).filter((repo) => repo.workspace === workspace);
  const repo = repos.find((candidate) => candidate.repo === name) ?? repos[0]!;
  return { world, ref: createObservation(world, repo, parts).ref };
}

function route(verb: Verb): RouteName {
  return `POST /api/observations/{ref}/${verb}`;
}

function triage(world: World, verb: Verb, ref: string, body = bodies[verb], as = "full") {
  return perform(world, call(route(verb), { as, params: { ref }, body }));
}

function read(world: World, ref: string): Record<string, unknown> {
  return perform(world, call("GET /api/observations/{ref}", { params: { ref } })).body as Record<string, unknown>;
}
