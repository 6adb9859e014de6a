import { parseDecimalText } from "../../platform/text/decimal-text.ts";
import { applySettingRulesToPairs, type SettingRules } from "../cartridges/settings.ts";
import {
  childElements,
  type Element,
  elementAtPath,
  deepElementText as elementText,
} from "../cartridges/xml.ts";
import {
  createUnreadableQuestionError,
  type OmissionCollector,
  parseQuestionOrFault,
  type QuestionAnswerFields,
  type QuestionInput,
  type TextFormat,
  textInFormat,
  toMultipleChoiceAnswer,
  toNumericAnswer,
  toShortTextAnswer,
  toSingleChoiceAnswer,
  toTrueFalseAnswer,
  type WeightedAnswer,
  withLineBreaks,
} from "./weighted-answers.ts";

/** Parts of a question that are read, or have no effect. */
const noEffect = { becomes: "", same: /^/ };
const offBy = (same: RegExp) => ({ becomes: "", same });
const parts: SettingRules = {
  ...Object.fromEntries(
    ["name", "questiontext", "generalfeedback", "defaultgrade", "answer", "single"]
      .concat(["correctfeedback", "partiallycorrectfeedback", "incorrectfeedback", "shownumcorrect"])
      .map((name) => [name, noEffect]),
  ),
  /** Moodle's usual deductions in modes that do not exist here. */
  penalty: offBy(/^(0(\.0*|\.10*|\.3+)?|1(\.0*)?)$/),
  showstandardinstruction: offBy(/^0$/),
  hidden: offBy(/^0$/),
  usecase: offBy(/^0$/),
  shuffleanswers: offBy(/^(1|true)$/),
  answernumbering: offBy(/^(abc|none)$/),
  unitgradingtype: offBy(/^0$/),
  unitpenalty: offBy(/^0(\.10*|\.0*)?$/),
  showunits: offBy(/^[03]$/),
  unitsleft: offBy(/^0$/),
};

/** Questions of Moodle XML, with their lines, and their files in base64 by paths below `folder`. Pure. */
export function readMoodleXml(quiz: Element, folder: string) {
  const found = [];
  let category = "";
  for (const written of childElements(quiz, "question")) {
    if (written.attributes["type"] === "category") {
      category = elementText(elementAtPath(written, "category", "text"));
      continue;
    }
    const { question, files } = withFilePaths(written, `${folder}/${found.length}`);
    const place = { path: "", names: new Set(files.keys()) };
    const named = category;
    const read = parseQuestionOrFault(
      found.length + 1,
      (losses) => {
        if (!/^(?:\$\w+\$\/)?(?:top)?$/.test(named)) losses.addSetting("category", named);
        refuseElementsInText(written);
        reportUnusedFiles(question, files, losses);
        return questionOf(question, losses);
      },
      place,
    );
    category = "";
    found.push({ line: question.line ?? null, files, ...read });
  }
  return found;
}

/** Attached files that no text shows. */
function reportUnusedFiles(
  question: Element,
  files: ReadonlyMap<string, string>,
  losses: OmissionCollector,
): void {
  if (files.size === 0) return;
  const texts = textsIn(question).join("\n");
  for (const path of files.keys()) {
    const isUsed = [path, encodeURI(path)].some((address) => texts.includes(address));
    const name = path.slice(path.lastIndexOf("/") + 1);
    if (!isUsed) losses.add("left_out_question_media", { media: "file", address: name.slice(0, 200) });
  }
}

const textsIn = (one: Element): string[] =>
  childElements(one).flatMap((inner) => (inner.name === "text" ? [elementText(inner)] : textsIn(inner)));

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
  const read = Object.hasOwn(readers, type) ? readers[type] : undefined;
  if (!read)
    throw createUnreadableQuestionError("left_out_question_kind", {
      question_kind: type.slice(0, 100) || "Moodle XML",
    });
  reportParts(question, losses);
  const answered = read(question, losses);
  const grade = elementText(elementAtPath(question, "defaultgrade"));
  return {
    question_text:
      formatted(elementAtPath(question, "questiontext"), losses) ||
      textInFormat(elementText(elementAtPath(question, "name", "text")), "plain", losses),
    explanation: formatted(elementAtPath(question, "generalfeedback"), losses) || null,
    points: grade === "" ? 1 : Math.round(Number(grade) * 100) / 100,
    ...answered,
  };
}

function refuseElementsInText(question: Element): void {
  const nested = elementInText(question);
  if (nested)
    throw createUnreadableQuestionError("left_out_question_part_lost", {
      element: nested.name.slice(0, 100),
    });
}

/** HTML is escaped in these files. Unescaped, its text alone would be read: `10<sup>8</sup>` as 108. */
function elementInText(one: Element): Element | undefined {
  for (const inner of childElements(one)) {
    const found = inner.name === "text" ? childElements(inner)[0] : elementInText(inner);
    if (found) return found;
  }
  return undefined;
}

function reportParts(question: Element, losses: OmissionCollector): void {
  for (const one of childElements(question)) {
    const inner = childElements(one);
    const value = elementText(one) || (inner.length > 0 ? inner.map(({ name }) => name).join() : "");
    if (inner.length > 0 && !Object.hasOwn(parts, one.name) && value !== "")
      losses.add("left_out_question_element", { element: one.name.slice(0, 100) });
    else if (applySettingRulesToPairs([[one.name, value]], parts).leftOut.length > 0)
      losses.addSetting(one.name, value);
  }
  const hasFeedback = (name: string, from: Element) => elementText(elementAtPath(from, name)) !== "";
  const own = ["correctfeedback", "partiallycorrectfeedback", "incorrectfeedback"];
  if (
    own.some((name) => hasFeedback(name, question)) ||
    childElements(question, "answer").some((answer) => hasFeedback("feedback", answer))
  )
    losses.add("left_out_question_feedback");
}

function formatted(holder: Element | undefined, losses: OmissionCollector, otherwise = "html"): string {
  const text = elementText(elementAtPath(holder, "text"));
  const format = holder?.attributes["format"] ?? otherwise;
  const isAutomatic = format === "moodle_auto_format";
  return textInFormat(isAutomatic ? withLineBreaks(text) : text, formats.get(format) ?? "plain", losses);
}

const formats = new Map<string, TextFormat>([
  ["html", "html"],
  ["moodle_auto_format", "html"],
  ["markdown", "markdown"],
]);

/** In percent of the points. */
function shareOf({ attributes }: Element): number {
  const share = parseDecimalText(attributes["fraction"] ?? "0");
  if (Number.isNaN(share)) throw createUnreadableQuestionError("left_out_question_no_number");
  return share;
}

const answersOf = (question: Element, losses: OmissionCollector): WeightedAnswer[] =>
  childElements(question, "answer").map((answer) => {
    const source = elementText(elementAtPath(answer, "text"));
    const isTyped = question.attributes["type"] === "shortanswer";
    const text = isTyped ? source.trim() : formatted(answer, losses, "moodle_auto_format");
    return { text, source, share: shareOf(answer) };
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
      throw createUnreadableQuestionError("left_out_question_invalid", {
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
        .map((answer) => {
          const text = elementText(elementAtPath(answer, "text"));
          const share = shareOf(answer);
          if (share <= 0) losses.addSetting("answer", text);
          return {
            value: parseDecimalText(text),
            tolerance: parseDecimalText(elementText(elementAtPath(answer, "tolerance")) || "0"),
            share,
          };
        }),
      losses,
    ),
};
