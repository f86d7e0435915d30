import type { WireRequest, WireResponse } from "../http/exchange.js";

/** An answer, or why there is none to judge; `refusedWith` is the status that did not end however long the wait. The request is the one that went out last. */
export type Reply =
  | { ok: true; request: WireRequest; response: WireResponse; exchanges: number }
  | { ok: false; request: WireRequest; why: string; refusedWith?: 429 | 503 };

/** The same, or why no request could be built. */
export type StepReply = Reply | { ok: false; why: string; request?: never; refusedWith?: never };

/** Whether time passed, and how much more than asked, or why it could not. */
export type WaitResult = { ok: true; lateSeconds?: number } | { ok: false; why: string };
