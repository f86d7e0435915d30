import type { ResponseText, Row, Step } from "../scenario/format.js";

/** The addresses and names that one contract defines for target files. */
export interface TargetRules {
  /** Path of the tool server on the API host, with a slash at its end. */
  toolServerPath: string;
  /** Path at which a server may publish a target file that describes it. */
  selfDescriptionPath: string;
  /** Path that every route begins with. It is removed from the end of a given address. */
  basePath?: string;
  /** Path of the published document on the docs host. It is removed from the end of a given address. */
  docsPath?: string;
  /** The names that the contract's scenarios use. */
  names?: TargetNames;
}

/** The names that a target file can define, each with its description. */
export interface TargetNames {
  keys: Readonly<Record<string, NameText>>;
  sessions: Readonly<Record<string, NameText>>;
  drive: Readonly<Record<string, EventText>>;
  /** What callers see after a hook was called, by its entry in a target file: `clock`, or `drive.` and an event. */
  hookEffects?: Readonly<Record<string, readonly HookEffect[]>>;
  bindings: Readonly<Record<string, BindingText>>;
  /** How a server shows that a binding, or a part of one, is true, by the need for it, such as `binding.spare`. */
  proofs?: Readonly<Record<string, BindingProof>>;
  /** Returns the given bindings with those that follow from them. */
  completeBindings?: (given: Record<string, unknown>) => Record<string, unknown>;
  /** Tools by their purpose. */
  tools: Readonly<Record<string, ToolNames>>;
  /** Arguments that replace several others, by name. */
  combined: Readonly<Record<string, CombinedArguments>>;
}

/** The description of a name, for the author of a target file. */
export interface NameText {
  description: string;
}

/** The description of an event. */
export interface EventText extends NameText {
  /**
   * Returns the lasting result of the event for these values: the path of a read, and fields of its response. The result of a hook may contain the
   * same fields. Undefined where no read shows the result.
   */
  resultOf?(values: Readonly<Record<string, unknown>>, result: unknown): { path: string; fields: Row } | undefined;
}

/** One effect of a hook, and the request that shows it. */
export interface HookEffect {
  /** The effect in words, such as `the key is refused with 401`. */
  says: string;
  /** The needs beside those of the steps. */
  needs?: readonly string[];
  /** The steps before the event. */
  setup: readonly Step[];
  /** The step that calls the hook. */
  event: Step;
  /** The steps between the event and the request. */
  afterwards?: readonly Step[];
  /** The request, with its responses before and after the event. */
  shown: Step;
  before: ResponseText;
  after: ResponseText;
  /** The request would prevent the effect, so it is not sent before the event. */
  isUnsafeBefore?: true;
  /** The steps that undo the event and its setup where the cleanup does not. */
  finally?: readonly Step[];
}

/** The description of a binding. */
export interface BindingText extends NameText {
  /** The parts of a binding that is a mapping. `all`: every part is needed. `each`: each part can be used alone. `instead`: parts that replace all others. */
  parts?: { needed: "all" | "each"; names: readonly string[]; instead?: readonly string[] };
  example: unknown;
}

/** How a server shows that a binding is true. */
export interface BindingProof {
  /** Returns why the target file contradicts itself. */
  contradiction?(bindings: Readonly<Record<string, unknown>>): string | undefined;
  /** The steps of each way to show it. One way whose steps all pass is enough. Of steps in a list, one must pass. */
  ways: readonly (readonly (Step | readonly Step[])[])[];
  /** Further ways, which only a new world may try because they delete what the target file names. */
  waysInWorlds?: readonly (readonly Step[])[];
  /**
   * Least number of ways that must fail before the binding is doubted. Default: an inconclusive way is enough. With 2, at least one of them is
   * another request than that of the failed check.
   */
  failuresToDoubt?: number;
  /**
   * Returns the other values that may be true instead. If the server shows one of them, the target file is wrong. If it shows none, the
   * server is wrong. Without this function, a binding that the server does not show is enough to doubt the target file.
   */
  alternatives?(statedNames: StatedNames): readonly Alternative[];
}

/** The names in a target file: its bindings, and the names of its keys. */
export interface StatedNames {
  bindings: Readonly<Record<string, unknown>>;
  keys: readonly string[];
}

/** Another value of a binding, with the way to show that it is the true one. */
export interface Alternative {
  /** The needs of the scenarios that fail if the binding has a wrong value. */
  needs: readonly string[];
  /** The properties that the server shows if the steps pass. */
  why: string;
  /** The bindings with the other value. */
  bindings: Readonly<Record<string, unknown>>;
  steps: readonly Step[];
}

/** How to find the tool of a purpose among the tools that a server lists. */
export interface ToolNames extends NameText {
  /** Other names that the tool may have. */
  aliases: readonly string[];
  /** Other names that its arguments may have, by the name that scenarios use. Optional arguments come last. */
  arguments: Readonly<Record<string, readonly string[]>>;
  /** Arguments that a server may lack. */
  optional: readonly string[];
  /** The types and values of its arguments that are not any string. */
  forms?: Readonly<Record<string, ArgumentForm>>;
  /** Whether the tool changes nothing. */
  isRead: boolean;
}

/** The type of an argument, and the values that the contract names. */
export interface ArgumentForm {
  type: "string" | "integer" | "boolean" | "object" | "any";
  values?: readonly string[];
}

/** An argument that replaces several others. */
export interface CombinedArguments {
  /** The arguments that it replaces. */
  of: readonly string[];
  /** Other names that target files may use for it. */
  synonyms: readonly string[];
  /** Names that it may have. */
  aliases: readonly string[];
  /** Returns the value of the rule, given the values of the replaced arguments. */
  join(values: readonly unknown[]): string;
}
