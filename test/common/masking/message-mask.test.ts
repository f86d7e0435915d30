import { describe, expect, test } from "vitest";
import { createMessageMask } from "../../../src/common/masking/message-mask.js";
import { isSecretName } from "../../../src/common/masking/secret-names.js";

const SECRET = "hush-hush-4711";
const names = [
  ...[
    "access_token",
    "refresh_token",
    "id_token",
    "api_key",
    "apiKey",
    "password",
    "new_password",
    "client_secret",
    "clientSecret",
  ],
  ...[
    "private_key",
    "passphrase",
    "credentials",
    "session_id",
    "jwt",
    "code_verifier",
    "client_assertion",
    "secret",
    "token",
    "key",
  ],
];

describe("a message mask", () => {
  test("hides the user and password of Basic, and each part of a JWT, when they stand alone", () => {
    const mask = createMessageMask();
    const basic = Buffer.from("someone:hunter-of-words").toString("base64");
    const [payload, signature] = [Buffer.from('{"sub":"somebody"}').toString("base64url"), "signatureOfLettersAlone"];
    mask.learnHeaders(["Authorization", `Basic ${basic}`, "Authorization", `Bearer eyJhbGciOiJub25lIn0.${payload}.${signature}`]);
    for (const secret of ["hunter-of-words", "someone:hunter-of-words", basic, payload, signature])
      expect(mask.hide(`see ${secret}.`)).toBe("see ***.");
  });

  test("hides a JWT that it has not seen before", () => {
    const jwt = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${Buffer.from('{"sub":"x"}').toString("base64url")}`;
    const mask = createMessageMask();
    for (const text of [`${jwt}.c2lnbmF0dXJl`, `${jwt}.`])
      expect(mask.hide({ note: `see ${text} now` })).toEqual({ note: "see *** now" });
    for (const text of ["eyJhbGciOiJub25lIn0", "eyJ.a.b", "eyJ.eyJ", "eyJeyJ"]) expect(mask.hide(text)).toBe(text);
  });

  test.each(["Bearer", "bearer "])("hides a token after %s in a sentence, and no word or placeholder", (scheme) => {
    const mask = createMessageMask();
    const token = "sk.live~9f8a+7b6c/5d-4e==";
    expect(mask.hide({ message: `The key ${scheme} ${token} is revoked` })).toEqual({
      message: `The key ${scheme} *** is revoked`,
    });
    for (const text of ["Bearer authentication is needed", "Authorization: Bearer <API_KEY>", "a bearer of-16-letters x"])
      expect(mask.hide(text)).toBe(text);
    expect(createMessageMask({ keeps: () => true }).hide(`Bearer ${token}`)).toBe(`Bearer ${token}`);
  });

  test("hides the value of `pass` and no result of a check", () => {
    expect(createMessageMask().hide({ user: "me", pass: SECRET })).toEqual({ user: "me", pass: "***" });
    for (const text of ["pass: 3 of 4", "the checks pass: all"]) expect(createMessageMask().hide(text)).toBe(text);
  });

  test.each(["name", "key", "header", "field"])("hides the value of a pair whose `%s` is the name of a secret", (field) => {
    const mask = createMessageMask();
    const pair = { [field]: "password", value: SECRET, note: "password" };
    mask.learn(pair);
    expect(mask.hide([pair, { text: SECRET }, "password"])).toEqual([
      { [field]: "password", value: "***", note: "password" },
      { text: "***" },
      "password",
    ]);
    expect(mask.hide({ [field]: "colour", value: "red" })).toEqual({ [field]: field === "key" ? "***" : "colour", value: "red" });
  });

  test.each(names)("hides the value of %s in an entry of a list of headers, and in a path", (name) => {
    const mask = createMessageMask();
    const entry = { headers: [[name, SECRET]] };
    mask.learn(entry);
    expect(mask.hide([entry, { text: SECRET }])).toEqual([{ headers: [[name, "***"]] }, { text: "***" }]);
    const path = `https://host/v1/${name}/${SECRET}/more?page=2`;
    expect(createMessageMask().hide(path)).toBe(`https://host/v1/${name}/***/more?page=2`);
  });

  test("shows words after the name of a secret: a list of fields, and a path", () => {
    const content = [{ required: ["password", "user_name"] }, "/users/password/reset", ["token", "a", "b"], "/api/keys/7"];
    expect(createMessageMask().hide(content)).toEqual(content);
  });

  test.each(names)("hides the value of %s in JSON, forms, URLs and texts", (name) => {
    const mask = createMessageMask();
    const json = { before: 1, [name]: SECRET, list: [{ [name]: [SECRET] }], text: JSON.stringify({ [name]: SECRET, x: "" }) };
    expect(mask.hide(json)).toEqual({
      ...{ before: 1, [name]: "***", list: [{ [name]: ["***"] }] },
      text: JSON.stringify({ [name]: "***", x: "" }),
    });
    const encoded = encodeURIComponent(name).replaceAll("_", "%5F");
    for (const one of [name, encoded]) expect(mask.hide(`/a?x=1&${one}=${SECRET}&y=2#z`)).toBe(`/a?x=1&${one}=***&y=2#z`);
    expect(mask.hide(`data: ${JSON.stringify(JSON.stringify({ [name]: SECRET }))}`)).not.toContain(SECRET);
  });

  test.each(["Authorization", "Proxy-Authorization", "X-Api-Key", "X-Auth-Token", "Cookie", "Set-Cookie"])("hides %s", (name) => {
    const value = /cookie/i.test(name) ? `id=${SECRET}` : SECRET;
    const mask = createMessageMask();
    expect(JSON.stringify(mask.headers([name, value]))).not.toContain(SECRET);
    mask.learnHeaders([name, value]);
    expect(mask.hide(`it was ${SECRET}`)).toBe("it was ***");
  });

  test("keeps the scheme of a credential and the name of a cookie", () => {
    const headers = ["Authorization", "Bearer abcdefgh", "Cookie", "a=one; b=two"];
    expect(createMessageMask().headers(headers)).toEqual({ authorization: "Bearer ***", cookie: "a=***; b=***" });
  });

  const letters = "correcthorsebattery";
  const pair = Buffer.from(`me:${letters}`).toString("base64");
  test.each([
    ["the user of an address without a scheme", `see //me:${letters}@host/a`, "see //***@host/a"],
    ["the user of an address of another scheme", `redis://:${letters}@host:1/0`, "redis://***@host:1/0"],
    ["a form", `a=1&password=${letters}&b=2`, "a=1&password=***&b=2"],
    ["a path", `/v1/token/${letters}/x`, "/v1/token/***/x"],
    ["a path of 12 letters", "/token/abcdefghijkl", "/token/***"],
    ["a name with a JSON escape", `{"pass\\u0077ord":"${letters}"}`, '{"pass\\u0077ord":"***"}'],
    [
      "a name with an escape, in JSON in JSON",
      `"{\\"api\\\\u005fkey\\":\\"${letters}\\"}"`,
      '"{\\"api\\\\u005fkey\\":\\"***\\"}"',
    ],
    ["a name with an escape of URLs", `api%5Fkey=${letters}`, "api%5Fkey=***"],
    ["YAML", `user: me\n  password: ${letters}\nb: c`, "user: me\n  password: ***\nb: c"],
    ["YAML with six letters", "password: hunter", "password: ***"],
    ["a list in YAML", `- client_secret: ${letters}\n`, "- client_secret: ***\n"],
    [
      "a field of a form in parts",
      `--b\r\nContent-Disposition: form-data; name="password"\r\n\r\n${letters}\r\n--b--`,
      '--b\r\nContent-Disposition: form-data; name="password"\r\n\r\n***\r\n--b--',
    ],
    [
      "a form in parts without an end",
      `Content-Disposition: form-data; name=api_key\nX: y\n\n${letters}`,
      "Content-Disposition: form-data; name=api_key\nX: y\n\n***",
    ],
    ["Basic without the name of its header", `send Basic ${pair} to it`, "send Basic *** to it"],
    ["a list of headers", [["X-Api-Key", letters]], [["X-Api-Key", "***"]]],
    ["an element", `<user>me</user><password>${letters}</password>`, "<user>me</user><password>***</password>"],
    ["an element with a namespace and an attribute", `<a:Secret b="c">${letters}</a:Secret>`, '<a:Secret b="c">***</a:Secret>'],
    ["an element with CDATA", `<token><![CDATA[a<${letters}]]></token>`, "<token><![CDATA[***]]></token>"],
    ["an element in JSON", { xml: `<password>${letters}<\\/password>` }, { xml: "<password>***<\\/password>" }],
    ["an option", `login --password ${letters} --user me`, "login --password *** --user me"],
    ["an option with quotes", `x --api-key "${letters} y" z`, 'x --api-key "***" z'],
    ["an option with an equals sign", `x --token=${letters} z`, "x --token=*** z"],
    ["an option -p of a client", `mysql -u me -p ${letters} db`, "mysql -u me -p *** db"],
    ["a list of arguments", ["x", "--password", letters, "y"], ["x", "--password", "***", "y"]],
    ["an environment variable", `DB_PASSWORD=${letters} PASSWORD=x run`, "DB_PASSWORD=*** PASSWORD=*** run"],
  ])("hides a secret of letters in %s", (_, content: unknown, hidden: unknown) => {
    expect(createMessageMask().hide(content)).toEqual(hidden);
  });

  test.each([
    "password: string",
    "the token: expired",
    "token: must be a string",
    "session: closed",
    "key: value",
    "/acme/token/main/jobs",
    "/token/introspect",
    "//cdn.example/npm/@scope/pkg@1.2.3",
    "a // comment: see me@example.com",
    "Basic authentication",
    'form-data; name="title"\n\ntext',
    "--- password\n",
    "key=value",
    "sort by key=name or pin=none",
    "<password/><password></password><password>string</password>",
    "<Key>report</Key>",
    "tsc -p tsconfig.json; mkdir -p dir; --port 4010",
    "--password must be set",
    "--api-key <KEY> --token $API_TOKEN",
    "send <API_KEY> to <b>it</b>",
    "-H 'authorization: Bearer $API_KEY'",
  ])("shows %s", (text) => {
    expect(createMessageMask().hide(text)).toBe(text);
  });

  test("shows schemas under the name of a secret, but not their values", () => {
    const schema = { type: "string", description: "A key.", default: "hush-hush", examples: ["hush-hush"] };
    const content = { "/api/keys": { get: "listKeys" }, properties: { password: schema, token: { $ref: "#/a" } } };
    const shown = { ...schema, default: "***", examples: ["***"] };
    expect(createMessageMask().hide(content)).toEqual({ ...content, properties: { ...content.properties, password: shown } });
  });

  test("keeps JSON valid when a secret is empty", () => {
    const text = '{"password":"","name":"x"}';
    expect(createMessageMask().hide(text)).toBe(text);
  });

  test("hides the password of an address", () => {
    expect(createMessageMask().hide("see https://me:pass@host/a")).toBe("see https://***@host/a");
  });

  test("hides the server's keys by their prefix, and keeps the exceptions", () => {
    expect(createMessageMask({ ownPrefix: "own_" }).hide(["own_abc!", { key: "own_abc" }])).toEqual([
      "own_***!",
      { key: "own_***" },
    ]);
    const mask = createMessageMask({ keeps: (value) => value === "kept" });
    expect(mask.headerPairs(["Authorization", "Bearer kept", "Cookie", "a=kept; b=not"])).toEqual([
      ...["Authorization", "Bearer kept", "Cookie", "a=kept; b=***"],
    ]);
  });

  test("stops at 1000 levels", () => {
    const deep = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
    expect(JSON.stringify(createMessageMask().hide(deep))).toContain("too deep");
  });
});

test.each([
  "cursor",
  "next_page_token",
  "page_token",
  "idempotency-key",
  "key_id",
  "token_type",
  "password_expires_at",
  "total_tokens",
  "status",
])("%s is not a name of a secret", (name) => expect(isSecretName(name)).toBe(false));
