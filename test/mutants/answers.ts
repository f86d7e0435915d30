import { keyOf, type Mutant, onRoute, pretending } from "./mutant.js";
import type { Answered, AroundWire, Asked } from "./wire.js";

const jobs = "GET /api/jobs";

/** Faults in the form of requests and answers, and in a rate that is not published. */
export const answerMutants: Mutant[] = [
  {
    name: "takes JSON with spaces in it for malformed",
    breaks: "GEN-JSON-REQUEST",
    aroundWire: (asked, send) => send(asked.text.startsWith("{ ") ? { ...asked, text: "{" } : asked),
  },
  {
    name: "answers that a job is unknown in plain text",
    breaks: "GEN-JSON-RESPONSE",
    aroundWire: onAnswer(404, (answer) => ({ ...answer, headers: { ...answer.headers, "content-type": "text/plain" } })),
  },
  {
    name: "answers that a job is unknown with a page",
    breaks: "GEN-JSON-RESPONSE",
    aroundWire: onAnswer(404, (answer) => ({ ...answer, text: "<!doctype html><title>Not found</title>" })),
  },
  {
    name: "answers a faulty body in words",
    breaks: "GEN-JSON-RESPONSE",
    aroundWire: onAnswer(422, (answer) => ({ ...answer, text: "Name a workflow." })),
  },
  {
    name: "calls a list text that looks like JSON",
    breaks: "GEN-JSON-RESPONSE",
    aroundWire: onAnswer(200, (answer) => ({ ...answer, headers: { ...answer.headers, "content-type": "text/json+plain" } })),
  },
  {
    name: "answers a forecast in plain text",
    breaks: "GEN-JSON-RESPONSE",
    aroundWire: onAnswer(200, (answer, path) =>
      path.startsWith("/api/forecasts/lookup")
        ? { ...answer, headers: { ...answer.headers, "content-type": "text/plain" } }
        : answer,
    ),
  },
  {
    name: "answers the knowledge of a repository as a page",
    breaks: "GEN-JSON-RESPONSE",
    aroundWire: onAnswer(200, (answer, path) => (path.endsWith("/knowledge") ? { ...answer, text: "# Knowledge" } : answer)),
  },
  {
    name: "holds the jobs of the workspace to an unpublished 150 requests a minute",
    breaks: "DOCS-RATE-ABSENT",
    around: onRoute(jobs, (world, call, perform) => {
      const key = keyOf(world, call);
      return pretending(key, { requests_per_minute: key?.requests_per_minute ?? 150 }, () => perform(world, call));
    }),
  },
];

/** Changes the API's answers of one status. */
function onAnswer(status: number, change: (answer: Answered, path: string) => Answered): AroundWire {
  return async (asked: Asked, send) => {
    const answer = await send(asked);
    return asked.path.startsWith("/api/") && answer.status === status ? change(answer, asked.path) : answer;
  };
}
