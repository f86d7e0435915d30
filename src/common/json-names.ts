/** The first name that stands twice in one object of a JSON text; parsing it would keep the last and say nothing. */
export function nameTwice(json: string): string | undefined {
  const open: (Set<string> | null)[] = []; // the names of each object around, null for a list
  for (const [token] of json.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"(?:\s*:)?|[{}[\]]/gs)) {
    if (token === "{") open.push(new Set());
    else if (token === "[") open.push(null);
    else if (token === "}" || token === "]") open.pop();
    else if (token.endsWith(":")) {
      const name = JSON.parse(token.replace(/\s*:$/, "")) as string;
      const names = open.at(-1);
      if (names?.has(name)) return name;
      names?.add(name);
    }
  }
  return undefined;
}
