import { describe, expect, it } from "vitest";
import { captionSamples } from "../../../../app/src/samples/captions.ts";
import { questionFileSamples } from "../../../../app/src/samples/questions.ts";
import { parseCaptionsText } from "../../../../lib/courses/content/captions/read-captions.ts";
import { errorMessageTemplates } from "../../../../lib/error-codes.ts";
import { parseQuestionFileByContent } from "../../../../lib/integrations/question-files/read-questions.ts";
import { omissionMessages } from "../../../../lib/platform/results/omission-codes.ts";
import { decodeCodeAndMessage } from "../../../../lib/platform/results/stored-reason.ts";
import { escapeMarkdown } from "../../../../lib/platform/text/escape-markdown.ts";
import { choices, entry, equal, qtiItem, quizOf } from "../../../support/cartridges.ts";

const alone = { isPackaged: false };
const read = (text: string, at = alone) => parseQuestionFileByContent({ name: "q", xml: text }, at);

const messages = { ...errorMessageTemplates, ...omissionMessages };
const codes = (text: string, at = alone) =>
  read(text, at).map(({ question, fault, leftOut, line }) => ({
    line,
    kind: question?.kind,
    answer: question?.answer,
    scoring: question?.scoring,
    fault: decodeCodeAndMessage(fault ?? null, messages).code,
    lost: leftOut.map((one) => decodeCodeAndMessage(one, messages).code),
  }));

/** A pool has no number of attempts, and no time limit. */
const ofQuiz = ["left_out_setting", "left_out_setting"];

describe("the type of a file", () => {
  it.each(questionFileSamples.map((one) => [one.format, one] as const))(
    "is found by the content of the sample in %s, whatever its name is",
    (_, { content }) => {
      const found = parseQuestionFileByContent({ name: "any.bin", xml: content }, alone);
      expect(found.length).toBeGreaterThan(0);
      for (const { question, fault, leftOut } of found)
        expect({ question: question?.kind, fault, leftOut }).toEqual({
          question: expect.any(String),
          fault: undefined,
          leftOut: [],
        });
    },
  );

  it.each(captionSamples.map((one) => [one.format, one] as const))(
    "is found for captions in the sample of %s",
    (_, { content }) => expect(parseCaptionsText(content, "f").segments).toHaveLength(2),
  );

  it("that has no questions is no fault in a package, and one by itself", () => {
    const others = [
      "<quiz xmlns='http://canvas.instructure.com/xsd/cccv1p0'><title>Meta</title></quiz>",
      "<manifest/>",
      "<html><body>read me</body></html>",
    ];
    for (const text of others) {
      const [found] = read(text, { isPackaged: true });
      expect(found).toMatchObject({ leftOut: [] });
      expect(found?.fault).toBeUndefined();
    }
    expect(codes(others[0] ?? "")).toMatchObject([{ fault: "qti_root_unknown" }]);
    expect(read("A licence text.", { isPackaged: true })).toHaveLength(1);
    expect(() => read("A licence text.")).toThrow("neither a package nor");
  });

  it("that is cut names the line", () => {
    const [{ fault = null } = {}] = read("<?xml version='1.0'?>\n<questestinterop>\n<assessment>");
    expect(decodeCodeAndMessage(fault, messages).words).toMatch(/line \d/);
  });

  it("that is nested 10,000 deep is refused with the line", () => {
    const deep = `<questestinterop>\n${"<section>\n".repeat(10_000)}${"</section>".repeat(10_000)}</questestinterop>`;
    const [{ fault = null } = {}] = read(deep);
    expect(decodeCodeAndMessage(fault, messages).words).toContain("nested more than 60 deep in line 61");
  });
});

describe("a file that is cut", () => {
  const json = JSON.stringify(
    ["One?", "Two?"].map((question_text) => ({
      kind: "TRUE_FALSE",
      question_text,
      answer: { value: true },
    })),
    null,
    1,
  );

  it.each(questionFileSamples.map((one) => [one.format, one] as const))(
    "adds nothing in %s, and has one fault, wherever it is cut within its last question",
    (_, { content }) => {
      for (const rest of [2, 4, 8]) {
        const text = content.trimEnd().slice(0, -rest);
        const found = read(text);
        expect(found).toHaveLength(1);
        expect(found[0]?.question).toBeUndefined();
        expect(found[0]?.fault).toBeDefined();
      }
    },
  );

  it("names the line in JSON and GIFT", () => {
    const cut = json.slice(0, json.indexOf("Two?"));
    const at = cut.split("\n").length;
    expect(codes(cut)).toMatchObject([{ line: at, fault: "question_json_unreadable" }]);
    expect(codes(json.replace('"TRUE_FALSE"', "TRUE_FALSE"))).toMatchObject([{ line: 3 }]);
    expect(codes("One? {T}\n\nTwo? {=a ~b")).toMatchObject([{ line: 3, fault: "question_file_cut" }]);
  });

  it("is another kind of file if its JSON has no questions", () => {
    expect(read('{"version": {"a": 1}}', { isPackaged: true })).toMatchObject([{ leftOut: [] }]);
    expect(() => read('{"version": {"a": 1}}')).toThrow("neither a package nor");
  });

  it("is not one whose single question is faulty: every format reports that one alone", () => {
    const faulty = json.replace("One?", "");
    const gift = "Explain. {}\n\nTwo? {T}";
    const xml = quizOf(
      qtiItem("essay_question", "Explain.", entry()),
      qtiItem("short_answer_question", "Two?", entry(), equal("wave")),
    );
    const moodle = `<quiz><question type="essay"/><question type="shortanswer"><questiontext><text>Two?</text></questiontext><answer fraction="100"><text>a</text></answer></question></quiz>`;
    for (const text of [faulty, gift, xml, moodle]) {
      const [first, second, ...others] = codes(text);
      expect(first).toMatchObject({ kind: undefined, fault: expect.any(String) });
      expect(second).toMatchObject({ kind: expect.any(String), fault: null });
      expect(others).toEqual([]);
    }
  });
});

describe("a number", () => {
  const gift = (written: string) => `How many? {#${written}}`;
  const moodle = (value: string, tolerance = "0", fraction = "100") =>
    `<quiz><question type="numerical"><questiontext><text>How many?</text></questiontext><answer fraction="${fraction}"><text>${value}</text><tolerance>${tolerance}</tolerance></answer></question></quiz>`;
  const qti12 = (value: string) =>
    quizOf(qtiItem("numerical_question", "How many?", entry("Decimal"), equal(value)));

  it.each([
    "3.14159265358979",
    "9007199254740991",
    "1234567890.12345",
    "6.02214076e23",
    "-0.5",
    "\u22125",
    ".5",
    "5.",
  ])("keeps all its digits in each format: %s", (written) => {
    const value = Number(written.replace("\u2212", "-"));
    for (const text of [gift(written), moodle(written)])
      expect(codes(text)).toMatchObject([{ kind: "NUMERIC", answer: { value, tolerance: 0 }, fault: null }]);
    expect(codes(qti12(written))).toMatchObject([{ answer: { value }, fault: null }]);
  });

  it.each(["0x10", "1,5", "1_000", "0b11", "three", "1 000", "Infinity", "NaN", "1e999"])(
    "is refused in each format if it is no decimal: %s",
    (written) => {
      for (const text of [gift(written), moodle(written), qti12(written)])
        expect(codes(text)).toMatchObject([{ kind: undefined, fault: expect.any(String) }]);
    },
  );

  it("is refused with a tolerance or a share that is no number, and with a range that ends first", () => {
    for (const text of [
      gift("3:0,1"),
      gift("3:x"),
      gift("5..1"),
      moodle("3", "0,1"),
      moodle("3", "0.1", "100,0"),
    ])
      expect(codes(text)).toMatchObject([{ kind: undefined, fault: "left_out_question_no_number" }]);
  });

  it("of a range has its exact middle", () => {
    for (const [written, value, tolerance] of [
      ["0.1..0.3", 0.2, 0.1],
      ["1000..1000.1", 1000.05, 0.05],
      ["-0.3..-0.1", -0.2, 0.1],
      ["6.28318..6.28320", 6.28319, 0.00001],
    ] as const)
      expect(codes(gift(written))).toMatchObject([{ answer: { value, tolerance } }]);
  });
});

describe("characters by name or number", () => {
  const item = (text: string) =>
    `<assessmentItem identifier="i" title="T"><responseDeclaration identifier="R" cardinality="single" baseType="string"><correctResponse><value>${text}</value></correctResponse></responseDeclaration><itemBody><p>${text}?</p><textEntryInteraction responseIdentifier="R"/></itemBody></assessmentItem>`;
  const moodle = (text: string) =>
    `<quiz><question type="shortanswer"><questiontext format="plain_text"><text>${text}?</text></questiontext><answer fraction="100"><text>${text}</text></answer></question></quiz>`;

  it.each([
    ["caf&eacute;", "café"],
    ["K&ouml;ln", "Köln"],
    ["don&rsquo;t", "don’t"],
    ["don&#146;t", "don’t"],
    ["x &le; y", "x ≤ y"],
    ["&alpha;&beta;", "αβ"],
    ["&amp;eacute;", "&eacute;"],
    ["5 &lt; 6", "5 < 6"],
    ["&unknown;", "&unknown;"],
  ])("are read in the text and the key of XML: %s", (written, said) => {
    for (const source of [item(written), moodle(written)])
      expect(read(source)[0]?.question).toMatchObject({
        question_text: escapeMarkdown(`${said}?`),
        answer: { texts: [said] },
      });
  });

  it("are read in short answers of GIFT, which keep the signs of Markdown", () => {
    for (const [written, said] of [
      ["H<sub>2</sub>O is? {=x_1*y}", "x_1*y"],
      ["5 &lt; 6 and? {=caf&eacute;}", "café"],
      ["[html]<p>a</p>? {=a_b_c}", "a_b_c"],
    ] as const)
      expect(read(written.replace("*", "\\*"))[0]?.question?.answer).toEqual({ texts: [said] });
  });

  it("are read in GIFT without a format, and keep its lines", () => {
    const [found] = read("5 &lt; 6,\nand caf&eacute;? {=caf&eacute; ~tea}");
    expect(found?.question).toMatchObject({
      question_text: expect.stringMatching(/^5 \\?< 6, *\nand café\?$/),
      options: [{ text: "café" }, { text: "tea" }],
    });
    expect(read("[plain]5 &lt; 6? {T}")[0]?.question?.question_text).toBe("5 \\&lt; 6?");
  });
});

it("a key or text with markup that is not escaped is refused, since its text alone would be another one", () => {
  const key = "10<sup>8</sup>";
  const sources = [
    `<assessmentItem identifier="i" title="T"><responseDeclaration identifier="R" cardinality="single" baseType="string"><correctResponse><value>${key}</value></correctResponse></responseDeclaration><itemBody><p>How many?</p><textEntryInteraction responseIdentifier="R"/></itemBody></assessmentItem>`,
    quizOf(qtiItem("short_answer_question", "How many?", entry(), equal(key))),
    `<quiz><question type="shortanswer"><questiontext><text>How many?</text></questiontext><answer fraction="100"><text>${key}</text></answer></question></quiz>`,
    `<quiz><question type="truefalse"><questiontext><text>${key}?</text></questiontext><answer fraction="100"><text>true</text></answer></question></quiz>`,
  ];
  for (const source of sources) {
    const [found] = read(source);
    expect(found?.question).toBeUndefined();
    expect(decodeCodeAndMessage(found?.fault ?? null, messages).words).toContain("sup");
  }
});

it("a key that distinguishes case says what is left out", () => {
  const source =
    '<assessmentItem identifier="i" title="T"><responseDeclaration identifier="R" cardinality="single" baseType="string">' +
    '<correctResponse><value>Na</value></correctResponse><mapping defaultValue="0"><mapEntry mapKey="Na" mappedValue="1" caseSensitive="true"/></mapping></responseDeclaration>' +
    '<itemBody><p>Sodium?</p><textEntryInteraction responseIdentifier="R"/></itemBody></assessmentItem>';
  const [found] = read(source);
  expect(found?.question).toBeDefined();
  expect(found?.leftOut.map((one) => decodeCodeAndMessage(one, messages).words).join()).toContain(
    "caseSensitive",
  );
});

describe("a picture of another service", () => {
  it.each([
    ["GIFT", "![x](file\\:1) Which? {=a ~b}"],
    [
      "QTI 1.2",
      quizOf(
        qtiItem("short_answer_question", "![x](file:1)", entry(), equal("wave")).replace(
          "text/html",
          "text/plain",
        ),
      ),
    ],
    [
      "Moodle XML",
      `<quiz><question type="shortanswer"><questiontext format="markdown"><text>![x](file:1)</text></questiontext><answer fraction="100"><text>a</text></answer></question></quiz>`,
    ],
  ])("is refused in %s", (_, text) => {
    expect(codes(text)).toMatchObject([{ kind: undefined, fault: "question_picture_unknown" }]);
  });
});

describe("plain text", () => {
  const xml = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const gift = (text: string) => text.replaceAll(/[~=#{}:\\]/g, "\\$&");
  const moodleOf = (stem: string, options: string, format: string) =>
    `<quiz><question type="multichoice"><questiontext format="${format}"><text>${xml(stem)}</text></questiontext>${["100", "0"].map((fraction, at) => `<answer fraction="${fraction}" format="${format}"><text>${at === 0 ? xml(options) : "other"}</text></answer>`).join("")}</question></quiz>`;
  const files: Record<string, (stem: string, option: string) => string> = {
    "QTI 1.2": (stem, option) =>
      quizOf(
        qtiItem(
          "multiple_choice_question",
          xml(stem),
          choices("Single", { a: xml(option), b: "other" }),
          equal("a"),
        ).replace("text/html", "text/plain"),
      ),
    "QTI 2": (stem, option) =>
      `<assessmentItem identifier="i" title="T"><responseDeclaration identifier="R" cardinality="single" baseType="identifier"><correctResponse><value>a</value></correctResponse></responseDeclaration><itemBody><p>${xml(stem)}</p><choiceInteraction responseIdentifier="R"><simpleChoice identifier="a">${xml(option)}</simpleChoice><simpleChoice identifier="b">other</simpleChoice></choiceInteraction></itemBody></assessmentItem>`,
    "GIFT without a format": (stem, option) => `${gift(stem)} {=${gift(option)} ~other}`,
    "GIFT with its format": (stem, option) => `[plain]${gift(stem)} {=${gift(option)} ~other}`,
    "Moodle XML": (stem, option) => moodleOf(stem, option, "plain_text"),
  };
  const texts = {
    "x <var>": "x \\<var\\>",
    "2*3*4": "2\\*3\\*4",
    __init__: "\\_\\_init\\_\\_",
    "# include": "\\# include",
    "- 5": "\\- 5",
    "7. x": "7\\. x",
    "costs $5 or $6": "costs \\$5 or \\$6",
    "x[i](j)": "x\\[i\\](j)",
  };

  it.each(Object.entries(files))("is shown as it is in %s", (_, fileOf) => {
    for (const [text, markdown] of Object.entries(texts))
      expect(read(fileOf(text, text))[0]?.question).toMatchObject({
        question_text: markdown,
        options: [{ text: markdown }, { text: "other" }],
      });
  });

  it.each(Object.entries(files))("keeps its formulas in %s", (_, fileOf) => {
    expect(read(fileOf("Let \\(x_1\\)", "b"))[0]?.question?.question_text).toBe("Let $x_1$");
  });

  it("stays Markdown where the file says so, and with a declared type in capitals HTML", () => {
    expect(read("[markdown]**a** {T}")[0]?.question?.question_text).toBe("**a**");
    expect(read(moodleOf("**a**", "b", "markdown"))[0]?.question?.question_text).toBe("**a**");
    const html = files["QTI 1.2"]?.("<b>a</b>", "b").replace("text/plain", "TEXT/HTML") ?? "";
    expect(read(html)[0]?.question?.question_text).toBe("**a**");
  });

  it("keeps lines of Moodle's automatic format", () => {
    expect(read(moodleOf("a\nb*", "b", "moodle_auto_format"))[0]?.question?.question_text).toBe("a  \nb\\*");
  });

  it("that learners type is not escaped", () => {
    const typed = "__a*b__ <c>";
    const sources = [
      quizOf(qtiItem("short_answer_question", "Name?", entry(), equal(xml(typed)))),
      `Name? {=${gift(typed).replace("*", "\\*")}}`,
      `<quiz><question type="shortanswer"><questiontext format="plain_text"><text>Name?</text></questiontext><answer fraction="100" format="plain_text"><text>${xml(typed).replace("*", "\\*")}</text></answer></question></quiz>`,
    ];
    for (const source of sources) expect(read(source)[0]?.question?.answer).toEqual({ texts: [typed] });
  });
});

describe("QTI 1.2", () => {
  it("may name its document type, but not define its own", () => {
    const file = quizOf(qtiItem("short_answer_question", "Name?", entry(), equal("wave")));
    const typed = (type: string) => file.replace("?>", `?>\n<!-- c -->\n${type}\n`);
    const [bare, named] = [file, typed('<!DOCTYPE questestinterop SYSTEM "ims_qtiasiv1p2.dtd">')].map(
      (text) => codes(text),
    );
    expect(named?.map(({ answer }) => answer)).toEqual([{ texts: ["wave"] }]);
    expect(named?.[0]?.line).toBe((bare?.[0]?.line ?? 0) + 3);
    const own = typed('<!DOCTYPE questestinterop SYSTEM "a.dtd" [\n<!ENTITY a "<b>">\n]>');
    for (const at of [alone, { isPackaged: true }])
      expect(codes(own, at)).toMatchObject([{ fault: "qti_xml_unreadable" }]);
  });

  it("is read question by question, with lines", () => {
    const file = quizOf(
      qtiItem("multiple_choice_question", "Which?", choices("Single", { a: "1", b: "2" }), equal("b")),
      `\n${qtiItem("short_answer_question", "Name?", entry(), equal("wave"))}`,
      qtiItem("essay_question", "Explain.", entry()),
      qtiItem("matching_question", "Match.", choices("Single", { a: "1" })),
    );
    const found = codes(file);
    expect(found.map(({ kind, fault }) => [kind, fault])).toEqual([
      ["SINGLE_CHOICE", null],
      ["SHORT_ANSWER", null],
      [undefined, "left_out_question_kind"],
      [undefined, "left_out_question_kind"],
    ]);
    const [first, second] = found.map(({ line }) => line ?? 0);
    expect(first).toBeGreaterThan(1);
    expect(second).toBeGreaterThan(first ?? 0);
  });

  it("gives options short ids if those of the file are too long, as text2qti writes them", () => {
    const ids = ["a", "b"].map((one) => `text2qti_choice_${one.repeat(64)}`);
    const [one = "", two = ""] = ids;
    const single = qtiItem(
      "multiple_choice_question",
      "Which?",
      choices("Single", { [one]: "1", [two]: "2" }),
      equal(two),
    );
    const several = qtiItem(
      "multiple_answers_question",
      "Which ones?",
      choices("Multiple", { [one]: "1", [two]: "2" }),
      `<and>${equal(one)}<not>${equal(two)}</not></and>`,
    );
    expect(codes(quizOf(single, several)).map(({ answer }) => answer)).toEqual([
      { option_id: "option-2" },
      { option_ids: ["option-1"] },
    ]);
  });

  it("has the points of its group", () => {
    const group = `<section><selection_ordering><selection><selection_number>1</selection_number><selection_extension><points_per_item>5</points_per_item></selection_extension></selection></selection_ordering>${qtiItem("short_answer_question", "Name?", entry(), equal("wave"))}</section>`;
    expect(read(quizOf(group))[0]?.question?.points).toBe(5);
  });

  const weighed = (kind: string, cardinality: string, shares: Record<string, string>, action = "Set") =>
    quizOf(
      `<item ident="i"><itemmetadata><qtimetadata><qtimetadatafield><fieldlabel>question_type</fieldlabel><fieldentry>${kind}</fieldentry></qtimetadatafield></qtimetadata></itemmetadata>
      <presentation><material><mattext>Which?</mattext></material>${kind === "short_answer_question" ? entry() : choices(cardinality, { a: "1", b: "2", c: "3" })}</presentation>
      <resprocessing>${Object.entries(shares)
        .map(
          ([id, share]) =>
            `<respcondition><conditionvar>${equal(id)}</conditionvar><setvar action="${action}" varname="SCORE">${share}</setvar></respcondition>`,
        )
        .join("")}</resprocessing></item>`,
    );

  it.each([
    ["multiple_choice_question", "Single", { a: "100", b: "50" }, "Set", { option_id: "a" }, true],
    ["multiple_choice_question", "Single", { a: "100", b: "0" }, "Set", { option_id: "a" }, false],
    ["multiple_choice_question", "Single", { a: "SCORE.max" }, "Set", { option_id: "a" }, false],
    [
      "multiple_answers_question",
      "Multiple",
      { a: "50", b: "50", c: "-100" },
      "Add",
      { option_ids: ["a", "b"] },
      true,
    ],
    ["short_answer_question", "Single", { wave: "100", wav: "50" }, "Set", { texts: ["wave", "wav"] }, true],
  ])(
    "keeps the best answers of %s %s %j, and reports partial points",
    (kind, cardinality, shares, action, answer, isPartial) => {
      expect(codes(weighed(kind, cardinality, shares, action))).toMatchObject([
        { answer, lost: [...ofQuiz, ...(isPartial ? ["left_out_question_partial"] : [])] },
      ]);
    },
  );

  it.each([
    ["$IMS-CC-FILEBASE$/text.pdf", "web_resources/text.pdf"],
    ["../web_resources/text.pdf", "web_resources/text.pdf"],
    ["$WIKI_REFERENCE$/pages/waves", "waves"],
    ["$CANVAS_OBJECT_REFERENCE$/assignments/g1", "g1"],
    ["other.html", "other.html"],
  ])("keeps the label of a link to %s within its package in every text, and reports it", (href, address) => {
    const link = `&lt;p&gt;Read &lt;a href="${href}"&gt;the [1] text&lt;/a&gt;.&lt;/p&gt;`.replaceAll(
      '"',
      "&quot;",
    );
    const material = `<material><mattext texttype="text/html">${link}</mattext></material>`;
    const file = quizOf(
      qtiItem("multiple_choice_question", link, choices("Single", { a: "1", b: "2" }), equal("a"))
        .replace("<material><mattext>2</mattext></material>", material)
        .replace(
          "</resprocessing>",
          `</resprocessing><itemfeedback ident="general_fb">${material}</itemfeedback>`,
        ),
    );
    const names = new Set(["web_resources/text.pdf"]);
    const [found] = parseQuestionFileByContent(
      { name: "quiz/q.xml", xml: file },
      { isPackaged: true, names },
    );
    const text = "Read the \\[1\\] text.";
    expect(found?.question).toMatchObject({ question_text: text, explanation: text });
    expect(found?.question?.options?.map((one) => one.text)).toEqual(["1", text]);
    const lines = found?.leftOut.map((line) => decodeCodeAndMessage(line, messages).words) ?? [];
    expect(lines.slice(ofQuiz.length)).toEqual([`1: link: ${address}`]);
  });

  const scored = (condition: string, score: string, action = "Set") =>
    `<respcondition><conditionvar>${condition}</conditionvar><setvar action="${action}" varname="SCORE">${score}</setvar></respcondition>`;
  const chosen = (cardinality: string, ...conditions: string[]) =>
    codes(
      `<questestinterop><item ident="i"><presentation><material><mattext>Which?</mattext></material>${choices(cardinality, { a: "1", b: "2", c: "3" })}</presentation>
      <resprocessing>${conditions.join("")}</resprocessing></item></questestinterop>`,
    )[0];
  const [a, b, c] = [equal("a"), equal("b"), equal("c")];

  it.each([
    ["Multiple", [scored(a, "1", "Add"), scored(b, "1", "Add"), scored(c, "1", "Subtract")], ["a", "b"]],
    ["Multiple", [scored(a, "1", "ADD"), scored(c, "-1", "Subtract")], ["a", "c"]],
    ["Multiple", [scored(a, "1", "Add"), scored(`<not>${b}</not>`, "1", "Add")], ["a"]],
    ["Multiple", [scored(`<and>${a}${b}<not>${c}</not></and>`, "1"), scored("<other/>", "0")], ["a", "b"]],
    ["Multiple", [scored(`<and>${a}<not><or>${b}${c}</or></not></and>`, "1")], ["a"]],
    ["Single", [scored(a, "1", "Set"), scored(b, "1", "Subtract")], "a"],
    ["Single", [scored(`<and>${a}<not>${b}</not></and>`, "1")], "a"],
  ])("reads the key of a %s choice with %s", (cardinality, conditions, key) => {
    const answer = cardinality === "Multiple" ? { option_ids: key } : { option_id: key };
    expect(chosen(cardinality, ...conditions)).toMatchObject({ fault: null, answer });
  });

  it.each([
    ["Multiple", [scored(`<or>${a}${b}</or>`, "1")]],
    ["Multiple", [scored(a, "1"), scored(b, "1")]],
    ["Multiple", [scored(`<and>${a}<not><and>${b}${c}</and></not></and>`, "1")]],
    ["Multiple", [scored(`<not><not>${a}</not></not>`, "1")]],
    ["Multiple", [scored(a, "2", "Multiply"), scored(b, "1", "Add")]],
    ["Single", [scored(a, "1", "Divide")]],
    ["Single", [scored(a, "1"), scored(`<not>${b}</not>`, "1")]],
    ["Single", [scored(`<or>${a}<not>${b}</not></or>`, "1")]],
    ["Single", [scored("<other/>", "1")]],
  ])("refuses a %s choice whose score no key can represent: %s", (cardinality, conditions) => {
    expect(chosen(cardinality, ...conditions)?.fault).toBe("left_out_question_processing");
  });

  it.each([
    ["<itemmetadata><qmd_weighting>5</qmd_weighting></itemmetadata>", "", "5", 5],
    [
      "<itemmetadata><qmd_itemtype>Logical Identifier</qmd_itemtype></itemmetadata>",
      '<outcomes><decvar varname="SCORE" maxvalue="2"/></outcomes>',
      "2",
      2,
    ],
    ["<itemmetadata><qmd_itemtype>Logical Identifier</qmd_itemtype></itemmetadata>", "", "3", 3],
    ["", "", "4", 4],
    ["<itemmetadata><qmd_weighting>none</qmd_weighting></itemmetadata>", "", "SCORE.max", 1],
    [
      "<itemmetadata><qtimetadata><qtimetadatafield><fieldlabel>cc_profile</fieldlabel><fieldentry>cc.multiple_choice.v0p1</fieldentry></qtimetadatafield></qtimetadata></itemmetadata>",
      '<outcomes><decvar varname="SCORE" maxvalue="100"/></outcomes>',
      "100",
      1,
    ],
  ])("has its points by metadata %s, outcomes %s and a score of %s", (metadata, outcomes, score, points) => {
    const file = `<questestinterop><item ident="i">${metadata}<presentation><material><mattext>Which?</mattext></material>${choices("Single", { a: "1", b: "2" })}</presentation>
      <resprocessing>${outcomes}${scored(a, score)}</resprocessing></item></questestinterop>`;
    expect(read(file)[0]?.question?.points).toBe(points);
  });

  it.each(["varsubstring", "varsubset", "durgte", "varextension"])(
    "refuses a key that is compared by %s",
    (name) => {
      const file = quizOf(
        qtiItem("short_answer_question", "Name?", entry(), `<${name} respident="r">wave</${name}>`),
      );
      expect(codes(file)).toMatchObject([{ fault: "left_out_question_processing" }]);
    },
  );

  it("keeps the text within a response, and the place of a gap within a sentence", () => {
    const text = (words: string) => `<material><mattext>${words}</mattext></material>`;
    const file = (presentation: string, right: string) =>
      `<questestinterop><item ident="i"><presentation><flow>${presentation}</flow></presentation><resprocessing><respcondition>
      <conditionvar><varequal respident="r" case="Yes">${right}</varequal></conditionvar><setvar>1</setvar></respcondition></resprocessing></item></questestinterop>`;
    const gapped = `${text("Paris is in")}<response_str ident="r"><render_fib><response_label ident="a"/></render_fib></response_str>${text("and large.")}`;
    const [entered] = read(file(gapped, "France"));
    expect(entered?.question?.question_text).toBe("Paris is in ____ and large.");
    expect(codes(file(gapped, "France"))).toMatchObject([{ lost: ["left_out_question_setting"] }]);
    const options = ["a", "b"].map((id) => `<response_label ident="${id}">${text(id)}</response_label>`);
    const inner = `<response_lid ident="r" rcardinality="Single">${text("Which?")}<render_choice>${text("Pick.")}${options.join("")}</render_choice></response_lid>`;
    expect(read(file(inner, "a"))[0]?.question?.question_text).toBe("Which?\n\nPick.");
  });

  it("reports a comment, and settings of its quiz with the first question", () => {
    const file = quizOf(
      qtiItem("short_answer_question", "Name?", entry(), equal("wave")).replace(
        "<presentation>",
        "<qticomment>by Ada</qticomment><presentation>",
      ),
      qtiItem("short_answer_question", "Say?", entry(), equal("ray")),
    );
    expect(codes(file).map(({ lost }) => lost)).toEqual([[...ofQuiz, "left_out_question_element"], []]);
  });

  it("of Blackboard has its text in formatted material, and points in the maximum", () => {
    const html = (text: string) =>
      `<material><mat_extension><mat_formattedtext type="HTML">${text}</mat_formattedtext></mat_extension></material>`;
    const file = `<questestinterop><assessment title="Pool"><section><item>
      <itemmetadata><bbmd_questiontype>Multiple Choice</bbmd_questiontype><qmd_absolutescore_max>7.5</qmd_absolutescore_max></itemmetadata>
      <presentation><flow class="Block"><flow class="QUESTION_BLOCK">${html("&lt;p&gt;Which?&lt;/p&gt;")}</flow>
      <flow class="RESPONSE_BLOCK"><response_lid ident="response" rcardinality="Single"><render_choice>
      <flow_label><response_label ident="x1"><flow_mat>${html("One")}</flow_mat></response_label></flow_label>
      <flow_label><response_label ident="x2"><flow_mat>${html("Two")}</flow_mat></response_label></flow_label>
      </render_choice></response_lid></flow></flow></presentation>
      <resprocessing><respcondition title="correct"><conditionvar><varequal respident="response" case="No">x2</varequal></conditionvar>
      <setvar variablename="SCORE" action="Set">SCORE.max</setvar></respcondition>
      <respcondition title="incorrect"><conditionvar><other/></conditionvar><setvar variablename="SCORE" action="Set">0</setvar></respcondition></resprocessing>
      </item></section></assessment></questestinterop>`;
    const [{ question } = {}] = read(file);
    expect(question).toMatchObject({
      ...{ kind: "SINGLE_CHOICE", question_text: "Which?", points: 7.5 },
      answer: { option_id: "x2" },
    });
  });
});

describe("GIFT", () => {
  it.each<[string, string, object]>([
    [
      "single choice",
      "Which? { =right ~wrong ~worse }",
      { kind: "SINGLE_CHOICE", answer: { option_id: "o1" } },
    ],
    [
      "multiple choice",
      "Which? { ~%50%a ~%50%b ~%-100%c }",
      { kind: "MULTIPLE_CHOICE", answer: { option_ids: ["o1", "o2"] }, lost: ["left_out_question_partial"] },
    ],
    [
      "partial credit",
      "Which? { ~%50%a ~%50%b ~%-50%c }",
      { scoring: "partial", answer: { option_ids: ["o1", "o2"] }, lost: [] },
    ],
    [
      "options that become alike",
      "[html]Which? { =a ~<u>a</u> }",
      { fault: "left_out_question_options_alike" },
    ],
    ["true", "The Sun is a star. {TRUE}", { kind: "TRUE_FALSE", answer: { value: true } }],
    ["false", "The Sun is cold. {F}", { kind: "TRUE_FALSE", answer: { value: false } }],
    [
      "short answer",
      "Capital? {=Paris =paris}",
      { kind: "SHORT_ANSWER", answer: { texts: ["Paris", "paris"] } },
    ],
    ["a number", "How many? {#3.14:0.01}", { kind: "NUMERIC", answer: { value: 3.14, tolerance: 0.01 } }],
    ["a range", "How many? {#1..5}", { kind: "NUMERIC", answer: { value: 3, tolerance: 2 } }],
    ["a range of decimals", "Pi? {#3.1..3.2}", { answer: { value: 3.15, tolerance: 0.05 } }],
    ["escapes", "What is 1 \\= 1 \\{a\\}? {=\\~x\\#}", { answer: { texts: ["~x#"] } }],
    ["feedback", "Which? {=a#yes ~b}", { lost: ["left_out_question_feedback"] }],
    ["essay", "Explain. {}", { fault: "left_out_question_kind" }],
    ["matching", "Match. {=a -> 1 =b -> 2}", { fault: "left_out_question_kind" }],
    ["two gaps", "A {=x} and {=y}.", { fault: "left_out_question_several_gaps" }],
    ["unclosed", "Which? {=a\n\nTrue? {T}", { fault: "question_answers_unclosed" }],
    ["two right ones", "Which? {=a =b ~c}", { fault: "left_out_question_several_right" }],
    ["a pattern", "Name? {=wave*}", { fault: "left_out_question_processing" }],
    ["no key", "How many? {#many}", { fault: "left_out_question_without_number" }],
  ])("%s", (_, source, wanted) => {
    expect(codes(source)[0]).toMatchObject(wanted);
  });

  it("separates questions by empty lines, skips comments and categories, and knows the lines", () => {
    const source =
      "// c\n$CATEGORY: a/b\n\n::T:: One? {T}\n\n\n[html]<p>Two</p> {\n=x\n~y\n}\r\n\r\nno answers";
    expect(codes(source).map(({ line, kind, fault }) => [line, kind ?? fault])).toEqual([
      [4, "TRUE_FALSE"],
      [7, "SINGLE_CHOICE"],
      [12, "left_out_question_kind"],
    ]);
    expect(codes(source).map(({ lost }) => lost)).toEqual([["left_out_question_setting"], [], []]);
  });

  it("keeps the text around a missing word", () => {
    expect(read("Paris is {=the capital ~a river} of France.")[0]?.question?.question_text).toBe(
      "Paris is ____ of France.",
    );
  });

  it("takes time in proportion to its length, however it is written", () => {
    for (const part of ["{", "=", "\\", "::", "~%", "#", "####", "{=a}"]) {
      const found = read(`{${part.repeat(20_000)}`);
      expect(found).toHaveLength(1);
    }
  });
});

describe("Moodle XML", () => {
  const question = (type: string, inner: string, text = "<p>Which?</p>") =>
    `<quiz>\n<question type="category"><category><text>$course$/top</text></category></question>\n<question type="${type}"><name><text>N</text></name><questiontext format="html"><text><![CDATA[${text}]]></text></questiontext>${inner}</question></quiz>`;
  const answer = (fraction: number, text: string, more = "") =>
    `<answer fraction="${fraction}" format="html"><text><![CDATA[${text}]]></text>${more}</answer>`;

  it.each<[string, string, string, object]>([
    [
      "multichoice",
      "single",
      `<single>true</single>${answer(100, "a")}${answer(0, "b")}`,
      { kind: "SINGLE_CHOICE", answer: { option_id: "o1" }, lost: [], line: 3 },
    ],
    [
      "multichoice",
      "multiple",
      `<single>false</single>${answer(50, "a")}${answer(50, "b")}${answer(0, "c")}`,
      { kind: "MULTIPLE_CHOICE", answer: { option_ids: ["o1", "o2"] }, lost: ["left_out_question_partial"] },
    ],
    [
      "multichoice",
      "partial credit",
      `<single>false</single>${answer(50, "a")}${answer(50, "b")}${answer(-50, "c")}`,
      { scoring: "partial", answer: { option_ids: ["o1", "o2"] }, lost: [] },
    ],
    [
      "multichoice",
      "options that become alike",
      answer(100, "a") + answer(0, "<u>a</u>"),
      { fault: "left_out_question_options_alike" },
    ],
    ["truefalse", "false", answer(0, "true") + answer(100, "false"), { answer: { value: false } }],
    [
      "shortanswer",
      "texts",
      answer(100, "Paris") + answer(50, "Lutetia"),
      { answer: { texts: ["Paris", "Lutetia"] }, lost: ["left_out_question_partial"] },
    ],
    [
      "numerical",
      "tolerance",
      answer(100, "3.14", "<tolerance>0.01</tolerance>"),
      { answer: { value: 3.14, tolerance: 0.01 } },
    ],
    [
      "shortanswer",
      "case",
      `<usecase>1</usecase>${answer(100, "a")}`,
      { lost: ["left_out_question_setting"] },
    ],
    [
      "shortanswer",
      "hint",
      `<hint format="html"><text>h</text></hint>${answer(100, "a")}`,
      { lost: ["left_out_question_element"] },
    ],
    [
      "shortanswer",
      "new setting",
      `<novel>5</novel>${answer(100, "a")}`,
      { lost: ["left_out_question_setting"] },
    ],
    ["essay", "essay", "", { fault: "left_out_question_kind" }],
    ["matching", "matching", "", { fault: "left_out_question_kind" }],
    ["cloze", "cloze", "", { fault: "left_out_question_kind" }],
    [
      "shortanswer",
      "points",
      `<defaultgrade>1e9</defaultgrade>${answer(100, "a")}`,
      { fault: "left_out_question_invalid" },
    ],
  ])("%s: %s", (type, _, inner, wanted) => {
    expect(codes(question(type, inner))).toMatchObject([wanted]);
  });

  it("refuses a question that would lose its picture", () => {
    const text = '<p>What is this? <img src="@@PLUGINFILE@@/a.png"></p>';
    expect(codes(question("shortanswer", answer(100, "a"), text))).toMatchObject([
      { fault: "left_out_question_part_lost" },
    ]);
  });

  it("names a category, a file that no text shows, and wrong texts", () => {
    const category =
      "<question type='category'><category><text>$course$/top/Waves</text></category></question>";
    const file = question(
      "shortanswer",
      `<generalfeedback><text>f</text><file name="a b.png" path="/" encoding="base64">iVBORw0KGgo=</file></generalfeedback>${answer(100, "a")}${answer(0, "z")}`,
    ).replace(/<question type="category">.*?<\/question>/, category);
    const [found] = read(file);
    expect(found?.leftOut.map((line) => decodeCodeAndMessage(line, messages).words)).toEqual([
      "1: setting category: $course$/top/Waves",
      "1: file: a b.png",
      "1: setting answer: z",
    ]);
  });

  it("keeps the points of a question", () => {
    const [{ question: found } = {}] = read(
      question("shortanswer", `<defaultgrade>2.5000000</defaultgrade>${answer(100, "a")}`),
    );
    expect(found?.points).toBe(2.5);
  });
});
