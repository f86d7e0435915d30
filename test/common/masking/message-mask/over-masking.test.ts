import { readdirSync, readFileSync } from "node:fs";
import { type IncomingMessage, Server, type ServerResponse } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createMessageMask, type HeaderPairs } from "../../../../src/common/masking/message-mask.js";
import { packageRoot } from "../../../../src/contract/load.js";
import { verify } from "../../../../src/engine/run/verify.js";
import { type Mock, startMock } from "../../../../src/index.js";
import { suite } from "../../../../src/suite/suite.js";
import { exhaustive, sampleSeed } from "../../../meta/sample.js";

/**
 * The scenarios with the most kinds of messages. Each run executes an eighth of them, by its seed: about 22 commits run all. `npm run quality` runs
 * the whole suite.
 */
const folders = ["4-keys", "5-authentication", "7-errors", "mcp", "1-service"].map((folder) => `scenarios/${folder}/*`);
const part = exhaustive ? {} : { only: folders, shard: { index: 1 + (sampleSeed % 8), of: 8 } };

/** A message on the wire. */
interface Message {
  url: string;
  headers: HeaderPairs;
  body: string;
}

const messages: Message[] = [];
const { emit } = Server.prototype;
let mock: Mock;

beforeAll(async () => {
  Server.prototype.emit = function (this: Server, event: string, ...args: unknown[]) {
    if (event === "request") capture(...(args as [IncomingMessage, ServerResponse]));
    return (emit as (...all: unknown[]) => boolean).call(this, event, ...args);
  } as typeof emit;
  mock = await startMock({ clock: "frozen", seed: 1 });
  await verify(suite, { url: mock.api_url, profile: "full", ...part, runs: 0, seed: 1 });
}, 300_000);
afterAll(async () => {
  Server.prototype.emit = emit;
  await mock.close();
});

/** Keeps a request and its response when the response ends. */
function capture(request: IncomingMessage, response: ServerResponse): void {
  const [sent, answered]: [Buffer[], Buffer[]] = [[], []];
  const { push } = request;
  request.push = (piece: unknown, ...more) => {
    if (Buffer.isBuffer(piece)) sent.push(piece);
    return push.call(request, piece, ...more);
  };
  for (const name of ["write", "end"] as const) {
    const own = response[name] as (...all: unknown[]) => never;
    response[name] = ((piece: unknown, ...more: unknown[]) => {
      if (typeof piece === "string" || Buffer.isBuffer(piece)) answered.push(Buffer.from(piece as string));
      return own.call(response, piece, ...more);
    }) as never;
  }
  response.once("finish", () => {
    const { url = "", rawHeaders } = request;
    const headers = Object.entries(response.getHeaders()).flatMap(([name, value]) => [name, String(value)]);
    messages.push({ url, headers: rawHeaders, body: String(Buffer.concat(sent)) });
    messages.push({ url, headers, body: String(Buffer.concat(answered)) });
  });
}

/** Returns `name=value` of each text that the mask hides in a content. */
function maskedIn(content: unknown, headers: HeaderPairs = []): string[] {
  const found: string[] = [];
  const mask = createMessageMask({ keeps: (value, name) => found.push(`${name}=${value}`) < 0 });
  mask.headerPairs(headers);
  mask.hide(content);
  return found;
}

function getContent(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns whether a masked text is a credential: of the mock's workspaces, made by the run, or a wrong one that the run sent. */
function isCredential(masked: string): boolean {
  return /mock_|session=|^authorization=(?!bearer$|basic$)./i.test(masked);
}

/** Words that are hidden although they are not secrets: other cookies, ids under the name `key`, and a placeholder. */
const OVER_MASKED = {
  run: ["theme=dark"],
  files: [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the page
    "/fixtures/examples/ci/README.md: key=${{ secrets.STAGING_KEY }}",
    "/fixtures/examples/client-python/counterpart.py: self.token=url",
    "/fixtures/examples/client-typescript/client.test.ts: key=key_full",
    "/fixtures/examples/vendor/README.md: OPS_TOKEN=secret",
    "/src/guide/events-and-errors.md: key=key_viewer",
    "/src/guide/first-test.md: COUNTERPART_ADMIN_TOKEN=a-token-of-yours",
    "/src/guide/troubleshooting.md: key=key_full",
  ],
};

test("masks nothing but credentials in the messages of a run", () => {
  expect(messages.length).toBeGreaterThan(exhaustive ? 10_000 : 200);
  const masked = messages.flatMap(({ url, headers, body }) => [...maskedIn(url, headers), ...maskedIn(getContent(body))]);
  expect(masked.filter(isCredential).length).toBeGreaterThan(exhaustive ? 100 : 20);
  const overMasked = [...new Set(masked.filter((one) => !isCredential(one)))];
  expect(overMasked.filter((one) => !OVER_MASKED.run.includes(one))).toEqual([]);
  if (exhaustive) expect(overMasked).toEqual(OVER_MASKED.run);
});

function filesBelow(folder: string): string[] {
  return readdirSync(join(packageRoot, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

test("masks nothing but credentials in fixtures and guides", () => {
  const files = ["fixtures", "src/guide"].flatMap(filesBelow).concat(join(packageRoot, "README.md"));
  const masked = files.flatMap((path) =>
    maskedIn(getContent(readFileSync(path, "utf8"))).map((one) => `${path.slice(packageRoot.length)}: ${one}`),
  );
  expect([...new Set(masked.filter((one) => !isCredential(one)))]).toEqual(OVER_MASKED.files);
});
