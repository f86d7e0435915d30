/** Where one contract has what a target file need not name, and what such a file can name. */
export interface TargetRules {
  /** Path of the tool server on the API host, with a slash at its end. */
  toolServerPath: string;
  /** Path at which a server may describe itself, as a target file does. */
  selfDescriptionPath: string;
  /** Path that every route begins with: an address that ends in it is one too long. */
  basePath?: string;
  /** Path of the description on the docs host: an address that ends in it is one too long, too. */
  docsPath?: string;
  /** What the scenarios of the contract ask of target files by name. */
  names?: TargetNames;
}

/** Names that target files can hold where their form leaves names open, each with what it is. */
export interface TargetNames {
  keys: Readonly<Record<string, NameText>>;
  sessions: Readonly<Record<string, NameText>>;
  drive: Readonly<Record<string, NameText>>;
  bindings: Readonly<Record<string, BindingText>>;
  /** Tools by their purpose. */
  tools: Readonly<Record<string, ToolNames>>;
  /** Arguments of tools that can stand together in one, by the name of that one. */
  joined: Readonly<Record<string, CombinedArguments>>;
}

/** What a name of a target file is, for whoever writes the file. */
export interface NameText {
  says: string;
}

/** What a binding is. */
export interface BindingText extends NameText {
  /** Its parts, when it has any: all are needed, or each is of use by itself. */
  parts?: { needed: "all" | "each"; names: readonly string[] };
  /** What it may look like. */
  example: unknown;
}

/** How to know a tool of a purpose among those that a server lists. */
export interface ToolNames extends NameText {
  /** Names that it may have. */
  called: readonly string[];
  /** Its arguments by the names that scenarios use, each with the names that it may have; those that it takes and need not have come last. */
  arguments: Readonly<Record<string, readonly string[]>>;
  /** Arguments that a server need not have. */
  optional: readonly string[];
}

/** Several arguments that one can stand for. */
export interface CombinedArguments {
  of: readonly string[];
  /** Names that it may have. */
  called: readonly string[];
  /** Its value, of the values of those. */
  join(values: readonly unknown[]): string;
}
