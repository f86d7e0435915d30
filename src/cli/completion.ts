import { Argument, type Command } from "commander";
import { printText } from "./output.js";
import { type CommandEntry, listCommandEntries } from "./reference/commands.js";

const scriptWriters = { bash: writeBashScript, zsh: writeZshScript, fish: writeFishScript } as const;

/** Adds `counterpart completion SHELL`, which prints a script that completes commands, flags and their values. */
export function addCompletion(program: Command): void {
  program
    .command("completion")
    .description('print the completion script of a shell, such as for: eval "$(counterpart completion bash)"')
    .addArgument(new Argument("<shell>", "the shell").choices(Object.keys(scriptWriters)))
    .action((shell: keyof typeof scriptWriters, _flags: object, command: Command) =>
      printText(scriptWriters[shell](listCommandEntries(command.parent!))),
    );
}

/** A word that may follow, with its description. */
type Word = [word: string, description: string];

function listWordsAfter({ words, commands, options, arguments: given }: CommandEntry, entries: readonly CommandEntry[]): Word[] {
  const described = commands.map(
    (name): Word => [name, entries.find((entry) => entry.words.join(" ") === [...words, name].join(" "))?.description ?? ""],
  );
  const values = given.flatMap(({ argChoices = [], description }) => argChoices.map((value): Word => [value, description]));
  return [...described, ...values, ...options.map((option): Word => [option.long ?? option.short ?? "", option.description])];
}

/** Lines of a shell `case` over the words typed so far. */
function writeBashScript(entries: readonly CommandEntry[]): string {
  const cases = entries.map(
    (entry) =>
      `    '${entry.words.join(" ")}') words='${listWordsAfter(entry, entries)
        .map(([word]) => word)
        .join(" ")}' ;;`,
  );
  const values = entries.flatMap(({ words, options }) =>
    options.flatMap(({ long, argChoices }) =>
      argChoices ? [`    '${[...words, long].join(" ")}') words='${argChoices.join(" ")}' ;;`] : [],
    ),
  );
  const paths = entries.flatMap(({ words }) => (words.length > 0 ? [`'${words.join(" ")}'`] : []));
  return `_counterpart() {
  local entered='' words='' word
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do
    case "\${entered:+$entered }$word" in
    ${paths.join("|")}) entered="\${entered:+$entered }$word" ;;
    esac
  done
  case "$entered" in
${cases.join("\n")}
  esac
  case "\${entered:+$entered }\${COMP_WORDS[COMP_CWORD-1]}" in
${values.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _counterpart counterpart counterpart-kit
`;
}

/** The script of bash. The adapter of zsh runs it. */
function writeZshScript(entries: readonly CommandEntry[]): string {
  return `autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n${writeBashScript(entries)}`;
}

function writeFishScript(entries: readonly CommandEntry[]): string {
  const quoted = (text: string) => `'${text.replace(/['\\]/g, "\\$&")}'`;
  const lines = entries.flatMap((entry) => {
    const { words, options } = entry;
    const isHere =
      words.length === 0 ? "__fish_use_subcommand" : words.map((word) => `__fish_seen_subcommand_from ${word}`).join("; and ");
    const start = `complete -c counterpart -c counterpart-kit${words.length === 0 ? " -f" : ""} -n ${quoted(isHere)}`;
    const plain = listWordsAfter(entry, entries).filter(([word]) => !word.startsWith("-"));
    return [
      ...plain.map(([word, description]) => `${start} -a ${word} -d ${quoted(description)}`),
      ...options.map(({ long, required, argChoices, description }) => {
        const values = argChoices ? ` -x -a ${quoted(argChoices.join(" "))}` : required ? " -r" : "";
        return `${start} -l ${long?.slice(2)}${values} -d ${quoted(description)}`;
      }),
    ];
  });
  return `${lines.join("\n")}\n`;
}
