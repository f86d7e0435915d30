import { routes } from "../../contract/routes.js";

const maxRoutes = 3;
/** More segments are not compared. No route has half as many. */
const maxSegments = 20;

/** Returns the three routes that are closest to an unknown path, closest first. */
export function findNearestRoutes(method: string, url: string): string[] {
  const segments = splitPath(url.split("?", 1)[0] ?? "");
  const ranked = Object.values(routes).map((route) => ({
    name: route.name,
    distance: measureDistance(segments, splitPath(route.segments.join("/"))) + (route.method === method ? 0 : 0.4),
  }));
  return ranked
    .sort((a, b) => a.distance - b.distance)
    .slice(0, maxRoutes)
    .map(({ name }) => name);
}

function splitPath(path: string): string[] {
  return path
    .split("/")
    .filter((segment) => segment !== "")
    .slice(0, maxSegments);
}

/** Returns the edit distance of two paths, in segments. A misspelt segment counts half. */
function measureDistance(path: string[], template: string[]): number {
  let row = template.map((_, i) => i + 1);
  for (const [i, segment] of path.entries()) {
    const next: number[] = [];
    for (const [j, part] of template.entries()) {
      const diagonal = j === 0 ? i : (row[j - 1] ?? 0);
      const left = j === 0 ? i + 1 : (next[j - 1] ?? 0);
      next.push(Math.min(diagonal + measureCost(segment, part), left + 1, (row[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? path.length;
}

function measureCost(segment: string, part: string): number {
  if (part === segment) return 0;
  if (part.startsWith("{")) return 0.1;
  return isTypo(segment, part) ? 0.5 : 1;
}

/** Returns whether two words are similar: the same beginning, and one or two different letters. Example: `job` and `jobs`. */
function isTypo(a: string, b: string): boolean {
  let begin = 0;
  while (begin < a.length && a[begin] === b[begin]) begin++;
  let end = 0;
  while (end < a.length - begin && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return Math.max(a.length, b.length) - begin - end <= 2;
}
