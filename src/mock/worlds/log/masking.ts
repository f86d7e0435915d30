import { createMessageMask } from "../../../common/masking/message-mask.js";
import type { LogEntry } from "./entry.js";

const ownKey = /^mock_[A-Za-z0-9_-]+$/;
const ownSession = /^([A-Za-z0-9-]{1,63}_)?[a-z]{1,20}(_[a-z]{1,20})*$/;

/**
 * Returns an entry of the log without secrets, to show, record or store it. Keys and sessions of the mock stay, because a replay needs
 * them. They are valid only in this mock.
 */
export function maskEntry(entry: LogEntry): LogEntry {
  if (!("call" in entry)) return entry;
  const { headers, url, received } = entry.call;
  const mask = createMessageMask({ keeps: isMockToken });
  mask.learnHeaders(headers);
  mask.learn(url);
  const { body } = received;
  if (body.kind === "json") mask.learn(body.value);
  const hiddenReceivedBody = body.kind === "json" ? { ...received, body: mask.hide(body) } : received;
  return {
    ...entry,
    call: { ...entry.call, url: mask.hide(url), headers: mask.headerPairs(headers), received: hiddenReceivedBody },
  };
}

function isMockToken(value: string, name: string): boolean {
  if (/^mcp-session-id$/i.test(name)) return true;
  return ownKey.test(value) || (name === "session" && ownSession.test(value));
}
