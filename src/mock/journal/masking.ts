import { createMessageMask, type MessageMask } from "../../common/masking/message-mask.js";

/** What all keys of a mock begin with. */
const ownPrefix = "mock_";

/** Makes a mask for what users see: the keys of the mock are hidden too. */
export function openShownMask(): MessageMask {
  return createMessageMask({ ownPrefix });
}

const shown = openShownMask();

/** Returns a text or a value of JSON without the mock's keys and without values under the names of secrets. */
export function maskContent<T>(content: T): T {
  return shown.hide(content);
}
