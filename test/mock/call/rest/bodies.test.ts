import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RouteName } from "../../../../src/contract/types.js";
import { bodilessRoutes, bodyRoutes, getBodySchema, needsBody, validBody, validRequest, withBody } from "./bases.js";
import { expectOutcomes, openService, type RequestParts, type Service } from "./service.js";

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

const maxBodyBytes = 1_048_576;
const deep = 100_000;
const getJson = (requestParts: RequestParts) => String(requestParts.body ?? "{}");
const nested = (levels: number, open: string, close: string) => open.repeat(levels) + close.repeat(levels);

const notJson: [says: string, body: string | Buffer][] = [
  ["an open brace", "{"],
  ["blanks", "   "],
  ["single quotes", "{'a':1}"],
  ["bare names", "{a:1}"],
  ["an extra comma", "[1,]"],
  ["a comment", "{}//"],
  ["two values", "{}{}"],
  ["NaN", "NaN"],
  ["a form", "workflow=audit&params={}"],
  ["XML", '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'],
  ["a raw line break in a string", '{"a":"\n"}'],
  ["a NUL", "\u0000"],
  ["JSON with a NUL at its end", "{}\u0000"],
  ["a prototype's name", "__proto__"],
  ["Latin-1", Buffer.from([0x7b, 0x22, 0xe9, 0x22, 0x3a, 0x31, 0x7d])],
  ["a surrogate in UTF-8", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
  ["an overlong form", Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
  ["UTF-16", Buffer.from("\ufeff{}", "utf16le")],
  ["gzip without Content-Encoding", gzipSync("{}")],
  ["arrays 100,000 deep", nested(deep, "[", "]")],
  ["objects 100,000 deep", `${nested(deep, '{"a":', "}").replace(":}", ":1}")}`],
  ["arrays 100,000 deep without an end", "[".repeat(deep)],
  ["objects 100,000 deep without an end", '{"a":'.repeat(deep)],
  ["a field 65 deep", `{"a":${nested(64, "[", "]")}}`],
];

const otherTypes = [
  "",
  "json",
  "text/plain",
  "text/json",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "application/xml",
  "application/octet-stream",
  "application/problem+json",
  "application/merge-patch+json",
  "application/jsonp",
  "application/json, text/plain",
  "*/*",
  "__proto__",
];

const sameType = [
  "application/json; charset=utf-8",
  "Application/JSON;charset=UTF-8",
  'application/json ; charset="utf-8"; x=y',
  "application/json;",
  "application/json; charset=iso-8859-1",
];

describe.each(bodyRoutes)("the body of %s", (route) => {
  const requestParts = validRequest(route);
  const conforming = async () => service.outcomeOf({ ...requestParts, body: getJson(requestParts) });

  it("is refused if it is not JSON in UTF-8, or nested too deeply", () =>
    expectOutcomes(
      service,
      notJson.map(([says, body]) => ({ says, asked: { ...requestParts, body }, answers: ["bad_request"] })),
    ));

  it("is refused above 1 MiB, with any content", () =>
    expectOutcomes(
      service,
      [
        JSON.stringify({ ...validBody(route), nothing: "x".repeat(maxBodyBytes) }),
        `${getJson(requestParts)}${" ".repeat(maxBodyBytes)}`,
        `[${"1,".repeat(maxBodyBytes / 2)}1]`,
        "[".repeat(maxBodyBytes + 1),
        "x".repeat(3 * maxBodyBytes),
      ].map((body) => ({ says: body.slice(0, 20), asked: { ...requestParts, body }, answers: ["payload_too_large"] })),
    ));

  it("is accepted up to 1 MiB and 64 levels, with a byte order mark, and with half a surrogate pair as an escape", async () => {
    const body = getJson(requestParts);
    const more = (field: string) => body.replace(/^\{/, body === "{}" ? `{${field}` : `{${field},`);
    const validOutcome = await conforming();
    await expectOutcomes(service, [
      { says: "just 1 MiB", asked: { ...requestParts, body: body.padEnd(maxBodyBytes) }, answers: [validOutcome] },
      { says: "64 levels", asked: { ...requestParts, body: more(`"nothing":${nested(63, "[", "]")}`) }, answers: [validOutcome] },
      { says: "a byte order mark", asked: { ...requestParts, body: `\ufeff${body}` }, answers: [validOutcome] },
      { says: "half a pair", asked: { ...requestParts, body: more('"\\ud800":"\\udfff"') }, answers: [validOutcome] },
    ]);
  });

  it("is an object, if it has a schema", async () => {
    const responses = getBodySchema(route) ? ["invalid_payload"] : [await conforming()];
    const values = [null, [], [{}], [[]], 3, -0, 1e308, true, false, '""', '"x"', '"{}"', '"__proto__"'];
    await expectOutcomes(
      service,
      values.map((value) => ({ says: String(value), asked: withBody(route, value), answers: responses })),
    );
  });

  it("may be missing only if it is optional, with and without a type", async () => {
    const { body: _, ...without } = requestParts;
    const { "content-type": __, ...untyped } = requestParts.headers;
    const responses = needsBody(route) ? ["invalid_payload"] : [await conforming()];
    await expectOutcomes(service, [
      { says: "no body", asked: without, answers: responses },
      { says: "no body and no type", asked: { ...without, headers: untyped }, answers: responses },
      {
        says: "an empty body of another type",
        asked: { ...without, headers: { ...untyped, "content-type": "text/plain" } },
        answers: responses,
      },
    ]);
  });

  it("is refused with another type, no type, or a content coding", () => {
    const { "content-type": type, ...untyped } = requestParts.headers;
    const body = getJson(requestParts);
    const under = (headers: RequestParts["headers"], bytes: string | Buffer = body) => ({
      ...requestParts,
      headers: { ...untyped, ...headers },
      body: bytes,
    });
    const encodedRequests = ["gzip", "br", "deflate", "identity, gzip", "__proto__"].map((coding) =>
      under({ "content-type": type!, "content-encoding": coding }, gzipSync(body)),
    );
    const typed = otherTypes.map((other) => under({ "content-type": other }));
    return expectOutcomes(
      service,
      [under({}), ...typed, ...encodedRequests].map((request) => ({
        says: JSON.stringify(request.headers),
        asked: request,
        answers: ["unsupported_media_type"],
      })),
    );
  });

  it("is accepted with every spelling of its type", async () => {
    const validOutcome = await conforming();
    await expectOutcomes(
      service,
      sameType.map((type) => ({
        says: type,
        asked: { ...requestParts, headers: { ...requestParts.headers, "content-type": type }, body: getJson(requestParts) },
        answers: [validOutcome],
      })),
    );
  });
});

describe.each(bodilessRoutes)("a body sent with %s", (route) => {
  it("is ignored, with any content", async () => {
    const validOutcome = await service.outcomeOf(validRequest(route));
    const bodies = ["{", "null", "[]", "\u0000", gzipSync("x"), nested(deep, "[", "]"), "x".repeat(2 * maxBodyBytes)];
    await expectOutcomes(
      service,
      bodies.map((body) => ({
        says: String(body).slice(0, 20),
        asked: { ...validRequest(route), body },
        answers: [validOutcome],
      })),
    );
  });
});

describe("a refusal of a body", () => {
  it("comes after authentication and before validation", async () => {
    const route: RouteName = "POST /api/repos/{owner}/{repo}/{branch}/jobs";
    const badRequestParts = withBody(route, "{");
    expect(await service.outcomeOf({ ...badRequestParts, headers: { "content-type": "text/plain" } })).toBe("missing_key");
    expect(await service.outcomeOf({ ...badRequestParts, path: "/api/nowhere" })).toBe("not_found");
    expect(
      await service.outcomeOf({
        ...badRequestParts,
        headers: { ...badRequestParts.headers, authorization: "Bearer mock_viewer" },
      }),
    ).toBe("bad_request");
  });
});
