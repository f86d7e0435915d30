import { compareSchemas, type Difference, type Documents, isOpen, onlyOne } from "./schemas.js";
import { follow, isJson, type Json } from "./shape.js";

/** One operation of a document; its path with the prefix of the document's server before it. */
export interface OperationOf {
  name: string;
  /** Method and segments; what stands for a parameter has no name, as only its position counts. DOCS-PATH-POSITION. */
  steps: string[];
  operation: Json;
  parameters: Json[];
}

const METHODS = ["get", "put", "post", "delete", "patch"] as const;

/** The operations of a document. */
export function operationsOf(document: Json): OperationOf[] {
  const [server] = Array.isArray(document.servers) ? document.servers : [];
  const prefix = isJson(server) ? pathnameOf(String(server.url)) : "";
  return Object.entries(isJson(document.paths) ? document.paths : {}).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = isJson(item) ? follow(item[method], document) : undefined;
      if (!isJson(item) || !operation) return [];
      const full = path.startsWith(`${prefix}/`) ? path : prefix + path;
      const steps = [
        method.toUpperCase(),
        ...full
          .split("/")
          .slice(1)
          .map((step) => step.replace(/^\{.*\}$/, "{}")),
      ];
      return [
        {
          name: `${steps[0]} ${full}`,
          steps,
          operation,
          parameters: parametersIn([item.parameters, operation.parameters], document),
        },
      ];
    }),
  );
}

/** The one operation that differs from a lost one in a single step, and so may be its new name. */
export function heirOf(lost: OperationOf, added: readonly OperationOf[]): OperationOf | undefined {
  return onlyOne(
    added.filter(
      ({ steps }) => steps.length === lost.steps.length && steps.filter((step, i) => step !== lost.steps[i]).length === 1,
    ),
  );
}

/** How an operation of theirs breaks those who call ours. */
export function compareOperations(ours: OperationOf, theirs: OperationOf, documents: Documents): Difference[] {
  return [
    ...compareParameters(ours, theirs, documents),
    ...compareRequests(ours, theirs, documents),
    ...compareAnswers(ours, theirs, documents),
  ];
}

function parametersIn(lists: readonly unknown[], document: Json): Json[] {
  return lists.flatMap((list) => (Array.isArray(list) ? list : [])).flatMap((one): Json[] => [follow(one, document) ?? {}]);
}

function compareParameters(ours: OperationOf, theirs: OperationOf, documents: Documents): Difference[] {
  const idOf = (parameter: Json) => `${parameter.in} ${String(parameter.name).toLowerCase()}`;
  const sendable = ({ parameters }: OperationOf) => parameters.filter((one) => one.in === "query" || one.in === "header");
  const known = sendable(ours);
  const added = sendable(theirs).filter((one) => !known.some((other) => idOf(other) === idOf(one)));
  const found = known
    .filter((parameter) => !isOpen(parameter))
    .flatMap((parameter): Difference[] => {
      const at = `${ours.name} ${idOf(parameter)}`;
      const other = sendable(theirs).find((one) => idOf(one) === idOf(parameter));
      if (!other) return [{ at, change: "removed", says: "is gone" }];
      const duty = other.required === true && parameter.required !== true;
      return [
        ...compareSchemas({ ours: parameter.schema, theirs: other.schema, direction: "request", at }, documents),
        ...(duty ? [{ at, change: "required", says: "is required, was optional" } as const] : []),
      ];
    });
  const demanded = added.filter((one) => one.required === true);
  return [
    ...found,
    ...demanded.map((one): Difference => ({ at: `${ours.name} ${idOf(one)}`, change: "required", says: "is new and required" })),
  ];
}

function compareRequests(ours: OperationOf, theirs: OperationOf, documents: Documents): Difference[] {
  const at = `${ours.name} body`;
  const [body, other] = [
    bodyOf(ours.operation.requestBody, documents.ours),
    bodyOf(theirs.operation.requestBody, documents.theirs),
  ];
  if (!body || isOpen(body)) return [];
  if (!other) return [{ at, change: "removed", says: "is gone" }];
  return compareSchemas({ ours: body, theirs: other, direction: "request", at }, documents);
}

function compareAnswers(ours: OperationOf, theirs: OperationOf, documents: Documents): Difference[] {
  const [known, listed] = [ours.operation.responses, theirs.operation.responses].map((one) => (isJson(one) ? one : {})) as [
    Json,
    Json,
  ];
  const statuses = Object.keys(listed);
  // a document that lists no refusals at all says nothing of them
  const listsRefusals = statuses.some((status) => /^[45]/.test(status));
  return Object.entries(known).flatMap(([status, answer]): Difference[] => {
    const at = `${ours.name} ${status}`;
    const shown = follow(answer, documents.ours);
    if (isOpen(shown))
      return statuses.some((one) => one.startsWith("2")) ? [] : [{ at, change: "removed", says: "no success is listed" }];
    const other = follow(listed[status] ?? listed[`${status[0]}XX`] ?? listed.default, documents.theirs);
    if (!other) return status.startsWith("2") || listsRefusals ? [{ at, change: "removed", says: "is gone" }] : [];
    const [body, theirBody] = [bodyOf(shown, documents.ours), bodyOf(other, documents.theirs)];
    if (!body || isOpen(body)) return [];
    if (!theirBody) return [{ at: `${at} body`, change: "removed", says: "is gone" }];
    return compareSchemas({ ours: body, theirs: theirBody, direction: "answer", at: `${at} body` }, documents);
  });
}

/** The schema of the JSON body of a request or an answer. */
function bodyOf(holder: unknown, document: Json): Json | undefined {
  const content = follow(holder, document)?.content;
  const [, media] = Object.entries(isJson(content) ? content : {}).find(([type]) => /json/.test(type)) ?? [];
  return isJson(media) && isJson(media.schema) ? media.schema : undefined;
}

function pathnameOf(url: string): string {
  return URL.canParse(url, "http://host") ? new URL(url, "http://host").pathname.replace(/(?<!\/)\/+$/, "") : "";
}
