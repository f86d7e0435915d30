import type { Argument, Command, Option } from "commander";

/** A command as a reference shows it. Hidden commands and options are left out. */
export interface CommandEntry {
  /** The words after `counterpart`: `["target", "init"]`; none for the program. */
  words: readonly string[];
  usage: string;
  description: string;
  arguments: readonly Argument[];
  options: readonly Option[];
  /** The names of its commands. */
  commands: readonly string[];
}

/** Returns the program and every command below it, in the order of the help. */
export function listCommandEntries(command: Command, words: readonly string[] = []): CommandEntry[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command).filter((one) => one.name() !== "help");
  return [
    {
      words,
      usage: help.commandUsage(command),
      description: command.description(),
      arguments: command.registeredArguments,
      options: help.visibleOptions(command),
      commands: commands.map((one) => one.name()),
    },
    ...commands.flatMap((one) => listCommandEntries(one, [...words, one.name()])),
  ];
}

/** Returns the description of an option, with its choices, default and environment variable. */
export function formatOption(option: Option): string {
  const { argChoices, defaultValue, defaultValueDescription, envVar } = option;
  const isEmpty = defaultValue === undefined || (Array.isArray(defaultValue) && defaultValue.length === 0);
  const facts = [
    argChoices ? `values: ${argChoices.join(", ")}` : "",
    isEmpty ? "" : `default: ${defaultValueDescription ?? String(defaultValue)}`,
    envVar === undefined ? "" : `environment: ${envVar}`,
  ].filter(Boolean);
  return [option.description, facts.length > 0 ? `(${facts.join("; ")})` : ""].filter(Boolean).join(" ");
}
