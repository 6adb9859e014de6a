import type { Asked } from "../../../schema/api/assessment/questions.ts";
import { markdownToPlainText } from "../../platform/text/plain-text-markdown.ts";
import { type Element, element, xmlOf } from "./xml.ts";

export type WrittenQuiz = {
  identifier: string;
  title: string;
  maxAttempts: number | null;
  timeLimitSeconds: number | null;
  questions: (Asked & { id: number })[];
  /** Of the cartridge's profile of QTI. */
  schema: string;
};

const namespace = "http://www.imsglobal.org/xsd/ims_qtiasiv1p2";

const profiles: Record<Asked["kind"], string> = {
  SINGLE_CHOICE: "cc.multiple_choice.v0p1",
  MULTIPLE_CHOICE: "cc.multiple_response.v0p1",
  TRUE_FALSE: "cc.true_false.v0p1",
  NUMERIC: "cc.fib.v0p1",
  SHORT_ANSWER: "cc.fib.v0p1",
};

/** QTI 1.2 in the profile of Common Cartridge; `parseQtiQuiz` reads the same questions. */
export function buildQtiQuizXml({
  identifier,
  title,
  maxAttempts,
  timeLimitSeconds,
  questions,
  schema,
}: WrittenQuiz): string {
  const limits = {
    cc_profile: "cc.exam.v0p1",
    qmd_assessmenttype: "Examination",
    qmd_scoretype: "Percentage",
    cc_maxattempts: maxAttempts === null ? "unlimited" : String(maxAttempts),
    ...(timeLimitSeconds !== null && {
      qmd_timelimit: String(Math.max(1, Math.round(timeLimitSeconds / 60))),
    }),
  };
  return xmlOf(
    element(
      "questestinterop",
      {
        xmlns: namespace,
        "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
        "xsi:schemaLocation": `${namespace} ${schema}`,
      },
      element(
        "assessment",
        { ident: identifier, title },
        metadata(limits),
        element("section", { ident: "root_section" }, ...questions.map(itemOf)),
      ),
    ),
  );
}

const metadata = (fields: Record<string, string>): Element =>
  element(
    "qtimetadata",
    {},
    ...Object.entries(fields).map(([label, entry]) =>
      element("qtimetadatafield", {}, element("fieldlabel", {}, label), element("fieldentry", {}, entry)),
    ),
  );

const response = "response1";

function itemOf(question: Asked & { id: number }): Element {
  const { id, kind, question_text, explanation, points, scoring } = question;
  const about = metadata({
    cc_profile: profiles[kind],
    ...(kind === "NUMERIC" && { question_type: "numerical_question" }),
    cc_weighting: String(points),
    ...(scoring === "partial" && { question_scoring: scoring }),
  });
  return element(
    "item",
    { ident: `question-${id}`, title: itemTitle },
    element("itemmetadata", {}, about),
    element("presentation", {}, material(question_text), responseOf(question)),
    element(
      "resprocessing",
      {},
      element(
        "outcomes",
        {},
        element("decvar", { maxvalue: "100", minvalue: "0", varname: "SCORE", vartype: "Decimal" }),
      ),
      ...(explanation
        ? [
            element(
              "respcondition",
              { continue: "Yes" },
              element("conditionvar", {}, element("other")),
              element("displayfeedback", { feedbacktype: "Response", linkrefid: "general_fb" }),
            ),
          ]
        : []),
      element(
        "respcondition",
        { continue: "No" },
        element("conditionvar", {}, ...rightOf(question)),
        element("setvar", { action: "Set", varname: "SCORE" }, "100"),
      ),
    ),
    ...(explanation
      ? [element("itemfeedback", { ident: "general_fb" }, element("flow_mat", {}, material(explanation)))]
      : []),
  );
}

/** Items of `buildQtiQuizXml` have Markdown in their plain texts. Other programs show it unchanged. */
export const hasMarkdown = ({ name, attributes: { ident = "", title = "" } }: Element): boolean =>
  name === "item" && /^question-\d+$/.test(ident) && title === itemTitle;

const itemTitle = "Question";

/** Markdown without marks, only with escaped characters, is HTML. Other programs show those characters. */
function material(text: string): Element {
  const said = markdownToPlainText(text);
  const isEscaped = said !== undefined && said !== text;
  return element(
    "material",
    {},
    element(
      "mattext",
      { texttype: isEscaped ? "text/html" : "text/plain" },
      isEscaped ? said.split("\n\n").map(paragraphHtml).join("") : text,
    ),
  );
}

const paragraphHtml = (text: string): string =>
  `<p>${text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\n", "<br>")}</p>`;

function responseOf({ kind, options }: Asked): Element {
  if (kind === "NUMERIC" || kind === "SHORT_ANSWER")
    return element(
      "response_str",
      { ident: response, rcardinality: "Single" },
      element(
        "render_fib",
        kind === "NUMERIC" ? { fibtype: "Decimal" } : {},
        element("response_label", { ident: "answer1", rshuffle: "No" }),
      ),
    );
  const choices =
    kind === "TRUE_FALSE"
      ? ["True", "False"].map((text) => ({ id: text.toLowerCase(), text }))
      : (options ?? []);
  return element(
    "response_lid",
    { ident: response, rcardinality: kind === "MULTIPLE_CHOICE" ? "Multiple" : "Single" },
    element(
      "render_choice",
      {},
      ...choices.map(({ id, text }) => element("response_label", { ident: id }, material(text))),
    ),
  );
}

const equal = (value: string): Element => element("varequal", { respident: response }, value);

function rightOf({ kind, options, answer }: Asked): Element[] {
  switch (kind) {
    case "SINGLE_CHOICE":
      return [equal(answer.option_id ?? "")];
    case "TRUE_FALSE":
      return [equal(String(answer.value))];
    case "SHORT_ANSWER":
      return (answer.texts ?? []).map(equal);
    case "MULTIPLE_CHOICE": {
      const right = new Set(answer.option_ids ?? []);
      return [
        element(
          "and",
          {},
          ...(options ?? []).map(({ id }) => (right.has(id) ? equal(id) : element("not", {}, equal(id)))),
        ),
      ];
    }
    case "NUMERIC": {
      const value = Number(answer.value);
      const { tolerance = 0 } = answer;
      const bound = (name: string, at: number) =>
        element(name, { respident: response }, String(Number(at.toPrecision(15))));
      if (tolerance === 0) return [equal(String(value))];
      return [
        element(
          "or",
          {},
          equal(String(value)),
          element("and", {}, bound("vargte", value - tolerance), bound("varlte", value + tolerance)),
        ),
      ];
    }
  }
}
