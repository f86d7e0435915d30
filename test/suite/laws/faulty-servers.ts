import type { ClauseId } from "../../../src/contract/types.js";
import type { ServiceResponse } from "../../../src/service/call.js";
import { type Fault, param, withError, withQuery, withRows, wrapRoute } from "../../mutants/mutant.js";

/** A fault that no scenario finds: the law that finds it, the clauses that it may fail, and the content of its smallest counterexample. */
export type FaultyServer = { name: string; law: string; blames: ClauseId; shows: RegExp[] } & Fault;

const OBSERVATIONS = "GET /api/observations";
const lastLeftOut = (response: ServiceResponse) => withRows(response, (rows) => rows.slice(0, -1));
const isFullLastPage = ({ body }: ServiceResponse, limit: number) => {
  const { data, has_more } = body as { data?: unknown[]; has_more?: boolean };
  return data?.length === limit && has_more === false;
};

/** Faults that only drawn cases meet. */
export const faultyServers: readonly FaultyServer[] = [
  {
    name: "loses the last row of two filters when since ends on the border of a page",
    law: "filter-partition",
    blames: "OBS-FILTER-COMBINE",
    shows: [/since: "\{since\}"/, /contains:\n\s+ref: "\{row\}"/],
    around: wrapRoute(OBSERVATIONS, (world, call, perform) => {
      const response = perform(world, call);
      const { since, limit, kind, priority, category, status, close_reason } = call.query;
      const isFiltered = [kind, priority, category, status, close_reason].filter((value) => value !== undefined).length > 0;
      return since && isFiltered && isFullLastPage(response, Number(limit?.[0])) ? lastLeftOut(response) : response;
    }),
  },
  {
    name: "skips a row of every later page of seven",
    law: "pagination",
    blames: "CURSOR-WALK",
    shows: [/limit: 7\n/, /contains:/],
    around: wrapRoute(OBSERVATIONS, (world, call, perform) => {
      const response = perform(world, call);
      return call.query.cursor && call.query.limit?.[0] === "7" ? withRows(response, (rows) => rows.slice(1)) : response;
    }),
  },
  {
    name: "accepts a cursor of any kind for a page of one domain",
    law: "cursor-binding",
    blames: "CURSOR-FILTERS",
    shows: [/domain: /, /code: invalid_cursor/],
    around(world, call, perform) {
      const response = perform(world, call);
      const isKnown = [undefined, "finding", "suggestion", "advisory"].some(
        (kind) => perform(world, withQuery(call, { domain: undefined, kind, limit: "1" })).status === 200,
      );
      const { domain, kind, cursor } = call.query;
      return response.status === 400 && cursor && domain && !kind && isKnown
        ? perform(world, withQuery(call, { cursor: undefined }))
        : response;
    },
  },
  {
    name: "lets one request too many a minute list the jobs of a repository",
    law: "path-buckets",
    blames: "BUCKET-JOB-LIST",
    shows: [/was accepted 121 times/],
    around: repeatCall("GET /api/repos/{owner}/{repo}/{branch}/jobs"),
  },
  {
    name: "loses a row when a priority is shown by rank",
    law: "list-order",
    blames: "OBS-ORDER-RANK-SET",
    shows: [/priority: /, /order: display_rank/],
    around: wrapRoute(OBSERVATIONS, (world, call, perform) => {
      const response = perform(world, call);
      return call.query.priority && call.query.order?.[0] === "display_rank" ? lastLeftOut(response) : response;
    }),
  },
  {
    name: "brings a row of another domain when a kind of one domain is asked for",
    law: "filter-subset",
    blames: "OBS-FILTER-COMBINE",
    shows: [/kind: /, /domain: /, /contains:/],
    around: wrapRoute(OBSERVATIONS, (world, call, perform) => {
      const response = perform(world, call);
      const { kind, domain, cursor } = call.query;
      const strangeServiceResponse = perform(
        world,
        withQuery(call, { domain: undefined, kind: kind?.[0] === "finding" ? "advisory" : "finding" }),
      );
      if (!kind || !domain || cursor || response.status !== 200) return response;
      return withRows(response, (rows) => [...rows, ...(strangeServiceResponse.body as { data: object[] }).data.slice(0, 1)]);
    }),
  },
  {
    name: "restores triage to a key that may register, when it is narrowed twice",
    law: "key-scopes",
    blames: "MCP-SCOPE-TRIAGE",
    shows: [/PATCH \/api\/keys/, /refused: true/],
    around: wrapRoute("PATCH /api/keys/{key_id}", (world, call, perform) => {
      const key = world.keys[param(call, "key_id")];
      const scopesBefore = key?.scopes ?? [];
      const response = perform(world, call);
      if (key && response.status < 300 && key.scopes.includes("register_repo") && scopesBefore.includes("triage_observations"))
        key.scopes = [...key.scopes, "triage_observations"];
      return response;
    }),
  },
  {
    name: "completes by the tool an observation that was acknowledged",
    law: "surface-consistency",
    blames: "MCP-TOOL-DISMISS",
    shows: [/acknowledge/, /tool: dismiss_observation/, /close_reason: dismissed/],
    aroundTool(world, call, performTool) {
      const observation = world.observations[String((call.arguments as { ref?: string }).ref)];
      const wasSeen = Boolean(observation?.acknowledged_at);
      const response = performTool(world, call);
      if (call.purpose === "dismiss_observation" && wasSeen && observation?.status === "closed")
        observation.close_reason = "completed";
      return response;
    },
  },
  {
    name: "calls a conflict of a registration a malformed request while its bucket is nearly used up",
    law: "path-buckets",
    blames: "ERR-TYPE-PAIRS",
    shows: [/POST \/api\/repos/, /status: 409/, /- conflict/],
    around: wrapRoute("POST /api/repos", (world, call, perform) => {
      const response = perform(world, call);
      return response.status === 409 ? withError(response, { type: "invalid_request_error" }) : response;
    }),
  },
];

/** Faults that only requests at once meet. */
export const faultyRaces: readonly FaultyServer[] = [
  {
    name: "starts a run for each of two retries at once",
    law: "race-retries",
    blames: "JOB-RETRY-INFLIGHT",
    shows: [/race:/, /"201": 1|201: 1/],
    aroundWire: performWhileOthersCall(/^POST \/api\/jobs\/[^/]+\/retry$/, (response) =>
      response.status === 200
        ? { ...response, status: 201, text: response.text.replace(/"id":"([^"]+)"/, '"id":"$1-twin"') }
        : response,
    ),
  },
  {
    name: "starts a run for each of two submissions at once",
    law: "race-submissions",
    blames: "IDEMPOTENCY-MATCH",
    shows: [/race:/],
    aroundWire: performWhileOthersCall(/^POST \/api\/repos\/.*\/jobs(\?.*)?$/, (response) =>
      response.status === 200
        ? { ...response, status: 201, text: response.text.replace(/"id":"([^"]+)"/, '"id":"$1-twin"') }
        : response,
    ),
  },
  {
    name: "registers a triple for each of two registrations at once",
    law: "race-registrations",
    blames: "REPO-REGISTER-TWICE",
    shows: [/race:/, /oneOf:/],
    aroundWire: performWhileOthersCall(/^POST \/api\/repos$/, (response) =>
      response.status === 409 ? { ...response, status: 201, text: '{"discover_job_id":null}' } : response,
    ),
  },
  {
    name: "shows what two changes at once left as no order of them could",
    law: "race-triage",
    blames: "OBS-DISMISS-CLOSES",
    shows: [/race:/],
    aroundWire: performWhileOthersCall(/^POST \/api\/observations\/[^/]+\/(dismiss|complete)$/, (response) =>
      response.status === 200
        ? { ...response, status: 409, text: '{"error":{"type":"conflict","code":"busy","message":"busy","request_id":"r"}}' }
        : response,
    ),
  },
];

/** Lets a request through that a bucket has just refused, once after each wait: as if another key had sent it. */
function repeatCall(route: string): Extract<Fault, { around: unknown }>["around"] {
  const lenient = new WeakSet<object>();
  return wrapRoute(route, (world, call, perform) => {
    const response = perform(world, call);
    if (response.status !== 429) lenient.add(world);
    if (response.status !== 429 || !lenient.delete(world)) return response;
    const otherKey = world.keys.no_fix ?? Object.values(world.keys).find(({ token }) => /no_fix$/.test(token));
    return perform(world, { ...call, authorization: `Bearer ${otherKey?.token}` });
  });
}

/** Changes the response to a request that began while another of its kind was under way. */
function performWhileOthersCall(
  kind: RegExp,
  change: (response: { status: number; headers: Record<string, string | string[] | undefined>; text: string }) => typeof response,
): Extract<Fault, { aroundWire: unknown }>["aroundWire"] {
  const underWay = new Map<string, number>();
  return async (relayedRequest, send) => {
    const name = `${relayedRequest.method} ${relayedRequest.path}`;
    if (relayedRequest.host !== "api" || !kind.test(name)) return send(relayedRequest);
    const others = underWay.get(name) ?? 0;
    underWay.set(name, others + 1);
    const response = await send(relayedRequest);
    await new Promise((resolve) => setTimeout(resolve, 20));
    underWay.set(name, (underWay.get(name) ?? 1) - 1);
    return others > 0 ? change(response) : response;
  };
}
