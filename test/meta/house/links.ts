import { dirname } from "node:path/posix";
import type { HouseRule, Source } from "./source.js";

/** The entry points: the commands, the two published modules, and the program of the console. */
const entries = ["src/cli/main.ts", "src/cli/mock-worker.ts", "src/index.ts", "src/vitest.ts", "src/console/main.tsx"];

/** One line for every file that cannot be reached from an entry point. */
export const findOrphans: HouseRule = (sources) => {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const reached = new Set<string>(entries);
  for (const path of reached) for (const { target } of byPath.get(path)?.imports ?? []) reached.add(target);
  return sources
    .filter(({ path }) => !reached.has(path))
    .map(({ path }) => `${path}:1: nobody imports this file: import it or delete it`);
};

/** An import that leads from one folder to another, neither of which holds the other. */
interface Link {
  from: string;
  to: string;
  place: string;
}

/** Returns one line for each import cycle between folders. A folder and the one that holds it count as one family. */
export const findCircles: HouseRule = (sources) => {
  const links = sources.flatMap(getLinks);
  const seen = new Set<string>();
  return links.flatMap((link) => {
    const way = shortestWay(links, link.to, link.from);
    if (!way) return [];
    const members = [...new Set(way)].sort().join();
    if (seen.has(members)) return [];
    seen.add(members);
    return [
      `${link.place}: folders ask for one another in a circle, ${[link.from, ...way].join(" -> ")}: move what they share to one side`,
    ];
  });
};

function getLinks({ path, imports }: Source): Link[] {
  const from = dirname(path);
  return imports
    .filter(({ target }) => target.startsWith("src/"))
    .map(({ target, line }) => ({ from, to: dirname(target), place: `${path}:${line}` }))
    .filter(({ to }) => !`${from}/`.startsWith(`${to}/`) && !`${to}/`.startsWith(`${from}/`));
}

function shortestWay(links: Link[], from: string, to: string): string[] | null {
  const ways = [[from]];
  const met = new Set([from]);
  for (const way of ways) {
    const last = way.at(-1)!;
    if (last === to) return way;
    for (const link of links) {
      if (link.from !== last || met.has(link.to)) continue;
      met.add(link.to);
      ways.push([...way, link.to]);
    }
  }
  return null;
}
