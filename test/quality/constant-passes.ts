import type { Report } from "../../src/engine/report/report.js";

/** Clauses that may pass on some servers without behaviour. */
interface Allowance {
  /** Names of the servers. */
  servers: RegExp;
  /** Clauses that may pass. */
  clauses: RegExp;
  because: string;
}

/** Servers that respond to writes with the right status or body. */
const ANSWERING = /^answers (20[01] |with the examples|every write well)|^accepts every/;
/** Servers whose reads work. */
const READING = /^(refuses every write|answers every write well|accepts every)/;

/** Clauses of the protocol, the lists, and the tools that only read. */
const WORKING_TOOLS =
  /^MCP-(ENDPOINT|HEADER|SCHEMA|ARG|PROMPT|RATE|SCOPE-(PATTERN|FORECAST|JOBS)|TOOL-(READ|REPOS|OVERVIEW|KNOWLEDGE|OBS|RULES|PATTERN|RECENT|EXPLAIN|MIGRATIONS|GUIDES|FORECAST|NO))/;

/** All clauses that may pass on servers without behaviour, by kind. */
const allowances: readonly Allowance[] = [
  {
    servers: /^answers an empty list$/,
    clauses: /^PAGE-FIELD-TYPES$/,
    because: "each of its answers has the form of a page",
  },
  {
    servers: ANSWERING,
    clauses: /-FIELD-|^FORECAST-|-ROUTE$|^KEY-CREATE-|^SCOPE-NAMES$|^PAGE-LIMIT-HELD$|-NOBODY$|-ENABLED$|^OBS-DISMISS-NOTE-M/,
    because: "the clause concerns the form of an answer, or the success of a valid request",
  },
  {
    servers: READING,
    clauses: /^(ADDR|DOCS|PAGE|CURSOR|REPO-(LIST|GET|READ)|OBS-(DOMAIN|GET|FILTER|ORDER))-|^OBS-FIELD-(?!REF-STABLE)|^FORECAST-/,
    because: "the clause concerns reads, and these work",
  },
  {
    servers: READING,
    clauses:
      /^(AUTH|KEY-(EXPIRY|FENCE|STATE|WORKSPACE)|WORKSPACE-SUSPEND|ERR|RETRY-AFTER|BUCKET-(REPO-LIST|ENFORCED)|LIMIT-EFFECTIVE)(-|$)/,
    because: "keys, limits and errors are judged by reads",
  },
  {
    servers: READING,
    clauses: /^OBS-(FIX-(MERGED|UNMERGED)|LANE-EXCLUDED)$/,
    because: "the clause concerns an event of the service, which works",
  },
  {
    servers: READING,
    clauses: WORKING_TOOLS,
    because: "the clause concerns the protocol, or a tool that reads",
  },
  {
    servers: /^(has no (tool server|revision)|answers every tool call)/,
    clauses: /^(?!MCP-)/,
    because: "the REST interface works, and judges the clause",
  },
  {
    servers: /^answers every tool call with/,
    clauses: /^MCP-(ENDPOINT|HEADER|SCHEMA-(LIST|CLOSED)|PROMPT|TOOL-NO)/,
    because: "the clause concerns the protocol, lists or prompts, and only tool calls do not work",
  },
  {
    servers: /^answers every tool call with (the text|the arguments|no content)/,
    clauses:
      /^MCP-(SCHEMA-OPTIONAL|SCOPE-(FORECAST|DOCREAD)|TOOL-(READ-PURE|OVERVIEW|KNOWLEDGE|RULES|PATTERN|MIGRATIONS|TICKET|GUIDANCE|CONTEXT|LEARN|DOCREAD))$/,
    because: "the text shows no form of the answer, so every success fits",
  },
  {
    servers: /^answers every tool call with (the text|the arguments|no content)/,
    clauses: /^MCP-(ARG-EVERY|TOOL-(METADATA|REQFIX-SPAWN))$/,
    because:
      "a known gap: the checks compare no read before the call with one after it, or take an echoed argument for its refusal",
  },
  {
    servers: /^has no REST/,
    clauses: /^(MCP-|WORKSPACE-(REACTIVATE|SUSPEND-MCP)|REPO-REGISTER-NOTPUBLIC|OBS-DISMISS-NOTE-(SHORT|LONG)|SCOPE-SURFACES)/,
    because: "the tool server works, and judges the clause",
  },
  {
    servers: /^accepts every/,
    clauses:
      /^(OBS-(DISMISS-(CATEGORY-ENUM|NOTE-M)|COMPLETE-BODY)|WORKFLOW-AUDIT-PLANS|MCP-(TOOL|SCOPE)-(GUIDANCE|CONTEXT|DOCREAD|TICKET))/,
    because: "the clause demands the success of a valid request",
  },
  {
    servers: ANSWERING,
    clauses:
      /^(CURSOR-VERBATIM|OBS-FILTER-EASYWINS-PRIORITY|OBS-REOPEN-(ON-NEW|OPENS)|MCP-TOOL-(METADATA|SETTING|GUIDANCE|CONTEXT))$/,
    because: "a known gap: the checks that pass compare no read before the write with one after it",
  },
  {
    servers: /^answers every write well/,
    clauses:
      /^(GEN-JSON|PLAN-KEYS|JOB-SUBMIT-(BODY|PARAMS)|WORKFLOW-(MINI|BETA)|REPO-(REGISTER-(ACCESSMODE|NOTPUBLIC|UNVERIFIED)|WRITE)|OBS-(DISMISS|COMPLETE|TICKET|REF)|MCP-(SCOPE|TOOL-(TICKET|DOCREAD))|KEY-MANAGE|SCOPE|WORKSPACE-GRACE)(-|$)/,
    because: "the clause concerns the answer to a write, and this is right: a success, or a refusal",
  },
];

/** Returns one line for each clause that passes on a server without behaviour although no allowance names it. */
export function hollowPasses(server: string, { clauses }: Pick<Report, "clauses">): string[] {
  const ownAllowances = allowances.filter(({ servers }) => servers.test(server));
  return clauses.flatMap(({ id, verdict, by }) =>
    verdict === "passed" && !ownAllowances.some((allowance) => allowance.clauses.test(id))
      ? [`${id} passes by ${by.join(", ")}`]
      : [],
  );
}
