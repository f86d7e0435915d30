/** A refusal of the service. */
export class ServiceError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** What the client is made with; `fetch` and `sleep` so that a test can give its own. */
export interface ServiceOptions {
  baseUrl: string;
  key: string;
  fetch?: typeof fetch;
  sleep?: (seconds: number) => Promise<unknown>;
}

interface Page<Row> {
  data: Row[];
  next_cursor: string | null;
}

const mostTries = 3;

/** A small client as somebody may write one: it waits as it is told, repeats what was lost, and walks pages to their end. */
export function serviceClient({ baseUrl, key, fetch = globalThis.fetch, sleep = wait }: ServiceOptions) {
  async function send<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const headers: Record<string, string> = { authorization: `Bearer ${key}`, accept: "application/json" };
    if (body) headers["content-type"] = "application/json";
    // one key for all tries: work that was started once is not started again
    if (method === "POST") headers["idempotency-key"] = crypto.randomUUID();
    for (let tries = 1; ; tries++) {
      const answer = await fetch(baseUrl + path, { method, headers, ...(body && { body: JSON.stringify(body) }) }).catch(
        () => null,
      );
      if (answer?.ok) return answer.json() as Promise<Answer>;
      const after = answer?.headers.get("retry-after") ?? (answer ? null : "0");
      if (after === null || tries === mostTries) throw await errorOf(answer);
      await sleep(Number(after));
    }
  }

  return {
    send,
    submit: (repo: string, workflow: string) =>
      send<{ id: string; status: string }>("POST", `/api/repos/${repo}/jobs`, { workflow, params: {} }),
    async *walk<Row>(path: string): AsyncGenerator<Row> {
      let cursor: string | null = "";
      while (cursor !== null) {
        const page: Page<Row> = await send("GET", cursor === "" ? path : `${path}&cursor=${cursor}`);
        yield* page.data;
        cursor = page.next_cursor;
      }
    },
  };
}

function wait(seconds: number): Promise<unknown> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}

async function errorOf(answer: Response | null): Promise<Error> {
  if (!answer) return new Error("The service cannot be reached.");
  const { error } = (await answer.json()) as { error: { code: string; message: string } };
  return new ServiceError(answer.status, error.code, error.message);
}
