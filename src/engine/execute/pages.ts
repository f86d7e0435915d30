import { bodyJson, type WireRequest } from "../http/exchange.js";
import { isRecord } from "../scenario/interpolate.js";
import type { Environment } from "../target/environment.js";
import type { Reply } from "./reply.js";
import type { Run } from "./run.js";
import { MOST_BYTES_TOGETHER, sendPatiently } from "./send.js";

const MOST_PAGES = 200;

/**
 * Follows the cursors of a list from its first page to its last and returns an answer with the rows of all pages. With `isMeans` the step
 * judges the rows: a later page that fails makes it inconclusive. Otherwise that page is the answer.
 */
export async function readAllPages(
  { run, environment, isMeans }: { run: Run; environment: Environment; isMeans: boolean },
  first: WireRequest,
  wanted: ReadonlySet<number>,
): Promise<Reply> {
  const pages: string[] = []; // as text: it takes much less memory than parsed rows
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
      return { ok: false, request, why: `all pages together are larger than ${MOST_BYTES_TOGETHER} bytes` };
    const cursor = others[page.cursor] ?? null;
    if (cursor === null && number === 1) return { ...reply, exchanges: 1 };
    if (rows.length > 0) pages.push(JSON.stringify(rows).slice(1, -1));
    if (cursor === null) {
      const whole = `${JSON.stringify({ ...others, [page.rows]: null }).slice(0, -"null}".length)}[${pages.join(",")}]}`;
      return { ...reply, exchanges: number, response: { ...reply.response, body: new TextEncoder().encode(whole) } };
    }
    if (seen.has(cursor)) return { ok: false, request, why: "two pages have the same cursor" };
    seen.add(cursor);
    request = { ...first, url: withParameter(first.url, page.parameter, String(cursor)) };
  }
  return { ok: false, request, why: `the list has more than ${MOST_PAGES} pages` };
}

/**
 * Reads a list in pages of the largest size. If the server refuses only this size, returns why there is no
 * answer. Other checks judge the page size.
 */
export async function readLargest(
  read: (request: WireRequest) => Promise<Reply>,
  request: WireRequest,
  { parameter, most }: { parameter: string; most: number },
): Promise<Reply> {
  const withSize = { ...request, url: withParameter(request.url, parameter, String(most)) };
  const reply = await read(withSize);
  if (!reply.ok || reply.response.status < 400) return reply;
  const plain = await read(request);
  if (!plain.ok || plain.response.status >= 400) return plain;
  return {
    ok: false,
    request: withSize,
    why: `status ${reply.response.status} for pages of ${most} rows, but no error without a page size`,
  };
}

/** Returns why reading the pages ended early. Other checks judge whether the pages exist. */
function brokenOff(reply: Reply, number: number): Reply {
  const { request } = reply;
  return { ok: false, request, why: `page ${number}: ${reply.ok ? `status ${reply.response.status} without rows` : reply.why}` };
}

/** Returns an address with this query parameter. Replaces parameters of the same name. */
function withParameter(url: string, name: string, value: string): string {
  const next = new URL(url);
  next.searchParams.set(name, value);
  return next.href;
}
