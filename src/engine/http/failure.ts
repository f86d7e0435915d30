import { MAX_HEADER_BYTES } from "./connections.js";
import type { Failure } from "./exchange.js";

const CERTIFICATE_WORDS: Record<string, string> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: "is signed by itself",
  SELF_SIGNED_CERT_IN_CHAIN: "is signed by an unknown authority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "is signed by an unknown authority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "is signed by an unknown authority",
  CERT_HAS_EXPIRED: "has expired",
  CERT_NOT_YET_VALID: "is not valid yet",
  ERR_TLS_CERT_ALTNAME_INVALID: "is for another host",
};

/** What an error of the HTTP client, of TLS or of the system means, in words for a report. */
export function failureOf(error: unknown, timeoutMs: number): Failure {
  const { name = "", code = "", message = String(error) } = error as { name?: string; code?: string; message?: string };
  if (name === "TimeoutError" || /TIMEOUT|ETIMEDOUT/.test(code))
    return { kind: "timeout", message: `no whole answer within ${timeoutMs / 1000} s` };
  if (code === "ECONNREFUSED" || /ECONNREFUSED/.test(message))
    return { kind: "refused", message: "nobody listens at this address" };
  if (/ENOTFOUND|EAI_AGAIN/.test(code)) return { kind: "dns", message: "the host name is not known" };
  if (/^(EHOSTUNREACH|ENETUNREACH)$/.test(code)) return { kind: "refused", message: "there is no way to this address" };
  if (/CERT|TLS|SSL|EPROTO|UNABLE_TO_/.test(code))
    return { kind: /VERSION/.test(code) ? "no-tls" : "tls", message: `no trusted TLS connection (${wordsOf(code)})` };
  if (code === "UND_ERR_HEADERS_OVERFLOW")
    return { kind: "too-large", message: `the answer's headers are larger than ${MAX_HEADER_BYTES} bytes` };
  if (/^bad (response|upgrade)$/.test(message))
    return { kind: "protocol", message: "an answer came that no request is waiting for" };
  if (/ECONNRESET|EPIPE|UND_ERR_SOCKET/.test(code))
    return { kind: "reset", message: "the server closed the connection before the whole answer was there" };
  return { kind: "protocol", message };
}

/** `ERR_SSL_WRONG_VERSION_NUMBER` in words: what the TLS library says in its messages is of no use to a reader. */
function wordsOf(code: string): string {
  const known = CERTIFICATE_WORDS[code];
  if (known !== undefined) return `its certificate ${known}`;
  return code
    .replace(/^ERR_(SSL|TLS)_/, "")
    .replaceAll("_", " ")
    .toLowerCase();
}
