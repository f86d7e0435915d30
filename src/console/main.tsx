import { options, render, type VNode } from "preact";
import { escapeText } from "../common/escape/visible.js";
import { App } from "./app.jsx";

/** Returns the children of an element with control and invisible characters as escapes. Requests and names can contain any text. */
function escapeChildren(children: unknown): unknown {
  if (Array.isArray(children)) return children.map(escapeChildren);
  return typeof children === "string" ? escapeText(children) : children;
}

const { vnode: before } = options;
options.vnode = (node: VNode) => {
  const props = node.props as { children?: unknown };
  if (typeof node.type === "string" && props.children !== undefined) props.children = escapeChildren(props.children);
  before?.(node);
};

render(<App />, document.body);
