import { html, type Markup, verbatim } from "../../common/html/markup.js";

/** The pages of the site, in the order of the header. */
const PLACES: readonly [path: string, name: string][] = [
  ["/", "Service"],
  ["/control", "Control plane"],
  ["/guides", "Guides"],
  ["/clauses", "Clauses"],
];

/** Returns the header of every page: the brand, the places of the site, and what a page adds. */
export function buildHeader(current: string, ...more: readonly (Markup | false)[]): Markup {
  const links = PLACES.map(([path, name]) => {
    const mark = path === current ? verbatim(' aria-current="page"') : undefined;
    return html`<a href="${path}"${mark}>${name}</a>`;
  });
  return html`<header><a class="brand" href="/">Counterpart</a><span class="badge">stand-in</span><nav aria-label="Site">${links}</nav>${more}</header>`;
}

/** Returns a whole page. */
export function buildDocument(title: string, body: Markup): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Counterpart</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/page.css">
</head>
<body>${body}
</body>
</html>
`.markup;
}
