import { describe, expect, test } from "vitest";
import { renderHtmlReport } from "../../../src/engine/report/html.js";
import { check, line, OUTLINE, sample, waiver } from "./sample.js";

const page = renderHtmlReport(sample({ waivers: [waiver("ALPHA", "2020-01-01")] }), OUTLINE);

describe("the page", () => {
  test("shows the verdict and the server", () => {
    expect(page).toContain('<h1 class="failed">Does not conform</h1><p class="lead">staging. 1 of 3 clauses is broken.');
    expect(page).toContain("<dt>Server</dt><dd>https://staging.example</dd>");
  });

  test.each([
    ["passed", "Conforms"],
    ["inconclusive", "Inconclusive"],
    ["harness-error", "No verdict"],
  ] as const)("has a text for %s", (verdict, words) => {
    expect(renderHtmlReport({ ...sample({ scenarios: [], checks: [] }), verdict }, OUTLINE)).toContain(
      `<h1 class="${verdict}">${words}</h1>`,
    );
  });

  test("shows the notes of the preflight as text", () => {
    const noted = renderHtmlReport(sample({ notes: ["The key of <b> was refused."] }), OUTLINE);
    expect(noted).toContain('<ul class="notes"><li>The key of &lt;b> was refused.</li></ul>');
    expect(page).not.toContain('class="notes"');
  });

  test("shows every clause with its verdict, and links it to the checks that judged it", () => {
    for (const [id, verdict] of [
      ["ALPHA", "passed"],
      ["clause:BETA", "failed"],
      ["GAMMA", "inconclusive"],
    ])
      expect(page).toContain(`<tr id="${id}" class="${verdict}" data-verdict="${verdict}"`);
    expect(page).toContain('<td class="evidence"><a href="#one">1 check</a>, 1 judged</td>');
    expect(page).toContain('<code id="one">one</code>');
  });

  test("counts passed clauses by section and surface", () => {
    expect(page).toContain('§1 What it does</a></td><td><b class="passed">1</b><small> / 1</small></td><td></td>');
    expect(page).toContain('§3 States</a></td><td><b class="failed">0</b><small> / 1</small></td>');
  });

  test("shows a failure with the request and the command that replays it", () => {
    expect(page).toContain("<pre>status: 201</pre>");
    expect(page).toContain("<pre>curl -i 'https://staging.example/api'</pre>");
    expect(page).toContain(
      "npx counterpart-kit replay scenarios/1-letters/two.yaml https://staging.example --target 'my staging.yaml' --profile safe",
    );
  });

  test("gives a finding the element ids of its check and clause, each once", () => {
    expect(page).toMatch(
      /<article class="finding failed" id="two\/step"[^>]*data-cause="cause-1" data-surface="rest mcp" data-section="3">\n<span id="BETA">/,
    );
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(page).toContain('<a href="#BETA"><code class="id">BETA</code></a>');
  });

  test("shows the request, the response with its differences, and the steps before", () => {
    const request = { method: "GET", url: "https://staging.example/x", headers: { accept: "a" } };
    const exchanges = [
      {
        step: "made",
        after_ms: 0,
        took_ms: 5,
        request: { ...request, method: "POST" },
        answer: { status: 201, headers: {}, body: "{}" },
      },
      { step: "step", event: "the clock <moved>" },
      {
        ...{ step: "step", after_ms: 10, took_ms: 2, request },
        answer: { status: 404, headers: { "x-a": "<b>" }, body: '{\n  "a": 1\n}' },
        differs: [
          { at: "status", expected: "200" },
          { at: "body", line: 1, expected: "2" },
        ],
      },
    ];
    const html = renderHtmlReport(sample({ checks: [check("two", "BETA", "failed", { exchanges })] }), OUTLINE);
    expect(html).toContain("<pre>GET https://staging.example/x\naccept: a</pre>");
    expect(html).toContain(
      '<mark>404 after 2 ms</mark> <em class="expected">◄ expected 200</em>\nx-a: &lt;b>\n{\n<mark>  &quot;a&quot;: 1</mark>',
    );
    expect(html).toContain("The 2 steps before this request");
    expect(html).toContain("<b>made</b> POST /x → 201");
    expect(html).toContain("the clock &lt;moved>");
  });

  test("begins with the causes, largest first", () => {
    const many = ["a", "b", "c"].map((name) =>
      check(name, "BETA", "failed", { mismatches: [{ at: "/x", pointer: "/x", expected: "1", actual: "absent", absent: true }] }),
    );
    const html = renderHtmlReport(
      sample({ scenarios: ["a", "b", "c"].map((name) => line(name, "BETA", "failed")), checks: many }),
      OUTLINE,
    );
    expect(html).toContain("All 3 failed checks may have the same cause.");
    expect(html.indexOf('class="causes"')).toBeLessThan(html.indexOf('class="matrix"'));
    expect(html).toContain('<a href="#cause-1">&quot;x&quot; is missing from responses of the server</a>');
    expect(html).toContain("2 more findings with this cause</summary>");
    const none = renderHtmlReport(
      sample({ scenarios: [line("one", "ALPHA", "passed")], checks: [check("one", "ALPHA", "passed")] }),
      OUTLINE,
    );
    expect(none).not.toMatch(/What to fix|Findings by cause|id="cause"/);
  });

  test("needs few bytes for each finding, and fewer for what passed", () => {
    const body = Array.from({ length: 40 }, (_, n) => `"field_${n}": "${"long ".repeat(9)}"`).join("\n");
    const request = { method: "GET", url: "https://staging.example/x", headers: { accept: "application/json" } };
    const shownSteps = Array.from({ length: 12 }, (_, n) => ({
      ...{ step: n === 11 ? "step" : `s${n}`, after_ms: n, took_ms: 1, request },
      answer: { status: 200, headers: {}, body },
    }));
    const names = Array.from({ length: 140 }, (_, n) => `s${n}`);
    const checks = names.flatMap((name, n) => {
      if (n >= 40) return ["a", "b", "c", "d"].map((step) => check(name, "ALPHA", "passed", { id: `${name}/${step}`, step }));
      const mismatches = [{ at: `/f${n % 10}`, pointer: `/f${n % 10}`, expected: "1", actual: "2" }];
      return [
        check(name, "BETA", "failed", { operation: "GET /x", expected: "1", actual: "2", mismatches, exchanges: shownSteps }),
      ];
    });
    const size = (count: number) => {
      const ownNames = names.slice(0, count);
      const scenarios = ownNames.map((name, n) => line(name, n < 40 ? "BETA" : "ALPHA", n < 40 ? "failed" : "passed"));
      return renderHtmlReport(
        sample({ scenarios, checks: checks.filter(({ scenario }) => ownNames.includes(scenario)) }),
        OUTLINE,
      ).length;
    };
    const [none, forty, all] = [size(0), size(40), size(140)];
    expect(forty - none).toBeLessThan(150_000);
    expect(all - forty).toBeLessThan(100 * 60);
  });

  test("shows waivers with their effect", () => {
    expect(page).toContain(
      "<td>expired: has no effect: it expired on 2020-01-01</td><td>known</td><td>T-1</td><td>2020-01-01</td>",
    );
  });
});

describe("text from a server", () => {
  test("never becomes markup", () => {
    expect(page).toContain("&lt;/pre>&lt;/script>&lt;script>alert(1)&lt;/script>");
    expect(page.match(/<script>/g)).toHaveLength(1);
  });

  test("could not run as a script, and the page loads nothing", () => {
    expect(page).toMatch(
      /content="default-src 'none'; img-src data:; style-src 'sha256-[\w+/]+='; script-src 'sha256-[\w+/]+='"/,
    );
    expect(page).not.toMatch(/(src|href)="(https?:)?\/\//);
  });
});
