import { bodyJson, type WireRequest } from "../http/exchange.js";
import { isRecord } from "../scenario/interpolate.js";
import type { Environment } from "../target/environment.js";
import type { Reply } from "./reply.js";
import type { Run } from "./run.js";
import { MOST_BYTES_TOGETHER, sendPatiently } from "./send.js";

const MOST_PAGES = 200;

/** Follows a list's cursors from its first page to its last; the answer then holds the rows of all pages. */
export async function walk(run: Run, environment: Environment, first: WireRequest, wanted: ReadonlySet<number>): Promise<Reply> {
  const pages: string[] = []; // as text, which is a fraction of what the rows take
  const seen = new Set<unknown>();
  const { page } = run.suite.answers;
  let request = first;
  let bytes = 0;
  for (let number = 1; number <= MOST_PAGES; number++) {
    const reply = await sendPatiently(run, environment, request, wanted);
    const body = reply.ok && reply.response.status === 200 ? bodyJson(reply.response) : undefined;
    if (!reply.ok || !body?.ok || !isRecord(body.value)) return reply;
    const { [page.rows]: rows, ...others } = body.value;
    if (!Array.isArray(rows)) return reply;
    bytes += reply.response.body.length;
    if (bytes > MOST_BYTES_TOGETHER)
      return { ok: false, request, why: `the pages are larger than ${MOST_BYTES_TOGETHER} bytes together` };
    if (rows.length > 0) pages.push(JSON.stringify(rows).slice(1, -1));
    const cursor = body.value[page.cursor] ?? null;
    if (cursor === null) {
      const whole = `${JSON.stringify({ ...others, [page.rows]: null }).slice(0, -"null}".length)}[${pages.join(",")}]}`;
      return { ...reply, exchanges: number, response: { ...reply.response, body: new TextEncoder().encode(whole) } };
    }
    if (seen.has(cursor)) return { ok: false, request, why: "the walk came to a cursor that it had used before" };
    seen.add(cursor);
    request = { ...first, url: withParameter(first.url, page.parameter, String(cursor)) };
  }
  return { ok: false, request, why: `the walk did not end within ${MOST_PAGES} pages` };
}

function withParameter(url: string, name: string, value: string): string {
  const next = new URL(url);
  next.searchParams.set(name, value);
  return next.href;
}
