import type { Freedom } from "./freedoms.js";

/** A freedom of the text that the suite holds against a server. */
interface NotYetAccepted {
  /** The freedom by its id. */
  freedom: string;
  /** Whether a server takes it meanwhile once for good, or not at all. */
  meanwhile: "once" | "never";
  because: string;
}

/** What a permissive server does not do because the suite takes it for a fault. A row leaves this list when the suite accepts it. */
export const notYetAccepted: readonly NotYetAccepted[] = [];

/** Returns the freedoms that a permissive server takes, those that the suite does not accept yet in their narrower form. */
export function accepted(freedoms: readonly Freedom[]): Freedom[] {
  const meanwhile = new Map(notYetAccepted.map((row) => [row.freedom, row.meanwhile]));
  return freedoms.flatMap((one) => {
    const how = meanwhile.get(one.id);
    return how === "never" ? [] : how === "once" ? [{ ...one, scope: "server" as const }] : [one];
  });
}
