import type { Interception, InterceptOptions } from "./interception.js";

/** Returns the name of a runtime whose own `fetch` does not go through undici; null on Node. */
export function findOtherRuntime(): "Bun" | "Deno" | null {
  if (process.versions.bun !== undefined) return "Bun";
  return "Deno" in globalThis ? "Deno" : null;
}

/** Replaces the global `fetch`: a mock answers requests to these origins. Requests to other origins continue or are refused. */
export function interceptFetch(
  response: typeof fetch,
  origins: readonly string[],
  { others = "pass" }: InterceptOptions,
): Interception {
  const before = globalThis.fetch;
  let isOver = false;
  const ours: typeof fetch = async (input, init) => {
    const { origin } = new URL(input instanceof Request ? input.url : input);
    if (!isOver && origins.includes(origin)) return response(input, init);
    if (isOver || others === "pass") return before(input, init);
    throw new TypeError("fetch failed", { cause: findRefusedOrigin(origin, origins) });
  };
  globalThis.fetch = ours;
  const restore = () => {
    isOver = true;
    // another program may have replaced fetch since then; its replacement stays
    if (globalThis.fetch === ours) globalThis.fetch = before;
  };
  return { restore, [Symbol.dispose]: restore };
}

/** Returns the error of a refused request to another origin. */
export function findRefusedOrigin(origin: string, origins: readonly string[]): Error {
  return new Error(`A request to ${origin} was refused: only requests to ${origins[0]} are allowed, and a mock answers them.`);
}
