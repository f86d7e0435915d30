import { expect, test } from "vitest";
import { classifyFailure } from "../../../src/engine/http/failure.js";

test.each([
  ["ECONNREFUSED", "refused", "no server listens"],
  ["ENOTFOUND", "dns", "host name"],
  ["CERT_HAS_EXPIRED", "tls", "its certificate has expired"],
  ["ERR_SSL_WRONG_VERSION_NUMBER", "no-tls", "wrong version number"],
  ["UND_ERR_SOCKET", "reset", "closed the connection"],
  ["UND_ERR_HEADERS_OVERFLOW", "too-large", "headers"],
])("the error %s is a failure of kind %s", (code, kind, words) => {
  const failure = classifyFailure({ code }, 1000);
  expect(failure).toMatchObject({ kind, message: expect.stringContaining(words) });
});

test("an answer that ends too early is a closed connection", () => {
  const failure = classifyFailure({ message: "Response does not match the HTTP/1.1 protocol (Invalid EOF state)" }, 1000);
  expect(failure).toMatchObject({ kind: "reset", message: expect.stringContaining("closed the connection") });
});
