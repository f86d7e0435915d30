import { contract } from "../../src/contract/load.js";
import type { IncomingCall } from "../../src/service/call.js";
import type { Session, World } from "../../src/service/world/world.js";
import { each } from "./family.js";
import { type Around, bodyOf, keyOf, type Mutant, onRoute, pretending, type Shown, showing, withBody } from "./mutant.js";

const create = "POST /api/keys";
const patch = "PATCH /api/keys/{key_id}";

const everyScope = contract.enums.Scope;

/** Faults in what a key is made of, who makes it and what it may do. */
export const keyRightMutants: Mutant[] = [
  {
    name: "lets a member edit keys",
    breaks: "KEY-PATCH-ADMIN",
    around: onRoute(patch, (world, call, perform) =>
      pretending(sessionOf(world, call, "member"), { role: "admin" }, () => perform(world, call)),
    ),
  },
  {
    name: "calls the id of a new key otherwise",
    breaks: "KEY-FIELD-ID",
    around: showing(create, ({ key_id, ...key }) => ({ ...key, id: key_id })),
  },
  {
    name: "tells an id of a new key that PATCH does not know",
    breaks: "KEY-FIELD-ID",
    around: showing(create, (key) => ({ ...key, key_id: `new-${key.key_id}` })),
  },
  {
    name: "does not hold a new key to its requests per minute",
    breaks: "KEY-FIELD-RPM",
    around: creating(({ requests_per_minute: _, ...body }) => body),
  },
  {
    name: "makes no key of one request a minute",
    breaks: "KEY-FIELD-RPM",
    around: creating((body) => (body.requests_per_minute === 1 ? { ...body, requests_per_minute: 0 } : body)),
  },
  {
    name: "makes no key that ends within a day",
    breaks: "KEY-FIELD-EXPIRES",
    around: creating((body, now) =>
      Date.parse(String(body.expires_at)) < now + 86_400_000 ? { ...body, expires_at: "soon" } : body,
    ),
  },
  {
    name: "does not narrow the scopes of a key",
    breaks: "KEY-PATCH-SCOPES",
    around: onRoute(patch, (world, call, perform) =>
      perform(world, bodyOf(call).scopes ? withBody(call, { scopes: "none" }) : call),
    ),
  },
  {
    name: "takes all scopes from a key when they are narrowed",
    breaks: "KEY-PATCH-SCOPES",
    around: onRoute(patch, (world, call, perform) => perform(world, bodyOf(call).scopes ? withBody(call, { scopes: [] }) : call)),
  },
  {
    name: "gives a key of the owner every scope",
    breaks: "SCOPE-OWNER",
    around: onRoute(create, (world, call, perform) =>
      perform(world, sessionOf(world, call, "owner") ? withBody(call, { scopes: everyScope }) : call),
    ),
  },
  ...each("KEY-CREATOR-SUBSET", "creator permission", "takes a scope for the permission *", {
    rest: (permission) => (world, call, perform) => {
      const key = keyOf(world, call);
      return pretending(key?.scopes.includes("manage_repos") ? key : undefined, { permissions: [permission] }, () =>
        perform(world, call),
      );
    },
  }),
];

function sessionOf(world: World, call: IncomingCall, role: Session["role"]): Session | undefined {
  return Object.values(world.sessions).find((session) => session.token === call.cookie && session.role === role);
}

/** Reads the body of a new key otherwise. */
function creating(read: (body: Shown, now: number) => Shown): Around {
  return onRoute(create, (world, call, perform) =>
    perform(world, { ...call, body: { kind: "json", value: read(bodyOf(call), world.now) } }),
  );
}
