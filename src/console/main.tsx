import { options, render, type VNode } from "preact";
import { visibleText } from "../common/escape/visible.js";
import { App } from "./app.jsx";

/** Returns the children of an element with control and invisible characters as escapes. Requests and names can contain any text. */
function visibleChildren(children: unknown): unknown {
  if (Array.isArray(children)) return children.map(visibleChildren);
  return typeof children === "string" ? visibleText(children) : children;
}

const { vnode: before } = options;
options.vnode = (node: VNode) => {
  const props = node.props as { children?: unknown };
  if (typeof node.type === "string" && props.children !== undefined) props.children = visibleChildren(props.children);
  before?.(node);
};

render(<App />, document.body);
