import { contract } from "../../contract/load.js";
import type { VariationName } from "../../contract/types.js";
import { varyByCases } from "./cases.js";
import { disguiseCursor } from "./cursors.js";
import { type EarlyRefusal, refuseEarly, simulateOutage } from "./early-refusals.js";
import { delayRetry, dropHeaders, moveDetails, renameCode, stretchMessage } from "./errors.js";
import { addFields, addLocations, addNulls, dropFields, renameBands, rewriteTimes, writeDollars } from "./fields.js";
import type { VariationFunction, Write } from "./variation.js";
import { addHeaders, capitalise, escapeSigns, indent, reorder, respellType } from "./writing.js";

/** How a variation is applied. */
export type Variation =
  | { early: EarlyRefusal }
  | { vary: VariationFunction; steady?: true }
  | { write: Write }
  /** Applied in other places: options when a world is created, and lists and forms of the tool server. */
  | "elsewhere";

const { statuses, refusals } = contract.legalVariations.variations;

/** Each variation of `spec/variations.json`, in the order of application. A steady variation is the same for all calls of a world. */
export const variationTable: Readonly<Record<VariationName, Variation>> = {
  "brief-503": { early: simulateOutage },
  "early-429": { early: refuseEarly },
  refusals: { vary: varyByCases(refusals.cases ?? []) },
  "uninvited-locations": { vary: addLocations },
  "fewer-fields": { vary: dropFields },
  nulls: { vary: addNulls },
  timestamps: { vary: rewriteTimes, steady: true },
  "decimals-as-text": { vary: writeDollars, steady: true },
  bands: { vary: renameBands, steady: true },
  cursors: { vary: disguiseCursor },
  codes: { vary: renameCode, steady: true },
  messages: { vary: stretchMessage },
  "error-places": { vary: moveDetails },
  "extra-fields": { vary: addFields },
  "late-retry-after": { vary: delayRetry },
  "fewer-headers": { vary: dropHeaders },
  "extra-headers": { vary: addHeaders },
  statuses: { vary: varyByCases(statuses.cases ?? []) },
  "media-types": { vary: respellType },
  "key-order": { vary: reorder },
  "json-whitespace": { write: indent },
  "json-escapes": { write: escapeSigns },
  "header-case": { write: capitalise },
  "page-sizes": "elsewhere",
  "rate-windows": "elsewhere",
  "tool-rate": "elsewhere",
  dedupe: "elsewhere",
  "key-reuse": "elsewhere",
  findings: "elsewhere",
  "slow-dispatch": "elsewhere",
  "tool-lists": "elsewhere",
  "tool-speech": "elsewhere",
  "tool-events": "elsewhere",
};
