import type { Choices } from "./choices.js";
import { routes } from "./routes.js";

/** The OpenAPI document, with other names for the three segments of a repository. */
export function publish({ documentPrefix, segments, name }: Choices): unknown {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [route, { bucket }] of [...Object.entries(routes), ["POST /api/keys", {}] as const]) {
    const [method = "", path = ""] = route.split(" ");
    const renamed = ["{owner}", "{repo}", "{branch}"].reduce(
      (text, part, index) => text.replace(part, `{${segments[index]}}`),
      path.replace("/api", documentPrefix),
    );
    const rate = bucket && { "x-rate-limit": { scope: "key", rpm: bucket[1] } };
    const parameters = [...renamed.matchAll(/\{(.*?)\}/g)].map(([, parameter]) => ({
      ...{ name: parameter, in: "path", required: true },
      schema: { type: "string" },
    }));
    const operation = { operationId: route, parameters, ...rate, responses: { default: { description: "The result of it." } } };
    paths[renamed] = { ...paths[renamed], [method.toLowerCase()]: operation };
  }
  return {
    openapi: "3.1.1",
    info: { title: `Reference service ${name}`, version: "2031.4" },
    servers: [{ url: documentPrefix === "" ? "/api" : "/" }],
    paths,
  };
}
