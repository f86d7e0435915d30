import type { TallyData } from "../../../client-report/tally.js";
import type { MockContext } from "../../context.js";
import type { WorldOptions } from "../../worlds/options.js";
import type { CreationReply, OtherWorkers } from "../other-workers.js";
import type { PassedOn } from "./passed-on.js";
import { answerTo, type Peer, worldsOf } from "./peers.js";
import { defaultWorld, ownerOf } from "./place.js";

/** What a worker has to know of the others. */
interface Place {
  index: number;
  count: number;
  secret: string;
  /** Where each takes what is passed on; null where it is not there. */
  readonly ports: readonly (number | null)[];
}

/** What a problem document says. */
interface ProblemDocument {
  detail: string;
  field?: string;
  pointer?: string;
  allowed?: string[];
}

/** Has the workers found and list worlds as one. */
export function openOtherWorkers(context: MockContext, place: Place): OtherWorkers {
  let named = 0;
  const others = () =>
    place.ports.flatMap((port, at) => (port === null || at === place.index ? [] : [{ port, secret: place.secret }]));
  return {
    async clientTallies() {
      const answers = await Promise.all(others().map((peer) => answerTo(peer, "client-tally", "GET")));
      return answers.map(({ body }) => body as TallyData);
    },
    async forgetClients() {
      await Promise.all(others().map((peer) => answerTo(peer, "forget-clients", "DELETE")));
    },
    async list() {
      const own = [...context.worlds.byId.keys()];
      const lists = await Promise.all(
        place.ports.map((port, at) =>
          at === place.index ? own : port === null ? null : worldsOf({ port, secret: place.secret }),
        ),
      );
      const worlds = [...new Set([defaultWorld, ...lists.flatMap((names) => names ?? []).sort()])];
      const unresponsive = lists.flatMap((names, at) => (names === null ? [at + 1] : []));
      return { worlds, ...(unresponsive.length > 0 && { unresponsive_workers: unresponsive }) };
    },
    async create(wishes, here) {
      for (;;) {
        const id = wishes.id ?? `w${++named}`;
        const owner = ownerOf(id, place.count);
        const port = place.ports[owner];
        const reply = await (owner === place.index
          ? here({ ...wishes, id })
          : foundThere(context, port ? { port, secret: place.secret } : null, { ...wishes, id }));
        const isTaken = "problem" in reply && reply.status === 409 && reply.field === "id";
        if (!isTaken || wishes.id !== undefined) return reply;
      }
    },
  };
}

/** Has another worker found a world. */
async function foundThere(context: MockContext, peer: Peer | null, wishes: WorldOptions): Promise<CreationReply> {
  const answer = peer && (await answerTo(peer, creationRequest(context), "POST", wishes).catch(() => null));
  if (!answer) return { status: 503, problem: `The worker of a world '${wishes.id}' is being started again; try again.` };
  if (answer.status < 400) return answer;
  const { detail, field, pointer, allowed } = answer.body as ProblemDocument;
  return {
    status: answer.status,
    problem: detail,
    ...(field !== undefined && { field }),
    ...(pointer !== undefined && { pointer }),
    ...(allowed && { allowed }),
  };
}

function creationRequest({ adminToken }: MockContext): PassedOn {
  const token = adminToken === null ? [] : ["authorization", `Bearer ${adminToken}`];
  return { host: "api", url: "/__mock/worlds", headers: ["host", "127.0.0.1", ...token], ip: "127.0.0.1" };
}
