import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contract } from "../../src/contract/load.js";
import type { VerifyOptions } from "../../src/engine/run/verify.js";
import { listTestableClauses } from "../../src/engine/verdict/clauses.js";
import { type MockOptions, startMock } from "../../src/mock/server.js";
import type { Choices } from "../reference/choices.js";
import { permissive } from "../reference/permissive.js";
import { coveringRows, type Row } from "../reference/rows.js";
import { OPS_TOKEN, startReference } from "../reference/server.js";
import { addPageFields, closedChoices, sharedChoices, terse } from "../reference/variants.js";

/** A server that is up, and how the runner reaches it. */
export interface Subject {
  options: VerifyOptions;
  close(): Promise<void>;
}

/** The mock without a fault and with no choice made otherwise. */
export const plain = "the mock as it comes";

const renamed = Object.fromEntries(
  Object.values(contract.tools)
    .filter(({ shown }) => !shown)
    .map(({ name }, i) => [name, `tool_${i}_${name.length}`]),
);

/** The default mock, and mocks that each differ in one choice that the contract leaves open. */
export const mocks: Record<string, MockOptions> = {
  [plain]: {},
  "the mock with a sliding rate window": { options: { rate_window: "sliding" } },
  "the mock with token buckets": { options: { rate_window: "token_bucket" } },
  "the mock whose tool server counts calls only": { options: { mcp_rate: "calls" } },
  "the mock with soft dedupe on every ended job": { options: { dedupe_terminal: "terminal" } },
  "the mock with a soft window of an hour": { options: { dedupe_window_minutes: 60 } },
  "the mock with 409 on a reused Idempotency-Key": { options: { idempotency_mismatch: "conflict" } },
  "the mock whose audits find nothing": { options: { run_findings: "none" } },
  "the mock whose driven audits find something too": { options: { run_findings: "always" } },
  "the mock with sessions and event streams": { mcp: { sessions: true, sse: true, revisions: ["legacy"] } },
  "the mock whose tool server supports revision 2026-07-28 alone": { mcp: { revisions: ["2026-07-28"] } },
  "the mock whose tool server supports revision 2025-06-18 alone": { mcp: { revisions: ["2025-06-18"] } },
  "the mock with every tool renamed that may be": { mcp: { names: renamed } },
  "the mock of another seed": { seed: 271_828 },
};

/** Servers that share no line with the mock, put together by hand: for the tests, and to be measured where they are named. */
const references: { choices: Choices; fewest: number }[] = [
  { choices: closedChoices, fewest: 180 }, // where no clock can be moved, rates leave much untold
  { choices: sharedChoices, fewest: 350 },
  { choices: addPageFields, fewest: 380 },
  { choices: terse, fewest: 380 },
];

/** Legal servers of a covering array, by their names. */
export const legalRows: ReadonlyMap<string, Row> = new Map(
  coveringRows().map((row) => [`a legal server, ${row.choices.name}`, row]),
);

/** Conforming servers by name. Every finding of the suite against one is a false alarm. */
export const variants: ReadonlyMap<string, () => Promise<Subject>> = new Map([
  ...references.map(({ choices }) => [getName(choices), () => openReference(choices)] as const),
  ...[...legalRows].map(([name, { choices }]) => [name, () => openReference(choices)] as const),
  ...Object.entries(mocks).map(([name, options]) => [name, () => openMock(options)] as const),
]);

/** The legal servers that are always measured. */
export const measured: readonly string[] = [...legalRows.keys(), ...Object.keys(mocks)];

/** The number of permissive servers in a measurement and in a publication. */
const PERMISSIVE = { measure: 2, publication: 10 };

/** Returns the names of servers that draw each open choice at random. Each seed draws other servers. */
export function permissiveServers(seed: number, publish = false): string[] {
  const count = publish ? PERMISSIVE.publication : PERMISSIVE.measure;
  return Array.from({ length: count }, (_, at) => `a permissive server, seed ${(seed + at) % 2 ** 31}`);
}

/** Returns how to start the legal server of a name. */
export function getVariant(name: string): (() => Promise<Subject>) | undefined {
  const drawn = drawnChoices(name);
  return drawn ? () => openReference(drawn) : variants.get(name);
}

/** Tells whether the runner can neither move the clock of a legal server nor make a world there. */
export function hasNoControl(name: string): boolean {
  return (legalRows.get(name)?.choices ?? drawnChoices(name))?.control === "none";
}

function drawnChoices(name: string): Choices | undefined {
  const [, seed] = /^a permissive server, seed (\d+)$/.exec(name) ?? [];
  return seed === undefined ? undefined : permissive(Number(seed));
}

/** The expected results of a conforming server, besides no finding. */
export interface Expectation {
  /** Fewest clauses that pass. */
  fewest: number;
  /** Fewest clauses that pass if the server meets half of the suite. */
  fewestInHalf?: number;
  /** Another server of which it says the same of each clause: the two differ in form alone. */
  like?: string;
}

/** The expected results of each conforming server, by its name. */
export const expectations: ReadonlyMap<string, Expectation> = new Map<string, Expectation>([
  ...references.map(({ choices, fewest }) => [getName(choices), { fewest }] as const),
  ...Object.keys(mocks).map(
    (name) => [name, { fewest: 401, fewestInHalf: 320, ...(/tool|streams|seed/.test(name) && { like: plain }) }] as const,
  ),
  [plain, { fewest: listTestableClauses(contract.clauses).length }],
]);

/** Returns the name of a reference server among the conforming ones. */
export function getName({ name }: Choices): string {
  return `the reference server, ${name}`;
}

async function openMock(options: MockOptions): Promise<Subject> {
  const mock = await startMock({ clock: "frozen", ...options });
  return { options: { url: mock.api_url }, close: () => mock.close() };
}

/** A server without a control plane is not waited for. */
async function openReference(choices: Choices): Promise<Subject> {
  const server = await startReference(choices);
  const directory = mkdtempSync(join(tmpdir(), "reference-"));
  const target = join(directory, "target.yaml");
  writeFileSync(target, JSON.stringify(server.target));
  return {
    options: { target, profile: "full", env: { REFERENCE_OPS: OPS_TOKEN }, ...(choices.control === "none" && { maxWait: 2 }) },
    close: async () => {
      rmSync(directory, { recursive: true });
      await server.close();
    },
  };
}
