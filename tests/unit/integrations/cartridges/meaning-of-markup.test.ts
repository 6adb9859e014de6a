import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseQtiItem } from "../../../../lib/assessment/qti/read-item.ts";
import { QtiError } from "../../../../lib/assessment/qti/xml.ts";
import { htmlToMarkdown } from "../../../../lib/integrations/cartridges/html-to-blocks.ts";
import { readPart } from "../../../../lib/integrations/cartridges/read-part.ts";
import { decodeOmission, encodeOmission } from "../../../../lib/platform/results/omission-codes.ts";
import { encodeStoredReason } from "../../../../lib/platform/results/stored-reason.ts";
import { equal, qtiItem, quizOf } from "../../../support/cartridges.ts";

const math = (inside: string) => `<math xmlns="http://www.w3.org/1998/Math/MathML">${inside}</math>`;

/** A question of each format with these options, of which the first is right. */
const items: Record<string, (options: readonly string[], stem?: string) => string[] | string> = {
  "QTI 2": (options, stem = "Which?") => {
    const choices = options.map((option, at) => `<simpleChoice identifier="o${at}">${option}</simpleChoice>`);
    const source =
      '<assessmentItem identifier="i" title="T"><responseDeclaration identifier="R" cardinality="single" baseType="identifier">' +
      `<correctResponse><value>o0</value></correctResponse></responseDeclaration><itemBody><p>${stem}</p>` +
      `<choiceInteraction responseIdentifier="R">${choices.join("")}</choiceInteraction></itemBody></assessmentItem>`;
    try {
      const { question } = parseQtiItem(source) ?? {};
      return [question?.question_text ?? "", ...(question?.options ?? []).map(({ text }) => text)];
    } catch (error) {
      if (error instanceof QtiError) return error.message;
      throw error;
    }
  },
  "QTI 1.2": (options, stem = "Which?") => {
    const escaped = (html: string) => html.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
    const labels = options.map(
      (option, at) =>
        `<response_label ident="o${at}"><material><mattext texttype="text/html">${escaped(option)}</mattext></material></response_label>`,
    );
    const response = `<response_lid ident="r" rcardinality="Single"><render_choice>${labels.join("")}</render_choice></response_lid>`;
    const quiz = quizOf(qtiItem("multiple_choice_question", escaped(stem), response, equal("o0")));
    const read = readPart({ quiz: Buffer.from(quiz), path: "quiz.xml", names: [] });
    if (!("quiz" in read)) return "unreadable";
    const [question] = read.quiz.questions;
    if (!question) return read.quiz.leftOut.map((stored) => decodeOmission(stored).line).join();
    return [question.question_text, ...(question.options ?? []).map(({ text }) => text)];
  },
};

describe.each(Object.entries(items))("a question of %s", (_, textsOf) => {
  it("keeps superscripts, subscripts, ruby, formulas and lines of code", () => {
    const options = [
      "3 × 10<sup>8</sup>",
      "3 × 108",
      "m s<sup>-1</sup>",
      "H<sub>2</sub>O",
      "x<sup>Q</sup>",
      "<ruby>漢字<rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby>",
      math("<mfrac><mn>1</mn><mn>2</mn></mfrac>"),
    ];
    expect(textsOf(options)).toEqual([
      "Which?",
      ...["3 × 10⁸", "3 × 108", "m s⁻¹", "H₂O", "x$^{\\text{Q}}$", "漢字(かんじ)", "$\\frac{1}{2}$"],
    ]);
    const [code] = textsOf(["a", "b"], "Read:<pre>if x:\n  y<br/>z</pre>");
    expect(code).toContain("```\nif x:\n  y\nz\n```");
  });

  it("is rejected if its stem or an option loses a picture or formula", () => {
    const lost = [
      '<img src="gone.png" alt="A cat"/>',
      "<svg><path/></svg>",
      math("<apply><plus/><ci>x</ci></apply>"),
    ];
    for (const part of lost) {
      expect(textsOf(["a", "b"], `See ${part}`), part).toMatch("would be lost");
      expect(textsOf([`a ${part}`, "b"]), part).toMatch("would be lost");
    }
  });

  it("is rejected if two options would differ no longer", () => {
    expect(textsOf(["<u>x</u>", "x"])).toMatch("same text");
  });

  it("keeps its options apart, or is rejected, for any markup", () => {
    const word = fc.constantFrom("1", "08", "10", "x", "Q", "+", "");
    const mark = fc.constantFrom("sup", "sub", "b", "i", "u", "code", "span");
    const option = fc
      .array(
        fc.oneof(
          word,
          fc.tuple(mark, word).map(([name, text]) => `<${name}>${text}</${name}>`),
        ),
        {
          minLength: 1,
          maxLength: 4,
        },
      )
      .map((parts) => `a${parts.join("")}`);
    fc.assert(
      fc.property(fc.uniqueArray(option, { minLength: 2, maxLength: 6 }), (options) => {
        const read = textsOf(options);
        if (typeof read === "string") expect(read).toMatch("same text");
        else expect(new Set(read.slice(1)).size).toBe(options.length);
      }),
    );
  });
});

describe("a question of QTI 1.2", () => {
  it("keeps its points, or is rejected", () => {
    const response = `<response_str ident="r"><render_fib><response_label ident="a"/></render_fib></response_str>`;
    const withPoints = (points: string) => {
      const quiz = quizOf(qtiItem("short_answer_question", "How?", response, equal("so"))).replace(
        "<fieldentry>2</fieldentry>",
        `<fieldentry>${points}</fieldentry>`,
      );
      const read = readPart({ quiz: Buffer.from(quiz), path: "quiz.xml", names: [] });
      return "quiz" in read
        ? (read.quiz.questions[0]?.points ?? decodeOmission(read.quiz.leftOut[0] ?? "").line)
        : undefined;
    };
    for (const points of [0.01, 1.5, 99.99]) expect(withPoints(String(points))).toBe(points);
    for (const points of ["100", "0", "-1", "many"]) expect(withPoints(points)).toMatch(/^1: /);
  });

  it("is rejected for a lost character, alone", () => {
    const response = `<response_str ident="r"><render_fib><response_label ident="a"/></render_fib></response_str>`;
    const quiz = quizOf(
      qtiItem("short_answer_question", "K\ufffdln?", response, equal("so")),
      qtiItem("short_answer_question", "Köln?", response, equal("so")),
    );
    const read = readPart({ quiz: Buffer.from(quiz), path: "quiz.xml", names: [] });
    expect(read).toMatchObject({
      read_as: "utf-8",
      quiz: {
        questions: [{ question_text: "Köln?" }],
        leftOut: [encodeOmission("left_out_question_character_lost", { number: 1 })],
      },
    });
  });
});

describe("a page", () => {
  it("keeps line breaks in code, and formulas before digits", () => {
    const text = (html: string) => htmlToMarkdown(html, () => {});
    expect(text("<p><code>a<br>b</code></p>")).toBe("`a`  \n`b`");
    expect(text("x<sup>Q</sup>2")).toBe("x$^{\\text{Q}}{2}$");
    expect(text("2<sup>*</sup>")).toBe("2$^{\\text{*}}$");
    expect(text(`<sup>${"<span>".repeat(10_000)}2`)).toBe("²");
    expect(text(math(`${"<mrow>".repeat(10_000)}<mi>x</mi>`))).toBe("x");
  });

  it("in any declared encoding is decoded, and rejected for a lost character with its line", () => {
    const page = (bytes: Buffer) => readPart({ page: bytes, path: "a.html", names: [] });
    const html = '<html><head><meta charset="iso-8859-1"><title>T</title></head><body>K\xf6ln</body></html>';
    expect(page(Buffer.from(html, "latin1"))).toMatchObject({
      read_as: "windows-1252",
      page: { blocks: [{ text: "Köln" }] },
    });
    expect(page(Buffer.from("<p>a</p>\n<p>K\ufffdln</p>"))).toMatchObject({
      refusal: encodeStoredReason("text_character_lost", { line: 2 }),
    });
    expect(page(Buffer.from("<p>a</p>\n<p>K&#xFFFD;ln</p>"))).toMatchObject({
      refusal: encodeStoredReason("text_character_lost", { line: 2 }),
    });
  });
});
