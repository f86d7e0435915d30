import { afterAll, beforeAll, beforeEach } from "vitest";
import type { IsolatedWorld } from "../../src/mock/in-process/mock-world.js";
import { type Mock, startMock } from "../../src/mock/server.js";
import { type Sent, send } from "./client.js";

/** A mock for the tests of a file, and a separate world for each test. */
export function openOneWorld() {
  let mock: Mock;
  let world: IsolatedWorld;
  beforeAll(async () => {
    mock = await startMock({ clock: "frozen" });
  });
  afterAll(() => mock.close());
  beforeEach(async () => {
    world = await mock.world();
  });
  return {
    mock: () => mock,
    world: () => world,
    /** Goes on in a world with these options. */
    async goOnWith(options: NonNullable<NonNullable<Parameters<Mock["world"]>[0]>["options"]>) {
      world = await mock.world({ options });
    },
    /** Address of the world's journal. */
    journal: () => `${mock.control_url}/worlds/${world.id}/journal`,
    get: (path: string, more: Sent = {}) => send(`GET ${mock.api_url}${path}`, { key: world.keys.full, ...more }),
    submit: (workflow = "audit", headers: Record<string, string> = {}) =>
      send(`POST ${mock.api_url}/api/repos/${world.repos[0]}/jobs`, {
        key: world.keys.full,
        json: { workflow, params: {} },
        headers,
      }),
    /** The newest entry of the world's journal. */
    newest: () => world.journal().at(-1)!,
  };
}
