import { parseBodyJson, type WireRequest } from "../http/exchange.js";
import { isRecord } from "../scenario/interpolate.js";
import type { Environment } from "../target/environment.js";
import type { Run } from "./run.js";
import { MAX_LIST_BYTES, sendPatiently } from "./send.js";
import type { SendResult } from "./send-result.js";

const MAX_PAGES = 200;

/**
 * Follows the cursors of a list from its first page to its last and returns a response with the rows of all pages. With `isMeans` the step
 * judges the rows: a later page that fails makes it inconclusive. Otherwise that page is the response.
 */
export async function readAllPages(
  { run, environment, isMeans }: { run: Run; environment: Environment; isMeans: boolean },
  first: WireRequest,
  wanted: ReadonlySet<number>,
): Promise<SendResult> {
  const pages: string[] = []; // a text takes much less memory than parsed rows
  const seen = new Set<unknown>();
  const { page } = run.suite.answers;
  let request = first;
  let bytes = 0;
  for (let number = 1; number <= MAX_PAGES; number++) {
    const result = await sendPatiently(run, environment, request, wanted);
    const body = result.ok && result.response.status === 200 ? parseBodyJson(result.response) : undefined;
    const { [page.rows]: rows, ...others } = body?.ok && isRecord(body.value) ? body.value : {};
    if (!result.ok || !Array.isArray(rows)) return isMeans && number > 1 ? createUnfinishedResult(result, number) : result;
    bytes += result.response.body.length;
    if (bytes > MAX_LIST_BYTES) return { ok: false, request, why: `all pages together are larger than ${MAX_LIST_BYTES} bytes` };
    const cursor = others[page.cursor] ?? null;
    if (cursor === null && number === 1) return { ...result, exchanges: 1 };
    if (rows.length > 0) pages.push(JSON.stringify(rows).slice(1, -1));
    if (cursor === null) {
      const whole = `${JSON.stringify({ ...others, [page.rows]: null }).slice(0, -"null}".length)}[${pages.join(",")}]}`;
      return { ...result, exchanges: number, response: { ...result.response, body: new TextEncoder().encode(whole) } };
    }
    if (seen.has(cursor)) return { ok: false, request, why: "two pages have the same cursor" };
    seen.add(cursor);
    request = { ...first, url: setParameter(first.url, page.parameter, String(cursor)) };
  }
  return { ok: false, request, why: `the list has more than ${MAX_PAGES} pages` };
}

/**
 * Reads a list in pages of the largest size. If the server refuses only this size, returns why there is no
 * response. Other checks judge the page size.
 */
export async function readLargestPages(
  read: (request: WireRequest) => Promise<SendResult>,
  request: WireRequest,
  { parameter, max }: { parameter: string; max: number },
): Promise<SendResult> {
  const withSize = { ...request, url: setParameter(request.url, parameter, String(max)) };
  const result = await read(withSize);
  if (!result.ok || result.response.status < 400) return result;
  const sendResult = await read(request);
  if (!sendResult.ok || sendResult.response.status >= 400) return sendResult;
  return {
    ok: false,
    request: withSize,
    why: `status ${result.response.status} for pages of ${max} rows, but no error without a page size`,
  };
}

/** Returns why reading the pages ended early. Other checks judge whether the pages exist. */
function createUnfinishedResult(result: SendResult, number: number): SendResult {
  const { request } = result;
  return {
    ok: false,
    request,
    why: `page ${number}: ${result.ok ? `status ${result.response.status} without rows` : result.why}`,
  };
}

/** Returns an address with this query parameter. Replaces parameters of the same name. */
function setParameter(url: string, name: string, value: string): string {
  const next = new URL(url);
  next.searchParams.set(name, value);
  return next.href;
}
