import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { violationsOf } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { openWorld } from "../../support/world.ts";
import { formulas } from "./formulas.ts";
import { inkBetween, inkOf } from "./ink.ts";
import { paragraphs, readTopic } from "./reader.ts";

const tex = String.raw;
const act = "document.title='hacked'";

/** Attacks in a text, and the readable text left over. */
const attacks: [source: string, left: string][] = [
  [`<script>${act}</script>words`, "words"],
  [`<img src=x onerror="${act}">words`, "words"],
  [`<a href="javascript:${act}">link</a>`, "link"],
  [`<a href="JaVaScRiPt:${act}">link</a>`, "link"],
  [`<a href=" \u0001javascript:${act}">link</a>`, "link"],
  [`<a href="java&#x09;script:${act}">link</a>`, "link"],
  [`<a href="java&NewLine;script&colon;${act}">link</a>`, "link"],
  [`<a href="&#106;avascript:${act}">link</a>`, "link"],
  [`<a href="vbscript:x">link</a>`, "link"],
  [`<a href="data:text/html,<script>${act}</script>">link</a>`, "link"],
  [`<a href="blob:https://example.edu/x">link</a> <a href="file:///etc/passwd">two</a>`, "link two"],
  [`<a href="//example.edu/x">link</a> <a href="/api/v1/x">two</a>`, "link two"],
  [`[link](javascript:${act.replaceAll("'", "%27")})`, "link"],
  [`[link](data:text/html;base64,PHNjcmlwdD4=)`, "link"],
  [`![picture](data:image/svg+xml;base64,PHN2Zy8+) words`, "words"],
  [
    `<img src="data:image/png;base64,iVBORw0KGgo=" srcset="https://example.edu/a.png 2x" alt="">words`,
    "words",
  ],
  [`<blockquote cite="javascript:${act}">words</blockquote>`, "words"],
  [
    `<table background="javascript:${act}"><tr><td background="https://example.edu/a.png">words</table>`,
    "words",
  ],
  [`<svg><script>${act}</script><a xlink:href="javascript:${act}"><text>x</text></a></svg>words`, "words"],
  [`<svg onload="${act}"><animate attributeName=href values="javascript:${act}"/></svg>words`, "words"],
  [`<math><mi href="javascript:${act}">x</mi><mi xlink:href="data:text/html,x">y</mi></math>`, "xy"],
  [
    `<math><maction actiontype="statusline#http://x" xlink:href="javascript:${act}">x</maction></math>words`,
    "words",
  ],
  [
    `<math><annotation-xml encoding="text/html"><img src=x onerror="${act}"></annotation-xml></math>words`,
    "words",
  ],
  [`<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${act}&gt;">`, ""],
  [
    `<form><math><mtext></form><form><mglyph><style></math><img src onerror="${act}"></style></mglyph></form>`,
    "",
  ],
  [`<noscript><p title="</noscript><img src=x onerror=${act}>">words</p></noscript>`, "words"],
  [`<p style="position:fixed;inset:0" class="primary" id="app" name="body">words</p>`, "words"],
  [
    `<p onclick="${act}" onpointerover="${act}" data-service="x" tabindex="0" contenteditable>words</p>`,
    "words",
  ],
  [
    `<form action="/x"><input name="q"><button formaction="javascript:${act}">send</button></form>words`,
    "words",
  ],
  [
    `<iframe srcdoc="<script>parent.${act}</script>"></iframe><object data="javascript:${act}"></object>words`,
    "words",
  ],
  [
    `<base href="https://example.edu/"><meta http-equiv="refresh" content="0;url=https://example.edu">words`,
    "words",
  ],
  [`<link rel="stylesheet" href="https://example.edu/x.css"><style>body{display:none}</style>words`, "words"],
  [tex`$\href{javascript:document.title='hacked'}{x}$ words`, "words"],
  [
    tex`$\htmlStyle{position:fixed}{x} \htmlId{app}{y} \includegraphics{https://example.edu/x.png}$ words`,
    "words",
  ],
];

/** A text, and a selector that must match the page. */
const survivors: [source: string, selector: string][] = [
  ["3. three\n4. four", "ol[start='3'] > li:nth-child(2)"],
  ["|a|b|c|\n|:-|:-:|-:|\n|1|2|3|", "td[align=left] + td[align=center] + td[align=right]"],
  ["<table><tr><td colspan=2 rowspan=3>x</table>", "td[colspan='2'][rowspan='3']"],
  ["<ol reversed type=a><li value=7>x</ol>", "ol[reversed][type=a] > li[value='7']"],
  [
    "[x](https://example.edu/a 'title')",
    "a[href='https://example.edu/a'][title=title][target=_blank][rel~=noopener]",
  ],
  ["[x](mailto:a@example.edu) [y](#/catalog)", "a[href^=mailto] + a[href='#/catalog']"],
  ["<http://example.edu>", "a[href='http://example.edu']"],
  ["<blockquote cite='https://example.edu'>x</blockquote>", "blockquote[cite]"],
  ["![a picture](#none)", "img[src='#none'][alt='a picture']"],
  ["<span lang=ar dir=rtl>x</span>", "span[lang=ar][dir=rtl]"],
  ["- [x] read\n- [ ] written", "li:has([aria-label=Done]) + li:has([aria-label='Not done'])"],
  ["`code` and ~~old~~", "code ~ del"],
  ["$$x$$", "math[display=block]"],
  [tex`$\mathrm{d}x$`, "mi[mathvariant=normal]"],
  [tex`$f(x)$`, "mo[stretchy=false]"],
  [tex`$\left(x\right)$`, "mo[fence=true]"],
  [tex`$\bigl(x$`, "mo[minsize='1.2em'][maxsize='1.2em'][stretchy=true]"],
  [tex`$a\kern1em b$`, "mspace[width='1em']"],
  [tex`$\raisebox{1em}{x}$`, "mpadded[voffset='1em']"],
  [tex`$\binom nk$`, "mfrac[linethickness='0px']"],
  [tex`$\dfrac12$`, "mstyle[displaystyle=true][scriptlevel='0']"],
  [tex`$\hat x$`, "mover[accent=true]"],
  [tex`$\mathop{x}\limits_1$`, "munder"],
  [tex`$\color{red}x$`, "mstyle[mathcolor=red]"],
  [
    tex`$\begin{aligned}a&=b\end{aligned}$`,
    "mtable[rowspacing] mtd[columnalign=right] + mtd[columnalign=left]",
  ],
  [tex`$\begin{array}{c|c}1&2\\\hline3&4\end{array}$`, "mtd[columnlines=solid][rowlines=solid]"],
  [tex`$\boxed x$`, "menclose[notation=box]"],
  [tex`$\frac{\sin}{2}$`, "mfrac:not(:has(mspace))"],
  [tex`$x^{\sin}$`, "msup:not(:has(mspace))"],
  [tex`$x$`, "semantics > annotation[encoding='application/x-tex']"],
  ["<math><mi href='https://example.edu'>x</mi></math>", "mi[href='https://example.edu']"],
];

/** One page with all markup. */
const drawn = [
  tex`In a line: $x^2 + \alpha$, ratios $\frac{1}{2}$, sets $\mathbb{R}^n \ni \mathbf{v}$, $\mathcal{F}$ and $\mathfrak{g}$, $\boldsymbol{\beta}$, $2 \sin x + \lim_{t} f(t)$.`,
  tex`$$\sum_{n=0}^{\infty} \frac{x^n}{n!} = \int_0^1 e^{xt}\,dt$$`,
  tex`$$\left(\frac{\frac{a}{b}}{\frac{c}{d}}\right) (x) \left[\begin{matrix}1\\2\\3\\4\end{matrix}\right]$$`,
  tex`$$\begin{aligned}a+b+c&=d\\x&=y+z\end{aligned}$$`,
  tex`$$f(x)=\begin{cases}1&x>0\\-1000&\text{otherwise}\end{cases}$$`,
  tex`$$\begin{array}{l|c|r}1111&2222&3333\\\hline 4&5&6\end{array}$$`,
  tex`$$\boxed{x} \cancel{y} \xrightarrow{\text{long label}} \overbrace{a+b+c+d}^{n} \sqrt{\frac{1}{x}} \colorbox{yellow}{z}$$`,
  tex`$$E = mc^2 \tag{7}$$`,
  "3. three\n4. four",
  "|left|middle|right|\n|:-|:-:|-:|\n|a longer cell|a longer cell|a longer cell|\n|1|2|3|",
  "- [x] read\n- [ ] written\n- plain",
];

/** Attributes and elements that no text may add to the page. */
const forbidden = `[...document.querySelectorAll(".prose *")].flatMap((element) => [
  ...(/^(script|style|form|input|button|iframe|object|embed|svg|link|meta|base|annotation-xml)$/i.test(element.localName) ? [element.localName] : []),
  ...[...element.attributes].filter(({ name, value }) =>
    /^(on|data-|style$|id$|name$|srcset$|background$|tabindex$|contenteditable$)/.test(name) ||
    (name === "class" && value !== "wide") ||
    (/^(href|src|xlink:href|cite)$/.test(name) && !/^(https?:|mailto:|#)/.test(value))
  ).map(({ name, value }) => element.localName + " " + name + "=" + value)
])`;

type Box = { x: number; y: number; width: number; height: number };

const middleOf = ({ x, width }: Box): number => x + width / 2;

describe.skipIf(!systemBrowser)("markup of people and models", () => {
  const world = openWorld();
  const browser = openBrowser(world);
  const made = (page: Page) => page.locator(".reading > .prose:not(.plain)");

  it("acts in none of the ways in which it may try", async () => {
    const { page } = await readTopic(world, browser, { data: paragraphs(attacks.map(([source]) => source)) });
    await expect.poll(() => made(page).count()).toBe(attacks.length);
    const title = await page.title();
    expect(await page.evaluate(forbidden)).toEqual([]);
    const texts = await made(page).evaluateAll((all) => all.map((one) => one.textContent));
    for (const [at, [source, left]] of attacks.entries()) expect(texts[at], source).toContain(left);
    await page.mouse.move(400, 400);
    await page.locator(".reading").click();
    expect(await page.title()).toBe(title);
  });

  it("keeps a text about its own appearance", async () => {
    const { page } = await readTopic(world, browser, {
      data: paragraphs(survivors.map(([source]) => source)),
    });
    await expect.poll(() => made(page).count()).toBe(survivors.length);
    for (const [at, [source, selector]] of survivors.entries())
      expect(await made(page).nth(at).locator(selector).count(), `${source}: ${selector}`).toBeGreaterThan(0);
    expect(await page.evaluate(forbidden)).toEqual([]);
    expect(await violationsOf(page)).toEqual([]);
  });

  it("renders formulas, lists and tables", async () => {
    const { page, complaints } = await readTopic(world, browser, {
      data: paragraphs(drawn),
    });
    await expect.poll(() => made(page).count()).toBe(drawn.length);
    await page.evaluate("document.fonts.ready");
    await expect.poll(() => page.evaluate("document.fonts.check('1em \"Noto Sans Math\"', 'x')")).toBe(true);
    expect(complaints).toEqual([]);

    const box = async (selector: string, at = 0): Promise<Box> => {
      const found = await page.locator(`.reading ${selector}`).nth(at).boundingBox();
      if (!found) throw new Error(`${selector} is not drawn`);
      return found;
    };
    const text = await page.locator(".reading").innerText();
    for (const letter of ["ℝ", "𝐯", "ℱ", "𝔤", "𝜷"]) expect(text).toContain(letter);

    // A display formula is centered and larger than an inline one.
    const middle = middleOf(await box(".prose"));
    expect(Math.abs(middleOf(await box(".wide math > semantics > mtable")) - middle)).toBeLessThan(2);
    const inLine = await box("math:not([display]) mfrac");
    const onItsOwn = await box("math[display=block] mfrac");
    expect(onItsOwn.height).toBeGreaterThan(inLine.height * 1.3);

    // Brackets are as high as their content; those of f(x) are as high as a letter.
    const [open, close, plain, bracket] = await Promise.all(
      [0, 1, 2, 4].map((at) => box(".prose:nth-child(3) mo", at)),
    );
    const fraction = await box(".prose:nth-child(3) mfrac");
    const matrix = await box(".prose:nth-child(3) mtable");
    for (const { height } of [open, close] as Box[])
      expect(height).toBeGreaterThanOrEqual(fraction.height - 4);
    expect((bracket as Box).height).toBeGreaterThanOrEqual(matrix.height - 4);
    expect((plain as Box).height).toBeLessThan((open as Box).height / 2);

    // Columns are aligned.
    const right = ({ x, width }: Box) => x + width;
    const first = ".prose:nth-child(4) mtr:nth-child(1)";
    const second = ".prose:nth-child(4) mtr:nth-child(2)";
    const equals = await Promise.all([first, second].map((row) => box(`${row} mtd:nth-child(2) mo`)));
    expect((equals[0] as Box).x).toBeCloseTo((equals[1] as Box).x, 0);
    const sides = await Promise.all([first, second].map((row) => box(`${row} mtd:nth-child(1) > *`)));
    expect(right(sides[0] as Box)).toBeCloseTo(right(sides[1] as Box), 0);
    const cases = await Promise.all(
      [1, 2].map((row) => box(`.prose:nth-child(5) mtr:nth-child(${row}) mtd > *`)),
    );
    expect((cases[0] as Box).x).toBeCloseTo((cases[1] as Box).x, 0);

    // Lists keep their start, and tables their alignment.
    expect(await page.locator(".reading ol").first().getAttribute("start")).toBe("3");
    const sidesOfCells = `[...document.querySelectorAll(".reading tbody tr:last-child td")].map((cell) => getComputedStyle(cell).textAlign)`;
    expect(await page.evaluate(sidesOfCells)).toEqual(["left", "center", "right"]);
    await page.getByRole("img", { name: "Done", exact: true }).waitFor();
    await page.getByRole("img", { name: "Not done", exact: true }).waitFor();

    // Space around a function's name: 2 sin x.
    const name = await box("mi:text-is('sin')");
    const next = await box("mi:text-is('sin') ~ mi:text-is('x')");
    expect(next.x - right(name)).toBeGreaterThan(2);
  });

  it("renders a page of formulas like the reference picture", async () => {
    const { page } = await readTopic(world, browser, {
      data: paragraphs(formulas.map(([source]) => source)),
    });
    await expect.poll(() => made(page).count()).toBe(formulas.length);
    await page.evaluate("document.fonts.ready");
    await expect.poll(() => page.evaluate("document.fonts.check('1em \"Noto Sans Math\"', 'x')")).toBe(true);
    for (const [at, [source, picture]] of formulas.entries()) {
      const seen = await inkOf(made(page).nth(at).locator("math").first());
      expect(inkBetween(seen, picture), `${source}\n${seen}`).toBeLessThan(0.3);
    }
  });

  it("scrolls separately if it is wider than a phone, also by keyboard", async () => {
    const wideFormula = Array.from({ length: 40 }, (_, at) => `x_{${at}}`).join(" + ");
    const cells = Array.from({ length: 14 }, (_, at) => `column${at}`).join("|");
    const { page } = await readTopic(world, browser, {
      data: paragraphs([
        `$$${wideFormula}$$`,
        `In a line $${wideFormula}$ it is wide, too.`,
        `|${cells}|\n|${cells.replaceAll(/[^|]+/g, "-")}|\n|${cells}|`,
        `~~~\n${"code ".repeat(11)}\n~~~`,
        "Narrow: $x$ and\n\n|a|\n|-|\n|b|\n\n$$y$$",
        `Wider than a phone: $${Array.from({ length: 8 }, () => "x + y").join(" + ")}$ in its line.`,
      ]),
      size: "phone",
    });
    await expect.poll(() => made(page).count()).toBe(6);
    await page.setViewportSize({ width: 320, height: 640 });
    const parts = page.getByRole("group", { name: "Wider than the page. Scroll sideways." });
    await expect.poll(() => parts.count()).toBe(5);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(320);
    for (const part of await parts.all()) {
      await part.focus();
      await page.keyboard.press("ArrowRight");
      await expect.poll(() => part.evaluate((element) => element.scrollLeft)).toBeGreaterThan(0);
    }
    expect(await violationsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 4000, height: 900 });
    await expect.poll(() => page.locator(".reading [tabindex]").count()).toBeLessThan(4);
    // With room, a formula returns to its line.
    await expect.poll(() => made(page).last().locator(".wide").count()).toBe(0);
  });
});
