/** The first name that stands twice in one object of a JSON text; parsing it would keep the last and say nothing. */
export function nameTwice(json: string): string | undefined {
  const open: (Set<string> | null)[] = []; // the names of each object around, null for a list
  for (let at = 0; at < json.length; at++) {
    const char = json[at]!;
    if (char === "{") open.push(new Set());
    else if (char === "[") open.push(null);
    else if (char === "}" || char === "]") open.pop();
    else if (char === '"') {
      const end = endOfString(json, at);
      if (isFollowedByColon(json, end)) {
        const name = JSON.parse(json.slice(at, end)) as string;
        const names = open.at(-1);
        if (names?.has(name)) return name;
        names?.add(name);
      }
      at = end - 1;
    }
  }
  return undefined;
}

/** Where the string that begins at a quote ends. */
function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return Math.min(at + 1, json.length);
}

function isFollowedByColon(json: string, from: number): boolean {
  let at = from;
  while (" \t\r\n".includes(json[at] ?? "x")) at++;
  return json[at] === ":";
}
