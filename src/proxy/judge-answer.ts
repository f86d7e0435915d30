import { type Call, wordOf } from "../client-report/exchange.js";
import type { ClauseId } from "../contract/types.js";
import { bodyJson, type WireResponse } from "../engine/http/exchange.js";
import { isRecord } from "../engine/scenario/interpolate.js";
import { unlawful } from "../suite/fuzz/lawful.js";
import { misshapen } from "../suite/fuzz/shape.js";
import { noAnswer } from "../suite/fuzz/tool-answer.js";
import { misfit } from "../suite/laws/errors.js";
import { listOf } from "../suite/statements/lists.js";

/** What one answer says of its server: the clauses that it broke, and those that it could have broken and held. */
export interface AnswerJudgement {
  broken: { clause: string; why: string }[];
  held: string[];
}

/** A request that the text has refused, whatever the state of things. */
interface Refusable {
  clause: ClauseId;
  what: string;
  fits(act: Call): boolean;
}

const submit = "POST /api/repos/{owner}/{repo}/{branch}/jobs";
const dismiss = "POST /api/observations/{ref}/dismiss";
const reopen = "POST /api/observations/{ref}/reopen";
const noteLength = ({ input }: Call) => [...wordOf(input.dismissal_note)].length;
const hasNote = ({ route, input }: Call) => route === dismiss && typeof input.dismissal_note === "string";
const byKey = ({ exchange: { headers } }: Call) => headers.authorization !== undefined && headers.cookie === undefined;

const refusable: readonly Refusable[] = [
  {
    clause: "AUTH-MISSING",
    what: "a request without a key",
    fits: ({ exchange: { headers } }) => headers.authorization === undefined && headers.cookie === undefined,
  },
  {
    clause: "PAGE-LIMIT-OVER",
    what: "a limit above 200",
    fits: ({ route, input }) => route !== null && listOf(route) !== undefined && Number(wordOf(input.limit)) > 200,
  },
  {
    clause: "WORKFLOW-MINI-RETIRED",
    what: "the retired mini_audit",
    fits: ({ route, input }) => route === submit && input.workflow === "mini_audit",
  },
  {
    clause: "OBS-DISMISS-EXHAUSTED-REFUSED",
    what: "a dismissal as exhausted_fix_attempts",
    fits: ({ route, input }) => route === dismiss && input.dismissal_category === "exhausted_fix_attempts",
  },
  {
    clause: "OBS-DISMISS-NOTE-SHORT",
    what: "a note of under 10 characters",
    fits: (act) => hasNote(act) && noteLength(act) < 10,
  },
  {
    clause: "OBS-DISMISS-NOTE-LONG",
    what: "a note of over 500 characters",
    fits: (act) => hasNote(act) && noteLength(act) > 500,
  },
  {
    clause: "OBS-REOPEN-REASON-REQUIRED",
    what: "a reopening without its reason",
    fits: ({ route, input }) => route === reopen && input.reopen_reason === undefined,
  },
  { clause: "KEY-MANAGE-CREATE", what: "a key that creates keys", fits: (act) => act.route === "POST /api/keys" && byKey(act) },
  {
    clause: "KEY-MANAGE-PATCH",
    what: "a key that edits keys",
    fits: (act) => act.route === "PATCH /api/keys/{key_id}" && byKey(act),
  },
];

/** Holds one answer against what the contract says of it without knowing any state: its form, and what the request alone decides. */
export function judgeAnswer(act: Call, response: WireResponse): AnswerJudgement {
  const broken: AnswerJudgement["broken"] = [];
  const held: string[] = [];
  const isTools = act.surface === "mcp";
  if (act.exchange.method === "HEAD" || (!isTools && !act.path.startsWith("/api/"))) return { broken, held };
  if (isTools && !asks(act)) return { broken, held };
  const found = isTools ? noAnswer(response) : formOf(act, response);
  if (found) for (const clause of found.clauses) broken.push({ clause, why: found.why });
  else {
    held.push(...formClauses(isTools, response));
    const wrong = isTools ? undefined : misfit(response);
    if (wrong) broken.push({ clause: wrong.clause, why: wrong.why });
  }
  judgeRefusal(act, response, broken, held);
  if (!isTools && response.status === 200) judgePage(act, response, broken, held);
  return { broken, held };
}

/** Whether a message to the tool server is answered with one: others, and those who listen or leave, are not. */
function asks({ exchange: { method, body } }: Call): boolean {
  return method === "POST" && (body === undefined || (isRecord(body) && "id" in body && "method" in body));
}

/** A fault of the service has the form of an error, and is none of what it was asked. */
function formOf({ route }: Call, response: WireResponse) {
  if (response.status >= 500) return undefined;
  return unlawful(response) ?? (route === null ? undefined : misshapen(route, response));
}

function formClauses(isTools: boolean, { status, body }: WireResponse): ClauseId[] {
  if (isTools) return status === 200 ? ["MCP-HEADER-ACCEPT"] : [];
  if (status >= 500) return [];
  return [
    ...(body.length > 0 ? (["GEN-JSON-RESPONSE"] as const) : []),
    ...(status >= 400 ? (["ERR-ENVELOPE-ONE", "ERR-TYPE-PAIRS"] as const) : []),
    ...(status === 429 ? (["RETRY-AFTER-429"] as const) : []),
  ];
}

function judgeRefusal(act: Call, { status }: WireResponse, broken: AnswerJudgement["broken"], held: string[]): void {
  if (act.isTool || status === 307) return;
  for (const { clause, what, fits } of refusable) {
    if (!fits(act)) continue;
    if (status < 300) broken.push({ clause, why: `${what} was answered with ${status}` });
    else if (status >= 400 && status < 429) held.push(clause);
  }
}

/** The rows of a page are those asked for, as far as they show it, and no more than asked for. */
function judgePage(act: Call, response: WireResponse, broken: AnswerJudgement["broken"], held: string[]): void {
  const list = act.route === null ? undefined : listOf(act.route);
  const body = bodyJson(response);
  if (!list || !body.ok || !isRecord(body.value) || !Array.isArray(body.value.data)) return;
  const rows = body.value.data.filter(isRecord);
  const limit = Number(wordOf(act.input.limit ?? list.defaultLimit));
  const say = (clause: string, why: string | undefined) => (why === undefined ? held.push(clause) : broken.push({ clause, why }));
  const limitClause = act.input.limit === undefined ? list.defaultLimitClause : "PAGE-LIMIT-HELD";
  if (limit >= 1) say(limitClause, rows.length > limit ? `${rows.length} rows where ${limit} are the most` : undefined);
  for (const [name, { field, clause }] of Object.entries(list.parameters)) {
    const asked = act.input[name];
    if (field === undefined || typeof asked !== "string" || rows.length === 0) continue;
    const other = rows.find((row) => row[field] !== asked);
    say(clause, other && `a row with ${field} ${JSON.stringify(other[field])}, where ${name}=${asked} was asked for`);
  }
}
