import { createHookContext } from "../../execute/clock.js";
import type { Run } from "../../execute/run.js";
import { probe, readRequest } from "../../preflight/probe.js";
import type { Suite } from "../../suite.js";
import { hideCredentials } from "../../target/credentials.js";
import { closeEnvironment, type Environment, openEnvironment } from "../../target/environment.js";
import type { EntryCheck } from "./check-credentials.js";

/** The number of tries, one second apart, in which a removed world may still accept its keys. */
const MAX_TRIES = 5;
/** The responses of a server that does not know a key, or its world, any more. */
const REMOVED_STATUSES: readonly unknown[] = [401, 403, 404];

/**
 * Creates and removes a second world, unless the profile is `read-only`: it must have its own id and key, and the key must be accepted until the world is
 * removed. Names the worlds that stay on the server.
 */
export async function checkWorlds(suite: Suite, run: Run, first: Environment): Promise<EntryCheck[]> {
  const { worlds } = run.target;
  if (!worlds) return [];
  const entry = "worlds.create";
  nameIfItStays(run, first);
  if (run.profile === "read-only") {
    const message = "the profile read-only creates no second world";
    return [entry, ...(worlds.remove ? ["worlds.remove"] : [])].map((one) => ({ entry: one, state: "not tried", message }));
  }
  const hooks = createHookContext(run, { world: "" });
  const result = await openEnvironment(run.target, undefined, hooks);
  if (!result.ok) return [{ entry, state: "wrong", message: result.why }];
  const { environment: second } = result;
  hideCredentials(run.mask, second);
  const key = second.keys[suite.defaultRole];
  const entryChecks: EntryCheck[] = [{ entry, ...(await checkCreated(suite, run, first, second)) }];
  await closeEnvironment(second, hooks);
  nameIfItStays(run, second);
  if (!worlds.remove || key === undefined || entryChecks.some(({ state }) => state !== "works")) return entryChecks;
  return [...entryChecks, { entry: "worlds.remove", ...(await checkRemoved(suite, run, key)) }];
}

function nameIfItStays(run: Run, { world: id, target }: Environment): void {
  if (target.worlds?.remove) return;
  run.leftovers.push({ what: "world", id, scenario: "check of worlds.create", why: "the target file has no worlds.remove" });
}

type State = Pick<EntryCheck, "state" | "message">;

async function checkCreated(suite: Suite, run: Run, first: Environment, second: Environment): Promise<State> {
  const role = suite.defaultRole;
  const key = second.keys[role];
  if (key === undefined) return { state: "wrong", message: `the answer has no key of the role ${role}` };
  if (first.world === second.world) return { state: "wrong", message: `two worlds have the same id ${second.world}` };
  if (first.keys[role] === key) return { state: "wrong", message: `two worlds have the same key of the role ${role}` };
  const status = await requestStatus(suite, run, key);
  if (typeof status === "string") return { state: "unclear", message: `the key of a new world could not be tried: ${status}` };
  if (status !== 200) return { state: "wrong", message: `the key of the role ${role} of a new world is answered with ${status}` };
  const named = { keys: Object.keys(second.keys), sessions: Object.keys(second.sessions), repos: second.repos };
  const amounts = Object.entries(named).map(([what, { length }]) => `${length} ${what}`);
  return { state: "works", message: `each world has its own id and key, with ${amounts.join(", ")}` };
}

async function checkRemoved(suite: Suite, run: Run, key: string): Promise<State> {
  for (let tries = 1; tries <= MAX_TRIES && !run.signal.aborted; tries++) {
    if (tries > 1) await run.sleep(1, run.signal);
    const status = await requestStatus(suite, run, key);
    const message = `after it, the key of the world is answered with ${status}`;
    if (REMOVED_STATUSES.includes(status)) return { state: "works", message };
    if (typeof status === "string")
      return { state: "unclear", message: `after it, the key of the world could not be tried: ${status}` };
    if (status !== 200) return { state: "unclear", message: `${message} instead of ${REMOVED_STATUSES.join(", ")}` };
  }
  return { state: "wrong", message: "it did nothing that a caller sees: the key of the removed world is still accepted" };
}

/** Returns the status of a read with a key, or why there is none. Tries again once if the server is at its rate limit or away. */
async function requestStatus({ preflight }: Suite, run: Run, key: string): Promise<number | string> {
  const result = await probe(run, readRequest(run.target.urls.api, preflight.reads[0], key));
  if ("response" in result) return result.response.status;
  return "stop" in result ? result.stop.why : `no answer: ${result.failure.message}`;
}
