import type { TallyData } from "../../../client-report/tally.js";
import { isProblem } from "../../../common/problem.js";
import type { MockContext } from "../../context.js";
import type { WorldOptions } from "../../worlds/options.js";
import type { Busy, CreationResponse, OtherWorkers } from "../other-workers.js";
import type { PassedOn, PeerRequest } from "./passed-on.js";
import { buildResponse, listPeerWorlds, type Peer } from "./peers.js";
import { defaultWorld, findOwner } from "./place.js";

/** The facts that a worker knows about the others. */
interface Place {
  index: number;
  count: number;
  secret: string;
  /** The port of each worker for forwarded requests; null if the worker is down. */
  readonly ports: readonly (number | null)[];
}

/** How long a client report waits for a worker, in milliseconds. After the same time without heartbeats a worker gets no new requests. */
const patienceMs = 2000;

/** The sentence of a problem document. */
interface ProblemDocument {
  detail: string;
  field?: string;
  pointer?: string;
  allowed?: string[];
}

/** Returns the functions by which workers create and list worlds together. */
export function openOtherWorkers(context: MockContext, place: Place): OtherWorkers {
  let named = 0;
  return {
    async clientTallies() {
      return (await collectResponses(place, "client-tally", "GET")) as TallyData[] | Busy;
    },
    async forgetClients() {
      const responses = await collectResponses(place, "forget-clients", "DELETE");
      return isProblem(responses) ? responses : null;
    },
    async list() {
      const own = [...context.worlds.byId.keys()];
      const lists = await Promise.all(
        place.ports.map((port, at) =>
          at === place.index ? own : port === null ? null : listPeerWorlds({ port, secret: place.secret }),
        ),
      );
      const worlds = [...new Set([defaultWorld, ...lists.flatMap((names) => names ?? []).sort()])];
      const unresponsive = lists.flatMap((names, at) => (names === null ? [at + 1] : []));
      return { worlds, ...(unresponsive.length > 0 && { unresponsive_workers: unresponsive }) };
    },
    async create(worldOptions, here) {
      for (;;) {
        const id = worldOptions.id ?? `w${++named}`;
        const owner = findOwner(id, place.count);
        const port = place.ports[owner];
        const response = await (owner === place.index
          ? here({ ...worldOptions, id })
          : findRemoteWorld(context, port ? { port, secret: place.secret } : null, { ...worldOptions, id }));
        const isTaken = "problem" in response && response.status === 409 && response.field === "id";
        if (!isTaken || worldOptions.id !== undefined) return response;
      }
    },
  };
}

/** Sends a request to all other workers. Returns their answers, or a problem that names the workers without a response. */
async function collectResponses(
  { index, ports, secret }: Place,
  question: PeerRequest,
  method: string,
): Promise<unknown[] | Busy> {
  const silent: number[] = [];
  const responses = await Promise.all(
    ports.map(async (port, at) => {
      if (at === index) return [];
      const response =
        port === null ? null : await buildResponse({ port, secret }, question, method, undefined, patienceMs).catch(() => null);
      if (response) return [response.body];
      silent.push(at + 1);
      return [];
    }),
  );
  if (silent.length === 0) return responses.flat();
  return {
    status: 503,
    problem: `Worker ${silent.sort((a, b) => a - b).join(", ")} does not answer, so the client reports are incomplete; try again.`,
  };
}

/** Lets another worker create a world. */
async function findRemoteWorld(context: MockContext, peer: Peer | null, worldOptions: WorldOptions): Promise<CreationResponse> {
  const response = peer && (await buildResponse(peer, buildCreationRequest(context), "POST", worldOptions).catch(() => null));
  if (!response) return { status: 503, problem: `The worker of a world '${worldOptions.id}' is being restarted. Try again.` };
  if (response.status < 400) return response;
  const { detail, field, pointer, allowed } = response.body as ProblemDocument;
  return {
    status: response.status,
    problem: detail,
    ...(field !== undefined && { field }),
    ...(pointer !== undefined && { pointer }),
    ...(allowed && { allowed }),
  };
}

function buildCreationRequest({ adminToken }: MockContext): PassedOn {
  const token = adminToken === null ? [] : ["authorization", `Bearer ${adminToken}`];
  return { host: "api", url: "/__mock/worlds", headers: ["host", "127.0.0.1", ...token], ip: "127.0.0.1" };
}
