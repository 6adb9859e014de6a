import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseQtiItem } from "../../../lib/assessment/qti/read-item.ts";
import { buildQtiItemXml } from "../../../lib/assessment/qti/write-item.ts";
import { parseQtiQuiz } from "../../../lib/integrations/cartridges/read-quiz.ts";
import { buildQtiQuizXml } from "../../../lib/integrations/cartridges/write-quiz.ts";
import { parseXml } from "../../../lib/integrations/cartridges/xml.ts";
import { plainTextToMarkdown } from "../../../lib/platform/text/plain-text-markdown.ts";

const asked = (text: string) => ({
  ...{ kind: "SINGLE_CHOICE" as const, question_text: text, explanation: text, points: 1 },
  options: ["a", "b"].map((id) => ({ id, text: `${text} ${id}` })),
  answer: { option_id: "a" },
});

/** The files of an export, and their texts as they are read. */
const exports: Record<string, (text: string, identifier?: string) => string> = {
  "QTI 2.1": (text, identifier = "question-1") =>
    buildQtiItemXml({ ...asked(text), identifier, title: "Pool 1", is_active: true }, "2.1"),
  "QTI 3.0": (text, identifier = "question-1") =>
    buildQtiItemXml({ ...asked(text), identifier, title: "Pool 1", is_active: true }, "3.0"),
  "QTI 1.2": (text) =>
    buildQtiQuizXml({
      ...{ identifier: "quiz", title: "Quiz", maxAttempts: 1, timeLimitSeconds: null, schema: "s" },
      questions: [{ ...asked(text), id: 1 } as never],
    }),
};

function textsOf(xml: string): (string | null | undefined)[] {
  const question = xml.includes("questestinterop")
    ? parseQtiQuiz(parseXml(xml)).questions[0]
    : parseQtiItem(xml)?.question;
  return [
    question?.question_text,
    question?.explanation,
    ...(question?.options ?? []).map((one) => one.text),
  ];
}

const words = fc
  .array(
    fc.constantFrom(
      "a",
      "*",
      "_",
      "<b>",
      "&lt;",
      "# ",
      "- ",
      "$",
      "\\",
      "`",
      " ",
      "\n",
      "\n\n",
      "[x]",
      "  \n",
    ),
    {
      minLength: 1,
      maxLength: 12,
    },
  )
  .map((parts) => `q${parts.join("").trim()}`);

describe.each(Object.entries(exports))("a text exported as %s", (_, exported) => {
  it("is the same after its import, plain or Markdown", () => {
    fc.assert(
      fc.property(words, fc.boolean(), (text, isPlain) => {
        const markdown = isPlain ? plainTextToMarkdown(text) : text;
        const texts = [markdown, markdown, `${markdown} a`, `${markdown} b`];
        expect(textsOf(exported(markdown))).toEqual(texts);
      }),
    );
  });

  it("has no escapes for other programs", () => {
    const text = "2*3*4 __init__ x[1]";
    const xml = exported(plainTextToMarkdown(text));
    expect(xml).toContain(text);
    expect(xml).not.toContain("\\");
  });
});

it.each(["QTI 2.1", "QTI 3.0"])("a text exported as %s under any name is Markdown", (version) => {
  const xml = exports[version]?.("**a**", "another") ?? "";
  expect(textsOf(xml)[0]).toBe("**a**");
});

it("Markdown of an older export, which has no class, stays Markdown", () => {
  const xml = (exports["QTI 2.1"]?.("**a**") ?? "").replaceAll(' class="markdown"', "");
  expect(textsOf(xml)[0]).toBe("**a**");
  expect(textsOf(xml.replace('title="Pool 1"', 'title="Pool"'))[0]).toBe("\\*\\*a\\*\\*");
});
