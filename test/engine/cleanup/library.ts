import type { CleanupRules, SideEffect } from "../../../src/engine/cleanup/rules.js";
import { type Exchange, parseBodyJson } from "../../../src/engine/http/exchange.js";
import { isRecord } from "../../../src/engine/scenario/interpolate.js";
import { createTargetAtUrl, type Target } from "../../../src/engine/target/target.js";

/** The rules of an example service: books are lent and returned, everybody may have a shelf, and marks in books remain. */
export const library: CleanupRules = {
  order: ["loan", "mark"],
  openReader: () => ({
    read({ request: { method, url }, response }, isOpen) {
      const { pathname } = new URL(url);
      const body = response ? parseBodyJson(response) : undefined;
      if (response && response.status >= 300) return [];
      if (pathname === "/loans") {
        const number = body?.ok && isRecord(body.value) ? String(body.value.number) : undefined;
        return [{ subject: number && `loan ${number}`, sideEffects: [createLoanEffect(number)] }];
      }
      if (pathname === "/shelf") return [{ subject: "shelf", perCaller: true, sideEffects: method === "DELETE" ? [] : [SHELF] }];
      if (method === "DELETE") return [{ subject: `loan ${pathname.split("/").at(-1)}`, sideEffects: [] }];
      return isOpen(pathname) ? [] : [{ subject: pathname, sideEffects: [MARK] }];
    },
    readEvent: (event, { number }) => (event === "closing-time" ? [{ subject: `loan ${number}`, sideEffects: [] }] : []),
  }),
  planned: [
    {
      what: "books lent",
      isMadeBy: ({ method, path, purpose }) => purpose === "lend" || `${method} ${path}` === "POST /loans",
      paid: true,
      outcome: ({ drive }) => ({ after: "returned", stays: !("closing-time" in drive) }),
    },
    {
      what: "marks made",
      isMadeBy: ({ path }) => path.endsWith("/mark"),
      paid: false,
      outcome: () => ({ after: "stay", stays: true }),
    },
  ],
};

const MARK: SideEffect = { kind: "mark", what: "page marked", id: "", undo: { way: "none", why: "ink stays" } };
const SHELF: SideEffect = { ...MARK, what: "shelf taken" };

/** Returns the side effect of a lent book, which a request undoes. */
export function createLoanEffect(number: string | undefined): SideEffect {
  const undo: SideEffect["undo"] =
    number === undefined
      ? { way: "none", why: "its number is unknown" }
      : { way: "requests", requests: [{ rest: `DELETE /loans/${number}` }] };
  return { kind: "loan", what: "book lent", id: number ?? "", undo };
}

/** Returns a target with an address only. */
export function libraryTarget(): Target {
  const targetResult = createTargetAtUrl({ toolServerPath: "/tools/", selfDescriptionPath: "/about" }, "http://library.test");
  if (!targetResult.ok) throw new Error(targetResult.mistakes.join("\n"));
  return targetResult.target;
}

/** Returns an exchange with the library. Status 0 means that no response came. */
export function getExchange(
  rest: string,
  { by = "somebody", status = 201, answer: response }: { by?: string; status?: number; answer?: unknown } = {},
): Exchange {
  const [method = "", path] = rest.split(" ");
  const request = { method, url: `http://library.test${path}`, headers: { authorization: by, accept: "*/*" } };
  const times = { startedAt: 0, endedAt: 0 };
  if (status === 0) return { request, ...times, failure: { kind: "timeout", message: "no answer" } };
  return { request, ...times, response: { status, headers: {}, body: new TextEncoder().encode(JSON.stringify(response ?? {})) } };
}
