import { applySettingRulesToPairs, type SettingRules } from "../cartridges/settings.ts";
import {
  childElements,
  type Element,
  elementAtPath,
  deepElementText as elementText,
} from "../cartridges/xml.ts";
import {
  answerTextFromHtml,
  createUnreadableQuestion,
  type OmissionCollector,
  parseQuestionOrFault,
  type QuestionAnswerFields,
  type QuestionInput,
  toMultipleChoiceAnswer,
  toNumericAnswer,
  toShortTextAnswer,
  toSingleChoiceAnswer,
  toTrueFalseAnswer,
  type WeightedAnswer,
} from "./weighted-answers.ts";

/** Parts of a question that are read, or have no effect. */
const noEffect = { becomes: "", same: /^/ };
const offBy = (same: RegExp) => ({ becomes: "", same });
const parts: SettingRules = {
  ...Object.fromEntries(
    ["name", "questiontext", "generalfeedback", "defaultgrade", "answer", "single", "penalty"]
      .concat(["correctfeedback", "partiallycorrectfeedback", "incorrectfeedback", "shownumcorrect"])
      .concat(["idnumber", "showstandardinstruction"])
      .map((name) => [name, noEffect]),
  ),
  hidden: offBy(/^0$/),
  usecase: offBy(/^0$/),
  shuffleanswers: offBy(/^(1|true)$/),
  answernumbering: offBy(/^(abc|none)$/),
  unitgradingtype: offBy(/^0$/),
  unitpenalty: noEffect,
  showunits: noEffect,
  unitsleft: noEffect,
};

/**
 * Questions of Moodle XML, with their lines, and their files in base64 by paths below `folder`. Categories are not
 * read. Pure.
 */
export function readMoodleXml(quiz: Element, folder: string) {
  return childElements(quiz, "question")
    .filter(({ attributes }) => attributes["type"] !== "category")
    .map((written, index) => {
      const { question, files } = withFilePaths(written, `${folder}/${index}`);
      const place = { path: "", names: new Set(files.keys()) };
      const read = parseQuestionOrFault(index + 1, (losses) => questionOf(question, losses), place);
      return { line: question.line ?? null, files, ...read };
    });
}

/** Texts name the files next to them, and several texts may have files of one name. */
function withFilePaths(question: Element, folder: string): { question: Element; files: Map<string, string> } {
  const files = new Map<string, string>();
  let texts = 0;
  const rewritten = (one: Element): Element => {
    const held = childElements(one, "file").filter(({ attributes }) => attributes["encoding"] === "base64");
    const own = `${folder}/${texts++}/`;
    for (const file of held) {
      const { path = "/", name = "" } = file.attributes;
      files.set(own + path.replace(/^\//, "") + name, elementText(file));
    }
    const children = one.children.map((child) => {
      if (typeof child === "string") return child;
      if (child.name !== "text") return rewritten(child);
      return { ...child, children: [elementText(child).replaceAll("@@PLUGINFILE@@/", own)] };
    });
    return { ...one, children };
  };
  return { question: rewritten(question), files };
}

function questionOf(question: Element, losses: OmissionCollector): QuestionInput {
  const { type = "" } = question.attributes;
  const read = readers[type];
  if (!read)
    throw createUnreadableQuestion("left_out_question_kind", {
      question_kind: type.slice(0, 100) || "Moodle XML",
    });
  reportParts(question, losses);
  const answered = read(question, losses);
  const grade = elementText(elementAtPath(question, "defaultgrade"));
  return {
    question_text:
      formatted(elementAtPath(question, "questiontext"), losses) ||
      elementText(elementAtPath(question, "name", "text")),
    explanation: formatted(elementAtPath(question, "generalfeedback"), losses) || null,
    points: grade === "" ? 1 : Math.round(Number(grade) * 100) / 100,
    ...answered,
  };
}

function reportParts(question: Element, losses: OmissionCollector): void {
  for (const one of childElements(question)) {
    const inner = childElements(one);
    const value = elementText(one) || (inner.length > 0 ? inner.map(({ name }) => name).join() : "");
    if (inner.length > 0 && !parts[one.name] && value !== "")
      losses.add("left_out_question_element", { element: one.name.slice(0, 100) });
    else if (applySettingRulesToPairs([[one.name, value]], parts).leftOut.length > 0)
      losses.add("left_out_question_setting", {
        setting: one.name.slice(0, 100),
        value: value.slice(0, 100),
      });
  }
  const hasFeedback = (name: string, from: Element) => elementText(elementAtPath(from, name)) !== "";
  const own = ["correctfeedback", "partiallycorrectfeedback", "incorrectfeedback"];
  if (
    own.some((name) => hasFeedback(name, question)) ||
    childElements(question, "answer").some((answer) => hasFeedback("feedback", answer))
  )
    losses.add("left_out_question_feedback");
}

function formatted(holder: Element | undefined, losses: OmissionCollector): string {
  const format = holder?.attributes["format"] ?? "html";
  return answerTextFromHtml(
    elementText(elementAtPath(holder, "text")),
    /^(html|moodle_auto_format)$/.test(format),
    losses,
  );
}

const answersOf = (question: Element, losses: OmissionCollector): WeightedAnswer[] =>
  childElements(question, "answer").map((answer) => {
    const source = elementText(elementAtPath(answer, "text"));
    const isHtml =
      /^(html|moodle_auto_format)$/.test(answer.attributes["format"] ?? "moodle_auto_format") &&
      question.attributes["type"] !== "shortanswer";
    const share = Number(answer.attributes["fraction"] ?? 0);
    return { text: answerTextFromHtml(source, isHtml, losses), source, share };
  });

const readers: Readonly<
  Record<string, (question: Element, losses: OmissionCollector) => QuestionAnswerFields>
> = {
  multichoice(question, losses) {
    const isSingle = /^(true|1)$/.test(elementText(elementAtPath(question, "single")) || "true");
    const answers = answersOf(question, losses);
    return isSingle ? toSingleChoiceAnswer(answers, losses) : toMultipleChoiceAnswer(answers, losses);
  },
  truefalse(question, losses) {
    const right = answersOf(question, losses).find(({ share }) => share === 100);
    if (!right)
      throw createUnreadableQuestion("left_out_question_invalid", {
        field: "answer",
        fault: "no correct answer",
      });
    return toTrueFalseAnswer(/^true$/i.test(right.text));
  },
  shortanswer: (question, losses) => toShortTextAnswer(answersOf(question, losses), losses),
  numerical: (question, losses) =>
    toNumericAnswer(
      childElements(question, "answer")
        .filter(
          (answer) =>
            elementText(elementAtPath(answer, "text")) !== "*" || answer.attributes["fraction"] !== "0",
        )
        .map((answer) => ({
          value: Number(elementText(elementAtPath(answer, "text")) || Number.NaN),
          tolerance: Number(elementText(elementAtPath(answer, "tolerance")) || 0),
          share: Number(answer.attributes["fraction"] ?? 0),
        })),
      losses,
    ),
};
