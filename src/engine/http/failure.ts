import { MAX_HEADER_BYTES } from "./connections.js";
import type { Failure } from "./exchange.js";

const CERTIFICATE_ERRORS: Record<string, string> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: "is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "is signed by an unknown authority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "is signed by an unknown authority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "is signed by an unknown authority",
  CERT_HAS_EXPIRED: "has expired",
  CERT_NOT_YET_VALID: "is not valid yet",
  ERR_TLS_CERT_ALTNAME_INVALID: "is for another host",
};

/** Converts an error of the HTTP client, TLS or the system to a failure with a readable message. */
export function classifyFailure(error: unknown, timeoutMs: number): Failure {
  const { name = "", code = "", message = String(error) } = error as { name?: string; code?: string; message?: string };
  if (name === "TimeoutError" || /TIMEOUT|ETIMEDOUT/.test(code))
    return { kind: "timeout", message: `no complete answer within ${timeoutMs / 1000} s` };
  if (code === "ECONNREFUSED" || /ECONNREFUSED/.test(message))
    return { kind: "refused", message: "no server listens at this address" };
  if (/ENOTFOUND|EAI_AGAIN/.test(code)) return { kind: "dns", message: "the host name cannot be resolved" };
  if (/^(EHOSTUNREACH|ENETUNREACH)$/.test(code)) return { kind: "refused", message: "no network route to this address" };
  if (/CERT|TLS|SSL|EPROTO|UNABLE_TO_/.test(code))
    return { kind: /VERSION/.test(code) ? "no-tls" : "tls", message: `no trusted TLS connection (${describeCode(code)})` };
  if (code === "UND_ERR_HEADERS_OVERFLOW")
    return { kind: "too-large", message: `the answer's headers are larger than ${MAX_HEADER_BYTES} bytes` };
  if (/^bad (response|upgrade)$/.test(message))
    return { kind: "protocol", message: "the server sent an answer that no request waits for" };
  if (/ECONNRESET|EPIPE|UND_ERR_SOCKET/.test(code) || /Invalid EOF state/.test(message))
    return { kind: "reset", message: "the server closed the connection before the answer was complete" };
  return { kind: "protocol", message };
}

/** Returns an error code such as `ERR_SSL_WRONG_VERSION_NUMBER` in words. The messages of the TLS library are less readable. */
function describeCode(code: string): string {
  const known = CERTIFICATE_ERRORS[code];
  if (known !== undefined) return `its certificate ${known}`;
  return code
    .replace(/^ERR_(SSL|TLS)_/, "")
    .replaceAll("_", " ")
    .toLowerCase();
}
