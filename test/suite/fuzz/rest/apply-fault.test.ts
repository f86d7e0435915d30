import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileSchema } from "../../../../src/contract/load.js";
import type { WireRequest } from "../../../../src/engine/http/exchange.js";
import { interpolate, isRecord } from "../../../../src/engine/scenario/interpolate.js";
import { type Fault, nameFault } from "../../../../src/suite/fuzz/faults/fault.js";
import { listFaults } from "../../../../src/suite/fuzz/faults/fault-cases.js";
import { listOperations, type Operation } from "../../../../src/suite/fuzz/faults/operation.js";
import { describeMissingFault } from "../../../../src/suite/fuzz/faults/sent-fault.js";
import { applyFault, findWireName } from "../../../../src/suite/fuzz/rest/apply-fault.js";
import { createValidRequest } from "../../../../src/suite/fuzz/rest/valid-request.js";
import { sampled } from "../../../meta/sample.js";
import { findChecks, sent } from "../sending.js";

const seeds = [0, 1, 2, 3, 7, 50];

/** A body with the names that the document has for its fields. */
function documented(operation: Operation, body: unknown): Record<string, unknown> {
  const names = new Map(
    Object.keys(operation.body?.properties ?? {}).map((name) => [interpolate(findWireName(operation, name), findChecks), name]),
  );
  return Object.fromEntries(Object.entries(isRecord(body) ? body : {}).map(([name, value]) => [names.get(name) ?? name, value]));
}

function getParts({ method, url, headers, body }: WireRequest): Record<string, unknown> {
  const { pathname, searchParams } = new URL(url);
  const query = Object.fromEntries([...new Set(searchParams.keys())].map((name) => [`query ${name}`, searchParams.getAll(name)]));
  const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [`header ${name}`, value]));
  return { method, pathname, ...query, ...named, body: body && Buffer.from(body).toString("latin1") };
}

function differences(wireRequest: WireRequest, otherWireRequest: WireRequest): string[] {
  const [a, b] = [getParts(wireRequest), getParts(otherWireRequest)];
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter(
    (part) => JSON.stringify(a[part]) !== JSON.stringify(b[part]),
  );
}

/** The parts of a request that a fault of a kind may differ in; a credential takes the place of another. */
function mayDiffer(fault: Fault): RegExp {
  switch (fault.kind) {
    case "none":
      return /^$/;
    case "twice":
      return new RegExp(`^query ${fault.name}$`);
    case "method":
      return /^method$/;
    case "unknown":
    case "segment":
      return /^pathname$/;
    case "content":
      return /^(body|header content-type)$/; // an operation of no fields has no body otherwise
    case "header":
      return new RegExp(`^header ${fault.name}$`);
    case "credential":
      return /^header (authorization|cookie)$/;
    default:
      return fault.in === "query" ? /^query / : /^(body|header content-type)$/;
  }
}

// Each run draws 7 of the 27 operations: about 15 commits try all.
describe.each(sampled(listOperations(), 7))("$route", (operation) => {
  const faults = listFaults(operation);
  const drawnFaults = faults.flatMap((fault) => fc.sample(fault, { numRuns: 6, seed: 11 }));

  test("has valid requests that match its schema, for every seed", () => {
    const { body } = operation;
    for (const seed of seeds) {
      const request = createValidRequest(operation, seed);
      const takes = body && compileSchema(body.schema);
      expect(!takes || takes(documented(operation, interpolate(request.json, findChecks))), JSON.stringify(takes?.errors)).toBe(
        true,
      );
    }
  });

  test("differs by a fault in one place only, which is visible in the bytes", () => {
    for (const [index, fault] of drawnFaults.entries()) {
      const request = createValidRequest(operation, seeds[index % seeds.length] as number);
      const [plain, faulty] = [sent(request), sent(applyFault({ operation, request, look: findChecks }, fault))];
      const differs = differences(plain, faulty);
      expect(
        differs.filter((part) => !mayDiffer(fault).test(part)),
        nameFault(fault),
      ).toEqual([]);
      const fields = interpolate(request.json ?? {}, findChecks) as Record<string, unknown>;
      const intended = {
        named: (name: string) => String(interpolate(findWireName(operation, name), findChecks)),
        fields,
        look: findChecks,
      };
      expect(describeMissingFault(fault, faulty, intended), nameFault(fault)).toBeUndefined();
      if (differs.length > 0) expect(describeMissingFault(fault, plain, intended), nameFault(fault)).toBeTypeOf("string");
    }
  });

  test("is invalid in one field only, by its schema, if a field is wrong", () => {
    const { body } = operation;
    if (!body) return;
    const takes = compileSchema(body.schema);
    const inBody = drawnFaults.filter((fault) => (fault.kind === "wrong" || fault.kind === "missing") && fault.in === "body");
    for (const fault of inBody) {
      if (!("name" in fault) || (fault.kind === "wrong" && /word|past|address|raised|cleared/.test(fault.how))) continue; // no schema says those
      const request = applyFault({ operation, request: createValidRequest(operation, 1), look: findChecks }, fault);
      takes(documented(operation, interpolate(request.json, findChecks)));
      const fields = takes.errors?.map(({ instancePath, params }) => params.missingProperty ?? instancePath.split("/")[1]);
      expect([...new Set(fields)], nameFault(fault)).toEqual([fault.name]);
    }
  });

  test("matches its schema at the boundaries", () => {
    const { body } = operation;
    if (!body) return;
    const takes = compileSchema(body.schema);
    for (const fault of drawnFaults) {
      if ((fault.kind !== "edge" && fault.kind !== "text") || fault.in !== "body") continue;
      const request = applyFault({ operation, request: createValidRequest(operation, 1), look: findChecks }, fault);
      const text = request.json ?? JSON.parse(String(request.body));
      expect(takes(documented(operation, interpolate(text, findChecks))), nameFault(fault)).toBe(true);
    }
  });
});
