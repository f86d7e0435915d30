import { createHash } from "node:crypto";
import { html, type Markup, verbatim } from "./markup.js";
import { styles } from "./styles.js";

/** The parts of a page. */
interface Page {
  title: string;
  body: Markup;
  /** The only script of the page. */
  script?: string;
}

/** Renders a page that loads nothing. Its content security policy allows only the style sheet of reports and the given script. */
export function renderPage({ title, body, script }: Page): string {
  const policy = `default-src 'none'; img-src data:; style-src ${computeHash(styles)}${script === undefined ? "" : `; script-src ${computeHash(script)}`}`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${verbatim(styles)}</style>
</head>
<body>${body}${script !== undefined && html`\n<script>${verbatim(script)}</script>`}
</body>
</html>
`.markup;
}

function computeHash(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
