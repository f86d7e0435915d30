import { createMessageMask, type MessageMask } from "../../common/masking/message-mask.js";

/** The prefix of all keys of a mock. */
const ownPrefix = "mock_";

/** Returns a mask for texts that users see. It also hides the keys of the mock. */
export function openShownMask(): MessageMask {
  return createMessageMask({ ownPrefix });
}

const messageMask = openShownMask();

/** Returns a text or JSON value without the keys of the mock and without values whose names mean secrets. */
export function maskContent<T>(content: T): T {
  return messageMask.hide(content);
}
