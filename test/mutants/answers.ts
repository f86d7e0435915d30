import { each } from "./family.js";
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
  ...each("GEN-JSON-RESPONSE", "route", "answers in plain text on *", {
    rest: (route) => ({ aroundWire: onRouteAnswer(route, plainly) }),
  }),
  ...each("GEN-JSON-RESPONSE", "route", "answers a page on *", {
    rest: (route) => ({
      aroundWire: onRouteAnswer(route, (answer) => ({ ...answer, text: "<!doctype html><title>Found</title>" })),
    }),
  }),
  ...each("GEN-JSON-RESPONSE", "error status", "answers in plain text with *", {
    rest: (status) => ({ aroundWire: onAnswer(Number(status), plainly) }),
  }),
  ...each("GEN-JSON-RESPONSE", "error status", "answers in bare words with *", {
    rest: (status) => ({ aroundWire: onAnswer(Number(status), (answer) => ({ ...answer, text: "No." })) }),
  }),
  {
    name: "calls a list text that looks like JSON",
    breaks: "GEN-JSON-RESPONSE",
    aroundWire: onAnswer(200, (answer) => ({ ...answer, headers: { ...answer.headers, "content-type": "text/json+plain" } })),
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

function plainly(answer: Answered): Answered {
  return { ...answer, headers: { ...answer.headers, "content-type": "text/plain" } };
}

/** Changes the API's answers of one status. */
function onAnswer(status: number, change: (answer: Answered) => Answered): AroundWire {
  return async (asked: Asked, send) => {
    const answer = await send(asked);
    return asked.path.startsWith("/api/") && answer.status === status ? change(answer) : answer;
  };
}

/** Changes the answers with success to one route. */
function onRouteAnswer(route: string, change: (answer: Answered) => Answered): AroundWire {
  const [method = "", path = ""] = route.split(" ");
  const place = new RegExp(`^${path.replace(/\{\w+\}/g, "[^/?]+")}(\\?.*)?$`);
  return async (asked: Asked, send) => {
    const answer = await send(asked);
    return asked.method === method && place.test(asked.path) && answer.status < 300 ? change(answer) : answer;
  };
}
