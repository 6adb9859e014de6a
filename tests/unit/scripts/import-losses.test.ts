import { expect, it } from "vitest";
import type { ImportedQuestionRow } from "../../../proof/import-check/importing-client.ts";
import {
  findLostCaptionWords,
  findLostPageWords,
  findLostQuestionContent,
} from "../../../proof/import-check/losses.ts";
import { entry, equal, qtiItem, quizOf } from "../../support/cartridges.ts";

const row = (outcome: ImportedQuestionRow["outcome"], left_out: string[] = []): ImportedQuestionRow => ({
  ...{ name: "q.xml", line: 1, outcome, fault: null, code: null },
  ...{ left_out, left_out_codes: left_out.map(() => "left_out_markup") },
});

const question = (text: string) => qtiItem("short_answer_question", text, entry(), equal("wave"));
const text = quizOf(
  question("&lt;p&gt;What is a &lt;b&gt;wave&lt;/b&gt;? &lt;img src='a.png'&gt;&lt;/p&gt;"),
  question("Name it."),
);
const stored = [{ question_text: "What is a **wave**? ![](file:7)" }, { question_text: "Name it." }];

const lost = (rows: ImportedQuestionRow[], questions: object[] = stored) =>
  findLostQuestionContent({ name: "q.xml", text, rows }, questions);

it("a file whose questions all have a result, with their words and pictures, lost nothing", () => {
  expect(lost([row("created"), row("created")])).toEqual([]);
  expect(lost([row("created"), row("failed")])).toEqual([]);
  expect(lost([row("failed")])).toEqual([]);
});

it("a question without a result, a missing word or a missing picture is a loss", () => {
  expect(lost([row("created")])).toEqual(["q.xml: 2 questions, and 1 results"]);
  expect(lost([row("ignored")])).toEqual(["q.xml: 2 questions, and 0 results"]);
  const without = (words: string) => [{ question_text: words }, { question_text: "Name it." }];
  expect(lost([row("created"), row("created")], without("What is a? ![](file:7)"))).toEqual([
    "q.xml: lost wave",
  ]);
  expect(lost([row("created"), row("created")], without("What is a wave?"))).toEqual([
    "q.xml: 1 pictures, and 0 of them stored",
  ]);
});

it("a loss that its line names is none", () => {
  const without = [{ question_text: "What is a **wave**?" }, { question_text: "Name it." }];
  expect(lost([row("created", ["1: img"]), row("created")], without)).toEqual([
    "q.xml: 1 pictures, and 0 of them stored",
  ]);
  const item = `<question type="essay"><questiontext><text>Wave</text></questiontext><hint>Water</hint><answer>Ray<feedback>Light</feedback></answer></question>`;
  const found = (left_out: string[]) =>
    findLostQuestionContent({ name: "q", text: `<quiz>${item}</quiz>`, rows: [row("created", left_out)] }, [
      { question_text: "Wave", answer: "Ray" },
    ]);
  expect(found(["1: feedback for single answers"])).toEqual([]);
  expect(found(["1: hint"])).toEqual(["q: lost light"]);
});

it("a line about something else does not excuse a lost word", () => {
  expect(
    lost([row("created", ["1: setting penalty: 0.2"]), row("created")], [{ question_text: "Name it." }]),
  ).toEqual(["q.xml: lost what, wave", "q.xml: 1 pictures, and 0 of them stored"]);
});

it("questions of GIFT are compared word by word, with the lines about what was left out", () => {
  const text =
    "// note\n$CATEGORY: top\n::Title:: [html]<p>Which <b>wave</b>?</p> {=%100%water#well done ~light}\n\nTrue? {T}";
  const found = (left_out: string[], words: string) =>
    findLostQuestionContent({ name: "q.gift", text, rows: [row("created", left_out), row("created")] }, [
      words,
    ]);
  expect(found(["1: feedback for single answers"], "Which **wave**? water light True?")).toEqual([]);
  expect(found([], "Which **wave**? water light True?")).toEqual(["q.gift: lost well, done"]);
  expect(found(["1: feedback for single answers"], "Which **wave**? water True?")).toEqual([
    "q.gift: lost light",
  ]);
});

it("captions and pages are compared word by word", () => {
  const text = "WEBVTT\n\nNOTE hidden\n\n00:01.000 --> 00:02.000 align:start\n<v Ada>Hello <i>you</i></v>";
  const segments = [{ text: "Ada: Hello you" }];
  const film = { name: "f.vtt", text };
  expect(
    findLostCaptionWords(film, {
      segments,
      left_out: ["setting NOTE: hidden", "setting align: start", "WEBVTT"],
    }),
  ).toEqual([]);
  expect(findLostCaptionWords(film, { segments: [], left_out: ["NOTE hidden align start WEBVTT"] })).toEqual([
    "f.vtt: lost hello, you",
  ]);
  const page = {
    name: "p.html",
    text: "<p>Waves <b>add</b> up.</p><form>Send</form><script>steal()</script>",
  };
  expect(findLostPageWords([page], [{ text: "Waves **add** up." }], ["form"])).toEqual([]);
  expect(findLostPageWords([page], [{ text: "Waves" }], ["form"])).toEqual(["p.html: lost add"]);
});

it("questions of QTI 2, QTI 3 and Moodle are counted", () => {
  const forms = [
    "<assessmentItem><itemBody><p>Wave</p></itemBody></assessmentItem>",
    "<qti-assessment-item><qti-item-body><p>Wave</p></qti-item-body></qti-assessment-item>",
    '<quiz><question type="category"></question><question type="essay"><questiontext><text>Wave</text></questiontext></question></quiz>',
  ];
  for (const form of forms) {
    const found = (rows: ImportedQuestionRow[], words: string) =>
      findLostQuestionContent({ name: "q", text: form, rows }, [{ question_text: words }]);
    expect(found([row("created")], "Wave")).toEqual([]);
    expect(found([row("created")], "Ray")).toEqual(["q: lost wave"]);
    expect(found([], "")).toEqual(["q: 1 questions, and 0 results"]);
  }
});
