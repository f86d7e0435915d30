import { buildForcedErrorResponse } from "../../service/access/error-response.js";
import { refuse } from "../../service/call.js";
import type { MockContext } from "../context.js";
import type { IncomingMessage, ServerResponse } from "../http/messages.js";
import { sendResponse } from "../http/response.js";
import { recordOutside } from "../journal/outside.js";
import { catchUp } from "../worlds/clock.js";
import { readWorldName } from "../worlds/credential.js";
import type { WorldEntry } from "../worlds/worlds.js";
import type { Cluster } from "./cluster.js";
import { createNotPersistedError, isOutcomeUnknown, isUnreadable } from "./not-persisted.js";
import type { WorldList } from "./other-workers.js";

const unknownOutcome =
  "The store does not answer, so the mock does not know whether the request took effect. Read the resource before you repeat the request, or repeat it with the same Idempotency-Key.";

/** How often a mock tries to acquire a world that other mocks keep requesting. */
const maxTries = 20;

/** Continues a call if this mock owns its world. Answers 503 if the mock cannot acquire the world. */
export function runWhenOwned(
  context: MockContext,
  cluster: Cluster,
  request: IncomingMessage,
  response: ServerResponse,
  session: string | undefined,
  go: () => void,
): void {
  void enterWorld(cluster, readWorldName(request.headers.authorization, session), response, go).catch((error: unknown) =>
    refuseNotPersisted(context, request, response, error),
  );
}

async function enterWorld(cluster: Cluster, named: string, response: ServerResponse, go: () => void): Promise<void> {
  for (let i = 0; i < maxTries; i++) {
    const name = await cluster.nameOf(named);
    if (cluster.owned(name)) return go();
    await cluster.acquire(name, () => response.destroyed);
  }
  throw createNotPersistedError("the world is called away again and again");
}

/** Returns the world with this name. Acquires it if necessary. Returns undefined if it does not exist. Rejects if another mock keeps it. */
export async function findWorld(cluster: Cluster, name: string, isGone: () => boolean): Promise<WorldEntry | undefined> {
  for (let i = 0; i < maxTries; i++) {
    const worldEntry = cluster.owned(name);
    if (worldEntry) return worldEntry;
    if (!(await cluster.acquire(name, isGone))) return undefined;
  }
  throw createNotPersistedError("the world is called away again and again");
}

/** Lists all worlds of the mock, in every worker and in the store. */
export async function listWorlds({ cluster, otherWorkers, worlds }: MockContext): Promise<WorldList> {
  if (otherWorkers) return otherWorkers.list();
  return { worlds: cluster ? await cluster.list() : [...worlds.byId.keys()] };
}

/**
 * Answers 503 to a call that was not performed or not persisted. Answers 500 if the mock does not know whether the call was persisted, and if
 * the world cannot be read from the store.
 */
export function refuseNotPersisted(
  { worlds }: Pick<MockContext, "worlds">,
  request: IncomingMessage,
  response: ServerResponse,
  error?: unknown,
): void {
  const { world, clock } = worlds.default;
  catchUp(clock);
  const message = isUnreadable(error) ? error.message : isOutcomeUnknown(error, request.method) ? unknownOutcome : undefined;
  const { refusal } =
    message === undefined ? refuse("service_unavailable", { retryAfter: 1 }) : refuse("internal_error", { message });
  if (response.headersSent || response.destroyed) response.destroy();
  else {
    const serviceResponse = buildForcedErrorResponse(world, refusal);
    const text = sendResponse(request, response, serviceResponse, world.now);
    recordOutside(worlds.default, request, { ...serviceResponse, text });
  }
}
