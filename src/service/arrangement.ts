import { newestFirst } from "./jobs.js";
import { orders } from "./observation-lists.js";
import { arrange } from "./views.js";
import type { World } from "./world.js";

/** So many observations take long to bring in order: nobody who asks for a first page is to wait for that. */
const large = 10_000;

/** Brings in order what will be listed, in a world that begins: its jobs, which are few then, and many observations. */
export function arrangeLists(world: World): void {
  arrange(world, "jobs", newestFirst);
  if ((world.serials.observation ?? 0) < large) return;
  for (const order of Object.values(orders)) arrange(world, "observations", order);
}
