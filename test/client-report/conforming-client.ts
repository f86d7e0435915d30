import type { IsolatedWorld } from "../../src/mock/in-process/mock-world.js";
import { connect } from "../mock/mcp/messages.js";

/** The settings of a conforming client. */
export interface Place {
  api_url: string;
  mcp_url: string;
  key: string;
  repo: string;
  /** Waits for this number of seconds. */
  wait(seconds: number): Promise<void>;
}

/** The address of a world whose clock is moved instead of waiting. */
export function getPlace(world: IsolatedWorld): Place {
  const { api_url, mcp_url, keys, repos } = world;
  return { api_url, mcp_url, key: keys.full!, repo: repos[0]!, wait: async (seconds) => void world.advance(`${seconds}s`) };
}

/** A client that follows the contract: it honours Retry-After, follows cursors and sends idempotency keys. */
export async function followContract(place: Place): Promise<void> {
  const { repo } = place;
  await readAllPages(place, "/api/observations?kind=finding&status=new&limit=20");
  await readAllPages(place, "/api/observations?kind=finding&status=new&needs_review=true");
  const [first, second] = (await ask(place, "GET /api/observations?status=new&limit=2")).data;
  await ask(place, `POST /api/observations/${first.ref}/acknowledge`);
  await ask(place, `POST /api/observations/${second.ref}/dismiss`, {
    dismissal_category: "wont_fix",
    dismissal_note: "not worth the trouble",
  });
  await ask(place, `POST /api/observations/${second.ref}/reopen`, { reopen_reason: "it is, after all" });
  await ask(place, "POST /api/repos", { owner: "acme", repo: "courteous", branch: "main" });
  await place.wait(3);
  await ask(place, "GET /api/repos/acme/courteous/main/jobs?workflow=discover");
  const job = await ask(
    place,
    `POST /api/repos/${repo}/jobs`,
    { workflow: "audit", params: {} },
    { "idempotency-key": "mine-1" },
  );
  for (let i = 0; i < 5; i++) {
    await place.wait(30);
    await ask(place, `GET /api/jobs/${job.id}`);
  }
  await useTools(place);
}

async function useTools({ mcp_url, key, wait }: Place): Promise<void> {
  const { client } = await connect(mcp_url, key);
  await client.listTools();
  const list = async (given: object): Promise<string | null> => {
    for (let attempt = 0; attempt < 4; attempt++) {
      const result = await client.callTool({ name: "list_observations", arguments: { ...given } });
      const resultBody = parsedBody(result);
      if (!result.isError) return resultBody?.next_cursor ?? null;
      await wait(resultBody?.error?.retry_after ?? 60);
    }
    throw new Error("given up");
  };
  const cursor = await list({ status: "new", limit: 10 });
  if (cursor !== null) await list({ status: "new", limit: 10, cursor });
  await client.close();
}

/** Returns the data of a tool answer. The contract leaves open whether it is structured content, JSON or text for people. */
function parsedBody({ structuredContent, content }: object & { structuredContent?: unknown; content?: unknown }) {
  const [first] = (content ?? []) as { text?: string }[];
  const text = first?.text ?? "";
  return (structuredContent ?? (text.startsWith("{") ? JSON.parse(text) : null)) as {
    next_cursor?: string;
    error?: { retry_after?: number };
  } | null;
}

async function readAllPages(place: Place, path: string): Promise<void> {
  let cursor: string | null = null;
  do {
    const page: { next_cursor: string | null } = await ask(
      place,
      `GET ${path}${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    cursor = page.next_cursor;
  } while (cursor !== null);
}

// biome-ignore lint/suspicious/noExplicitAny: answers have every shape
async function ask(place: Place, line: string, body?: object, headers: Record<string, string> = {}): Promise<any> {
  const [method = "", path = ""] = line.split(" ");
  const wishes = {
    method,
    headers: {
      authorization: `Bearer ${place.key}`,
      accept: "application/json",
      ...(body && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  };
  for (let attempt = 0; attempt < 4; attempt++) {
    const response = await fetch(`${place.api_url}${path}`, wishes).catch(() => null);
    if (response?.ok) return response.status === 204 ? null : response.json();
    if (response && response.status !== 429 && response.status < 500) throw new Error(`${line}: ${await response.text()}`);
    await place.wait(Number(response?.headers.get("retry-after") ?? 2 ** attempt));
  }
  throw new Error(`${line}: given up`);
}
