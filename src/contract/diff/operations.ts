import { compareSchemas, type Difference, type Documents, isOpen, onlyCandidate } from "./schemas.js";
import { follow, isJson, type Json } from "./shape.js";

/** One operation of a document. Its path includes the path of the document's server. */
export interface ListedOperation {
  name: string;
  /** Method and path segments. A parameter is `{}`, because only its position counts. DOCS-PATH-POSITION. */
  steps: string[];
  operation: Json;
  parameters: Json[];
}

const methods = ["get", "put", "post", "delete", "patch"] as const;

/** Returns the operations of a document. */
export function operationsOf(document: Json): ListedOperation[] {
  const [server] = Array.isArray(document.servers) ? document.servers : [];
  const prefix = isJson(server) ? pathnameOf(String(server.url)) : "";
  return Object.entries(isJson(document.paths) ? document.paths : {}).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = isJson(item) ? follow(item[method], document) : undefined;
      if (!isJson(item) || !operation) return [];
      const fullPath = path.startsWith(`${prefix}/`) ? path : prefix + path;
      const steps = [
        method.toUpperCase(),
        ...fullPath
          .split("/")
          .slice(1)
          .map((step) => step.replace(/^\{.*\}$/, "{}")),
      ];
      return [
        {
          name: `${steps[0]} ${fullPath}`,
          steps,
          operation,
          parameters: parametersIn([item.parameters, operation.parameters], document),
        },
      ];
    }),
  );
}

/** Returns the one added operation that differs from a removed one in a single segment, and so may be its new name. */
export function findRenamed(lost: ListedOperation, added: readonly ListedOperation[]): ListedOperation | undefined {
  return onlyCandidate(
    added.filter(
      ({ steps }) => steps.length === lost.steps.length && steps.filter((step, i) => step !== lost.steps[i]).length === 1,
    ),
  );
}

/** Finds the breaking changes of one operation. */
export function compareOperations(ours: ListedOperation, theirs: ListedOperation, documents: Documents): Difference[] {
  return [
    ...compareParameters(ours, theirs, documents),
    ...compareRequests(ours, theirs, documents),
    ...compareAnswers(ours, theirs, documents),
  ];
}

function parametersIn(lists: readonly unknown[], document: Json): Json[] {
  return lists.flatMap((list) => (Array.isArray(list) ? list : [])).flatMap((one): Json[] => [follow(one, document) ?? {}]);
}

function compareParameters(ours: ListedOperation, theirs: ListedOperation, documents: Documents): Difference[] {
  const idOf = (parameter: Json) => `${parameter.in} ${String(parameter.name).toLowerCase()}`;
  const sendable = ({ parameters }: ListedOperation) => parameters.filter((one) => one.in === "query" || one.in === "header");
  const known = sendable(ours);
  const added = sendable(theirs).filter((one) => !known.some((other) => idOf(other) === idOf(one)));
  const found = known
    .filter((parameter) => !isOpen(parameter))
    .flatMap((parameter): Difference[] => {
      const at = `${ours.name} ${idOf(parameter)}`;
      const other = sendable(theirs).find((one) => idOf(one) === idOf(parameter));
      if (!other) return [{ at, change: "removed", message: "is gone" }];
      const isNowRequired = other.required === true && parameter.required !== true;
      return [
        ...compareSchemas({ ours: parameter.schema, theirs: other.schema, direction: "request", at }, documents),
        ...(isNowRequired ? [{ at, change: "required", message: "is required, was optional" } as const] : []),
      ];
    });
  const newlyRequired = added.filter((one) => one.required === true);
  return [
    ...found,
    ...newlyRequired.map(
      (one): Difference => ({ at: `${ours.name} ${idOf(one)}`, change: "required", message: "is new and required" }),
    ),
  ];
}

function compareRequests(ours: ListedOperation, theirs: ListedOperation, documents: Documents): Difference[] {
  const at = `${ours.name} body`;
  const [body, other] = [
    bodyOf(ours.operation.requestBody, documents.ours),
    bodyOf(theirs.operation.requestBody, documents.theirs),
  ];
  if (!body || isOpen(body)) return [];
  if (!other) return [{ at, change: "removed", message: "is gone" }];
  return compareSchemas({ ours: body, theirs: other, direction: "request", at }, documents);
}

function compareAnswers(ours: ListedOperation, theirs: ListedOperation, documents: Documents): Difference[] {
  const [known, listed] = [ours.operation.responses, theirs.operation.responses].map((one) => (isJson(one) ? one : {})) as [
    Json,
    Json,
  ];
  const statuses = Object.keys(listed);
  // a document that lists no errors at all leaves them open
  const listsRefusals = statuses.some((status) => /^[45]/.test(status));
  return Object.entries(known).flatMap(([status, answer]): Difference[] => {
    const at = `${ours.name} ${status}`;
    const shown = follow(answer, documents.ours);
    if (isOpen(shown))
      return statuses.some((one) => one.startsWith("2")) ? [] : [{ at, change: "removed", message: "no success is listed" }];
    const other = follow(listed[status] ?? listed[`${status[0]}XX`] ?? listed.default, documents.theirs);
    if (!other) return status.startsWith("2") || listsRefusals ? [{ at, change: "removed", message: "is gone" }] : [];
    const [body, theirBody] = [bodyOf(shown, documents.ours), bodyOf(other, documents.theirs)];
    if (!body || isOpen(body)) return [];
    if (!theirBody) return [{ at: `${at} body`, change: "removed", message: "is gone" }];
    return compareSchemas({ ours: body, theirs: theirBody, direction: "answer", at: `${at} body` }, documents);
  });
}

/** Returns the schema of the JSON body of a request or answer. */
function bodyOf(holder: unknown, document: Json): Json | undefined {
  const content = follow(holder, document)?.content;
  const [, media] = Object.entries(isJson(content) ? content : {}).find(([type]) => /json/.test(type)) ?? [];
  return isJson(media) && isJson(media.schema) ? media.schema : undefined;
}

function pathnameOf(url: string): string {
  return URL.canParse(url, "http://host") ? new URL(url, "http://host").pathname.replace(/(?<!\/)\/+$/, "") : "";
}
