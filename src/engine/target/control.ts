/** How to trigger an event at the target: an HTTP call or a command. */
export interface Hook {
  http?: string;
  headers?: Record<string, string | { env: string }>;
  json?: Record<string, unknown>;
  command?: string[];
}

/** One address from which the hooks of a target follow. */
export interface ControlText {
  /** The address: absolute, or a path on the API host. */
  url: string;
  headers?: NonNullable<Hook["headers"]>;
  /** `worlds`, `clock` and events that the server offers. Default: all. */
  offers?: readonly string[];
}

/** The hooks of a target. */
interface Hooks {
  worlds?: { create: Hook; remove?: Hook };
  clock?: { now: Hook; advance: Hook };
  drive: Record<string, Hook>;
}

/** Names of `offers` that are not events. */
export const OTHER_OFFERS = ["worlds", "clock"] as const;

/** Returns the hooks of a control address: the routes below it are those of the mock's control plane. */
export function createControlHooks({ url, headers, offers }: ControlText, events: readonly string[]): Hooks {
  const base = url.replace(/(?<!\/)\/+$/, "");
  const hook = (method: string, path: string): Hook => ({ http: `${method} ${base}${path}`, ...(headers && { headers }) });
  const isOffered = (name: string) => offers === undefined || offers.includes(name);
  return {
    ...(isOffered("worlds") && { worlds: { create: hook("POST", "/worlds"), remove: hook("DELETE", "/worlds/{world}") } }),
    ...(isOffered("clock") && {
      clock: { now: hook("GET", "/worlds/{world}/clock"), advance: hook("POST", "/worlds/{world}/clock/advance") },
    }),
    drive: Object.fromEntries(events.filter(isOffered).map((event) => [event, hook("POST", `/worlds/{world}/drive/${event}`)])),
  };
}
