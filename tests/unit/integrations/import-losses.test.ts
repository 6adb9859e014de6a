import { describe, expect, it } from "vitest";
import { parseCaptionsText } from "../../../lib/courses/content/captions/read-captions.ts";
import { errorMessageTemplates } from "../../../lib/error-codes.ts";
import { readManifest } from "../../../lib/integrations/cartridges/read-manifest.ts";
import { readPart } from "../../../lib/integrations/cartridges/read-part.ts";
import { parseQuestionFileByContent } from "../../../lib/integrations/question-files/read-questions.ts";
import { omissionMessages } from "../../../lib/platform/results/omission-codes.ts";
import { decodeCodeAndMessage } from "../../../lib/platform/results/stored-reason.ts";
import { entry, equal, item, manifestOf, qtiItem, quizOf, resource } from "../../support/cartridges.ts";

const messages = { ...errorMessageTemplates, ...omissionMessages };
const wordsOf = (stored: string) => decodeCodeAndMessage(stored, messages).words ?? "";

/** Numbers from 0 below `most`, the same in each run. */
function dice(seed: number) {
  let state = seed;
  return (most: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % most;
  };
}

/** Text, pictures and settings of a generated file; each must be in the result or in a line about omissions. */
class Fragments {
  readonly all: string[] = [];
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  word(): string {
    const word = `${this.#name}${String.fromCharCode(97 + Math.floor(this.all.length / 26), 97 + (this.all.length % 26))}x`;
    this.all.push(word);
    return word;
  }

  missingIn(result: string): string[] {
    // Superscripts have characters of their own.
    const told = result.normalize("NFKC");
    return this.all.filter((word) => !told.includes(word));
  }
}

const rounds = Array.from({ length: 60 }, (_, at) => at + 1);

/** HTML with markup that is kept, reported or refused. */
function html(roll: (most: number) => number, next: () => string): string {
  const parts = [
    () => `<p>${next()} <b>${next()}</b></p>`,
    () => `<ul><li>${next()}</li><li>${next()}</li></ul>`,
    () => `<table><tr><th>${next()}</th><td>${next()}</td></tr></table>`,
    () => `<p>10<sup>${next()}</sup></p>`,
    () => `<ruby>${next()}<rt>${next()}</rt></ruby>`,
    () => `<pre>${next()}\n${next()}</pre>`,
    () => `<div><span title="t">${next()}</span><br>${next()}</div>`,
    () => `<a href="https://example.org/${next()}">${next()}</a>`,
    () => `<details><summary>${next()}</summary>${next()}</details>`,
    () => `<dl><dt>${next()}</dt><dd>${next()}</dd></dl>`,
    () => `<blockquote>${next()}</blockquote>`,
    () => `<math><mi>${next()}</mi></math>`,
    () => `<table><caption>${next()}</caption><tr><td>${next()}</td><td>${next()}</td></tr></table>`,
    () => `<ul>${next()}<li>${next()}</li></ul>`,
    () =>
      `<figure><figcaption>${next()}</figcaption></figure><fieldset><legend>${next()}</legend>${next()}</fieldset>`,
    () => `<ol start="3"><li>${next()}<ul><li>${next()}</li></ul></li></ol>`,
    () => `<label>${next()}</label><bdi>${next()}</bdi><kbd>${next()}</kbd><q>${next()}</q>`,
    () => `<h3>${next()}<small>${next()}</small></h3><address>${next()}</address>`,
  ];
  return Array.from({ length: 1 + roll(3) }, () => parts[roll(parts.length)]?.() ?? "").join("");
}

/** The questions of a file with their lines about omissions. None is refused. */
function questionsIn(name: string, xml: string): string {
  const found = parseQuestionFileByContent({ name, xml }, { isPackaged: false });
  expect(found.flatMap(({ fault }) => fault ?? [])).toEqual([]);
  return JSON.stringify(found.map(({ question, leftOut }) => [question, leftOut.map(wordsOf)]));
}

describe("a generated GIFT file", () => {
  it.each(rounds)("loses nothing without a line: %i", (seed) => {
    const roll = dice(seed);
    const fragments = new Fragments("g");
    const next = () => fragments.word();
    const answers = [
      () => `{=${next()} ~${next()} ~%-50%${next()}}`,
      () => `{=${next()} =%50%${next()} =%0%${next()}}`,
      () => "{T}",
      () => "{#=%100%3:0.5 =%0%41:2}",
      () => `{~%50%${next()} ~%50%${next()} ~%-50%${next()}}`,
      () => `{=${next()} ~${next()}####${next()}}`,
    ];
    const blocks = Array.from({ length: 4 }, () => {
      const category = roll(3) === 0 ? `$CATEGORY: top/${next()}\n\n` : "";
      const stem = roll(2) === 0 ? `[html]${html(roll, next)}` : next();
      return `${category}${stem.replaceAll(/[~=#:](?!\/)/g, "\\$&")} ${answers[roll(answers.length)]?.()} ${roll(3) === 0 ? next() : ""}`;
    });
    const read = questionsIn("q.gift", blocks.join("\n\n"));
    expect(fragments.missingIn(read)).toEqual([]);
  });

  it("names the weights, feedback and wrong texts that it leaves out", () => {
    const read = questionsIn("q.gift", "Q {=ga#gb =%0%gc}\n\nN {#=3 =%0%41:2#gd}");
    expect(read).toContain("setting answer: gc");
    expect(read).toContain("setting answer: 41:2");
    expect(read).toContain("feedback for single answers");
  });
});

describe("a generated Moodle file", () => {
  it.each(rounds)("loses nothing without a line: %i", (seed) => {
    const roll = dice(seed);
    const fragments = new Fragments("m");
    const next = () => fragments.word();
    const text = (name: string, inner: string) =>
      `<${name} format="html"><text><![CDATA[${inner}]]></text></${name}>`;
    const answer = (fraction: number) =>
      `<answer fraction="${fraction}" format="html"><text>${next()}</text></answer>`;
    const extras = [
      () => `<idnumber>${next()}</idnumber>`,
      () => "<penalty>0.2</penalty>",
      () => "<novel><text>unread</text></novel>",
      () => text("generalfeedback", html(roll, next)),
      () => "<defaultgrade>3</defaultgrade>",
    ];
    const kinds = [
      () => ["multichoice", `<single>true</single>${answer(100)}${answer(0)}`],
      () => ["multichoice", `<single>false</single>${answer(50)}${answer(50)}${answer(-50)}`],
      () => ["shortanswer", `${answer(100)}${answer(0)}`],
    ];
    const questions = Array.from({ length: 3 }, () => {
      const [type, answers] = kinds[roll(kinds.length)]?.() ?? [];
      const category =
        roll(3) === 0
          ? `<question type="category"><category><text>top/${next()}</text></category></question>`
          : "";
      return `${category}<question type="${type}">${text("questiontext", html(roll, next))}${answers}${extras[roll(extras.length)]?.()}</question>`;
    });
    const read = questionsIn("q.xml", `<quiz>${questions.join("")}</quiz>`);
    expect(fragments.missingIn(read)).toEqual([]);
    if (questions.join().includes("0.2")) expect(read).toContain("setting penalty: 0.2");
    if (questions.join().includes("novel")) expect(read).toContain("novel");
  });
});

describe("generated captions", () => {
  it.each(rounds)("lose nothing without a line: %i", (seed) => {
    const roll = dice(seed);
    const fragments = new Fragments("c");
    const next = () => fragments.word();
    const speech = [
      () => `<v ${next()}>${next()}</v>`,
      () => `<c.${"loud"}>${next()}</c> <i>${next()}</i>`,
      () => `${next()}\n- ${next()}`,
      () => `<ruby>${next()}<rt>${next()}</rt></ruby>`,
      () => `<lang en>${next()}</lang> &amp; ${next()}`,
    ];
    const cues = Array.from({ length: 6 }, (_, at) => {
      const id = roll(2) === 0 ? `${next()}\n` : "";
      const settings = roll(2) === 0 ? ` region:${next()} align:start` : "";
      return `${id}00:0${at}.000 --> 00:0${at}.500${settings}\n${speech[roll(speech.length)]?.()}`;
    });
    const blocks = [
      `WEBVTT - ${next()}\nKind: ${next()}`,
      `STYLE\n::cue(.${next()}) { color: red }`,
      `REGION\nid:${next()}`,
      `NOTE ${next()}\n${next()}`,
      ...cues,
    ];
    const { segments, leftOut } = parseCaptionsText(blocks.join("\n\n"), "film");
    expect(fragments.missingIn(JSON.stringify([segments, leftOut.map(wordsOf)]))).toEqual([]);
  });
});

describe("a generated cartridge", () => {
  it.each(rounds)(
    "loses nothing of its pages, topics, assignments and quizzes without a line: %i",
    (seed) => {
      const roll = dice(seed);
      const fragments = new Fragments("k");
      const next = () => fragments.word();
      const at = { path: "a/p.html", names: ["a/p.html", "a/x.pdf"] };
      const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
      const bytes = (text: string) => Buffer.from(text);
      const setting = (name: string) => `<${name}>${next()}</${name}>`;
      const parts = [
        readPart({
          page: bytes(
            `<html><head><title>${next()}</title><meta name="editing_roles" content="${next()}"></head><body>${html(roll, next)}</body></html>`,
          ),
          ...at,
        }),
        readPart({
          topic: bytes(
            `<topic><title>${next()}</title><text texttype="text/html">${escaped(html(roll, next))}</text><attachments><attachment href="${next()}.pdf"/></attachments></topic>`,
          ),
          settings: bytes(`<topicMeta>${setting("novel")}</topicMeta>`),
          ...at,
        }),
        readPart({
          assignment: bytes(`<html><body>${html(roll, next)}</body></html>`),
          settings: bytes(
            `<assignment><title>${next()}</title>${setting("novel")}${setting("allowed_extensions")}</assignment>`,
          ),
          rubrics: undefined,
          ...at,
        }),
        readPart({
          quiz: bytes(
            quizOf(
              qtiItem("short_answer_question", escaped(html(roll, next)), entry(), equal(next())),
              qtiItem("essay_question", escaped(html(roll, next)), entry()),
            ),
          ),
          settings: bytes(
            `<quiz><description>${escaped(html(roll, next))}</description>${setting("novel")}${setting("ip_filter")}</quiz>`,
          ),
          ...at,
        }),
      ];
      const told = JSON.stringify(parts, (_, value) => (typeof value === "string" ? wordsOf(value) : value));
      expect(fragments.missingIn(told)).toEqual([]);
    },
  );

  it("keeps every title of its outline", () => {
    const fragments = new Fragments("t");
    const items = Array.from({ length: 20 }, (_, at) => item(`i${at}`, fragments.word(), `r${at % 3}`)).join(
      "",
    );
    const resources = [0, 1, 2].map((at) => resource(`r${at}`, "webcontent", [`${at}.html`])).join("");
    const plan = readManifest({
      text: manifestOf(items, resources),
      names: ["0.html", "1.html", "2.html"],
      titles: { untitled: "Course", further: "Further" },
    });
    expect(fragments.missingIn(JSON.stringify(plan))).toEqual([]);
  });
});
