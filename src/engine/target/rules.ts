/** Where one contract has what a target file need not name. */
export interface TargetRules {
  /** Path of the tool server on the API host, with a slash at its end. */
  toolServerPath: string;
  /** Path at which a server may describe itself, as a target file does. */
  selfDescriptionPath: string;
}
