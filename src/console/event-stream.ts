/** Returns a parser of server-sent events. Each call takes a piece of text and returns the data of the complete events. */
export function createEventReader(): (piece: string) => string[] {
  let rest = "";
  return (piece) => {
    const blocks = (rest + piece).split("\n\n");
    rest = blocks.pop() ?? "";
    return blocks.flatMap(readData);
  };
}

function readData(block: string): string[] {
  const lines = block.split("\n").filter((line) => line.startsWith("data:"));
  return lines.length === 0 ? [] : [lines.map((line) => line.slice("data:".length).trimStart()).join("\n")];
}
