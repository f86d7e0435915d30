import { createInterface } from "node:readline/promises";

/** Questions at a terminal. */
export interface Questions {
  /** Returns the response; undefined if the input has ended, as after Ctrl-D. */
  ask(question: string): Promise<string | undefined>;
  close(): void;
}

/** Opens a terminal for questions. Ctrl-C ends the process, as it does where no question is open. */
export function openQuestions(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  interrupt = (): void => void process.kill(process.pid, "SIGINT"),
): Questions {
  const terminal = createInterface({ input, output });
  const hasEnded = new Promise<undefined>((resolve) => terminal.once("close", () => resolve(undefined)));
  let isOpen = true;
  void hasEnded.then(() => {
    isOpen = false;
  });
  terminal.once("SIGINT", () => {
    terminal.close();
    interrupt();
  });
  return {
    async ask(question) {
      if (!isOpen) return undefined;
      // a question never settles after the end of the input, or rejects in later versions of Node
      return Promise.race([terminal.question(question).catch(() => hasEnded), hasEnded]);
    },
    close: () => terminal.close(),
  };
}
