import { useEffect, useRef } from "preact/hooks";
import { needsToken, storeToken } from "./ask.js";
import { Clock, NextEvent } from "./clock.jsx";
import { Drives } from "./drives.jsx";
import { Errors } from "./errors.jsx";
import { Faults } from "./faults.jsx";
import { areShortcutsOn, handleKey, isHelpOpen, shortcuts, viewsByDigit } from "./keyboard.js";
import { Keys } from "./keys.jsx";
import {
  buildWorldPath,
  connection,
  dropCallsAfter,
  entries,
  explorer,
  notice,
  routes,
  selectWorld,
  start,
  type TabName,
  tab,
  tabs,
  type WorldView,
  world,
  worldId,
} from "./model.js";
import { focusOn } from "./places.js";
import { usePolled } from "./polled.js";
import { Report } from "./report.jsx";
import { Rows } from "./rows.jsx";
import { Traffic } from "./traffic.jsx";
import { Worlds } from "./worlds.jsx";

const views: Record<TabName, { title: string; View(): preact.JSX.Element; needs?: string }> = {
  traffic: { title: "Traffic", View: Traffic },
  state: { title: "State", View: Rows },
  keys: { title: "Keys", View: Keys },
  faults: { title: "Faults", View: Faults },
  drives: { title: "Events", View: Drives },
  errors: { title: "Errors", View: Errors },
  worlds: { title: "Worlds", View: Worlds },
  report: { title: "Client report", View: Report, needs: "GET /worlds/{id}/client-report" },
};

/** Renders the console, or the form for the admin token. */
export function App() {
  return needsToken.value ? <TokenForm /> : <Console />;
}

function Console() {
  useEffect(start, []);
  useEffect(() => {
    addEventListener("keydown", handleKey);
    return () => removeEventListener("keydown", handleKey);
  }, []);
  viewsByDigit.value = tabs.filter((name) => doesWorldExist(name));
  const { View } = views[tab.value];
  return (
    <>
      <header class="top">
        <h1>Counterpart</h1>
        <WorldChoice />
        <Connection />
        <Clock />
      </header>
      <Tabs />
      <main>
        <div id="room" role="tabpanel" aria-labelledby={`tab-${tab.value}`}>
          <View />
        </div>
      </main>
      <p class={notice.value?.wrong ? "notice wrong" : "notice"} role="status">
        {notice.value?.text}
      </p>
      <Help />
    </>
  );
}

function doesWorldExist(name: TabName): boolean {
  const { needs } = views[name];
  return needs === undefined || routes.value.has(needs);
}

function Tabs() {
  const names = viewsByDigit.value;
  const move = (event: KeyboardEvent) => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (by === 0) return;
    const next = names[(names.indexOf(tab.value) + by + names.length) % names.length];
    if (next) tab.value = next;
    focusOn(`tab-${tab.value}`);
  };
  return (
    <nav aria-label="Rooms">
      <div role="tablist" aria-label="Rooms" onKeyDown={move}>
        {names.map((name, i) => (
          <button
            key={name}
            id={`tab-${name}`}
            type="button"
            role="tab"
            aria-selected={tab.value === name}
            aria-controls="room"
            aria-keyshortcuts={String(i + 1)}
            data-digit={i + 1}
            tabIndex={tab.value === name ? 0 : -1}
            onClick={() => (tab.value = name)}
          >
            {views[name].title}
          </button>
        ))}
      </div>
      <NextEvent />
      <button type="button" onClick={() => (isHelpOpen.value = true)} aria-label="Keyboard shortcuts">
        ?
      </button>
    </nav>
  );
}

function WorldChoice() {
  const { value } = usePolled<{ worlds: string[] }>("/worlds");
  const { value: face } = usePolled<WorldView>(buildWorldPath());
  const before = useRef({ calls: 0, newest: 0 });
  useEffect(() => {
    world.value = face;
    const newest = entries.peek().at(-1)?.number ?? 0;
    const isSettled = face?.calls === before.current.calls && newest === before.current.newest;
    before.current = { calls: face?.calls ?? 0, newest };
    // another user reset or rewound the world; two polls with equal counts exclude a late response
    if (face && isSettled && newest > face.calls) dropCallsAfter(face.calls);
  }, [face]);
  const ids = value?.worlds ?? [];
  return (
    <span class="world">
      <label for="world">World</label>{" "}
      <select id="world" value={worldId.value} onChange={(event) => selectWorld(event.currentTarget.value)}>
        {(ids.includes(worldId.value) ? ids : [worldId.value, ...ids]).map((id) => (
          <option key={id}>{id}</option>
        ))}
      </select>
    </span>
  );
}

function Connection() {
  const description = { live: "live", lost: "no connection", gone: "world gone" }[connection.value];
  return <span class={`connection ${connection.value}`}>{description}</span>;
}

function TokenForm() {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <main class="token">
      <h1>Counterpart</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          storeToken(field.current?.value ?? "");
        }}
      >
        <label for="token">Admin token</label>
        <input id="token" ref={field} type="password" autoComplete="off" required />
        <button type="submit" class="primary">
          Open
        </button>
        <p class="dim">This mock requires a token. The page keeps it until you close this tab.</p>
      </form>
    </main>
  );
}

function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = isHelpOpen.value;
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  return (
    <dialog ref={dialog} aria-label="Keys" onClose={() => (isHelpOpen.value = false)}>
      <h2>Keys</h2>
      <dl class="headers">
        <div>
          <dt>
            <kbd>1</kbd> … <kbd>{viewsByDigit.value.length}</kbd>
          </dt>
          <dd>the views</dd>
        </div>
        {shortcuts.map(({ keys, does }) => (
          <div key={does}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key.replace("Arrow", "")}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <label>
        <input
          type="checkbox"
          checked={areShortcutsOn.value}
          onChange={({ currentTarget }) => {
            areShortcutsOn.value = currentTarget.checked;
            sessionStorage.setItem("counterpart-keys", currentTarget.checked ? "on" : "off");
          }}
        />{" "}
        single keys do something
      </label>
      <p>
        <a href={explorer.value}>Every route of the control plane</a>
      </p>
      <form method="dialog">
        <button type="submit" class="primary">
          Close
        </button>
      </form>
    </dialog>
  );
}
