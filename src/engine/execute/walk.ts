import { bodyJson, type WireRequest } from "../http/exchange.js";
import { isRecord } from "../scenario/interpolate.js";
import type { Environment } from "../target/environment.js";
import type { Reply } from "./reply.js";
import type { Run } from "./run.js";
import { MOST_BYTES_TOGETHER, sendPatiently } from "./send.js";

const MOST_PAGES = 200;

/**
 * Follows a list's cursors from its first page to its last; the answer then holds the rows of all pages. `isMeans`: it is the rows that are
 * judged, so a later page that is none says nothing; else such a page is the answer.
 */
export async function walk(
  { run, environment, isMeans }: { run: Run; environment: Environment; isMeans: boolean },
  first: WireRequest,
  wanted: ReadonlySet<number>,
): Promise<Reply> {
  const pages: string[] = []; // as text, which is a fraction of what the rows take
  const seen = new Set<unknown>();
  const { page } = run.suite.answers;
  let request = first;
  let bytes = 0;
  for (let number = 1; number <= MOST_PAGES; number++) {
    const reply = await sendPatiently(run, environment, request, wanted);
    const body = reply.ok && reply.response.status === 200 ? bodyJson(reply.response) : undefined;
    const { [page.rows]: rows, ...others } = body?.ok && isRecord(body.value) ? body.value : {};
    if (!reply.ok || !Array.isArray(rows)) return isMeans && number > 1 ? brokenOff(reply, number) : reply;
    bytes += reply.response.body.length;
    if (bytes > MOST_BYTES_TOGETHER)
      return { ok: false, request, why: `the pages are larger than ${MOST_BYTES_TOGETHER} bytes together` };
    if (rows.length > 0) pages.push(JSON.stringify(rows).slice(1, -1));
    const cursor = others[page.cursor] ?? null;
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

/** What should be judged are the rows of all pages; that there are such pages is judged elsewhere. */
function brokenOff(reply: Reply, number: number): Reply {
  const { request } = reply;
  return { ok: false, request, why: `page ${number}: ${reply.ok ? `status ${reply.response.status} and no page` : reply.why}` };
}

/** An address with this query parameter in place of any of its name. */
export function withParameter(url: string, name: string, value: string): string {
  const next = new URL(url);
  next.searchParams.set(name, value);
  return next.href;
}
