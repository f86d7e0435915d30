import type { Rule } from "./rule.js";
import { cursorRules } from "./rules/cursors.js";
import { formRules } from "./rules/form.js";
import { keyRules } from "./rules/keys.js";
import { meaningRules } from "./rules/meaning.js";
import { waitingRules } from "./rules/waiting.js";
import { workRules } from "./rules/work.js";

/** Every rule that the contract has for clients and that traffic can show. */
export const rules: readonly Rule[] = [...formRules, ...meaningRules, ...workRules, ...cursorRules, ...waitingRules, ...keyRules];
