import { contract } from "../../contract/load.js";

/** A rate that a request counts against, by the name that a plan shows. */
export interface Bucket {
  name: string;
  /** Requests a minute. */
  rpm: number;
}

/** As much of a request as its buckets depend on. */
export interface Sort {
  method: string;
  /** The path, with or without the address before it. */
  path: string;
  /** Whether the tool server is asked. */
  tool: boolean;
}

const { buckets, plans, mcp } = contract.limits;

/** The budget of a key whose own ceiling is not known: its plan is not shown, so the smaller one. BUDGET-FREE. */
export const KEY_BUDGET: number = plans.free.requests_per_minute;

/** Ceilings of roles, as `fixtures/staging.example.yaml` describes them. */
const ROLE_CEILINGS: Readonly<Record<string, number>> = { slow: 5 };

const ROUTES = Object.values(buckets).flatMap(({ rpm, routes }) =>
  routes.map((route) => ({ pattern: patternOf(route), bucket: { name: routes.join(", "), rpm } })),
);

/** What one request of a key with this ceiling counts against: the key's budget, and its route's bucket or the rate of the tools. BUCKET-ADDITIONAL. */
export function bucketsOf({ method, path, tool }: Sort, ceiling: number): Bucket[] {
  const own = { name: "all requests of a key", rpm: ceiling };
  if (tool) return [own, { name: "tool calls of a key", rpm: mcp.requests_per_minute }];
  const asked = `${method} ${path.replace(/\?.*/, "")}`;
  return [own, ...ROUTES.filter(({ pattern }) => pattern.test(asked)).map(({ bucket }) => bucket)];
}

/** The requests a minute that the key of a role takes in all. */
export function ceilingOf(role: string | undefined): number {
  return (role !== undefined && ROLE_CEILINGS[role]) || KEY_BUDGET;
}

function patternOf(route: string): RegExp {
  const [method, path = ""] = route.split(" ");
  return new RegExp(`^${method} .*${path.replace(/\{\w+\}/g, "[^/]+")}$`);
}
