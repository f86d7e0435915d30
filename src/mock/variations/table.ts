import { contract } from "../../contract/load.js";
import type { VariationName } from "../../contract/types.js";
import { bendByCases } from "./cases.js";
import { disguiseCursor } from "./cursors.js";
import { beOut, type Early, waitEarly } from "./early-refusals.js";
import { delayRetry, dropHeaders, moveDetails, renameCode, stretchMessage } from "./errors.js";
import { addFields, addLocations, addNulls, dropFields, renameBands, rewriteTimes, writeDollars } from "./fields.js";
import type { Vary, Write } from "./variation.js";
import { addHeaders, capitalise, escapeSigns, indent, reorder, respellType } from "./writing.js";

/** How a variation comes about. */
export type Variation =
  | { early: Early }
  | { bend: Vary; steady?: true }
  | { write: Write }
  /** Applied elsewhere: options when a world is created, and lists and forms of the tool server. */
  | "elsewhere";

const { statuses, refusals } = contract.legalVariations.variations;

/** Each variation of `spec/variations.json`, in the order in which they apply. A steady one is the same for all calls of a world. */
export const variationTable: Readonly<Record<VariationName, Variation>> = {
  "brief-503": { early: beOut },
  "early-429": { early: waitEarly },
  refusals: { bend: bendByCases(refusals.cases ?? []) },
  "uninvited-locations": { bend: addLocations },
  "fewer-fields": { bend: dropFields },
  nulls: { bend: addNulls },
  timestamps: { bend: rewriteTimes, steady: true },
  "decimals-as-text": { bend: writeDollars, steady: true },
  bands: { bend: renameBands, steady: true },
  cursors: { bend: disguiseCursor },
  codes: { bend: renameCode, steady: true },
  messages: { bend: stretchMessage },
  "error-places": { bend: moveDetails },
  "extra-fields": { bend: addFields },
  "late-retry-after": { bend: delayRetry },
  "fewer-headers": { bend: dropHeaders },
  "extra-headers": { bend: addHeaders },
  statuses: { bend: bendByCases(statuses.cases ?? []) },
  "media-types": { bend: respellType },
  "key-order": { bend: reorder },
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
