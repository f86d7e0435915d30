import type { WireRequest, WireResponse } from "../http/exchange.js";

/**
 * A response, or why a response to judge is missing. `request` is the request that was sent last. `refusal` is the 429 or 503 that the server
 * still returned after all waits.
 */
export type SendResult =
  | { ok: true; request: WireRequest; response: WireResponse; exchanges: number }
  | { ok: false; request: WireRequest; why: string; refusal?: WireResponse };

/** The reply to the request of a step, or why the request could not be built. */
export type StepResult = SendResult | { ok: false; why: string; request?: never; refusal?: never };

/** The result of a wait: by how many seconds it ended late, or why it was not possible. */
export type WaitResult = { ok: true; lateSeconds?: number } | { ok: false; why: string };
