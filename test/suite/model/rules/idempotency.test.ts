import fc from "fast-check";
import { expect, test } from "vitest";
import { parseBodyJson, type WireResponse } from "../../../../src/engine/http/exchange.js";
import { listBranches } from "../../../../src/suite/model/rules/branches.js";
import { judge } from "../../../../src/suite/model/rules/judge.js";
import type { ModelRequest } from "../../../../src/suite/model/rules/request.js";
import { forgetRepository, type States } from "../../../../src/suite/model/rules/states.js";
import { advanceTime } from "../../../../src/suite/model/rules/time.js";
import { type Exchange, freshStates, job, judgeExchanges, lookup, refusal, rest } from "../responses.js";

const HOUR_MS = 3_600_000;
const full = { by: "rest", as: "full" } as const;
const cancel = (name: string): ModelRequest => ({ ...full, what: "POST /api/jobs/{job_id}/cancel", job: name });
const modelRequest: ModelRequest = {
  ...full,
  what: "POST /api/repos/{owner}/{repo}/{branch}/jobs",
  repo: "repo",
  with: { workflow: "audit", params: {} },
  headers: { "idempotency-key": "once" },
};
const otherModelRequest: ModelRequest = { ...modelRequest, with: { workflow: "standard_audit", params: {} } };
const forced = { query: { force: "true" } };
const view = (id: string, status: string, workflow = "audit") => ({ id, status, workflow, repo_name: "slug" });
const inFlight: States = { ...freshStates, jobs: { j: job(["running"]) } };
const first: Exchange = [{ ...modelRequest, names: "k" }, rest(200, view("j", "running"))];
const cancelledExchanges: Exchange[] = [
  [cancel("j"), rest(200)],
  [{ ...full, what: "GET /api/jobs/{job_id}", job: "j" }, rest(200, view("j", "cancelled"))],
];
const responseOfJ = rest(200, view("j", "cancelled"));

const allowed: [what: string, states: States, exchanges: Exchange[]][] = [
  [
    "the 200 of soft dedupe binds the key",
    inFlight,
    [first, ...cancelledExchanges, [{ ...modelRequest, names: "l" }, responseOfJ]],
  ],
  ["and with force", inFlight, [first, ...cancelledExchanges, [{ ...modelRequest, ...forced, names: "l" }, responseOfJ]]],
  [
    "the 200 of soft dedupe binds no key",
    inFlight,
    [first, ...cancelledExchanges, [{ ...modelRequest, names: "l" }, rest(201, view("l", "pending"))]],
  ],
  [
    "a 200 with another caller's job binds the key",
    { ...freshStates, fresh: false },
    [
      [{ ...modelRequest, names: "j" }, rest(200, view("j", "pending"))],
      ...cancelledExchanges,
      [{ ...modelRequest, ...forced, names: "l" }, responseOfJ],
    ],
  ],
  [
    "a key that a 200 binds is refused for other work",
    inFlight,
    [first, [{ ...otherModelRequest, names: "l" }, refusal(409, "conflict")]],
  ],
  [
    "a key that other work has bound is refused for the first work",
    inFlight,
    [
      first,
      [{ ...otherModelRequest, names: "l" }, rest(201, view("l", "pending", "standard_audit"))],
      [{ ...modelRequest, names: "m" }, refusal(409, "conflict")],
    ],
  ],
];

test.each(allowed)("allows: %s", (_, states, exchanges) => expect(judgeExchanges(states, exchanges)).toHaveProperty("states"));

test("allows a repeat to restart the 24 hours", () => {
  const at20 = judgeExchanges(advanceTime({ ...inFlight, jobs: {} }, 0), [
    [{ ...modelRequest, names: "j" }, rest(201, view("j", "pending"))],
  ]);
  if (!("states" in at20)) throw new Error("refused");
  const ended = { ...at20.states, jobs: { j: job(["cancelled"]) } };
  const repeated = judgeExchanges(advanceTime(ended, 20 * HOUR_MS), [[{ ...modelRequest, names: "k" }, responseOfJ]]);
  if (!("states" in repeated)) throw new Error("refused");
  const at30 = advanceTime(repeated.states, 30 * HOUR_MS);
  expect(judgeExchanges(at30, [[{ ...modelRequest, ...forced, names: "l" }, responseOfJ]])).toHaveProperty("states");
  expect(judgeExchanges(at30, [[{ ...modelRequest, names: "l" }, rest(201, view("l", "pending"))]])).toHaveProperty("states");
});

test("allows a server to keep a key after its job was removed", () => {
  const judgement = judgeExchanges(freshStates, [[{ ...modelRequest, names: "j" }, rest(201, view("j", "pending"))]]);
  if (!("states" in judgement)) throw new Error("refused");
  const states = forgetRepository(judgement.states, "repo");
  expect(judgeExchanges(states, [[{ ...otherModelRequest, names: "l" }, refusal(409, "conflict")]])).toHaveProperty("states");
});

test("fails another job for a key after a 201", () => {
  const [name, response] = ["k", rest(201, view("k", "pending"))];
  const states = { ...freshStates, jobs: { j: job(["cancelled"]) } };
  const result = judgeExchanges(states, [
    [{ ...modelRequest, names: name }, response],
    [{ ...modelRequest, names: "l" }, responseOfJ],
  ]);
  expect(result).toMatchObject({ at: 1, clauses: ["IDEMPOTENCY-MATCH"] });
});

/** The ways in which a conforming server may treat a key: every combination is one server. */
interface Reading {
  /** Whether the 200 of soft dedupe binds a key. */
  dedupeBinds: boolean;
  /** Whether a repeat starts the 24 hours again. */
  renews: boolean;
  /** The response to a known key with other work. */
  otherWork: "first job" | "409" | "new job";
  /** The effect of `force` with a known key: none, or it starts a job, to which the key is then bound or not. */
  force: "heeds the key" | "starts and binds" | "starts";
}

const readings: fc.Arbitrary<Reading> = fc.record({
  dedupeBinds: fc.boolean(),
  renews: fc.boolean(),
  otherWork: fc.constantFrom("first job", "409", "new job"),
  force: fc.constantFrom("heeds the key", "starts and binds", "starts"),
});

type Move =
  | { do: "submit"; workflow: "audit" | "standard_audit"; key: boolean; force: boolean }
  | { do: "cancel" }
  | { do: "wait"; hours: number };

const moves: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("submit" as const),
      workflow: fc.constantFrom("audit", "audit", "standard_audit"),
      key: fc.boolean(),
      force: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ do: "cancel" as const }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("wait" as const), hours: fc.constantFrom(1, 13, 25) }) },
);

/** A server of one repository in which no run ends by itself. */
class KeyServer {
  jobs: { id: string; workflow: string; status: "pending" | "cancelled" }[] = [];
  kept: { work: string; job: KeyServer["jobs"][number]; at: number } | undefined;
  now = 0;
  constructor(readonly reading: Reading) {}

  submit({ workflow, key, force }: Extract<Move, { do: "submit" }>): WireResponse {
    const { reading, kept, now } = this;
    const known = key && kept !== undefined && now - kept.at < 24 * HOUR_MS ? kept : undefined;
    const overridden = force && reading.force !== "heeds the key";
    if (known && known.work !== workflow && reading.otherWork !== "new job")
      return reading.otherWork === "409" ? refusal(409, "conflict") : this.show(200, known.job);
    if (known?.work === workflow && !overridden) {
      if (reading.renews) known.at = now;
      return this.show(200, known.job);
    }
    const twin = this.jobs.find((one) => one.workflow === workflow && one.status === "pending");
    if (twin) {
      if (key && !known && reading.dedupeBinds) this.kept = { work: workflow, job: twin, at: now };
      return this.show(200, twin);
    }
    const made = { id: `made-${this.jobs.length}`, workflow, status: "pending" as const };
    this.jobs.push(made);
    if (key && (!known || (known.work === workflow && reading.force === "starts and binds")))
      this.kept = { work: workflow, job: made, at: now };
    return this.show(201, made);
  }

  cancel(id: unknown): WireResponse {
    const found = this.jobs.find((one) => one.id === id);
    if (found) found.status = "cancelled";
    return rest(200);
  }

  show(status: number, { id, status: stands, workflow }: KeyServer["jobs"][number]): WireResponse {
    return rest(status, view(id, stands, workflow));
  }
}

/** Returns the request of a move; undefined where no job is known that it could cancel. */
function requestFor(move: Exclude<Move, { do: "wait" }>, names: string, known: readonly string[]): ModelRequest | undefined {
  if (move.do === "cancel") return known.length > 0 ? cancel(known.at(-1) as string) : undefined;
  const { workflow, force, key } = move;
  const request: ModelRequest = { ...full, what: modelRequest.what, repo: "repo", with: { workflow, params: {} }, names };
  return { ...request, ...(force && forced), ...(key && { headers: modelRequest.headers as Record<string, string> }) };
}

test("accepts every legal meaning of a key, in any order of submissions, cancellations and waits", () => {
  fc.assert(
    fc.property(readings, fc.array(moves, { maxLength: 12 }), (reading, drawnMoves) => {
      const server = new KeyServer(reading);
      const ids = new Map<string, unknown>();
      let states: States = freshStates;
      for (const [at, move] of drawnMoves.entries()) {
        if (move.do === "wait") {
          server.now += move.hours * HOUR_MS;
          states = advanceTime(states, server.now);
          continue;
        }
        const request = requestFor(move, `job-${at}`, Object.keys(states.jobs));
        if (!request) continue;
        const response = move.do === "submit" ? server.submit(move) : server.cancel(ids.get(request.job ?? ""));
        const judgement = judge(listBranches(states, request), request, response, (name) => ids.get(name) ?? lookup(name));
        if (!judgement.ok) throw new Error(`${judgement.clauses.join()}: ${judgement.why}`);
        states = judgement.states;
        const body = parseBodyJson(response);
        if (request.names && request.names in states.jobs && body.ok) ids.set(request.names, (body.value as { id: string }).id);
      }
    }),
    { numRuns: 2000, endOnFailure: false },
  );
});
