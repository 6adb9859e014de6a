import type { Asked } from "../../../schema/api/assessment/questions.ts";
import { partialCreditMapping } from "./partial-credit.ts";
import { type PicturePathResolver, plainTextToQti } from "./plain-text.ts";
import { type Element, element, serializeQtiXml } from "./xml.ts";

export type QtiVersion = "2.1" | "3.0";

export type QtiItemToWrite = Asked & {
  identifier: string;
  title: string;
  is_active: boolean;
  pathOf?: PicturePathResolver;
};

const xsi = "http://www.w3.org/2001/XMLSchema-instance";

const namespaces: Record<QtiVersion, string> = {
  "2.1": "http://www.imsglobal.org/xsd/imsqti_v2p1",
  "3.0": "http://www.imsglobal.org/xsd/imsqtiasi_v3p0",
};

const schemas: Record<QtiVersion, string> = {
  "2.1": "http://www.imsglobal.org/xsd/qti/qtiv2p1/imsqti_v2p1.xsd",
  "3.0": "https://purl.imsglobal.org/spec/qti/v3p0/schema/xsd/imsqti_asiv3p0_v1p0.xsd",
};

const response = "RESPONSE";

/** A QTI file with one item; `parseQtiItem` reads it as the same question. */
export function buildQtiItemXml(question: QtiItemToWrite, version: QtiVersion): string {
  const { identifier, title, is_active, explanation, points, pathOf } = question;
  const { declaration, interaction, processing } = partsOf[question.kind](question);
  const item = element(
    "assessmentItem",
    {
      xmlns: namespaces[version],
      "xmlns:xsi": xsi,
      "xsi:schemaLocation": `${namespaces[version]} ${schemas[version]}`,
      identifier,
      title,
      adaptive: "false",
      timeDependent: "false",
      ...(!is_active && { label: "inactive" }),
    },
    declaration,
    scoreOf(points),
    ...(explanation
      ? [
          element("outcomeDeclaration", {
            identifier: "FEEDBACK",
            cardinality: "single",
            baseType: "identifier",
          }),
        ]
      : []),
    element("itemBody", {}, ...interaction),
    element("responseProcessing", {}, ...processing, ...(explanation ? [feedbackIsShown] : [])),
    ...(explanation ? [feedback(explanation, pathOf)] : []),
  );
  return serializeQtiXml(item, version);
}

type Parts = { declaration: Element; interaction: Element[]; processing: Element[] };

const partsOf: Record<Asked["kind"], (question: QtiItemToWrite) => Parts> = {
  SINGLE_CHOICE: (question) => choice(question, "single", [question.answer.option_id ?? ""]),
  MULTIPLE_CHOICE: (question) => choice(question, "multiple", question.answer.option_ids ?? []),
  TRUE_FALSE: (question) => {
    const options = ["True", "False"].map((text) => ({ id: text.toLowerCase(), text }));
    return choice({ ...question, options }, "single", [String(question.answer.value)]);
  },
  NUMERIC: ({ question_text, answer: { value, tolerance = 0 }, points, pathOf }) => ({
    declaration: declared("single", "float", [String(value)]),
    interaction: entry(question_text, pathOf),
    processing: [
      worth(
        points,
        element(
          "equal",
          tolerance > 0
            ? { toleranceMode: "absolute", tolerance: `${tolerance} ${tolerance}` }
            : { toleranceMode: "exact" },
          ...givenAndRight,
        ),
      ),
    ],
  }),
  SHORT_ANSWER: ({ question_text, answer: { texts = [] }, points, pathOf }) => ({
    declaration: declared("single", "string", texts.slice(0, 1), mappingOf(texts, points)),
    interaction: entry(question_text, pathOf),
    processing: [mapped],
  }),
};

const mapped = element(
  "setOutcomeValue",
  { identifier: "SCORE" },
  element("mapResponse", { identifier: response }),
);

function choice(
  { question_text, options, points, scoring, pathOf }: QtiItemToWrite,
  cardinality: "single" | "multiple",
  right: string[],
): Parts {
  const choices = (options ?? []).map(({ id, text }) =>
    element("simpleChoice", { identifier: id }, ...plainTextToQti(text, pathOf)),
  );
  const maxChoices = cardinality === "single" ? "1" : "0";
  const mapping =
    cardinality === "multiple" && scoring === "partial" ? [partialCreditMapping(right, points)] : [];
  return {
    declaration: declared(cardinality, "identifier", right, ...mapping),
    interaction: [
      ...plainTextToQti(question_text, pathOf),
      element(
        "choiceInteraction",
        { responseIdentifier: response, shuffle: "false", maxChoices },
        ...choices,
      ),
    ],
    processing: mapping.length > 0 ? [mapped] : [worth(points, element("match", {}, ...givenAndRight))],
  };
}

const entry = (question_text: string, pathOf: PicturePathResolver | undefined): Element[] => [
  ...plainTextToQti(question_text, pathOf),
  element("p", {}, element("textEntryInteraction", { responseIdentifier: response })),
];

const declared = (cardinality: string, baseType: string, right: string[], ...mapping: Element[]): Element =>
  element(
    "responseDeclaration",
    { identifier: response, cardinality, baseType },
    element("correctResponse", {}, ...right.map((value) => element("value", {}, value))),
    ...mapping,
  );

const mappingOf = (texts: string[], points: number): Element =>
  element(
    "mapping",
    { defaultValue: "0" },
    ...texts.map((text) =>
      element("mapEntry", { mapKey: text, mappedValue: String(points), caseSensitive: "false" }),
    ),
  );

const scoreOf = (points: number): Element =>
  element(
    "outcomeDeclaration",
    { identifier: "SCORE", cardinality: "single", baseType: "float", normalMaximum: String(points) },
    element("defaultValue", {}, element("value", {}, "0")),
  );

const givenAndRight = [
  element("variable", { identifier: response }),
  element("correct", { identifier: response }),
];

const worth = (points: number, condition: Element): Element =>
  element(
    "responseCondition",
    {},
    element(
      "responseIf",
      {},
      condition,
      element(
        "setOutcomeValue",
        { identifier: "SCORE" },
        element("baseValue", { baseType: "float" }, String(points)),
      ),
    ),
  );

const feedbackIsShown = element(
  "setOutcomeValue",
  { identifier: "FEEDBACK" },
  element("baseValue", { baseType: "identifier" }, "EXPLANATION"),
);

const feedback = (explanation: string, pathOf: PicturePathResolver | undefined): Element =>
  element(
    "modalFeedback",
    { outcomeIdentifier: "FEEDBACK", identifier: "EXPLANATION", showHide: "show" },
    ...plainTextToQti(explanation, pathOf),
  );
