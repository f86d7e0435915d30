import { afterEach, beforeEach, expect, test } from "vitest";
import { type Mock, startMock } from "../../../src/index.js";

const count = 100;
const world = "/__mock/worlds/default";

let mock: Mock;

beforeEach(async () => {
  mock = await startMock({ port: 0, appPort: 0, docsPort: 0, limits: "off" });
  for (let i = 0; i < count; i++) await call(`earlier-${i}?${"a=b&".repeat(1500)}`);
});
afterEach(() => mock.close());

test("sends earlier calls and then those that were made meanwhile, each once and in order", async () => {
  const paths = await followed(count + 3, () => sendLater());
  expect(paths).toEqual([...Array.from({ length: count }, (_, i) => `earlier-${i}`), "later-0", "later-1", "later-2"]);
});

test.each([
  ["a reset of the world", "POST", `${world}/reset`],
  ["a deletion of the journal", "DELETE", `${world}/journal`],
])("sends the calls after %s, while it still sends earlier ones", async (_, method, path) => {
  const paths = await followed(count + 3, async () => {
    const response = await mock.fetch(`${mock.api_url}${path}`, { method });
    expect(response.ok).toBe(true);
    await sendLater();
  });
  expect(paths.slice(-3)).toEqual(["later-0", "later-1", "later-2"]);
});

test("sends new calls without earlier ones", async () => {
  expect(await followed(3, () => sendLater(), "")).toEqual(["later-0", "later-1", "later-2"]);
});

/** Follows the journal, does something after the first bytes, and returns the last part of the path of each event. */
async function followed(events: number, doMeanwhile: () => Promise<void>, query = "?after=0"): Promise<string[]> {
  const response = await mock.fetch(`${mock.api_url}${world}/journal/stream${query}`);
  let text = "";
  let meanwhile: Promise<void> | undefined;
  for await (const part of response.body ?? expect.fail("the stream has no body")) {
    text += Buffer.from(part).toString("latin1");
    meanwhile ??= doMeanwhile();
    if (text.split("\nevent: call").length > events && text.endsWith("\n\n")) break;
  }
  await meanwhile;
  return [...text.matchAll(/"request":"GET \/api\/jobs\/([\w-]+)/g)].map(([, name = ""]) => name);
}

async function sendLater(): Promise<void> {
  for (let i = 0; i < 3; i++) await call(`later-${i}`);
}

async function call(name: string): Promise<void> {
  const headers = { authorization: `Bearer ${mock.keys.full}` };
  await (await mock.fetch(`${mock.api_url}/api/jobs/${name}`, { headers })).arrayBuffer();
}
