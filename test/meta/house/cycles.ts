import type { HouseRule, Source } from "./source.js";

type Graph = ReadonlyMap<string, readonly string[]>;

/** No file imports itself through others, not even types. One finding for each group of files that all reach one another. */
export const findCycles: HouseRule = (sources) => {
  const graph = getGraph(sources);
  return getKnots(graph).map((knot) => {
    const circle = shortestCircle(graph, knot);
    const size = knot.length > circle.length ? `, in a knot of ${knot.length} files` : "";
    const way = [...circle, circle[0]].join(" -> ");
    return `${circle[0]}:1: files import one another in a circle, ${way}${size}: move what they share to a file of its own`;
  });
};

function getGraph(sources: Source[]): Graph {
  const paths = new Set(sources.map(({ path }) => path));
  return new Map(
    sources.map(({ path, imports }) => [path, [...new Set(imports.map(({ target }) => target))].filter((one) => paths.has(one))]),
  );
}

/** The strongly connected components of more than one file, or of one that imports itself, by Tarjan's algorithm. */
function getKnots(graph: Graph): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const knots: string[][] = [];
  const visit = (file: string): number => {
    order.set(file, order.size);
    lowest.set(file, order.get(file)!);
    open.push(file);
    for (const next of graph.get(file) ?? []) {
      const reached = order.has(next) ? (open.includes(next) ? order.get(next)! : Number.POSITIVE_INFINITY) : visit(next);
      lowest.set(file, Math.min(lowest.get(file)!, reached));
    }
    if (lowest.get(file) === order.get(file)) {
      const knot = open.splice(open.indexOf(file));
      if (knot.length > 1 || graph.get(file)?.includes(file)) knots.push(knot.sort());
    }
    return lowest.get(file)!;
  };
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return knots;
}

function shortestCircle(graph: Graph, knot: string[]): string[] {
  const circles = knot.map((file) => circleThrough(graph, file));
  return circles.reduce((best, one) => (one.length < best.length ? one : best));
}

/** The files of the shortest way from a file back to itself, itself first. */
function circleThrough(graph: Graph, file: string): string[] {
  const ways = [[file]];
  const met = new Set<string>();
  for (const way of ways) {
    for (const next of graph.get(way.at(-1)!) ?? []) {
      if (next === file) return way;
      if (met.has(next)) continue;
      met.add(next);
      ways.push([...way, next]);
    }
  }
  return [file];
}
