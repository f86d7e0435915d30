import type { Interception, InterceptOptions } from "./interception.js";

/** Returns the name of a runtime whose own `fetch` does not go through undici; null on Node. */
export function otherRuntime(): "Bun" | "Deno" | null {
  if (process.versions.bun !== undefined) return "Bun";
  return "Deno" in globalThis ? "Deno" : null;
}

/** Replaces the global `fetch`: a mock answers requests to these origins, the others go on or are refused. */
export function interceptFetch(
  answer: typeof fetch,
  origins: readonly string[],
  { others = "pass" }: InterceptOptions,
): Interception {
  const before = globalThis.fetch;
  let isOver = false;
  const ours: typeof fetch = async (input, init) => {
    const { origin } = new URL(input instanceof Request ? input.url : input);
    if (!isOver && origins.includes(origin)) return answer(input, init);
    if (isOver || others === "pass") return before(input, init);
    throw new TypeError("fetch failed", { cause: refusedOrigin(origin, origins) });
  };
  globalThis.fetch = ours;
  const restore = () => {
    isOver = true;
    // another replacement may have been put in front since, which stays
    if (globalThis.fetch === ours) globalThis.fetch = before;
  };
  return { restore, [Symbol.dispose]: restore };
}

/** Returns the error of a request to an origin that is not intercepted, where those are refused. */
export function refusedOrigin(origin: string, origins: readonly string[]): Error {
  return new Error(`A request to ${origin} was refused: here only ${origins[0]} is answered, by a mock.`);
}
