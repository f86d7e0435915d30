/** A text that breaks (or keeps) a rule, and the findings it must give. */
export type Case = [what: string, path: string, text: string, ...findings: string[]];

/** Files that together break (or keep) a rule, and the findings they must give. */
export type HouseCase = [what: string, files: Record<string, string>, ...findings: string[]];
