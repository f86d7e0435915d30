import { createDifference, type Difference, type Impact } from "./difference.js";
import { compareSchemas, type Documents, findOnlyCandidate, isOpen } from "./schemas.js";
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
export function listOperations(document: Json): ListedOperation[] {
  const [server] = Array.isArray(document.servers) ? document.servers : [];
  const prefix = isJson(server) ? readPathname(String(server.url)) : "";
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
          parameters: readParameters([item.parameters, operation.parameters], document),
        },
      ];
    }),
  );
}

/** Returns the one added operation that differs from a removed one in a single segment, and so may be its new name. */
export function findRenamed(
  listedOperation: ListedOperation,
  listedOperations: readonly ListedOperation[],
): ListedOperation | undefined {
  return findOnlyCandidate(
    listedOperations.filter(
      ({ steps }) =>
        steps.length === listedOperation.steps.length &&
        steps.filter((step, i) => step !== listedOperation.steps[i]).length === 1,
    ),
  );
}

/** Finds the differences of one operation. */
export function compareOperations(ours: ListedOperation, theirs: ListedOperation, documents: Documents): Difference[] {
  return [
    ...compareParameters(ours, theirs, documents),
    ...compareRequests(ours, theirs, documents),
    ...compareResponses(ours, theirs, documents),
  ];
}

function readParameters(lists: readonly unknown[], document: Json): Json[] {
  return lists.flatMap((list) => (Array.isArray(list) ? list : [])).flatMap((one): Json[] => [follow(one, document) ?? {}]);
}

function compareParameters(ours: ListedOperation, theirs: ListedOperation, documents: Documents): Difference[] {
  const getId = (parameter: Json) => `${parameter.in} ${String(parameter.name).toLowerCase()}`;
  const sendable = ({ parameters }: ListedOperation) =>
    parameters.filter((parameter) => parameter.in === "query" || parameter.in === "header");
  const getPlace = (parameter: Json) => ({ at: `${ours.name} ${getId(parameter)}`, part: getId(parameter) });
  const known = sendable(ours);
  const added = sendable(theirs).filter((one) => !known.some((other) => getId(other) === getId(one)));
  const differences = known
    .filter((parameter) => !isOpen(parameter))
    .flatMap((parameter): Difference[] => {
      const here = getPlace(parameter);
      const other = sendable(theirs).find((one) => getId(one) === getId(parameter));
      if (!other) return [createDifference(here, "removed", "is gone")];
      const isNowRequired = other.required === true && parameter.required !== true;
      return [
        ...compareSchemas({ ...here, ours: parameter.schema, theirs: other.schema, direction: "request" }, documents),
        ...(isNowRequired ? [createDifference(here, "required", "is required, was optional")] : []),
      ];
    });
  const newlyRequired = added.filter((one) => one.required === true);
  return [...differences, ...newlyRequired.map((one) => createDifference(getPlace(one), "required", "is new and required"))];
}

function compareRequests(ours: ListedOperation, theirs: ListedOperation, documents: Documents): Difference[] {
  const here = { at: `${ours.name} body`, part: "the body of the request" };
  const [body, other] = [
    readBodySchemas(ours.operation.requestBody, documents.ours),
    readBodySchemas(theirs.operation.requestBody, documents.theirs),
  ];
  if (!body || isOpen(body)) return [];
  if (!other) return [createDifference(here, "removed", "is gone")];
  return compareSchemas({ ...here, ours: body, theirs: other, direction: "request" }, documents);
}

function compareResponses(ours: ListedOperation, theirs: ListedOperation, documents: Documents): Difference[] {
  const [known, listed] = [ours.operation.responses, theirs.operation.responses].map((one) => (isJson(one) ? one : {})) as [
    Json,
    Json,
  ];
  const statuses = Object.keys(listed);
  // a document that lists no errors at all leaves them open
  const listsRefusals = statuses.some((status) => /^[45]/.test(status));
  return Object.entries(known).flatMap(([status, response]): Difference[] => {
    const isSuccess = status.startsWith("2");
    const impact: Impact = isSuccess ? "breaks-callers" : "absent";
    const here = { at: `${ours.name} ${status}`, part: `status ${status}` };
    const shown = follow(response, documents.ours);
    if (isOpen(shown))
      return !isSuccess || statuses.some((one) => one.startsWith("2"))
        ? []
        : [createDifference(here, "removed", "no success is listed")];
    const other = follow(listed[status] ?? listed[`${status[0]}XX`] ?? listed.default, documents.theirs);
    if (!other) return isSuccess || listsRefusals ? [createDifference(here, "removed", "is gone", impact)] : [];
    const [body, theirBody] = [readBodySchemas(shown, documents.ours), readBodySchemas(other, documents.theirs)];
    if (!body || isOpen(body)) return [];
    const within = { at: `${here.at} body`, part: isSuccess ? "the body of the answer" : "the body of the refusal" };
    if (!theirBody) return [createDifference(within, "removed", "is gone", impact)];
    return compareSchemas({ ...within, ours: body, theirs: theirBody, direction: "answer" }, documents);
  });
}

/** Returns the schema of the JSON body of a request or answer. */
function readBodySchemas(holder: unknown, document: Json): Json | undefined {
  const content = follow(holder, document)?.content;
  const [, media] = Object.entries(isJson(content) ? content : {}).find(([type]) => /json/.test(type)) ?? [];
  return isJson(media) && isJson(media.schema) ? media.schema : undefined;
}

function readPathname(url: string): string {
  return URL.canParse(url, "http://host") ? new URL(url, "http://host").pathname.replace(/(?<!\/)\/+$/, "") : "";
}
