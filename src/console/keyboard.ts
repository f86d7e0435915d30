import { signal } from "@preact/signals";
import { moveClock } from "./clock.jsx";
import { buildCurlLine, closeEntry } from "./entry-panel.jsx";
import { noFilter } from "./filter.js";
import { callFilter, entries, notice, selected, type TabName, tab } from "./model.js";
import { copy } from "./parts.jsx";
import { filterId, focusOn, listId } from "./places.js";
import { step } from "./traffic.jsx";

/** Whether the list of shortcuts is open. */
export const isHelpOpen = signal(false);
/** Whether shortcuts are on. Users of speech input can turn them off. */
export const areShortcutsOn = signal(sessionStorage.getItem("counterpart-keys") !== "off");
/** The views by digit. */
export const viewsByDigit = signal<readonly TabName[]>([]);

interface Shortcut {
  keys: readonly string[];
  does: string;
  run(): void;
}

/** The shortcuts. */
export const shortcuts: readonly Shortcut[] = [
  { keys: ["j", "ArrowDown"], does: "the call below", run: () => step(1) },
  { keys: ["k", "ArrowUp"], does: "the call above", run: () => step(-1) },
  { keys: ["/"], does: "filter the calls", run: () => openEntry(filterId) },
  { keys: ["l"], does: "to the list of calls", run: () => openEntry(listId) },
  { keys: ["c"], does: "copy the call as curl", run: copySelected },
  { keys: ["Escape"], does: "close the call, or drop the filter", run: goBack },
  { keys: ["a"], does: "advance the clock by 30 s", run: () => void moveClock({ by: "30s" }) },
  { keys: ["n"], does: "move the clock to the next event", run: () => void moveClock({ until: "next-event" }) },
  { keys: ["?"], does: "show the keys", run: () => (isHelpOpen.value = true) },
];

/** Tells whether a shortcut of the list applies: no other control that it would move has the focus. */
const movesList = ["ArrowDown", "ArrowUp"];

/** Runs a shortcut. It ignores keys in text fields and keys with a modifier. */
export function handleKey(event: KeyboardEvent): void {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const element = target instanceof Element ? target : null;
  if (element?.matches("input, textarea, select")) {
    if (key === "Escape" && element instanceof HTMLElement) element.blur();
    return;
  }
  if (movesList.includes(key) && element?.id !== listId) return;
  if (!areShortcutsOn.value && key.length === 1) return;
  const room = /^[1-9]$/.test(key) ? viewsByDigit.value[Number(key) - 1] : undefined;
  const shortcut = shortcuts.find(({ keys }) => keys.includes(key));
  if (room) tab.value = room;
  else if (shortcut) shortcut.run();
  else return;
  event.preventDefault();
}

function openEntry(id: string): void {
  tab.value = "traffic";
  focusOn(id);
}

function copySelected(): void {
  const entry = entries.value.find(({ number }) => number === selected.value);
  if (entry) void copy(buildCurlLine(entry), "Copy as curl");
  else notice.value = { text: "Select a call first, with j or k.", wrong: false };
}

function goBack(): void {
  if (selected.value !== null) closeEntry();
  else callFilter.value = noFilter;
}
