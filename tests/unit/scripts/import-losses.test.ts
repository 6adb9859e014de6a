import { expect, it } from "vitest";
import type { ImportedRow } from "../../../proof/import-check/importing-client.ts";
import { findSilentLosses } from "../../../proof/import-check/losses.ts";
import { entry, equal, qtiItem, quizOf } from "../../support/cartridges.ts";

const row = (outcome: ImportedRow["outcome"], left_out: string[] = []): ImportedRow => ({
  ...{ name: "q.xml", line: 1, outcome, fault: null, code: null, left_out },
});

const question = (text: string) => qtiItem("short_answer_question", text, entry(), equal("wave"));
const text = quizOf(
  question("&lt;p&gt;What is a &lt;b&gt;wave&lt;/b&gt;? &lt;img src='a.png'&gt;&lt;/p&gt;"),
  question("Name it."),
);
const stored = [{ question_text: "What is a **wave**? ![](file:7)" }, { question_text: "Name it." }];

const lost = (rows: ImportedRow[], questions: object[] = stored) =>
  findSilentLosses({ name: "q.xml", text, rows }, questions);

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
  expect(lost([row("created", ["img"]), row("created")], [{ question_text: "Name it." }])).toEqual([]);
});

it("questions of QTI 2, QTI 3 and Moodle are counted", () => {
  const forms = [
    "<assessmentItem><itemBody><p>Wave</p></itemBody></assessmentItem>",
    "<qti-assessment-item><qti-item-body><p>Wave</p></qti-item-body></qti-assessment-item>",
    '<quiz><question type="category"></question><question type="essay"><questiontext><text>Wave</text></questiontext></question></quiz>',
  ];
  for (const form of forms) {
    const found = (rows: ImportedRow[], words: string) =>
      findSilentLosses({ name: "q", text: form, rows }, [{ question_text: words }]);
    expect(found([row("created")], "Wave")).toEqual([]);
    expect(found([row("created")], "Ray")).toEqual(["q: lost wave"]);
    expect(found([], "")).toEqual(["q: 1 questions, and 0 results"]);
  }
});
